import Dashboard
import Glibc
import Testing

@testable import LiveQueryTUI

/// However the process ends, the person gets the terminal back.
@Suite struct RestorationTests {
  /// Ways to end, by what a child process does once its terminal is open.
  private static func open(on path: String, _ body: @escaping @ScreenActor (Terminal) -> Void)
    -> Int32
  {
    PseudoTerminal.adopt(path)
    return MainLoop().run { loop in
      do {
        let terminal = try Terminal.open(color: .auto)
        terminal.draw(Grid(size: terminal.size))
        body(terminal)
      } catch {
        loop.stop(status: 77)
      }
    }
  }

  private func expectRestored(_ terminal: PseudoTerminal, errors: String? = nil) {
    let written = terminal.written()
    #expect(written.contains("\u{1b}[?1049h"))
    #expect(written.contains("\u{1b}[?2004h"))
    let after = written.text(after: "\u{1b}[?1049l")
    #expect(after != nil, "the alternate screen was not left")
    #expect(written.contains("\u{1b}[?2004l"))
    #expect(terminal.isCooked)
    if let errors { #expect(after?.contains(errors) == true) }
  }

  @Test func `after a trap, whose message appears`() async {
    let terminal = PseudoTerminal()
    await #expect(processExitsWith: .signal(SIGILL)) { [path = terminal.path as String] in
      _ = RestorationTests.open(on: path) { _ in fatalError("the reason") }
    }
    expectRestored(terminal, errors: "the reason")
  }

  @Test func `after a crash on another thread`() async {
    let terminal = PseudoTerminal()
    await #expect(processExitsWith: .signal(SIGABRT)) { [path = terminal.path as String] in
      _ = RestorationTests.open(on: path) { _ in Task.detached { abort() } }
    }
    expectRestored(terminal)
  }

  @Test func `after a fault`() async {
    let terminal = PseudoTerminal()
    await #expect(processExitsWith: .signal(SIGSEGV)) { [path = terminal.path as String] in
      _ = RestorationTests.open(on: path) { _ in raise(SIGSEGV) }
    }
    expectRestored(terminal)
  }

  @Test func `after exit in the middle of something`() async {
    let terminal = PseudoTerminal()
    await #expect(processExitsWith: .exitCode(5)) { [path = terminal.path as String] in
      _ = RestorationTests.open(on: path) { _ in exit(5) }
    }
    expectRestored(terminal)
  }

  @Test func `after a signal, whose status is the shell's`() async {
    let terminal = PseudoTerminal()
    await #expect(processExitsWith: .exitCode(143)) { [path = terminal.path as String] in
      exit(RestorationTests.open(on: path) { _ in pthread_kill(pthread_self(), SIGTERM) })
    }
    expectRestored(terminal)
  }

  @Test func `after it was closed, with what was written to standard error`() async {
    let terminal = PseudoTerminal()
    await #expect(processExitsWith: .exitCode(143)) { [path = terminal.path as String] in
      let status = RestorationTests.open(on: path) { terminal in
        _ = write(STDERR_FILENO, "a warning", 9)
        terminal.close()
        pthread_kill(pthread_self(), SIGTERM)
      }
      exit(status)
    }
    expectRestored(terminal, errors: "a warning")
  }
}

extension String {
  /// What follows the last occurrence of `marker`; nil when there is none.
  fileprivate func text(after marker: String) -> Substring? {
    var rest = self[...]
    var found: Substring?
    while let range = rest.firstRange(of: marker) {
      rest = rest[range.upperBound...]
      found = rest
    }
    return found
  }
}
