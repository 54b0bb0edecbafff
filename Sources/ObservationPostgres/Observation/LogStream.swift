/// Which transactions of a server ended, and what they changed, as it happens.
protocol LogStream: ServedSocket {
  /// The number that the next transaction would have got, as the log named it first since the stream began.
  var firstNext: UInt32? { get }
  /// Why the stream has ended.
  var failure: String? { get }
  /// Where what ``take()`` has returned ends.
  var takenUpTo: UInt64 { get }
  /// How much later than it was made the newest commit was reported, by the server's own clock; in microseconds.
  var lag: Int64 { get }
  /// When a commit was reported last that was made much earlier, on the monotonic clock; 0 for never.
  var lateAt: UInt64 { get }
  /// Who reports the commits.
  var reporter: CommitReporter { get }
  /// Whether a part of a transaction has arrived, and more of it may come.
  var isArriving: Bool { get }
  /// Whether something arrived, or the stream ended, while another connection was waited for.
  var hasNews: Bool { get }

  /// The transactions that ended since the last call, in the order of the log.
  func take() -> [ReportedTransactions.Ended]
}

extension LogStream {
  var isArriving: Bool { false }
}
