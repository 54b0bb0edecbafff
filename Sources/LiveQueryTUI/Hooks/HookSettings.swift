import Dashboard
import Glibc

/// Which commands a session may have to run, and whether somebody has agreed to them.
struct HookSettings: Sendable {
  /// How long a command may run, unless the command line says otherwise.
  static let defaultLimit = Duration.seconds(10)

  enum Consent: Sendable, Equatable {
    case given
    /// Somebody sits at the screen and is to be asked.
    case toBeAsked
    /// Nobody can be asked; why commands do not run, with the remedy.
    case missing(String)
  }

  /// What would be asked about: the commands of the file, and `--exec` on a screen.
  var requests: [HookRequest] = []
  var consent = Consent.given
  /// What a confirmation is remembered for.
  var subjects: [(digest: String, name: String)] = []
  /// Where commands of the dashboard file run; nil for here.
  var folder: String?
  var limit = defaultLimit
  /// Whether the command of `--exec` needs nobody's consent, because nobody can be asked.
  var execIsTrusted = false

  /// - Parameters:
  ///   - isAttended: Whether a question can be put to somebody. Without anybody the command line's own
  ///     `--exec` counts as agreed to.
  ///   - trust: What was confirmed before; nil when nothing is remembered.
  init(
    _ dashboard: LoadedDashboard, _ arguments: Arguments, isAttended: Bool, trust: TrustFile?
  ) {
    limit = arguments.hookLimit ?? Self.defaultLimit
    execIsTrusted = !isAttended
    var toConfirm: [(digest: String, name: String)] = []
    requests = Self.requests(of: dashboard.definition)
    if !requests.isEmpty {
      let path = Self.absolute(dashboard.path ?? "-")
      folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) }
      // Without the text there is nothing to remember a confirmation for.
      toConfirm.append((dashboard.text.map { TrustFile.digest(path: path, text: $0) } ?? "", path))
    }
    if let exec = arguments.exec, isAttended {
      requests.append(HookRequest(command: exec, panel: nil))
      let here = Self.absolute(".")
      toConfirm.append(
        (TrustFile.digest(command: exec.text, folder: here), "--exec \(exec.text) in \(here)"))
    }
    subjects = toConfirm.filter { $0.digest.isEmpty || trust?.contains($0.digest) != true }
    if subjects.isEmpty || arguments.trustsHooks {
      consent = .given
    } else if isAttended {
      consent = .toBeAsked
    } else {
      consent = .missing(
        "not confirmed; run it once on a terminal to confirm it, or give --trust-hooks")
    }
  }

  /// What the panels' alerts run.
  static func requests(of definition: DashboardDefinition) -> [HookRequest] {
    definition.panels.compactMap { panel in
      panel.onAlert.map { HookRequest(command: $0, panel: panel.name) }
    }
  }

  /// The absolute path of a file, without links; the path itself when there is no such file.
  private static func absolute(_ path: String) -> String {
    guard let resolved = realpath(path, nil) else { return path }
    defer { free(resolved) }
    return String(cString: resolved)
  }
}
