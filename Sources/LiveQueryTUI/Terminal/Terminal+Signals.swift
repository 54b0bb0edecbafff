import Dashboard
import Glibc

/// Terminal functions other than showing cells: the bell, and the clipboard.
extension Terminal {
  /// Sounds the bell.
  func ring() { write("\u{7}") }

  /// Sends text to the terminal's clipboard by OSC 52. Terminals do not report whether they took
  /// it.
  ///
  /// - Returns: The message for the user.
  func copy(_ text: ClipboardText) -> String {
    let type = getenv("TERM").map { String(cString: $0) } ?? ""
    guard !["linux", "vt100", "vt220", "ansi"].contains(type) else {
      return "a terminal of type \(type) has no clipboard; :export writes a file"
    }
    guard let sequence = text.sequence else { return text.refusal }
    write(sequence)
    // tmux takes it only if it is configured to.
    let isInTmux = getenv("TMUX") != nil
    return text.confirmation + (isInTmux ? ". In tmux: set -g set-clipboard on" : "")
  }
}
