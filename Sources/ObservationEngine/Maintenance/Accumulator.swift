/// What is known of the values that one aggregate of one group has seen, so that values can be taken away again.
///
/// It gives a result only when that is certain to be the one that SQLite would compute, bit by bit.
struct Accumulator: Sendable {
  typealias Function = MaintenancePlan.Aggregate.Function

  /// How many values, not counting NULL.
  private var count: Int64 = 0
  /// Of those that are integers, or REAL values that are multiples of ``unit``: their sum, and that of their
  /// magnitudes, in units.
  private var sum: Int128 = 0
  private var magnitude: Int128 = 0
  /// How many of them are REAL, and how many aren't whole.
  private var reals: Int64 = 0
  private var fractions: Int64 = 0
  /// How many values are neither.
  private var others: Int64 = 0

  /// What a row has besides the value.
  struct Row: Sendable, Equatable {
    /// The columns that are returned of the row with the least or greatest value.
    let columns: [Value]
    /// `nil` when it isn't known in which order rows are visited.
    let visit: VisitingOrder.Visit?
  }

  /// Of rows with the same extremum, SQLite returns the columns of the one that it visits first.
  private struct Carrier: Sendable {
    var row: Row
    /// How often it came: an equal one comes before it goes.
    var copies: Int64
    /// Whether others had the extremum, with other columns; they may be gone.
    var hasRivals = false
    /// Whether it is gone. Without rivals, those that are left have the same columns.
    var isGone = false
  }

  /// Multiples of a power of two add up exactly, in any order, as long as no sum exceeds 2^53 of them.
  private static let unitsInOne: Int128 = 1 << 10
  private static var unit: Double { 1 / Double(unitsInOne) }
  /// For min and max: the extremum, and how many values are equal to it; `nil` for none.
  private var extremum: (value: Value, count: Int64)?
  /// The row that the extremum is of, where columns of it are returned.
  private var carrier: Carrier?
  /// How many rows have no value, and the same columns of those: of two kinds, which one row has before and after a change.
  private var valuelessCount: Int64 = 0
  private var valueless: [[Value]: Int64] = [:]
  /// For count(DISTINCT): how often each value occurs.
  private var occurrences: [Value: Int64] = [:]
  /// Why the value isn't known.
  private var doubt: String?

  init() {}

  /// What it is after `count` values.
  init(count: Int64) { self.count = count }

  /// What it is after `count` integers.
  init(count: Int64, sum: Int64, magnitude: Int64) {
    self.count = count
    self.sum = Int128(sum) * Self.unitsInOne
    self.magnitude = Int128(magnitude) * Self.unitsInOne
  }

  /// What it is after `count` values, of which this is the least or the greatest. That several are equal to it isn't
  /// known: when one goes, it counts as gone.
  init(count: Int64, extremum: Value) {
    self.count = count
    if count > 0 { self.extremum = (extremum, 1) }
  }

  /// Whether a sum of its values can be another one in another order, whatever values follow.
  var dependsOnOrder: Bool { others > 0 }

  /// Its approximate size in memory, beyond that of an empty one.
  var byteCount: Int {
    if carrier == nil, valueless.isEmpty { return occurrences.count * 80 }
    let rows = valueless.keys.map(\.self) + (carrier.map { [$0.row.columns] } ?? [])
    return occurrences.count * 80 + rows.joined().reduce(rows.count * 120) { $0 + $1.byteCount }
  }

  /// Adds or takes away a value, `weight` times.
  ///
  /// - Parameter row: The row that it is of, where columns of it may be returned.
  mutating func add(_ value: Value?, weight: Int64, _ function: Function, of row: Row? = nil) {
    guard let value else {
      count += weight
      return
    }
    if value == .null {
      guard let row else { return }
      valuelessCount += weight
      guard valueless.count < 2 || valueless[row.columns] != nil else { return }
      valueless[row.columns, default: 0] += weight
      if valueless[row.columns, default: 0] <= 0 { valueless[row.columns] = nil }
      return
    }
    count += weight
    switch function {
    case .count: break
    case .sum, .avg, .total:
      switch value {
      case .integer(let number): addUnits(Int128(number) * Self.unitsInOne, weight)
      case .real(let number):
        let isWhole = number == number.rounded()
        let units = number / Self.unit
        guard (isWhole ? number : units).magnitude <= 0x1p53, units == units.rounded() else {
          others += weight
          return
        }
        reals += weight
        if !isWhole { fractions += weight }
        addUnits(Int128(units), weight)
      default: others += weight
      }
    case .min: note(value, weight, sign: 1, row)
    case .max: note(value, weight, sign: -1, row)
    case .distinctCount:
      // 1.0 is not another value than 1.
      let value = value.canonical
      occurrences[value, default: 0] += weight
      if occurrences[value] == 0 { occurrences[value] = nil }
    }
    if count == 0 { (extremum, carrier, doubt) = (nil, nil, nil) }
  }

  private mutating func addUnits(_ units: Int128, _ weight: Int64) {
    sum += units * Int128(weight)
    magnitude += Int128(units.magnitude) * Int128(weight)
  }

  private mutating func note(_ value: Value, _ weight: Int64, sign: Int, _ row: Row?) {
    guard let known = extremum else {
      // Nothing was there before, or it is unknown what is left.
      if doubt == nil, weight > 0, count == weight {
        extremum = (value, weight)
        carrier = row.map { Carrier(row: $0, copies: weight) }
      } else if count != 0 {
        doubt = doubt ?? "the least or greatest value is gone"
      }
      return
    }
    let order = value.compared(to: known.value) * sign
    if order > 0 { return }
    if order < 0 {
      guard weight > 0 else {
        doubt = "a value that wasn't known is gone"
        return
      }
      extremum = (value, weight)
      carrier = row.map { Carrier(row: $0, copies: weight) }
      return
    }
    if let row { noteRow(row, weight, of: known.count) }
    if value != known.value { doubt = "equal values are stored in two ways" }
    let left = known.count + weight
    extremum = left > 0 ? (value, left) : nil
    if left <= 0, count != 0 { doubt = doubt ?? "the least or greatest value is gone" }
  }

  /// Notes a row that has the extremum as well, or has it no more. Rows that come and go again are not among them.
  ///
  /// - Parameter count: How many rows have had it so far.
  private mutating func noteRow(_ row: Row, _ weight: Int64, of count: Int64) {
    guard var held = carrier else { return }
    defer { carrier = held }
    let isSame = row == held.row && !held.isGone
    guard weight > 0 else {
      guard isSame else { return }
      held.copies += weight
      guard held.copies <= 0 else { return }
      held.isGone = true
      if held.hasRivals { doubt = doubt ?? Self.isGone }
      return
    }
    if isSame {
      held.copies += weight
    } else if let visit = row.visit, let heldVisit = held.row.visit, !held.isGone {
      // What comes in its place is no rival, but those with the columns that it had are.
      if row.columns != held.row.columns, visit != heldVisit || count > held.copies {
        held.hasRivals = true
      }
      if !heldVisit.precedes(visit) { (held.row, held.copies) = (row, weight) }
    } else if row.columns != held.row.columns {
      doubt = doubt ?? "rows with the same least or greatest value"
    }
  }

  /// The columns of the row that has the least or greatest value.
  ///
  /// - Throws: ``NotMaintainable`` when it isn't certain which one that is.
  func columns() throws -> [Value] {
    if let doubt { throw NotMaintainable(doubt) }
    if let carrier { return carrier.row.columns }
    guard valueless.count == 1, let (columns, rows) = valueless.first, rows == valuelessCount else {
      throw NotMaintainable("no row has the least or greatest value: they have none")
    }
    return columns
  }

  private static let isGone = "the row of the least or greatest value is gone"

  /// The aggregate's value.
  ///
  /// - Throws: ``NotMaintainable`` when it isn't certain.
  func value(_ function: Function) throws -> Value {
    switch function {
    case .count: return .integer(count)
    case .sum:
      if count == 0 { return .null }
      if reals > 0 { return .real(try exactReal()) }
      // No order of the rows can overflow.
      try check(magnitude <= Int128(Int64.max) * Self.unitsInOne)
      return .integer(Int64(sum / Self.unitsInOne))
    case .avg: return count == 0 ? .null : .real(try exactReal() / Double(count))
    case .total: return .real(try exactReal())
    case .distinctCount: return .integer(Int64(occurrences.count))
    case .min, .max:
      if let doubt { throw NotMaintainable(doubt) }
      return count == 0 ? .null : extremum?.value ?? .null
    }
  }

  /// The sum as SQLite adds it up in floating-point numbers.
  private func exactReal() throws -> Double {
    try check(magnitude <= (fractions > 0 ? 1 : Self.unitsInOne) << 53)
    return Double(sum) * Self.unit
  }

  static let orderMatters = NotMaintainable(
    "a sum of REAL values depends on their order", needsOrder: true)

  private func check(_ isInBounds: Bool) throws {
    guard !dependsOnOrder else { throw Self.orderMatters }
    guard isInBounds else {
      throw NotMaintainable("a sum so large depends on the order of its values", needsOrder: true)
    }
  }

  /// Whether the value is the same in whichever order SQLite visits the rows.
  func isIndependentOfOrder(_ function: Function) -> Bool {
    switch function {
    case .min, .max: true
    case .count, .sum, .avg, .total, .distinctCount: (try? value(function)) != nil
    }
  }
}
