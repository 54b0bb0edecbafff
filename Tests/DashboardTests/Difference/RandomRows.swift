import ObservationEngine

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
