import Dashboard
import Glibc

/// The commands that a session may run, and whether the user has agreed to them.
struct HookSettings: Sendable {
  /// How long a command may run, unless the command line says otherwise.
  static let defaultLimit = Duration.seconds(10)

  enum Consent: Sendable, Equatable {
    case given
    /// There is a user at the screen, who must be asked.
    case toBeAsked
    /// There is no user to ask; why commands do not run, with the remedy.
    case missing(String)
  }

  /// The commands to ask about: those of the file, and `--exec` on a screen.
  var requests: [HookRequest] = []
  var consent = Consent.given
  /// The subjects of a remembered confirmation.
  var subjects: [(digest: String, name: String)] = []
  /// Where the commands of the dashboard file run; nil for the current folder.
  var folder: String?
  var limit = defaultLimit
  /// Whether `--exec` needs no consent, because there is no user to ask.
  var execIsTrusted = false

  /// - Parameters:
  ///   - isAttended: Whether there is a user to ask. Without one, the command line's own `--exec`
  ///     counts as agreed to.
  ///   - trust: Earlier confirmations; nil when nothing is remembered.
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
      // Without the text, a confirmation can't be remembered.
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

  /// The commands of the panels' alerts.
  static func requests(of definition: DashboardDefinition) -> [HookRequest] {
    definition.panels.compactMap { panel in
      panel.onAlert.map { HookRequest(command: $0, panel: panel.name) }
    }
  }

  /// The absolute path of a file, without links; the path itself if there is no such file.
  private static func absolute(_ path: String) -> String {
    guard let resolved = realpath(path, nil) else { return path }
    defer { free(resolved) }
    return String(cString: resolved)
  }
}
