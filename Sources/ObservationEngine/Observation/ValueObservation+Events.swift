internal import Synchronization

extension ValueObservation {
  /// Calls the given closures when something happens, for logging and debugging.
  ///
  ///     let traced = database.observe(count)
  ///       .handleEvents(databaseDidChange: { log("changed") }, didFail: { log("failed: \($0)") })
  ///
  /// ## Guarantees
  /// - For each subscription: `willStart`, then `willFetch` before each run of the fetch, then
  ///   `willTrackRegion` when the run read another region than the one before, and `didCancel` once,
  ///   at the end.
  /// - `databaseDidChange` comes before a `willFetch` that is not the first: once for any number of
  ///   commits that were coalesced. Commits that do not touch the region call nothing.
  /// - `didReceiveValue` and `didFail` see what passes this place of the chain of operators. Transient errors
  ///   (``DatabaseError/isTransient``) pass where the consumer gets them: in
  ///   ``updates`` and for the handlers of ``start(_:onError:onValue:)``.
  ///
  /// ## Limits
  /// - `willFetch`, `willTrackRegion` and `databaseDidChange` are called on the engine's thread, which
  ///   waits for them; the others in the consumer. They must not wait for the database.
  public func handleEvents(
    willStart: (@Sendable () -> Void)? = nil,
    willFetch: (@Sendable () -> Void)? = nil,
    willTrackRegion: (@Sendable (Region) -> Void)? = nil,
    databaseDidChange: (@Sendable () -> Void)? = nil,
    didReceiveValue: (@Sendable (Value) -> Void)? = nil,
    didFail: (@Sendable (any Error) -> Void)? = nil,
    didCancel: (@Sendable () -> Void)? = nil
  ) -> ValueObservation<Value> {
    var observation = ValueObservation(self) { [makeStage] in
      let upstream = makeStage()
      guard didReceiveValue != nil || didFail != nil else { return upstream }
      return { fetched in
        let result = upstream(fetched)
        switch result {
        case .success(let value): didReceiveValue?(value)
        case .failure(let error): didFail?(error)
        case nil: break
        }
        return result
      }
    }
    observation.listeners.append(
      ObservationListener(
        willStart: willStart ?? {}, willFetch: willFetch ?? {},
        willTrackRegion: willTrackRegion ?? { _ in }, databaseDidChange: databaseDidChange ?? {},
        didCancel: didCancel ?? {}))
    return observation
  }

  /// Prints a line for each event of ``handleEvents(willStart:willFetch:willTrackRegion:databaseDidChange:didReceiveValue:didFail:didCancel:)``.
  ///
  ///     let traced = database.observe(count).print("count")
  ///     // count: start
  ///     // count: fetch
  ///     // count: tracked region: player(*)
  ///     // count: value: 0
  ///
  /// - Parameters:
  ///   - prefix: What each line begins with.
  ///   - stream: Where to write instead of the standard output; lines are written one at a time.
  public func print(
    _ prefix: String = "", to stream: (any TextOutputStream & Sendable)? = nil
  ) -> ValueObservation<Value> {
    let lead = prefix.isEmpty ? "" : "\(prefix): "
    let printer = LinePrinter(stream)
    return handleEvents(
      willStart: { printer.print("\(lead)start") },
      willFetch: { printer.print("\(lead)fetch") },
      willTrackRegion: { printer.print("\(lead)tracked region: \($0)") },
      databaseDidChange: { printer.print("\(lead)database did change") },
      didReceiveValue: { printer.print("\(lead)value: \($0)") },
      didFail: { printer.print("\(lead)failure: \($0)") },
      didCancel: { printer.print("\(lead)cancel") })
  }
}

/// Writes lines from any thread.
private final class LinePrinter: Sendable {
  private let stream: Mutex<(any TextOutputStream & Sendable)?>

  init(_ stream: (any TextOutputStream & Sendable)?) { self.stream = Mutex(stream) }

  func print(_ line: String) {
    stream.withLock { stream in
      if stream == nil {
        Swift.print(line)
      } else {
        stream?.write(line + "\n")
      }
    }
  }
}
