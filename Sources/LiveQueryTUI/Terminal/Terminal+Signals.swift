import Dashboard
import Glibc

/// What a terminal can do beside showing cells: sound, and keep text for other programs.
extension Terminal {
  /// Sounds the bell.
  func ring() { write("\u{7}") }

  /// Hands text to the terminal's clipboard by OSC 52. Terminals do not say whether they took it.
  ///
  /// - Returns: What to tell the person.
  func copy(_ text: ClipboardText) -> String {
    let type = getenv("TERM").map { String(cString: $0) } ?? ""
    guard !["linux", "vt100", "vt220", "ansi"].contains(type) else {
      return "a terminal of type \(type) has no clipboard; x exports to a file"
    }
    guard let sequence = text.sequence else { return text.refusal }
    write(sequence)
    // tmux takes it for itself only when it is told to.
    let isInTmux = getenv("TMUX") != nil
    return text.confirmation + (isInTmux ? "; tmux needs: set -g set-clipboard on" : "")
  }
}
