import ObservationEngine

/// The same numbers for the same seed.
struct SplitMix64: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

extension RowSet {
  /// A few rows of few values, so that keys repeat.
  static func random(using random: inout some RandomNumberGenerator) -> RowSet {
    let count = Int.random(in: 0...8, using: &random)
    let rows = (0..<count).map { _ -> [Value] in
      [
        .text(["a", "b", "c", "d"].randomElement(using: &random) ?? ""),
        .integer(Int64.random(in: 0...2, using: &random)),
        Bool.random(using: &random) ? .null : .real(0.5),
      ]
    }
    return RowSet(columns: ["k", "v", "w"], rows: rows)
  }
}
