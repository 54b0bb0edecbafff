import Glibc
import TestSupport
import Testing

/// Another process holds the lock.
@Suite(.fewAtOnce) struct LockTests {
  @Test(arguments: ["once", "stream"])
  func `a file that is locked at the start ends the program with status 3`(
    _ mode: String
  ) async throws {
    let playground = try await Playground(Fixture.counter)
    let writer = try await ExternalProcess.serve(playground.database)
    try await writer.send("BEGIN EXCLUSIVE")
    let result = try await LiveQuery.run(
      "--\(mode)", "--busy-timeout", "50", playground.database, "-c", "SELECT v FROM t")
    #expect(result.status == 3)
    #expect(result.output == "")
    #expect(result.errors.contains("the database is locked by another connection"))
    try await writer.send("COMMIT")
    #expect(try await LiveQuery.run("--once", playground.database).status == 0)
  }

  @Test func `a lock that is released within the busy timeout is waited for`() async throws {
    let playground = try await Playground(Fixture.counter)
    let writer = try await ExternalProcess.serve(playground.database)
    try await writer.send("BEGIN EXCLUSIVE")
    let program = try LiveQuery.start(
      ["--csv", "--busy-timeout", "60000", playground.database, "-c", "SELECT v FROM t"])
    try await writer.send("UPDATE t SET v = 'later'")
    try await writer.send("COMMIT")
    let result = try await program.result()
    #expect(result.output == "v\r\nlater\r\n")
    #expect(result.status == 0)
  }

  @Test func `a stream keeps quiet while the file is locked, and goes on afterwards`()
    async throws
  {
    let playground = try await Playground(Fixture.counter)
    let program = try LiveQuery.start(
      ["--stream", "--busy-timeout", "50", playground.database, "-c", "SELECT v FROM t"])
    #expect(try await program.line().contains("\"new\":{\"v\":\"a\"}"))
    _ = try await program.line()
    let writer = try await ExternalProcess.serve(playground.database)
    try await writer.send("UPDATE t SET v = 'b'")
    try await writer.send("BEGIN EXCLUSIVE")
    try await writer.send("UPDATE t SET v = 'never'")
    try await writer.send("ROLLBACK")
    try await writer.send("UPDATE t SET v = 'c'")
    var text = ""
    while !text.contains("\"new\":{\"v\":\"c\"}") { text = try await program.line() }
    program.signal(SIGTERM)
    let result = try await program.result()
    #expect(result.status == 143)
    #expect(!result.output.contains("never"))
  }
}
