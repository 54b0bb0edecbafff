extension Database {
  /// Observes a list of queries together, each with a result of its own.
  ///
  ///     let queries = tables.map { Query.count(of: $0) }
  ///     for await update in database.observe(all: queries) {
  ///       for (index, count) in update.results { show(tables[index], count) }
  ///       for commit in update.commits { log.info("\(commit.origin) commit \(commit.ordinal)") }
  ///     }
  ///
  /// For queries whose number is known only when the program runs, such as the panels of a dashboard. A query
  /// that fails or takes long doesn't hold up the others. A few queries whose results belong together are
  /// better observed as parameters, which makes a tuple of their results.
  ///
  /// Each iterator of the sequence observes by itself, until it is released or its task is cancelled.
  ///
  /// ## Guarantees
  /// - The first update has a result for each query, or says in ``GroupUpdate/stale`` why there is none yet.
  ///   Later ones have the results that differ.
  /// - The results are those of one snapshot. A query that takes longer than ``Configuration/refreshBudget`` has a
  ///   snapshot of its own, and is stale while the others show a commit that it doesn't.
  /// - Every commit from the first update on is in ``GroupUpdate/commits`` once, in order, together with the
  ///   results that it led to. An update without results is about commits that changed none.
  /// - Nothing piles up for a slow consumer: updates merge into one with the newest results.
  /// - The sequence doesn't fail. It ends when the task is cancelled or the database is closed.
  ///
  /// ## Limits
  /// - With a rollback journal a commit by another process makes every query run again. In WAL mode only a
  ///   commit to the tables that it reads does, as far as they can be told from the log.
  /// - While an iterator exists, the rows that own commits change are counted, as for a handler of
  ///   ``Database/onCommit(_:)``.
  ///
  /// - Parameter queries: Their results are compared to skip repeats.
  /// - Complexity: One run of each distinct SQL and arguments per refresh.
  public func observe<Output: Sendable & Equatable>(
    all queries: [Query<Output>]
  ) -> some AsyncSequence<GroupUpdate<Output>, Never> & Sendable {
    GroupObservation(database: self, queries: queries)
  }
}
