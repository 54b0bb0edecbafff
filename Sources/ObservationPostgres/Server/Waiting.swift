internal import CPostgres

/// Waiting for descriptors.
enum Waiting {
  /// Waits until one of two descriptors can be read; -1 stands for none.
  ///
  /// - Parameter nanoseconds: For how long at most; nil for ever.
  /// - Returns: Whether the first can be read.
  static func wait(_ first: Int32, _ second: Int32, nanoseconds: UInt64?) -> Bool {
    lq_pq_wait(first, second, nanoseconds.map { Int64(clamping: $0) } ?? -1) & 1 != 0
  }
}
