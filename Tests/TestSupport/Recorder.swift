package import ObservationEngine
internal import Synchronization

/// Records the updates of an observation, as a consumer that is never slow: the values that differ, and the errors
/// between them that are not transient.
package final class Recorder<Value: Sendable & Equatable>: Sendable {
  private let journal = Journal<Update<Value>>()
  private let task: Task<Void, Never>
  private let position = Mutex(0)

  package init(_ observation: ValueObservation<Value>) {
    task = Task { [journal] in
      var followsTransientError = false
      for await update in observation.updates {
        let value = try? update.result.get()
        if case .failure(let error) = update.result, error.isTransient {
          followsTransientError = true
          continue
        }
        // After such an error the value comes again.
        let isAgain =
          followsTransientError && value != nil
          && value == (try? journal.entries.last?.result.get())
        followsTransientError = false
        if !isAgain { journal.append(update) }
      }
      journal.finish()
    }
  }

  deinit { task.cancel() }

  /// All updates so far.
  package var updates: [Update<Value>] { journal.entries }

  /// All values so far, without the errors between them.
  package var values: [Value] { updates.compactMap { try? $0.value } }

  /// Ends the observation, and returns when it has ended.
  package func stop() async {
    task.cancel()
    await task.value
  }

  /// The next update, which differs from the one before.
  package func next() async throws -> Update<Value> {
    let index = position.withLock { position in
      defer { position += 1 }
      return position
    }
    guard let update = await journal.entry(at: index) else {
      throw Unexpected("no update \(index + 1); the last were \(tail)")
    }
    if index > 0, let old = try? journal.entries[index - 1].value, let new = try? update.value,
      old == new
    {
      throw Unexpected("update \(index + 1) repeats \(new)")
    }
    return update
  }

  /// Waits until the observation delivers `value`.
  ///
  /// - Parameter others: The committed states that may come before; commits may be coalesced, so none
  ///   of them need come. Any other value, or an error, fails.
  package func expect(_ value: Value, via others: [Value] = []) async throws {
    while true {
      let update = try await next()
      switch update.result {
      case .success(value): return
      case .success(let other):
        guard others.contains(other) else {
          throw Unexpected("expected \(value), came \(other); the last were \(tail)")
        }
      case .failure(let error):
        throw Unexpected("expected \(value), came the error: \(error)")
      }
    }
  }

  /// Waits until the observation delivers an error.
  package func expectError() async throws -> DatabaseError {
    switch try await next().result {
    case .success(let value): throw Unexpected("expected an error, came \(value)")
    case .failure(let error as DatabaseError): return error
    case .failure(let error): throw error
    }
  }

  private var tail: String {
    journal.entries.suffix(5).map { "\($0.result)" }.joined(separator: ", ")
  }
}

extension Update {
  package var value: Value {
    get throws { try result.get() }
  }
}

extension CommittedValue {
  package var value: Value {
    get throws { try result.get() }
  }
}

extension AsyncIteratorProtocol where Failure == Never {
  /// The next element, of a sequence that never fails.
  package mutating func take(isolation: isolated (any Actor)? = #isolation) async -> Element? {
    await next(isolation: isolation)
  }
}

extension AsyncIteratorProtocol {
  /// The error that the next call throws.
  package mutating func nextError(
    isolation: isolated (any Actor)? = #isolation
  ) async throws(Unexpected) -> any Error {
    let element: Element?
    do { element = try await next(isolation: isolation) } catch { return error }
    throw Unexpected("expected an error, came \(String(describing: element))")
  }
}

extension Database {
  /// Records a query.
  package func record<Output: Sendable & Equatable>(_ query: Query<Output>) -> Recorder<Output> {
    Recorder(observe(query))
  }

  /// Records the integer that a query returns.
  package func record(integer sql: String, _ arguments: QueryArguments = []) -> Recorder<Int> {
    let query = Query.scalar(SQL(raw: sql), arguments, as: Int.self)
    return record(
      query.map { number in
        guard let number else { throw Unexpected("no integer from \(sql)") }
        return number
      })
  }
}
