import Glibc
import TestSupport

/// A terminal that a test looks at: a tmux server of its own, which ends with this object.
final class Tmux: Sendable {
  private let folder: TemporaryFolder
  private let server: Int32
  private let database: Playground?

  /// Opens a terminal that runs a shell without any settings of its own.
  ///
  /// - Parameter database: Kept for as long as the terminal.
  init(
    size: (width: Int, height: Int) = (80, 24), beside database: Playground? = nil
  ) async throws {
    folder = try TemporaryFolder()
    self.database = database
    let socket = folder.path("tmux")
    // A shell without history or profile, whose prompt tells the last status.
    try await Self.tmux(
      socket,
      [
        "-f", "/dev/null", "new-session", "-d", "-x", "\(size.width)", "-y", "\(size.height)",
        "exec env XDG_STATE_HOME=\(folder.path) XDG_CONFIG_HOME=\(folder.path) PS1='$? ready> ' ENV= sh -i",
      ])
    let answer = try await Self.tmux(socket, ["display-message", "-p", "#{pid}"])
    guard let pid = Int32(answer.trimmingSuffix { $0 == "\n" }) else {
      throw Unexpected("tmux has no process: \(answer)")
    }
    server = pid
    try await tmux("set-option", "-g", "status", "off")
    try await resize(size.width, size.height)
    try await waitFor("0 ready>")
    try folder.write(try await settings(), to: "settings")
  }

  // The program that runs in the terminal is hung up.
  deinit { kill(server, SIGTERM) }

  /// Runs a command of tmux.
  @discardableResult
  func tmux(_ words: String...) async throws -> String {
    try await Self.tmux(folder.path("tmux"), words)
  }

  @discardableResult
  private static func tmux(_ socket: String, _ words: [String]) async throws -> String {
    let result = try await RunningProgram.run(
      ["tmux", "-S", socket] + words, environment: LiveQuery.environment)
    guard result.status == 0 else { throw Unexpected("tmux \(words): \(result.errors)") }
    return result.output
  }

  // MARK: - What a person does

  /// Types a line into the shell.
  func run(_ line: String) async throws {
    try await type(line)
    try await press("Enter")
  }

  /// Starts the program in the shell, with console, feed and schema on the screen.
  ///
  /// - Parameters:
  ///   - variables: What stands before it, such as `TERM=vt100`.
  ///   - panes: The panes to show; nil for those that the user chose.
  func start(
    _ arguments: [String], variables: String = "", panes: String? = "console,feed,schema"
  ) async throws {
    let shown = panes.map { ["--panes", $0] } ?? []
    let quoted = ([try LiveQuery.path] + shown + arguments).map { "'\($0)'" }.joined(separator: " ")
    // What was there before must not be taken for what the program shows.
    try await run("clear; \(variables) \(quoted)")
  }

  /// Types characters as they are.
  func type(_ text: String) async throws {
    // A semicolon at the end would end tmux's command.
    let escaped = text.hasSuffix(";") ? text.dropLast() + "\\;" : text
    try await tmux("send-keys", "-l", "--", escaped)
  }

  /// Says yes to the commands in question, until that counts: not right after they came into view.
  func trustCommands() async throws {
    let question = "Trust this dashboard's commands"
    try await waitFor(question)
    try await wait(for: "the yes to count") {
      try await type("y")
      return try await !text.contains(question)
    }
  }

  /// Presses keys by tmux's names: `Enter`, `C-c`, `Escape`, `F1`.
  func press(_ keys: String...) async throws {
    for key in keys { try await tmux("send-keys", key) }
  }

  func resize(_ width: Int, _ height: Int) async throws {
    try await tmux("resize-window", "-x", "\(width)", "-y", "\(height)")
  }

  // MARK: - What a person sees

  /// The lines on the screen, without the blanks at their ends.
  var lines: [String] {
    get async throws {
      try await tmux("capture-pane", "-p").split(separator: "\n", omittingEmptySubsequences: false)
        .dropLast().map(String.init)
    }
  }

  var text: String {
    get async throws { try await lines.joined(separator: "\n") }
  }

  /// Waits until all of these texts are on the screen.
  func waitFor(_ texts: String...) async throws {
    var last = ""
    do {
      try await wait(for: texts.joined(separator: ", ")) {
        last = try await text
        return texts.allSatisfy { last.contains($0) }
      }
    } catch let error as Unexpected {
      throw Unexpected("\(error)\n\(last)")
    }
  }

  /// Waits until none of these texts is on the screen.
  func waitForAbsence(of texts: String...) async throws {
    try await wait(for: "the end of \(texts)") {
      let text = try await text
      return !texts.contains { text.contains($0) }
    }
  }

  /// The number of rows that the explorer shows beside a table.
  func rows(of table: String) async throws -> String? {
    for line in try await lines {
      let words = line.split(separator: " ")
      if words.starts(with: ["┃", table[...]]), words.count > 2 { return String(words[2]) }
    }
    return nil
  }

  /// A variable of tmux, such as `alternate_on`.
  func variable(_ name: String) async throws -> String {
    try await tmux("display-message", "-p", "#{\(name)}")
      .trimmingSuffix { $0 == "\n" }
  }

  /// Waits for the shell's prompt after a program that ended with this status.
  func waitForShell(status: Int32) async throws { try await waitFor("\(status) ready>") }

  /// Whether the terminal is as it was at the shell's first prompt: the first screen, with a cursor,
  /// and the same settings.
  func isRestored() async throws -> Bool {
    let flags = try await tmux(
      "display-message", "-p", "#{alternate_on} #{cursor_flag} #{mouse_any_flag}")
    guard flags == "0 1 0\n" else { throw Unexpected("flags are \(flags)") }
    let first = try folder.text("settings")
    var now = ""
    // A shell that edits lines itself sets the terminal up after it has written its prompt.
    try await wait(for: "the settings \(first)") {
      now = try await settings()
      return now == first
    }
    return now == first
  }

  /// All settings of the terminal, as `stty` gathers them.
  private func settings() async throws -> String {
    let terminal = try await variable("pane_tty")
    return try await RunningProgram.run(["stty", "-g", "-F", terminal]).output
  }

  /// The process that runs in the foreground of the terminal.
  func foreground() async throws -> Int32 {
    var found: Int32?
    let shell = try await variable("pane_pid")
    try await wait(for: "the program's process") {
      let children = try await RunningProgram.run(["cat", "/proc/\(shell)/task/\(shell)/children"])
      for child in children.output.split(separator: " ") {
        let name = try await RunningProgram.run(["cat", "/proc/\(child)/comm"])
        if name.output == "livequery\n" { found = Int32(child) }
      }
      return found != nil
    }
    guard let found else { throw Unexpected("no process") }
    return found
  }
}

extension String {
  func trimmingSuffix(while isTrimmed: (Character) -> Bool) -> String {
    var rest = self[...]
    while let last = rest.last, isTrimmed(last) { rest.removeLast() }
    return String(rest)
  }
}
