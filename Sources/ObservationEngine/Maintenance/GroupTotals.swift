/// What SQLite adds up of each group, so that the first state needn't read every row: it is read as fast as its query runs.
///
///     SELECT team, sum(score) FROM player GROUP BY team
///     └▶ SELECT team, count(*), …, count(score), sum(score), sum(abs(score)), … FROM player GROUP BY 1
///
/// Totals suffice where all values that are added up are integers, and where no two values that are equal can be stored
/// in two ways (`1` and `1.0`, `0.0` and `-0.0`). For all else every row is read.
struct GroupTotals: Sendable {
  /// Reading so many rows takes a second.
  static let manyRows: Int64 = 250_000

  /// The columns of an argument of aggregates.
  private struct Argument: Sendable {
    /// How many values it has.
    let count: Int
    /// Their sum, that of their magnitudes, and how many are integers.
    var sum: Int?
    var least: Int?
    var greatest: Int?
    /// How many are REAL.
    var reals: Int?
  }

  /// One row for each group: its keys, how many rows it has, how many of each key are REAL, then the arguments.
  let sql: String
  let columnCount: Int
  private let keyCount: Int
  private let aggregates: [MaintenancePlan.Aggregate]
  private let arguments: [Argument]

  /// - Parameters:
  ///   - isLarge: Whether so many rows are read that it is worth not to know how many of them have the least or the
  ///     greatest value.
  ///   - list: The SQL of the keys and then of the arguments.
  ///   - areBinary: Whether each key is certain to be compared by BINARY.
  ///   - from: FROM and what follows it.
  /// - Returns: `nil` where totals can't suffice.
  init?(
    _ shape: MaintenancePlan.GroupShape, isLarge: Bool, list: [String], areBinary: [Bool],
    from: String
  ) {
    for aggregate in shape.aggregates {
      switch aggregate.function {
      case nil, .distinctCount?: return nil
      case .min?, .max?: if !isLarge { return nil }
      case .count?, .sum?, .avg?, .total?: break
      }
    }
    keyCount = shape.keyCount
    aggregates = shape.aggregates
    let keys = Array(list.prefix(keyCount))
    var columns = keys + ["count(*)"] + keys.map { "sum(typeof(\($0)) = 'real')" }
    func add(_ more: String...) -> Int {
      columns += more
      return columns.count - more.count
    }
    arguments = list.dropFirst(keyCount).enumerated().map { place, text in
      let functions = Set(
        shape.aggregates.compactMap { aggregate in
          if case .accumulated(let function, place) = aggregate { function } else { nil }
        })
      var argument = Argument(count: add("count(\(text))"))
      if functions.contains(where: \.addsUp) {
        argument.sum = add(
          "sum(\(text))", "sum(abs(\(text)))", "sum(typeof(\(text)) = 'integer')")
      }
      if functions.contains(.min) { argument.least = add("min(\(text))") }
      if functions.contains(.max) { argument.greatest = add("max(\(text))") }
      if argument.least != nil || argument.greatest != nil {
        argument.reals = add("sum(typeof(\(text)) = 'real')")
      }
      return argument
    }
    columnCount = columns.count
    // Texts that are equal and differ are to show.
    let places = zip(keys, areBinary).enumerated().map { place, key in
      key.1 ? "\(place + 1)" : "(\(key.0)) COLLATE BINARY"
    }
    let groups = places.isEmpty ? "" : " GROUP BY \(places.joined(separator: ", "))"
    sql = "SELECT \(columns.joined(separator: ", "))\(from)\(groups)"
  }

  /// The group of a row that ``sql`` returned.
  ///
  /// - Returns: `nil` where its totals don't suffice.
  func group(
    _ row: [Value]
  ) -> (key: [Value], rows: Int64, accumulators: [Accumulator])? {
    let rows = row.number(keyCount)
    for place in 0..<keyCount
    where !Self.isStoredInOneWay(row[place], reals: row.number(keyCount + 1 + place), of: rows) {
      return nil
    }
    var accumulators: [Accumulator] = []
    for aggregate in aggregates {
      guard case .accumulated(let function, let place) = aggregate else { return nil }
      guard let argument = place.map({ arguments[$0] }) else {
        accumulators.append(Accumulator(count: rows))
        continue
      }
      let count = row.number(argument.count)
      switch function {
      case .count: accumulators.append(Accumulator(count: count))
      case .sum, .avg, .total:
        guard let sum = argument.sum, row.number(sum + 2) == count else { return nil }
        accumulators.append(
          Accumulator(count: count, sum: row.number(sum), magnitude: row.number(sum + 1)))
      case .min, .max:
        guard let place = function == .min ? argument.least : argument.greatest,
          let reals = argument.reals,
          Self.isStoredInOneWay(row[place], reals: row.number(reals), of: count)
        else { return nil }
        accumulators.append(Accumulator(count: count, extremum: row[place]))
      case .distinctCount: return nil
      }
    }
    return (Array(row.prefix(keyCount)), rows, accumulators)
  }

  /// Whether all values of some that are equal to one of them have the same bits.
  private static func isStoredInOneWay(_ value: Value, reals: Int64, of count: Int64) -> Bool {
    reals == 0 || reals == count && value != .real(0) && value != .real(-0.0)
  }
}

extension [Value] {
  /// A total; 0 for NULL, which SQLite returns without rows.
  fileprivate func number(_ place: Int) -> Int64 {
    if case .integer(let number) = self[place] { number } else { 0 }
  }
}
