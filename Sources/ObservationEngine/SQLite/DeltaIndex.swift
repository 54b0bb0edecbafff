/// Finds the rows of a ``DeltaTable`` whose value in a column may equal another value.
///
/// SQLite compares again what is found, with the affinities and the collation of the comparison. Under any affinity,
/// and each ``Collation``, two values that are equal have a bucket in common: numbers, and texts that are numbers, by
/// their magnitude; texts by what NOCASE takes for equal.
struct DeltaIndex {
  private enum Bucket: Hashable {
    case number(UInt64)
    case text([UInt8])
    case blob([UInt8])
  }

  private var places: [Bucket: [Int]] = [:]

  /// - Complexity: O(rows).
  init(_ rows: [DeltaTable.Row], column: Int) {
    for (place, row) in rows.enumerated() {
      for bucket in Self.buckets(of: row.values[column]) {
        places[bucket, default: []].append(place)
      }
    }
  }

  /// The places of the rows, in their order.
  ///
  /// - Complexity: O(rows that are found).
  func rows(for value: Value) -> [Int] {
    let buckets = Self.buckets(of: value).flatMap { bucket -> [Bucket] in
      // SQLite and Swift may read a decimal text as doubles a bit apart.
      guard case .number(let number) = bucket else { return [bucket] }
      return [.number(number &- 1), bucket, .number(number &+ 1)]
    }
    let found = buckets.compactMap { places[$0] }
    return found.count < 2 ? found.first ?? [] : Set(found.joined()).sorted()
  }

  private static func buckets(of value: Value) -> [Bucket] {
    switch value {
    case .null, .date: []
    case .integer(let number): [bucket(of: Double(number))]
    case .real(let number): [bucket(of: number)]
    case .text(let text): [.text(folded(text))] + (number(in: text).map { [bucket(of: $0)] } ?? [])
    case .blob(let bytes): [.blob(bytes)]
    }
  }

  /// Of 256 doubles next to each other: SQLite writes a number with 15 digits where it compares it as a text, which
  /// is off by 23 of them at most.
  private static func bucket(of number: Double) -> Bucket {
    // What underflows is 0 for one and not for the other, and 0.0 equals -0.0.
    number.magnitude < 1e-300 ? .number(0) : .number(number.bitPattern >> 8)
  }

  private static func number(in text: String) -> Double? {
    var bytes = text.utf8[...]
    while let first = bytes.first, isBlank(first) { bytes.removeFirst() }
    while let last = bytes.last, isBlank(last) { bytes.removeLast() }
    return Double(Substring(bytes))
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == 0x20 || (0x09...0x0D).contains(byte)
  }

  private static func folded(_ text: String) -> [UInt8] {
    // NOCASE compares up to a NUL.
    text.utf8.prefix { $0 != 0 }.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
  }
}
