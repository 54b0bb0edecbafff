import ObservationEngine

/// The numbers of a panel in its last results: the source of its sparklines.
///
/// It exists only in memory, from the first result on; no query runs for it.
///
/// ## Guarantees
/// - At most ``capacity`` results are stored, and ``rowCapacity`` rows of ``samplesPerRow`` each:
///   at most half a megabyte per panel.
package struct PanelHistory: Sendable, Equatable {
  /// How many results are stored.
  static let capacity = 240
  /// How many samples each row has: more than a table has columns for.
  static let samplesPerRow = 64
  /// How many rows have a history, from the top of the result.
  static let rowCapacity = 1000

  /// The number of the panel: of its first row.
  private(set) var values = SampleRing(capacity: Self.capacity)
  /// By row key; all end with the newest result.
  private var rows: [[Value]: SampleRing] = [:]
  /// The newest commit that each result reflects.
  private var ordinals = SampleRing(capacity: Self.capacity)

  /// The total number of results so far.
  private var sequence = 0
  /// The number of results before the columns last changed.
  private var origin = 0

  /// Forgets everything, because the columns have changed their meaning.
  mutating func reset() {
    let sequence = sequence
    self = PanelHistory()
    self.sequence = sequence
    origin = sequence
  }

  /// The position of this history in time, without its samples: the part stored in a frame.
  var placeholder: PanelHistory {
    var place = PanelHistory()
    place.sequence = sequence
    place.origin = origin
    return place
  }

  /// This history as it was at an earlier position; empty if the columns were different then.
  ///
  /// - Complexity: O(samples).
  func restored(at place: PanelHistory) -> PanelHistory {
    guard place.origin == origin, place.sequence <= sequence else { return place }
    let later = sequence - place.sequence
    guard later > 0 else { return self }
    var past = self
    past.sequence = place.sequence
    past.values.removeLast(later)
    past.ordinals.removeLast(later)
    past.rows = rows.mapValues { ring in
      var ring = ring
      ring.removeLast(later)
      return ring
    }
    return past
  }

  /// Adds a result.
  ///
  /// - Parameters:
  ///   - value: The column of the panel's number; nil for the first with a number.
  ///   - key: The key of the rows.
  ///   - spark: The column whose history the rows show; nil for none.
  ///   - ordinal: The newest commit that the result reflects.
  /// - Complexity: O(rows with a history).
  mutating func append(
    _ result: RowSet, value: Int?, key: RowKey, spark: Int?, ordinal: Int
  ) {
    sequence += 1
    ordinals.append(Double(ordinal))
    let row = result.rows.first ?? []
    let number = value.map { row.indices.contains($0) ? ColumnSummary.number(row[$0]) : nil }
    values.append((number ?? row.lazy.compactMap(ColumnSummary.number).first) ?? .nan)
    guard let spark else {
      rows = [:]
      return
    }
    append(result, key: key, column: spark)
  }

  private mutating func append(_ result: RowSet, key: RowKey, column: Int) {
    var next: [[Value]: SampleRing] = [:]
    next.reserveCapacity(min(result.rows.count, Self.rowCapacity))
    for row in result.rows.prefix(Self.rowCapacity) {
      let values = key.values(of: row)
      // Of rows that share a key, only the first is stored.
      guard next[values] == nil else { continue }
      var ring = rows.removeValue(forKey: values) ?? SampleRing(capacity: Self.samplesPerRow)
      ring.append(ColumnSummary.number(row[column]) ?? .nan)
      next[values] = ring
    }
    // A row that left may return; its gap shows. Once only the gap remains, it is dropped.
    for (values, ring) in rows where next.count < Self.rowCapacity {
      var ring = ring
      ring.append(.nan)
      if ring.suffix(Self.samplesPerRow).contains(where: { !$0.isNaN }) { next[values] = ring }
    }
    rows = next
  }

  /// How many rows have a history.
  var rowCount: Int { rows.count }

  /// The last `count` numbers of a row, oldest first; empty for a row without a history.
  func samples(of row: [Value], key: RowKey, _ count: Int) -> [Double] {
    rows[key.values(of: row)]?.suffix(count) ?? []
  }

  /// How many observed changes the last `count` results span; nil before the second result.
  func span(_ count: Int) -> Int? {
    let shown = ordinals.suffix(count)
    guard shown.count > 1, let first = shown.first, let last = shown.last else { return nil }
    // The oldest result counts as the change that produced it.
    return max(1, Int(last - first) + 1)
  }
}
