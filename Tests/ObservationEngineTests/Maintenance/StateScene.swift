import TestSupport
import Testing

@testable import ObservationEngine

/// A query of a database of its own, whose state follows each change.
final class StateScene {
  let connection: Connection
  let query: PlannedQuery
  /// `nil` when it can't be read.
  private var state: ResultState?
  /// Why not.
  private(set) var reason: String?
  /// Whether the last change may have changed the rows, as far as the state says.
  private(set) var hasChanged = false

  init(
    _ sql: String, _ arguments: QueryArguments = [], keepsOrder: Bool = false, _ statements: String
  ) throws {
    connection = try Connection(path: ":memory:", options: Connection.Options())
    for statement in statements.split(separator: ";") {
      try connection.execute(engine: String(statement))
    }
    _ = try connection.renewIfSchemaChanged()
    query = try PlannedQuery(
      QueryKey(sql: sql, arguments: arguments), keepsOrder: keepsOrder, on: connection)
    readStateIfPossible()
  }

  deinit { connection.close() }

  func readState() throws -> ResultState {
    var state = try ResultState(query, asOf: [])
    try state.fill(connection, limit: .max)
    return state
  }

  /// Whether some rows of the result are in an order that only SQLite's plan says.
  var rowsFollowPlan: Bool { shown?.followPlan ?? false }

  /// The result as the state has it.
  var rows: [[Value]]? { shown?.rows }

  private var shown: ResultState.Rows? { try? state?.rows(connection) }

  func truth() throws -> [[Value]] { try connection.fetch(engine: query.sql, query.parameters) }

  /// - Returns: Whether the state could follow; if not, it is read again.
  @discardableResult
  func change(_ statements: String) throws -> Bool {
    let old = try TableRows(of: query, connection)
    for statement in statements.split(separator: ";") {
      try connection.execute(engine: String(statement))
    }
    let changes = try TableRows(of: query, connection).changes(since: old)
    do {
      let hasApplied = try state?.apply(changes, connection) ?? false
      hasChanged = try state?.move(to: [], connection) ?? false || hasApplied
      if state != nil { return true }
    } catch { reason = (error as? NotMaintainable)?.reason ?? "\(error)" }
    // Other rows may have one.
    readStateIfPossible()
    return false
  }

  /// Makes a change that the state must follow, and compares what it returns with the truth.
  func expectToFollow(_ statements: String) throws {
    #expect(try change(statements), "\(statements): \(reason ?? "")")
    #expect(try rows == truth(), "\(statements)")
  }

  /// Makes random changes, and compares after each what the state returns, and what one that is read now returns, with the truth.
  ///
  /// - Parameter least: How often a state that followed a change must have been compared.
  func expectTruth(
    steps: Int, atLeast least: Int, changing statement: (inout SeededRandom) -> String
  ) throws {
    let seed = Soak.seed
    var random = SeededRandom(seed: seed)
    var compared = 0
    for step in 0..<steps {
      let former = rows
      let isFollowed = try change(statement(&random))
      #expect(
        !isFollowed || hasChanged || rows == former, "seed \(seed), step \(step): not noticed")
      guard let rows else { continue }
      if isFollowed { compared += 1 }
      #expect(try rows == truth(), "seed \(seed), step \(step)")
      let read = try? readState().rows(connection)?.rows
      #expect(read == nil || read == rows, "seed \(seed), step \(step), as it is read")
    }
    #expect(compared > least, "seed \(seed): compared \(compared), \(reason ?? "")")
  }

  private func readStateIfPossible() {
    do { state = try readState() } catch {
      state = nil
      reason = (error as? NotMaintainable)?.reason ?? "\(error)"
    }
  }
}
