import Dashboard
import TestSupport

/// The built program on a terminal in memory.
final class EmulatedProgram {
  private(set) var emulator: TerminalEmulator
  private let terminal: PseudoTerminal
  private let process: RunningProgram
  private let folder: TemporaryFolder

  /// - Parameter environment: Variables such as `TERM`; without it the terminal is an xterm.
  init(_ arguments: [String], size: Size, environment: [String: String] = [:]) throws {
    emulator = TerminalEmulator(size)
    terminal = PseudoTerminal(size)
    folder = try TemporaryFolder()
    let variables = [
      "TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "SWIFT_BACKTRACE": "enable=no",
      "XDG_STATE_HOME": folder.path, "XDG_CONFIG_HOME": folder.path,
    ]
    // A session of its own, whose terminal this is: the program is told when the size changes.
    process = try RunningProgram(
      ["sh", "-c", "exec setsid -c \"$@\" <\(terminal.path) >\(terminal.path) 2>&1", "sh"]
        + [try LiveQuery.path] + arguments,
      environment: variables.merging(environment) { $1 })
  }

  func type(_ keys: String) throws { try terminal.type(keys) }

  func resize(_ size: Size) {
    read()
    emulator.resize(size)
    terminal.resize(size)
  }

  /// Takes what was written.
  func read() { emulator.feed(terminal.writtenBytes()) }

  /// The frames that were shown since they were asked for the last time.
  func takeFrames() -> [TerminalEmulator.Frame] { emulator.takeFrames() }

  /// Waits until the screen is as wanted, and no frame is under way.
  func wait(for what: String, until isSo: (TerminalEmulator) -> Bool) async throws {
    do {
      try await TestSupport.wait(for: what) {
        read()
        return emulator.parser.isComplete && isSo(emulator)
      }
    } catch {
      throw Unexpected("\(error)\n\(emulator.lines.joined(separator: "\n"))")
    }
  }

  /// Waits until all of these texts are on the screen.
  func waitFor(_ texts: String...) async throws {
    try await wait(for: texts.joined(separator: ", ")) { emulator in
      let text = emulator.lines.joined(separator: "\n")
      return texts.allSatisfy { text.contains($0) }
    }
  }

  /// Waits for the end of the program, and takes the last that it wrote.
  func ended() async throws -> Int32 {
    // None can end while its terminal has no room for the frame that it writes.
    try await TestSupport.wait(for: "the end of the program") {
      read()
      return process.hasEnded
    }
    let status = try await process.result().status
    read()
    return status
  }
}
