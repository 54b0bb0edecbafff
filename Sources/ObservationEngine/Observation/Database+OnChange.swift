extension Database {
  /// Calls `handler` after each commit that touches `region`, before any further write.
  ///
  ///     let subscription = database.onChange(of: .table("player")) { connection, commit in
  ///       let count = try? connection.count(of: "player")
  ///       log("commit \(commit.ordinal): \(count ?? 0) players")
  ///     }
  ///
  /// For what must see every commit: an audit, a cache that must never be ahead nor behind, a search
  /// index. For the newest values, observe queries instead, which costs the writer less.
  ///
  /// ## Guarantees
  /// - An own commit is delivered on the writer's queue before the next write of this `Database` begins, and
  ///   before the `write` that committed returns.
  /// - `connection` reads the committed state: all handlers of one commit read the same one.
  /// - Handlers are called in the order in which they were added, and never at the same time.
  /// - Rolled-back transactions, and commits that leave the region as it was, call nothing.
  ///
  /// ## Limits
  /// - A commit of another process, or of another connection, is delivered as soon as it was noticed. Its
  ///   author goes on meanwhile: `connection` may read a later state, and several commits may be delivered
  ///   as one (see ``Commit/count``).
  /// - No write proceeds while a handler runs. It must not wait for the database, and writing
  ///   through `connection` throws: ``writeOnChange(of:startsImmediately:onError:_:)`` is for that.
  /// - After `close()` the handler is no longer called.
  ///
  /// - Parameters:
  ///   - region: What matters: `.table("player")`, `.columns("score", of: "player")`, several with `+`.
  ///   - startsImmediately: Calls the handler once before this method returns, on the calling thread, with
  ///     a `Commit` of ``Commit/count`` 0; no commit is missed after that. It waits for the running write:
  ///     do not use it in a task. Within a closure of this database it sees what that has done so far.
  ///   - handler: Gets a connection, valid for the call alone, and the commit.
  /// - Returns: The subscription, which ends with the object's life.
  /// - Complexity: A commit costs O(handlers whose tables it changed).
  public func onChange(
    of region: Region, startsImmediately: Bool = false,
    _ handler: @escaping @Sendable (Connection, Commit) -> Void
  ) -> ObservationSubscription {
    observe(region, startsImmediately: startsImmediately, .reader(handler))
  }

  /// Calls `handler` after each commit that touches `region`, with a connection that writes, before any
  /// other write.
  ///
  ///     let subscription = database.writeOnChange(of: .table("player"), onError: report) { db, commit in
  ///       try db.execute("INSERT INTO journal(change) VALUES (\(commit.ordinal))")
  ///     }
  ///
  /// ## Guarantees
  /// - After an own commit the handler runs at the end of the job that committed, before the next job of
  ///   this `Database`, and before the `write` that committed returns.
  /// - Each call is an IMMEDIATE transaction of its own. What the handler throws rolls it back; the commit
  ///   that it was called for stays.
  /// - The handler is called for each commit in order, but not for its own. Other handlers that write are.
  /// - No call is dropped silently: `onError` gets what kept a transaction from beginning or committing, and
  ///   that the database was closed.
  ///
  /// ## Limits
  /// - Between a commit of another process and the handler, other processes may commit: it may see a later
  ///   state, and several commits may be one call (see ``Commit/count``).
  /// - While a transaction is open at the console, calls wait for its end.
  /// - Two handlers that write what the other one observes call each other for ever.
  ///
  /// - Parameters:
  ///   - region: What matters.
  ///   - startsImmediately: Calls the handler once before this method returns; see
  ///     ``onChange(of:startsImmediately:_:)``. Within a closure of this database that call follows at the end
  ///     of the closure's job.
  ///   - onError: Gets errors on the writer's queue; when the database is closed, on the thread that closes it.
  ///   - handler: Gets a connection, valid for the call alone, and the commit.
  /// - Returns: The subscription, which ends with the object's life.
  public func writeOnChange(
    of region: Region, startsImmediately: Bool = false,
    onError: @escaping @Sendable (any Error) -> Void,
    _ handler: @escaping @Sendable (Connection, Commit) throws -> Void
  ) -> ObservationSubscription {
    observe(region, startsImmediately: startsImmediately, .writer(handler, onError: onError))
  }

  private func observe(
    _ region: Region, startsImmediately: Bool, _ callee: CommitObservers.Callee
  ) -> ObservationSubscription {
    let observers = coordinator.commitObservers
    let id =
      startsImmediately
      ? observers.addCalling(region, within: enclosingJob?.connection, callee)
      : observers.add(region, callee)
    // The database must outlive its followers.
    return ObservationSubscription { [self] in
      withExtendedLifetime(self) { observers.remove(id) }
    }
  }

  /// The commits that touch `region`, in order.
  ///
  ///     for await commit in database.changes(in: .table("player")) {
  ///       log("\(commit.origin) changed players")
  ///     }
  ///
  /// ## Guarantees
  /// - Every commit from the creation of the iterator on is part of an element.
  /// - For a slow consumer several commits are merged into one element; nothing piles up. It has the newest
  ///   ordinal, origin, kind and time, the tables of all, and the number of all.
  ///
  /// ## Limits
  /// - The sequence ends when the database closes.
  ///
  /// - Parameters:
  ///   - region: What matters.
  ///   - startsImmediately: Makes the first element available immediately: a `Commit` of ``Commit/count`` 0, or
  ///     merged with the first commits.
  public func changes(
    in region: Region, startsImmediately: Bool = false
  ) -> some AsyncSequence<Commit, Never> & Sendable {
    SourceSequence { CommitSource(self, region, startsImmediately: startsImmediately) }
  }

  /// Refreshes all that observes `region`, as a commit would that touches it.
  ///
  ///     database.notifyChanges(in: .table("player"))
  ///
  /// For changes that cannot be noticed: of what an SQL function returns, of a virtual table's source
  /// outside the database, of a file that a query names.
  ///
  /// ## Guarantees
  /// - Value observations fetch again, and deliver what differs; handlers of the region are called with
  ///   a `Commit` of origin `own`.
  /// - The change is delivered in order with the writes of this `Database`: after those that were asked for before.
  ///
  /// ## Limits
  /// - While a transaction is left open at the console nothing is delivered; the change follows at its end.
  public func notifyChanges(in region: Region) {
    coordinator.commitObservers.perform { [commits] connection in
      let resolved = connection.resolved(region)
      let changeset =
        resolved.fullReason.map { Changeset(everything: $0) }
        ?? Changeset(resolved.parts.mapValues { _ in .bulk(reason: "notifyChanges") })
      guard !changeset.isEmpty else { return }
      let (_, actions) = commits.record(origin: .own, changeset: changeset)
      for action in actions { action(connection) }
    }
  }
}

extension Region {
  /// What queries read, looked up when the region is used.
  ///
  ///     let subscription = database.onChange(of: .read(by: best, count)) { _, commit in
  ///       log("commit \(commit.ordinal) may have changed them")
  ///     }
  ///
  /// The queries are not run: a commit that touches what they read need not change their results.
  public static func read<each Output: Sendable>(by query: repeat Query<each Output>) -> Region {
    var region = Region()
    for query in repeat each query {
      region.formUnion(Region(.query(query.sql, query.arguments)))
    }
    return region
  }
}
