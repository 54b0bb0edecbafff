import Synchronization
import TestSupport
import Testing

@testable import ObservationEngine

/// What observers of transactions are told.
@Suite(.fewAtOnce)
struct TransactionObserverTests {
  /// Writes down what it is told, and refuses when it shall.
  private final class Witness: TransactionObserver {
    let name: String
    let journal: Journal<String>
    let refuses = Mutex(false)
    /// Run in ``didCommit(_:_:)`` and ``didRollback(_:)``.
    let look = Mutex<(@Sendable (Connection) -> String)?>(nil)

    init(_ name: String = "", _ journal: Journal<String> = Journal()) {
      self.name = name
      self.journal = journal
    }

    var entries: [String] { journal.entries }

    func willCommit(_ transaction: PendingTransaction) throws {
      journal.append("\(name)will \(transaction.tables.joined(separator: " "))")
      if refuses.withLock({ $0 }) { throw Refused() }
    }

    func didCommit(_ connection: Connection, _ commit: Commit?) {
      journal.append("\(name)did \(Self.text(commit))\(seen(connection))")
    }

    func didRollback(_ connection: Connection) {
      journal.append("\(name)rollback\(seen(connection))")
    }

    private func seen(_ connection: Connection) -> String {
      look.withLock { $0 }.map { " " + $0(connection) } ?? ""
    }

    private static func text(_ commit: Commit?) -> String {
      guard let commit else { return "nothing" }
      guard case .named(let tables) = commit.tables, let rows = commit.rows else { return "all" }
      return "\(tables.joined(separator: " ")) +\(rows.inserted) ~\(rows.updated) -\(rows.deleted)"
    }
  }

  private struct Refused: Error, Equatable {}

  private static let count: @Sendable (Connection) -> String = { connection in
    let count = try? connection.fetchOne("SELECT count(*) FROM player", as: Int.self)
    return count.map { "\($0)" } ?? "error"
  }

  @Test(arguments: StorageKind.allCases)
  func `a transaction is told before and after its commit, with its tables and rows`(
    _ kind: StorageKind
  ) async throws {
    let db = try await TemporaryDatabase(kind)
    let witness = Witness()
    db.database.add(transactionObserver: witness)
    try await db.write(
      script: "INSERT INTO player(id) VALUES (1), (2), (3); INSERT INTO map DEFAULT VALUES")
    try await db.write(
      script: "UPDATE player SET score = 1 WHERE id = 1; DELETE FROM player WHERE id = 2")
    #expect(
      witness.entries == [
        "will map player", "did map player +4 ~0 -0", "will player", "did player +0 ~1 -1",
      ])
  }

  @Test(arguments: StorageKind.allCases)
  func `a transaction without net change is told as such, and a reading one not at all`(
    _ kind: StorageKind
  ) async throws {
    let db = try await TemporaryDatabase(kind)
    let witness = Witness()
    db.database.add(transactionObserver: witness)
    try await db.database.write { _ in }
    #expect(witness.entries == ["did nothing"], "it is not asked about")
    _ = try await db.integer("SELECT count(*) FROM player")
    try await db.run("BEGIN")
    try await db.run("SELECT * FROM player")
    try await db.run("COMMIT")
    #expect(witness.entries.count == 1)
  }

  @Test(arguments: StorageKind.allCases)
  func `a rollback is told, whoever or whatever rolls back`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(
      kind, schema: "\(TemporaryDatabase.players); CREATE UNIQUE INDEX i ON player(name)")
    try await db.write(script: "INSERT INTO player(name) VALUES ('ada')")
    let witness = Witness()
    db.database.add(transactionObserver: witness)
    await #expect(throws: Unexpected.self) {
      try await db.database.write { connection in
        try connection.execute("DELETE FROM player")
        throw Unexpected("changed my mind")
      }
    }
    #expect(witness.entries == ["rollback"])
    try await db.run("BEGIN IMMEDIATE")
    try await db.run("ROLLBACK")
    #expect(witness.entries.count == 2)
    await #expect(throws: DatabaseError.self) {
      try await db.write(script: "INSERT OR ROLLBACK INTO player(name) VALUES ('ada')")
    }
    #expect(witness.entries == ["rollback", "rollback", "rollback"])
    // A statement that fails within a transaction rolls nothing but itself back.
    try await db.database.write { connection in
      _ = try? connection.execute("INSERT INTO player(name) VALUES ('ada')")
      try connection.execute("INSERT INTO player(name) VALUES ('bob')")
    }
    #expect(witness.entries.suffix(2) == ["will player", "did player +1 ~0 -0"])
    #expect(witness.entries.count == 5)
  }

  @Test(arguments: StorageKind.allCases)
  func `statements of the console are transactions of their own`(
    _ kind: StorageKind
  ) async throws {
    let db = try await TemporaryDatabase(kind)
    let witness = Witness()
    db.database.add(transactionObserver: witness)
    try await db.run("INSERT INTO player DEFAULT VALUES")
    try await db.run("BEGIN")
    try await db.run("INSERT INTO player DEFAULT VALUES")
    try await db.run("INSERT INTO player DEFAULT VALUES")
    try await db.run("COMMIT")
    try await db.run("CREATE TABLE t (x)")
    #expect(
      witness.entries == [
        "will player", "did player +1 ~0 -0", "will player", "did player +2 ~0 -0", "will ",
        "did all",
      ])
  }

  @Test(arguments: StorageKind.allCases)
  func `a refused commit is a rollback for all, and those who come later are not asked`(
    _ kind: StorageKind
  ) async throws {
    let db = try await TemporaryDatabase(kind)
    let journal = Journal<String>()
    let witnesses = ["a ", "b ", "c "].map { Witness($0, journal) }
    for witness in witnesses { db.database.add(transactionObserver: witness) }
    witnesses[1].refuses.withLock { $0 = true }
    await #expect(throws: Refused()) {
      try await db.write(script: "INSERT INTO player DEFAULT VALUES")
    }
    #expect(
      journal.entries == [
        "a will player", "b will player", "a rollback", "b rollback", "c rollback",
      ])
    witnesses[1].refuses.withLock { $0 = false }
    try await db.write(script: "INSERT INTO player DEFAULT VALUES")
    #expect(
      journal.entries.dropFirst(5) == [
        "a will player", "b will player", "c will player", "a did player +1 ~0 -0",
        "b did player +1 ~0 -0", "c did player +1 ~0 -0",
      ])
  }

  @Test(arguments: StorageKind.allCases)
  func `a refusal within joined writes rolls all of them back`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    let witness = Witness()
    witness.refuses.withLock { $0 = true }
    db.database.add(transactionObserver: witness)
    await #expect(throws: Refused()) {
      try await db.database.write { connection in
        try connection.execute("INSERT INTO player DEFAULT VALUES")
        try connection.inTransaction {
          _ = try connection.execute("INSERT INTO map DEFAULT VALUES")
        }
      }
    }
    #expect(try await db.integer("SELECT (SELECT count(*) FROM player) + count(*) FROM map") == 0)
  }

  @Test(arguments: StorageKind.allCases)
  func `a commit that a deferred foreign key forbids is not asked about`(
    _ kind: StorageKind
  ) async throws {
    let db = try await TemporaryDatabase(
      kind,
      schema: """
        \(TemporaryDatabase.players);
        CREATE TABLE score (player REFERENCES player DEFERRABLE INITIALLY DEFERRED)
        """)
    try await db.run("PRAGMA foreign_keys = ON")
    let witness = Witness()
    db.database.add(transactionObserver: witness)
    await #expect(throws: DatabaseError.self) {
      try await db.write(script: "INSERT INTO score VALUES (77)")
    }
    #expect(witness.entries == ["rollback"])
  }

  @Test
  func `a commit that finds the file locked is not asked about, but told as a rollback`()
    async throws
  {
    var configuration = TemporaryDatabase.alwaysOpen
    configuration.busyTimeout = .milliseconds(20)
    let db = try await TemporaryDatabase(.rollbackJournal, configuration: configuration)
    try await db.write(script: "INSERT INTO player(id) VALUES (1)")
    let other = try await ExternalProcess.serve(db.path)
    let witness = Witness()
    db.database.add(transactionObserver: witness)
    try await other.send("BEGIN")
    try await other.send("SELECT * FROM player")
    await #expect(throws: DatabaseError.self) {
      try await db.write(script: "INSERT INTO player(id) VALUES (2)")
    }
    #expect(witness.entries == ["rollback"])
    try await other.send("COMMIT")
    try await db.write(script: "INSERT INTO player(id) VALUES (2)")
    #expect(witness.entries.suffix(2) == ["will player", "did player +1 ~0 -0"])
    await other.finish()
  }

  @Test(arguments: StorageKind.allCases)
  func `the state that was left can be read, and not written`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    let witness = Witness()
    witness.look.withLock { $0 = Self.count }
    db.database.add(transactionObserver: witness)
    try await db.write(script: "INSERT INTO player DEFAULT VALUES")
    await #expect(throws: Unexpected.self) {
      try await db.database.write { connection in
        try connection.execute("INSERT INTO player DEFAULT VALUES")
        throw Unexpected("changed my mind")
      }
    }
    #expect(witness.entries == ["will player", "did player +1 ~0 -0 1", "rollback 1"])
    witness.look.withLock {
      $0 = { connection in
        do {
          try connection.execute("DELETE FROM player")
          return "written"
        } catch {
          return (error as? DatabaseError)?.code.primary == .readOnly ? "refused" : "\(error)"
        }
      }
    }
    try await db.write(script: "INSERT INTO player DEFAULT VALUES")
    #expect(witness.entries.last == "did player +1 ~0 -0 refused")
  }

  @Test(arguments: StorageKind.allCases)
  func `no SQL runs while a commit is decided`(_ kind: StorageKind) async throws {
    final class Meddler: TransactionObserver {
      let database: Database
      let error = Mutex<DatabaseError?>(nil)
      init(_ database: Database) { self.database = database }
      func willCommit(_ transaction: PendingTransaction) throws {
        do {
          _ = try database.writeWaiting { try $0.execute("DELETE FROM player") }
        } catch let error as DatabaseError {
          self.error.withLock { $0 = error }
        }
      }
    }
    let db = try await TemporaryDatabase(kind)
    let meddler = Meddler(db.database)
    db.database.add(transactionObserver: meddler)
    try await db.write(script: "INSERT INTO player DEFAULT VALUES")
    #expect(meddler.error.withLock { $0?.code } == .misuse)
    #expect(try await db.integer("SELECT count(*) FROM player") == 1)
    db.database.remove(transactionObserver: meddler)
  }

  @Test(arguments: StorageKind.allCases)
  func `extents: until removed, and for its own lifetime`(
    _ kind: StorageKind
  ) async throws {
    let db = try await TemporaryDatabase(kind)
    let journal = Journal<String>()
    let removed = Witness("removed ", journal)
    var owned: Witness? = Witness("owned ", journal)
    do {
      db.database.add(transactionObserver: removed)
      db.database.add(transactionObserver: try #require(owned), extent: .observerLifetime)
      db.database.add(transactionObserver: Witness("kept ", journal))
    }
    func told() async throws -> [String] {
      let before = journal.entries.count
      try await db.write(script: "INSERT INTO player DEFAULT VALUES")
      return journal.entries.dropFirst(before).filter { $0.contains("did") }
        .map { $0.split(separator: " ")[0] }.map(String.init)
    }
    #expect(try await told() == ["removed", "owned", "kept"])
    owned = nil
    #expect(owned == nil)
    #expect(try await told() == ["removed", "kept"])
    db.database.remove(transactionObserver: removed)
    #expect(try await told() == ["kept"])
  }

  @Test(arguments: StorageKind.allCases)
  func `a savepoint of the console outside of a transaction commits when it is released`(
    _ kind: StorageKind
  ) async throws {
    let db = try await TemporaryDatabase(kind)
    let witness = Witness()
    db.database.add(transactionObserver: witness)
    try await db.run("SAVEPOINT a")
    try await db.run("INSERT INTO player DEFAULT VALUES")
    try await db.run("ROLLBACK TO a")
    try await db.run("INSERT INTO player DEFAULT VALUES")
    try await db.run("RELEASE a")
    #expect(witness.entries == ["will player", "did player +1 ~0 -0"])
  }

  @Test(arguments: StorageKind.allCases)
  func `an observer that is added twice is told once`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    let witness = Witness()
    db.database.add(transactionObserver: witness)
    db.database.add(transactionObserver: witness)
    try await db.write(script: "INSERT INTO player DEFAULT VALUES")
    #expect(witness.entries.count == 2)
  }

  @Test(arguments: StorageKind.files)
  func `commits of other processes are not told`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    let other = try await ExternalProcess.serve(db.path)
    let witness = Witness()
    db.database.add(transactionObserver: witness)
    let log = CommitLog(db.database)
    try await other.send("INSERT INTO player DEFAULT VALUES")
    try await log.expect(.external, count: 1)
    #expect(witness.entries.isEmpty)
    await other.finish()
  }

  // MARK: - The next transaction

  @Test(arguments: StorageKind.allCases)
  func `afterNextTransaction calls what fits the end, once`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    let journal = Journal<String>()
    try await db.database.write { connection in
      try connection.execute("INSERT INTO player DEFAULT VALUES")
      try connection.afterNextTransaction { journal.append("commit \(Self.count($0))") }
      try connection.afterNextTransaction(
        onCommit: { _ in journal.append("second") }, onRollback: { _ in journal.append("never") })
      #expect(journal.entries.isEmpty)
    }
    #expect(journal.entries == ["commit 1", "second"])
    await #expect(throws: Unexpected.self) {
      try await db.database.write { connection in
        try connection.afterNextTransaction(
          onCommit: { _ in journal.append("never") },
          onRollback: { journal.append("rollback \(Self.count($0))") })
        try connection.execute("INSERT INTO player DEFAULT VALUES")
        throw Unexpected("changed my mind")
      }
    }
    try await db.write(script: "INSERT INTO player DEFAULT VALUES")
    #expect(journal.entries == ["commit 1", "second", "rollback 1"])
  }

  @Test(arguments: StorageKind.allCases)
  func `afterNextTransaction needs a transaction that writes`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    await #expect(throws: DatabaseError.self) {
      try await db.database.read { try $0.afterNextTransaction { _ in } }
    }
    await #expect(throws: DatabaseError.self) {
      try await db.database.withoutTransaction { try $0.afterNextTransaction { _ in } }
    }
  }
}
