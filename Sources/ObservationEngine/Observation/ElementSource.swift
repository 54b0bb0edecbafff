/// What one consumer iterates over: it observes from its creation until it is released.
protocol ElementSource: Sendable {
  associatedtype Element: Sendable
  associatedtype Failure: Error

  /// Waits for the next element.
  ///
  /// - Returns: `nil` at the end, or when the task is cancelled.
  func next(isolation: isolated (any Actor)?) async throws(Failure) -> Element?
}

/// An element source of updates, which never fails: errors are elements.
protocol UpdateSource: ElementSource where Element == Update<Value>, Failure == Never {
  associatedtype Value: Sendable
}

/// The elements of a source that each iterator makes for itself.
///
/// Every sequence of the engine is one of these behind an opaque type, so this is the one place that ends an
/// iteration: after `nil` or an error the iterator releases its source, and each further call returns `nil`.
struct SourceSequence<Source: ElementSource>: AsyncSequence, Sendable {
  typealias Element = Source.Element
  typealias Failure = Source.Failure

  let makeSource: @Sendable () -> Source

  init(_ makeSource: @escaping @Sendable () -> Source) { self.makeSource = makeSource }

  func makeAsyncIterator() -> Iterator { Iterator(source: makeSource()) }

  struct Iterator: AsyncIteratorProtocol {
    typealias Element = Source.Element
    typealias Failure = Source.Failure

    /// `nil` after the end.
    fileprivate var source: Source?

    mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(Source.Failure) -> Source.Element? {
      guard let source else { return nil }
      do throws(Source.Failure) {
        let element = try await source.next(isolation: actor)
        if element == nil { self.source = nil }
        return element
      } catch {
        self.source = nil
        throw error
      }
    }
  }
}

/// The values of an update source, up to an error that can't heal: a `throw` ends a sequence, so this passes
/// over transient errors.
struct ValueSource<Updates: UpdateSource>: ElementSource {
  let updates: Updates

  func next(isolation: isolated (any Actor)?) async throws(any Error) -> Updates.Value? {
    while let update = await updates.next(isolation: isolation) {
      switch update.result {
      case .success(let value): return value
      case .failure(let error): if !error.isTransient { throw error }
      }
    }
    return nil
  }
}
