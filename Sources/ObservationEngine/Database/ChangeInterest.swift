internal import Synchronization

/// Collects who wants to know how much of the changes that this database's writer makes.
package final class ChangeInterest: Sendable {
  /// What the observed queries read of a table; `nil` when none reads it.
  package typealias Readers = @Sendable (TableID) -> TableInterest?

  private struct State {
    var readers: Readers?
    var counting: Set<Int> = []
    var following: [Int: TableID] = [:]
    var followingAll: Set<Int> = []
    var last = 0
  }

  private let state = Mutex(State())

  package init() {}

  /// Asks `readers`, from the writer's queue, at the first change of each table in a transaction.
  package func follow(_ readers: Readers?) { state.withLock { $0.readers = readers } }

  /// Has the rows of every commit counted, by kind, until ``stopWanting(_:)``.
  package func wantCounts() -> Int {
    state.withLock { state in
      state.last += 1
      state.counting.insert(state.last)
      return state.last
    }
  }

  /// Has the changed rows of `table` kept in each changeset, until ``stopWanting(_:)``.
  package func wantRows(of table: TableID) -> Int {
    state.withLock { state in
      state.last += 1
      state.following[state.last] = table
      return state.last
    }
  }

  /// Has the changed rows of every table kept in each changeset, until ``stopWanting(_:)``.
  package func wantRowsOfAllTables() -> Int {
    state.withLock { state in
      state.last += 1
      state.followingAll.insert(state.last)
      return state.last
    }
  }

  package func stopWanting(_ id: Int) {
    state.withLock { state in
      state.counting.remove(id)
      state.followingAll.remove(id)
      state.following[id] = nil
    }
  }

  /// What must be captured of `table`; `nil` when that it changed is enough.
  func interest(in table: TableID) -> TableInterest? {
    let (readers, wantsCounts, wantsRows) = state.withLock { state in
      (
        state.readers, !state.counting.isEmpty,
        !state.followingAll.isEmpty || state.following.values.contains(table)
      )
    }
    let read = readers?(table)
    guard wantsCounts || wantsRows else { return read }
    var interest = TableInterest.all(wantsRows: wantsRows)
    if let read { interest.formUnion(read) }
    return interest
  }
}
