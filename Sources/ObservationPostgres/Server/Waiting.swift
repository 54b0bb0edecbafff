internal import CPostgres

/// Waiting for descriptors.
enum Waiting {
  /// Which descriptors can be read.
  struct Ready: OptionSet {
    let rawValue: Int32
    static let first = Ready(rawValue: 1)
    static let second = Ready(rawValue: 2)
  }

  /// Waits until one of two descriptors can be read; -1 stands for none.
  ///
  /// - Parameter nanoseconds: For how long at most; nil for ever.
  static func wait(_ first: Int32, _ second: Int32, nanoseconds: UInt64?) -> Ready {
    Ready(rawValue: lq_pq_wait(first, second, nanoseconds.map { Int64(clamping: $0) } ?? -1))
  }
}
