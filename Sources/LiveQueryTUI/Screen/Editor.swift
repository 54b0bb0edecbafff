import Dashboard
import Glibc

/// The user's editor, as `$VISUAL` or `$EDITOR` names it.
struct Editor {
  /// A shell command: a name or path, perhaps with options.
  let command: String

  /// - Returns: The editor from the variables; `vi` if they are unset.
  init(environment: (String) -> String?) {
    let named = ["VISUAL", "EDITOR"].lazy.compactMap(environment)
      .first { !$0.allSatisfy(\.isWhitespace) }
    command = named ?? "vi"
  }

  init() {
    self.init { name in getenv(name).map { String(cString: $0) } }
  }

  /// The words that start the editor at a line of a file: the shell splits the command, as for git
  /// and crontab, but does not interpret the file.
  func words(file: String, line: Int) -> [String] {
    ["/bin/sh", "-c", "\(command) \"$@\"", "sh"] + operands(file: file, line: line)
  }

  /// The program's name, without folder and options.
  var name: String {
    let word = command.split(whereSeparator: \.isWhitespace).first ?? "vi"
    return String(word).lastPathPart
  }

  /// The operands for this editor to open a line; an unknown editor gets only the file.
  private func operands(file: String, line: Int) -> [String] {
    // A name that looks like an option is still a file.
    let path = file.hasPrefix("-") ? "./\(file)" : file
    switch name {
    case "vi", "vim", "nvim", "view", "vim.basic", "vim.tiny", "nvi", "elvis", "busybox", "gvim",
      "emacs", "emacsclient", "mg", "zile", "nano", "pico", "micro", "kak", "joe", "jmacs", "jed",
      "ne", "mcedit", "kate", "gedit", "less":
      return ["+\(line)", path]
    case "hx", "helix", "subl", "sublime_text", "zed", "zeditor", "lapce":
      return ["\(path):\(line)"]
    case "code", "code-insiders", "codium", "vscodium", "cursor":
      return ["--goto", "\(path):\(line)"]
    default:
      return [path]
    }
  }

  /// Why an editor that ended like this has not done its work; nil if it has.
  func complaint(about end: ForegroundChild.End) -> String? {
    switch end {
    case .exited(0): nil
    case .exited(127): "the editor \"\(command)\" was not found; set VISUAL or EDITOR"
    case .exited(126): "the editor \"\(command)\" cannot be run; set VISUAL or EDITOR"
    case .exited(let status): "\(name) ended with status \(status)"
    case .killed(let signal): "\(name) was ended by signal \(signal)"
    case .notStarted(let number):
      "\(name) could not be started: \(String(cString: strerror(number)))"
    }
  }
}
