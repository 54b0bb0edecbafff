/// Which transactions a server's snapshot contains, as `pg_current_snapshot()` writes it: `xmin:xmax:xip,…`.
///
/// It contains every transaction below `xmin`, none from `xmax` on, and of those between all but the listed ones.
struct ServerSnapshot: Equatable {
  var xmin: UInt64
  var xmax: UInt64
  var running: Set<UInt64>

  init?(_ text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 3, let xmin = UInt64(parts[0]), let xmax = UInt64(parts[1]),
      xmin <= xmax
    else { return nil }
    let running = parts[2].split(separator: ",").map { UInt64($0) }
    guard running.allSatisfy({ $0 != nil }) else { return nil }
    self.xmin = xmin
    self.xmax = xmax
    self.running = Set(running.compactMap(\.self))
  }

  /// Whether a transaction that the log reported as ended is in it.
  ///
  /// - Parameter xid: The lower half of its number, as the log has it.
  func contains(_ xid: UInt32) -> Bool {
    let whole = widened(xid)
    return whole < xmax && !running.contains(whole)
  }

  /// The whole number of a transaction whose lower half this is: the one nearest to this snapshot.
  func widened(_ xid: UInt32) -> UInt64 {
    let distance = Int64(Int32(bitPattern: xid &- UInt32(truncatingIfNeeded: xmax)))
    return UInt64(bitPattern: Int64(bitPattern: xmax) &+ distance)
  }

  /// The transactions that ended between an earlier snapshot and this one.
  ///
  /// - Complexity: O(numbers given out between them).
  func ended(since earlier: ServerSnapshot) -> [UInt64] {
    let begun = earlier.xmax < xmax ? Array(earlier.xmax..<xmax) : []
    return (earlier.running.sorted() + begun).filter { $0 < xmax && !running.contains($0) }
  }
}
