extension DisplayText {
  /// How a scalar affects the column after it.
  enum WidthClass: UInt32 {
    /// Combines with the preceding character, or is invisible.
    case zero = 0
    case single = 1
    case double = 2
    /// A control character, or unknown to the C library.
    case unprintable = 3
  }

  /// Returns the width class of `scalar`.
  ///
  /// - Complexity: O(1) for ASCII, otherwise a binary search in some two thousand runs.
  static func widthClass(of scalar: Unicode.Scalar) -> WidthClass {
    let value = scalar.value
    if value < 0x7f { return value >= 0x20 ? .single : .unprintable }
    // The last run that starts at or before the scalar; its class is in the low two bits.
    let wanted = value << 2 | 3
    return WidthTable.runs.withUnsafeBufferPointer { runs in
      var low = 0
      var high = runs.count
      while high - low > 1 {
        let middle = (low + high) / 2
        if runs[middle] <= wanted { low = middle } else { high = middle }
      }
      guard let found = WidthClass(rawValue: runs[low] & 3) else {
        preconditionFailure("two bits name four classes")
      }
      return found
    }
  }
}
