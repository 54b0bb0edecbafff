extension Value {
  /// Whether SQLite sorts it before another value: NULL, numbers, texts, BLOBs; the latter two by
  /// their bytes, as the collation BINARY does.
  package func precedes(_ other: Value) -> Bool {
    switch (self, other) {
    case (.integer(let a), .integer(let b)): a < b
    case (.integer(let a), .real(let b)): Double(a) < b
    case (.real(let a), .integer(let b)): a < Double(b)
    case (.real(let a), .real(let b)): a < b
    case (.text(let a), .text(let b)): a.utf8.lexicographicallyPrecedes(b.utf8)
    case (.blob(let a), .blob(let b)): a.lexicographicallyPrecedes(b)
    default: storageClass < other.storageClass
    }
  }

  private var storageClass: Int {
    switch self {
    case .null: 0
    case .integer, .real: 1
    // Nearly every date format sorts chronologically; SQLite never returns a date.
    case .text, .date: 2
    case .blob: 3
    }
  }
}
