/// What to do to a database in one transaction, as a value: made anywhere, combined, and committed
/// completely or not at all.
///
///     let join = Transaction.execute("INSERT INTO player(name) VALUES (\(name))")
///     let bonus = isFirst ? Transaction { try $0.execute("UPDATE player SET score = 10") } : nil
///     let ordinal = try await database.commit([join, bonus])
///
/// The steps run in the order in which they were combined, and each sees the effects of those
/// before it. The module `ObservationRecords` has steps for whole records.
public struct Transaction: Sendable {
  /// One step; `refreshes` says whether to read records again first.
  package typealias Step = @Sendable (Connection, _ refreshes: Bool) throws -> Void

  private var steps: [(step: Step, refreshes: Bool)] = []

  /// A transaction that runs `body`.
  ///
  /// - Parameter body: Receives the writer's connection; an error that it throws undoes everything.
  public init(_ body: @escaping @Sendable (Connection) throws -> Void) {
    steps = [({ connection, _ in try body(connection) }, false)]
  }

  /// A transaction of one step that can read its record again.
  package init(step: @escaping Step) { steps = [(step, false)] }

  /// A transaction that runs one statement.
  public static func execute(_ sql: SQL, _ arguments: QueryArguments = []) -> Transaction {
    Transaction { try $0.execute(sql, arguments) }
  }

  /// Whether it does nothing.
  package var isEmpty: Bool { steps.isEmpty }

  /// The same transaction, but each step that changes a record changes its latest version, read
  /// from the database within the transaction, instead of the given version.
  ///
  ///     let cheer = Transaction.update(player) { $0.score += 1 }.refreshing()
  ///
  /// So nothing is lost that other writers committed since the record was read. Steps that set a
  /// whole record, and closures, don't change.
  public func refreshing() -> Transaction {
    var copy = self
    for index in copy.steps.indices { copy.steps[index].refreshes = true }
    return copy
  }

  /// Runs the steps on a connection.
  func run(_ connection: Connection) throws {
    for (step, refreshes) in steps { try step(connection, refreshes) }
  }
}

// MARK: - Combining

extension Transaction: ExpressibleByArrayLiteral {
  /// A transaction that does what all of `parts` do, in their order; `nil` does nothing.
  ///
  ///     try await database.commit(Transaction(players.map { .add($0) }))
  ///
  /// - Complexity: O(steps).
  public init(_ parts: [Transaction?]) {
    for case let part? in parts { steps += part.steps }
  }

  /// A transaction that does what all of `parts` do, in their order; `nil` does nothing.
  public init(arrayLiteral parts: Transaction?...) { self.init(parts) }
}
