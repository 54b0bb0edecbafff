/// What a reducer asks of a database: a value that it returns, for ``DatabaseEffects`` to perform.
///
///     func reduce(_ state: inout Game, _ action: Game.Action) -> [DatabaseAction] {
///       switch action {
///       case .reset: return [.commit(.execute("UPDATE player SET score = 0"))]
///       case .answered(.committed): state.isSaved = true
///       case .answered(.failed(let error)): state.message = error.message
///       }
///       return []
///     }
///
/// With the module `ObservationRecords` there are also `save(_:)` and `delete(_:)` for a record.
public struct DatabaseAction: Sendable {
  /// What is asked for.
  public let transaction: Transaction

  private init(_ transaction: Transaction) { self.transaction = transaction }

  /// Commits a transaction, whole or not at all.
  public static func commit(_ transaction: Transaction) -> DatabaseAction {
    DatabaseAction(transaction)
  }
}

/// What became of a ``DatabaseAction``, as a value for a reducer.
public enum DatabaseResponse: Sendable, Equatable {
  /// It is committed, under this ordinal; `nil` when it wrote nothing.
  case committed(ordinal: Int?)
  /// It is undone, and why; with code `interrupted` when its task was cancelled.
  case failed(DatabaseError)
}

/// Performs what reducers ask of a database.
///
///     let effects = DatabaseEffects(database)
///     for asked in reduce(&game, .reset) {
///       _ = reduce(&game, .answered(await effects.perform(asked)))
///     }
///
/// Nothing is thrown: errors are answers, which a reducer takes as any other.
public struct DatabaseEffects: Sendable {
  private let database: Database

  /// Effects on a database.
  public init(_ database: Database) { self.database = database }

  /// Performs one action.
  ///
  /// Actions that one task asks for, one after the other, are committed in that order. Cancelling the
  /// task interrupts the action, and undoes it.
  public func perform(_ action: DatabaseAction) async -> DatabaseResponse {
    do {
      return .committed(ordinal: try await database.commit(action.transaction))
    } catch let error as DatabaseError {
      return .failed(error)
    } catch is CancellationError {
      return .failed(DatabaseError(code: .interrupted, message: "it was cancelled, and is undone"))
    } catch {
      return .failed(DatabaseError(code: .error, message: String(describing: error)))
    }
  }

  /// Performs actions one after the other, and hands each answer to `send` before the next begins.
  public func perform(
    _ actions: [DatabaseAction], send: (DatabaseResponse) async -> Void
  ) async {
    for action in actions { await send(await perform(action)) }
  }
}
