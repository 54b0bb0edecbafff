import TestSupport
import Testing

/// A primary with a standby.
@Suite(.needsPostgres, .fewAtOnce) struct ServerFailoverTests {
  /// Reads a stream until the sum of a counter is this; it never falls.
  private func follow(_ stream: RunningProgram, until value: Int) async throws {
    var last = 0
    while last < value {
      let record = try StreamRecord(try await stream.line())
      guard let new = record["new"] else { continue }
      let number = Int(new.filter(\.isNumber)) ?? 0
      #expect(number >= last)
      last = number
    }
    #expect(last == value)
  }

  @Test func `when the primary dies, its standby takes over, and nothing is missed`() async throws {
    let primary = try await PostgresServer()
    let standby = try await PostgresServer(standbyOf: primary)
    let database = try await primary.database(
      "CREATE TABLE counter (value int); INSERT INTO counter VALUES (1);")
    let replica = try await database.replica(on: standby)
    let query = ["-c", "SELECT max(value) AS v FROM counter", "--stream"]
    let both =
      "postgres://postgres@/\(database.name)?host=\(primary.folder),\(standby.folder)"
      + "&target_session_attrs=read-write"
    let following = try LiveQuery.start(query + [both])
    let onStandby = try LiveQuery.start(query + [replica.address()])
    try await follow(following, until: 1)
    try await follow(onStandby, until: 1)
    for value in 2...20 {
      try await database.run("INSERT INTO counter VALUES (\(value))")
      try await follow(onStandby, until: value)
    }
    try await follow(following, until: 20)

    try primary.crash()
    try await following.waitForErrors(containing: "the connection to the server is lost")
    try await standby.promote()
    try await replica.run("INSERT INTO counter VALUES (21)")
    try await follow(following, until: 21)
    try await follow(onStandby, until: 21)
    try await following.waitForErrors(containing: "FAILED OVER: timeline 1 → 2")
    try await onStandby.waitForErrors(containing: "FAILED OVER")
    // Both have the log of the new primary now.
    try await replica.run("INSERT INTO counter VALUES (22)")
    try await follow(following, until: 22)
    try await follow(onStandby, until: 22)
  }

  @Test func `a standby's own log says which tables a commit changed`() async throws {
    let database = try await PostgresServer.shared().database(
      "CREATE TABLE item (id int); CREATE TABLE other (id int);")
    let replica = try await database.replica(on: PostgresServer.sharedStandby())
    let stream = try LiveQuery.start(
      ["--stream", replica.address(), "-c", "SELECT count(*) AS n FROM item"])
    while try StreamRecord(try await stream.line()).operation != "\"end\"" {}
    // Until the log names the transactions that run, it is not known whether one of them wrote before it was read.
    let named = try await untilNamed(database, stream)
    #expect(named == #"["item"]"#)
    let folder = try TemporaryFolder()
    let frame = try await LiveQuery.run(
      "--keys", try folder.write("", to: "keys"), "--frame", "120x20", replica.address())
    #expect(frame.output.contains("LIVE via WAL (replica)"))
  }

  @Test func `what a standby had received when it was opened is shown once it is replayed`()
    async throws
  {
    let primary = try await PostgresServer.shared()
    let standby = try await PostgresServer(
      settings: ["recovery_min_apply_delay = '4s'"], standbyOf: primary)
    let database = try await primary.database(
      "CREATE TABLE counter (value int); INSERT INTO counter VALUES (1);")
    let replica = try await database.replica(on: standby)
    try await database.run("INSERT INTO counter VALUES (2)")
    let stream = try LiveQuery.start(
      ["-c", "SELECT max(value) AS v FROM counter", "--stream", replica.address()])
    try await follow(stream, until: 2)
  }

  /// Commits until a commit is reported with its tables.
  private func untilNamed(
    _ database: PostgresDatabase, _ stream: RunningProgram
  ) async throws -> String {
    while true {
      // A checkpoint names them, as the server does from time to time.
      try await database.run("CHECKPOINT; INSERT INTO item VALUES (1)")
      while true {
        let record = try StreamRecord(try await stream.line())
        guard record.operation == "\"end\"" else { continue }
        if let tables = record["tables"], tables != "null" { return tables }
        break
      }
    }
  }
}
