internal import Synchronization

/// Which database files this process may open no connection to, by whose wish, and why.
///
/// SQLite shares the wal-index between all connections of a process to one file: a connection opened
/// beside one that has a deleted index gets that index, but the log that stands at the path by then.
/// So all of them must be closed before another one may be opened, whichever database of the process
/// they belong to.
final class OpeningGate: Sendable {
  enum Purpose {
    /// All connections are being closed, to be opened again. Every database of the process takes
    /// part: one that was opened beside a deleted index may know nothing of its being deleted.
    case emptying
    /// What is open stays, and what would be opened would have another log.
    case keepingOut
    /// The last connections are being closed because nothing happens.
    case resting
  }

  struct Bar {
    let owner: ObjectIdentifier
    let purpose: Purpose
    let reason: String
  }

  /// By the identity of the database file; at most one of each owner.
  private let bars = Mutex<[DatabaseFile.Identity: [Bar]]>([:])

  /// Shuts the file for new connections, or does so for another purpose, until ``admit(to:by:)``.
  func shut(_ database: DatabaseFile.Identity, _ bar: Bar) {
    bars.withLock { bars in
      bars[database, default: []].removeAll { $0.owner == bar.owner }
      bars[database, default: []].append(bar)
    }
  }

  /// Shuts the file as ``shut(_:_:)`` does, unless somebody does so already.
  ///
  /// - Returns: Whether it was open.
  func shutIfOpen(_ database: DatabaseFile.Identity, _ bar: Bar) -> Bool {
    bars.withLock { bars in
      guard bars[database] == nil else { return false }
      bars[database] = [bar]
      return true
    }
  }

  /// Takes the bar of one owner away, and leaves those of others.
  func admit(to database: DatabaseFile.Identity, by owner: ObjectIdentifier) {
    bars.withLock { bars in
      bars[database]?.removeAll { $0.owner == owner }
      if bars[database]?.isEmpty == true { bars[database] = nil }
    }
  }

  /// Runs `enter` if the files are open; nobody shuts them meanwhile.
  ///
  /// - Returns: What is in the way; then it was not run.
  func pass(_ databases: Set<DatabaseFile.Identity>, _ enter: () -> Void) -> Bar? {
    bars.withLock { bars in
      for database in databases { if let bar = bars[database]?.first { return bar } }
      enter()
      return nil
    }
  }

  /// Why somebody else than `owner` waits for all connections to be closed, if somebody does.
  func reasonToClose(
    _ database: DatabaseFile.Identity, besides owner: ObjectIdentifier
  ) -> String? {
    bars.withLock { bars in
      guard let bars = bars[database] else { return nil }
      return bars.first { $0.purpose == .emptying && $0.owner != owner }?.reason
    }
  }

  /// Whether all connections were closed since the owner shut the file to empty it.
  ///
  /// All who wait for that see the same moment: whoever finds the file without a connection opens it
  /// for everybody, and the others need not meet another such moment.
  func isEmptied(
    _ database: DatabaseFile.Identity, by owner: ObjectIdentifier, connections: () -> Int
  ) -> Bool {
    bars.withLock { bars in
      let isWaiting = bars[database]?.contains { $0.owner == owner && $0.purpose == .emptying }
      guard isWaiting == true else { return true }
      guard connections() == 0 else { return false }
      bars[database]?.removeAll { $0.purpose == .emptying }
      if bars[database]?.isEmpty == true { bars[database] = nil }
      return true
    }
  }
}
