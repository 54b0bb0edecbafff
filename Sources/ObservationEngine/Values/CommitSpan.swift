/// Between which states of a WAL database a commit lies, by the number of commits that its wal-index counts.
///
///     state 7 ──(from 7, to 8)──▶ state 8 ──(from 8, to 9)──▶ state 9
///
/// A reader that knows the number of its snapshot knows which commits the snapshot has.
package struct CommitSpan: Sendable, Equatable {
  package let from: UInt32
  package let to: UInt32

  package init(from: UInt32, to: UInt32) {
    self.from = from
    self.to = to
  }
}
