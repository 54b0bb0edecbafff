import DatabaseConsole
import ObservationEngine
import Synchronization
import TestSupport
import Testing

/// The feed within a process; `RowsTests` has the program and other processes.
@Suite(.fewAtOnce) struct RowFeedTests {
  private static let lines = RowLines(
    row: { "\($0.commit) \($0.kind) \(show($0.key)): \(show($0.old)) → \(show($0.new))\n" },
    end: { "\($0.commit) end \($0.rows)\($0.compared == nil ? "" : " compared")\n" })

  private static func show(_ row: Row?) -> String {
    guard let row else { return "-" }
    return row.values.map { $0.integer.map(String.init) ?? "\($0)" }.joined(separator: " ")
  }

  private static func state(in folder: TemporaryFolder) throws -> Database {
    var configuration = Configuration()
    configuration.usesSingleConnection = true
    return try Database(path: folder.path("state"), configuration: configuration)
  }

  private static func feed(_ database: Database, _ state: Database) async throws -> RowFeed {
    let feed = RowFeed(
      database, FollowedTables(nil), replica: state, isDurable: true, lines: lines
    ) { _ in }
    try await feed.start()
    return feed
  }

  /// All lines of the next portion.
  private static func text(_ feed: RowFeed) async throws -> String {
    let portion = try #require(try await feed.next())
    if let text = portion.text { return text }
    var (text, place) = ("", 0)
    while let piece = try await feed.text(after: place) {
      text += piece.text
      place = piece.place
    }
    return text
  }

  @Test func `own commits are lines, a row that changes back is none`() async throws {
    let temporary = try await TemporaryDatabase(
      schema: "CREATE TABLE t (id INTEGER PRIMARY KEY, v)")
    let state = try Self.state(in: temporary.folder)
    defer { state.close() }
    let feed = try await Self.feed(temporary.database, state)
    #expect(try await Self.text(feed) == "0 end 0\n")
    try await feed.confirm()
    try await temporary.write(script: "INSERT INTO t VALUES (1, 1); INSERT INTO t VALUES (2, 2)")
    #expect(
      try await Self.text(feed)
        == """
        1 insert 1: - → 1 1
        1 insert 2: - → 2 2
        1 end 2

        """)
    try await feed.confirm()
    try await temporary.write(script: "UPDATE t SET v = 9; UPDATE t SET v = id")
    try await temporary.write(script: "DELETE FROM t WHERE id = 1")
    #expect(try await Self.text(feed) == "2 delete 1: 1 1 → -\n2 end 1\n")
  }

  @Test func `lines that were not confirmed come again, whatever happened since`() async throws {
    let temporary = try await TemporaryDatabase(
      schema: "CREATE TABLE t (id INTEGER PRIMARY KEY, v)")
    let state = try Self.state(in: temporary.folder)
    defer { state.close() }
    var printed = ""
    do {
      let feed = try await Self.feed(temporary.database, state)
      _ = try await Self.text(feed)
      try await feed.confirm()
      try await temporary.write(script: "INSERT INTO t VALUES (1, 1)")
      printed = try await Self.text(feed)
      #expect(printed.hasPrefix("1 insert"))
    }
    // Without the lines again, a reader that has the row would never learn that it is gone.
    try await temporary.write(script: "DELETE FROM t")
    let feed = try await Self.feed(temporary.database, state)
    #expect(try await Self.text(feed) == printed)
    try await feed.confirm()
    let rest = try await Self.text(feed)
    #expect(rest.hasPrefix("2 delete") && rest.hasSuffix("2 end 1 compared\n"))
    try await feed.confirm()
    let last = try await Self.feed(temporary.database, state)
    #expect(try await Self.text(last) == "3 end 0 compared\n")
  }

  @Test func `a comparison prints what is gone before what has taken its place`() async throws {
    let temporary = try await TemporaryDatabase(
      schema: """
        CREATE TABLE k (x TEXT COLLATE NOCASE PRIMARY KEY, n) WITHOUT ROWID;
        CREATE TABLE u (id INTEGER PRIMARY KEY, n UNIQUE)
        """)
    let state = try Self.state(in: temporary.folder)
    defer { state.close() }
    try await temporary.write(
      script: "INSERT INTO k VALUES ('a', 1), ('b', 2); INSERT INTO u VALUES (5, 7), (6, 8)")
    do {
      let feed = try await Self.feed(temporary.database, state)
      _ = try await Self.text(feed)
      try await feed.confirm()
    }
    try await temporary.write(
      script: """
        UPDATE k SET x = 'B' WHERE x = 'b'; UPDATE k SET n = 3 WHERE x = 'a';
        DELETE FROM u WHERE id = 5; INSERT INTO u VALUES (1, 7)
        """)
    let feed = try await Self.feed(temporary.database, state)
    let lines = try await Self.text(feed).split(separator: "\n").map {
      $0.split(separator: " ")[1]
    }
    #expect(lines == ["delete", "insert", "update", "delete", "insert", "end"])
    try await feed.confirm()
    let last = try await Self.feed(temporary.database, state)
    #expect(try await Self.text(last) == "2 end 0 compared\n")
  }

  @Test func `many lines are handed over in pieces`() async throws {
    let temporary = try await TemporaryDatabase(
      schema: "CREATE TABLE t (id INTEGER PRIMARY KEY, v)")
    let state = try Self.state(in: temporary.folder)
    defer { state.close() }
    try await temporary.write(
      script: """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 20000)
        INSERT INTO t SELECT i, hex(i) FROM n
        """)
    let feed = try await Self.feed(temporary.database, state)
    let portion = try #require(try await feed.next())
    #expect(portion.text == nil)
    var (lines, place, pieces) = (0, 0, 0)
    while let piece = try await feed.text(after: place) {
      lines += piece.text.utf8.count { $0 == UInt8(ascii: "\n") }
      (place, pieces) = (piece.place, pieces + 1)
    }
    #expect(lines == 20_001 && pieces > 1)
    try await feed.confirm()
    #expect(try await feed.text(after: 0) == nil)
  }

  @Test func `VACUUM prints the rows that it renumbers`() async throws {
    let temporary = try await TemporaryDatabase(
      schema: "CREATE TABLE h (v); CREATE TABLE k (id INTEGER PRIMARY KEY)")
    let state = try Self.state(in: temporary.folder)
    defer { state.close() }
    try await temporary.write(
      script:
        "INSERT INTO h VALUES (1), (2), (3); INSERT INTO k VALUES (5); DELETE FROM h WHERE v = 1")
    let feed = try await Self.feed(temporary.database, state)
    _ = try await Self.text(feed)
    try await feed.confirm()
    try await temporary.database.withoutTransaction { try $0.execute(script: "VACUUM") }
    let text = try await Self.text(feed)
    // 2 and 3 become 1 and 2.
    #expect(text.contains("1 insert") && text.contains("1 update") && text.contains("1 delete"))
    #expect(text.hasSuffix("1 end 3 compared\n"))
  }

  /// What was printed.
  private final class Seen: Sendable {
    struct State {
      var ids: Set<Int64> = []
      var comparisons = 0
    }

    let state = Mutex(State())
  }

  /// The CREATE TABLE makes the feed compare. If the row is inserted while that begins, it must not be taken for one
  /// that the comparison has seen.
  @Test func `a commit while a comparison begins is not lost`() async throws {
    // Reading so many tables again gives the writer time.
    let others = (1...300).map { "CREATE TABLE o\($0) (a, b, c);" }.joined()
    let temporary = try await TemporaryDatabase(
      schema: """
        CREATE TABLE t (id INTEGER PRIMARY KEY); CREATE TABLE fence (id INTEGER PRIMARY KEY); \(others)
        """)
    let state = try Self.state(in: temporary.folder)
    defer { state.close() }
    let seen = Seen()
    let lines = RowLines(
      row: { line in
        if let id = line.key.values.first?.integer { seen.state.withLock { _ = $0.ids.insert(id) } }
        return "\n"
      },
      end: { line in
        if line.compared != nil { seen.state.withLock { $0.comparisons += 1 } }
        return "\n"
      })
    let feed = RowFeed(
      temporary.database, FollowedTables(nil), replica: state, isDurable: true, lines: lines
    ) { _ in }
    try await feed.start()
    _ = try await feed.next()
    try await feed.confirm()
    for round in 1...10 as ClosedRange<Int64> {
      let before = seen.state.withLock { $0.comparisons }
      // Ends with the writer, if that fails.
      async let end: Void = {
        while !seen.state.withLock({ $0.ids.contains(round) }) {
          guard try await feed.next() != nil else { throw CancellationError() }
          try await feed.confirm()
        }
      }()
      try await temporary.write(script: "CREATE TABLE t\(round) (v)")
      var written: Set<Int64> = []
      // A comparison that ends before the first row has nothing to print, so it isn't seen.
      while seen.state.withLock({ $0.comparisons }) == before, written.count < 200 {
        let id = 100_000 * round + Int64(written.count)
        try await temporary.write(script: "INSERT INTO t VALUES (\(id))")
        written.insert(id)
      }
      try await temporary.write(script: "INSERT INTO fence VALUES (\(round))")
      try await end
      #expect(written.subtracting(seen.state.withLock { $0.ids }) == [])
    }
  }
}
