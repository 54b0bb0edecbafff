import Glibc
import TestSupport
import Testing

/// The example program, run as its users run it.
@Suite(.fewAtOnce)
struct HallOfFameTests {
  @Test func `it makes a database and prints it once`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("hall.db")
    let program = try BuiltProgram.path("HallOfFame")
    let first = try await RunningProgram.run([program, path, "--once"])
    #expect(first.status == 0)
    #expect(first.output == "0 players\n")
    try await SQLiteShell(path).run("INSERT INTO player VALUES ('ada', 3), ('bob', 5)")
    let second = try await RunningProgram.run([program, path, "--once"])
    #expect(second.output == "2 players\n  1. bob: 5\n  2. ada: 3\n")
  }

  @Test func `it prints what others commit, and ends on Ctrl-C`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("hall.db")
    let program = try RunningProgram([try BuiltProgram.path("HallOfFame"), path])
    #expect(try await program.line() == "0 players")
    try await SQLiteShell(path).run("INSERT INTO player VALUES ('ada', 3)")
    #expect(try await program.line() == "1 players")
    #expect(try await program.line() == "  1. ada: 3")
    program.signal(SIGINT)
    #expect(try await program.result().status == 0)
  }

  @Test func `it says what is wrong`() async throws {
    let folder = try TemporaryFolder()
    let program = try BuiltProgram.path("HallOfFame")
    let usage = try await RunningProgram.run([program])
    #expect(usage.status == 2)
    let failure = try await RunningProgram.run([program, folder.path, "--once"])
    #expect(failure.status == 1)
    #expect(failure.output.contains("is a directory"))
  }
}
