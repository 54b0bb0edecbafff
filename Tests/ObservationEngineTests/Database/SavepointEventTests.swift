import ObservationEngine
import TestSupport
import Testing

/// What observers of transactions are told of savepoints.
@Suite(.fewAtOnce)
struct SavepointEventTests {
  private final class Witness: TransactionObserver {
    let journal = Journal<String>()

    func didCommit(_ connection: Connection, _ commit: Commit?) {
      journal.append("commit \(commit?.rows?.inserted ?? 0)")
    }

    func didRollback(_ connection: Connection) { journal.append("rollback") }

    func savepointDidChange(_ event: SavepointEvent) {
      switch event {
      case .began(let name): journal.append("+\(name)")
      case .released(let name): journal.append("-\(name)")
      case .rolledBack(let name): journal.append("<\(name)")
      }
    }
  }

  private func told(
    _ kind: StorageKind, _ body: @escaping @Sendable (Connection) throws -> Void
  ) async throws -> [String] {
    let db = try await TemporaryDatabase(kind)
    let witness = Witness()
    db.database.add(transactionObserver: witness)
    try await db.database.write(body)
    return witness.journal.entries
  }

  @Test(arguments: StorageKind.allCases)
  func `savepoints of SQL are told, in any spelling`(_ kind: StorageKind) async throws {
    let told = try await told(kind) { connection in
      try connection.execute("savepoint a")
      try connection.execute("INSERT INTO player DEFAULT VALUES")
      try connection.execute("SAVEPOINT \"b c\"")
      try connection.execute("INSERT INTO player DEFAULT VALUES")
      try connection.execute("ROLLBACK TRANSACTION TO SAVEPOINT \"b c\"")
      try connection.execute("release savepoint A")
    }
    #expect(told == ["+a", "+b c", "<b c", "-A", "commit 1"])
  }

  @Test(arguments: StorageKind.allCases)
  func `savepoints of a script are told too`(_ kind: StorageKind) async throws {
    let told = try await told(kind) { connection in
      try connection.execute(
        script: "SAVEPOINT a; INSERT INTO player DEFAULT VALUES; RELEASE a; SAVEPOINT a; RELEASE a")
    }
    #expect(told == ["+a", "-a", "+a", "-a", "commit 1"])
  }

  @Test(arguments: StorageKind.allCases)
  func `savepoints of the library are told, each with a name of its own`(
    _ kind: StorageKind
  ) async throws {
    let told = try await told(kind) { connection in
      try connection.savepoint {
        try connection.execute("INSERT INTO player DEFAULT VALUES")
        try? connection.savepoint {
          try connection.execute("INSERT INTO player DEFAULT VALUES")
          throw Unexpected("changed my mind")
        }
      }
    }
    #expect(told.count == 6)
    let outer = try #require(told.first).dropFirst()
    let inner = told[1].dropFirst()
    #expect(outer != inner)
    #expect(told == ["+\(outer)", "+\(inner)", "<\(inner)", "-\(inner)", "-\(outer)", "commit 1"])
  }

  @Test(arguments: StorageKind.allCases)
  func `a statement that fails tells nothing`(_ kind: StorageKind) async throws {
    let told = try await told(kind) { connection in
      #expect(throws: DatabaseError.self) { try connection.execute("RELEASE nothing") }
      #expect(throws: DatabaseError.self) { try connection.execute("ROLLBACK TO nothing") }
    }
    #expect(told == ["commit 0"])
  }

  @Test(arguments: StorageKind.allCases)
  func `a savepoint of the console that is no part of a transaction commits when it is released`(
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
    #expect(witness.journal.entries == ["+a", "<a", "-a", "commit 1"])
  }

  @Test(arguments: StorageKind.allCases)
  func `the end of a transaction ends its savepoints without telling`(
    _ kind: StorageKind
  ) async throws {
    let db = try await TemporaryDatabase(kind)
    let witness = Witness()
    db.database.add(transactionObserver: witness)
    try await db.run("BEGIN")
    try await db.run("SAVEPOINT a")
    try await db.run("INSERT INTO player DEFAULT VALUES")
    try await db.run("COMMIT")
    try await db.run("BEGIN")
    try await db.run("SAVEPOINT b")
    try await db.run("INSERT INTO player DEFAULT VALUES")
    try await db.run("ROLLBACK")
    #expect(witness.journal.entries == ["+a", "commit 1", "+b", "rollback"])
  }
}
