extension Database {
  /// Calls `handler` after each commit that touches `region`, before any further write.
  ///
  ///     let subscription = database.onChange(of: .table("player")) { connection, commit in
  ///       let count = try? connection.fetchOne("SELECT count(*) FROM player", as: Int.self)
  ///       log("commit \(commit.ordinal): \(count ?? 0) players")
  ///     }
  ///
  /// For what must see every commit: an audit, a cache that must never be ahead nor behind, a search
  /// index. Whoever wants the newest values observes queries instead, which costs the writer less.
  ///
  /// ## Guarantees
  /// - An own commit is told on the writer's queue before the next write of this `Database` begins, and
  ///   before the `write` that committed returns.
  /// - `connection` reads the committed state: all handlers of one commit read the same one.
  /// - Handlers are called in the order in which they were added, and never at the same time.
  /// - Rolled-back transactions, and commits that leave the region as it was, call nothing.
  ///
  /// ## Limits
  /// - A commit of another process, or of another connection, is told as soon as it was noticed. Its
  ///   author goes on meanwhile: `connection` may read a later state, and several commits may be told
  ///   as one (see ``Commit/count``).
  /// - No write goes on while a handler runs. It must not wait for the database, and writing through
  ///   `connection` throws.
  /// - After `close()` nothing is told.
  ///
  /// - Parameters:
  ///   - region: What matters: `.table("player")`, `.columns("score", of: "player")`, several with `+`.
  ///   - handler: Gets a connection, valid for the call alone, and the commit.
  /// - Returns: The subscription, which ends with the object's life.
  /// - Complexity: A commit costs O(handlers whose tables it changed).
  public func onChange(
    of region: Region, _ handler: @escaping @Sendable (Connection, Commit) -> Void
  ) -> ObservationSubscription {
    let observers = coordinator.commitObservers
    let id = observers.add(region, handler)
    // What is followed must outlive whoever follows it.
    return ObservationSubscription { [self] in
      withExtendedLifetime(self) { observers.remove(id) }
    }
  }

  /// Calls `handler` after each commit that touches what queries read; see ``onChange(of:_:)``.
  ///
  ///     let subscription = database.onChange(ofResults: best, count) { _, commit in
  ///       log("commit \(commit.ordinal) may have changed them")
  ///     }
  ///
  /// The queries are not run: a commit that touches what they read need not change their results.
  public func onChange<each Output: Sendable>(
    ofResults query: repeat Query<each Output>,
    perform handler: @escaping @Sendable (Connection, Commit) -> Void
  ) -> ObservationSubscription {
    onChange(of: .read(by: repeat each query), handler)
  }

  /// The commits that touch `region`, in order.
  ///
  ///     for await commit in database.changes(in: .table("player")) {
  ///       log("\(commit.origin.rawValue) changed players")
  ///     }
  ///
  /// ## Guarantees
  /// - Every commit from the creation of the iterator on is part of an element.
  /// - A slow consumer finds several commits merged into one, never a queue: the newest ordinal,
  ///   origin, kind and time, the tables of all, and the number of all.
  ///
  /// ## Limits
  /// - The sequence ends when the database closes.
  public func changes(in region: Region) -> RegionChanges {
    RegionChanges(database: self, region: region)
  }

  /// Refreshes those who observe `region`, as a commit would that touches it.
  ///
  ///     database.notifyChanges(in: .table("player"))
  ///
  /// For changes that cannot be noticed: of what an SQL function returns, of a virtual table's source
  /// outside the database, of a file that a query names.
  ///
  /// ## Guarantees
  /// - Value observations fetch again, and deliver what differs; handlers of the region are called with
  ///   a `Commit` of origin `own`.
  /// - It is told in order with the writes of this `Database`: after those that were asked for before.
  ///
  /// ## Limits
  /// - Nothing is told while a transaction is left open at the console; it is told at its end.
  public func notifyChanges(in region: Region) {
    coordinator.commitObservers.perform { [feed, commitHandlers] connection in
      var changeset = Changeset()
      let resolved = connection.resolved(region)
      changeset.allReason = resolved.fullReason
      for table in resolved.parts.keys {
        changeset.tables[table] = .bulk(reason: "notifyChanges")
      }
      guard !changeset.isEmpty else { return }
      let commit = feed.publish(origin: .own, changeset: changeset)
      commitHandlers.tell(connection, commit, changeset)
    }
  }
}

extension Region {
  /// What queries read, looked up when the region is used.
  public static func read<each Output: Sendable>(by query: repeat Query<each Output>) -> Region {
    var region = Region()
    for query in repeat each query {
      region += Region(.query(query.sql, query.arguments))
    }
    return region
  }
}
