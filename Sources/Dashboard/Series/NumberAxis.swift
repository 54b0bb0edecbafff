/// A scale of numbers with round ticks.
///
///     NumberAxis(3...57, intervals: 4).ticks      // 0, 15, 30, 45, 60
///
/// ## Guarantees
/// - Any finite range has a scale, even 0...0, -1e308...1e308 and 0...5e-324.
struct NumberAxis: Sendable, Equatable {
  /// The factor that keeps intermediate results from overflowing.
  private let unit: Double
  /// The smallest number, and the distance of ticks, in that unit.
  private let low: Double
  private let step: Double
  /// How many intervals the scale has; a fraction when it ends between two ticks.
  let intervals: Double

  /// A scale for `range` with `intervals` steps from one tick to the next.
  ///
  /// - Parameters:
  ///   - fixedLow: A fixed start.
  ///   - fixedHigh: A fixed end; ticks are not round then.
  ///   - beginsAtZero: Whether to start at zero if the smallest number is near enough.
  init(
    _ range: ClosedRange<Double>, intervals: Double, fixedLow: Double? = nil,
    fixedHigh: Double? = nil, beginsAtZero: Bool = true
  ) {
    let greatest = max(
      range.lowerBound.magnitude, range.upperBound.magnitude, fixedLow?.magnitude ?? 0,
      fixedHigh?.magnitude ?? 0)
    let unit = greatest > 1e290 ? 1e20 : greatest > 0 && greatest < 1e-290 ? 1e-20 : 1
    self.unit = unit
    let count = max(1, intervals)
    self.intervals = count
    var least = (fixedLow ?? range.lowerBound) / unit
    var most = (fixedHigh ?? range.upperBound) / unit
    if !(least < most) {
      // All numbers are equal: the number is in the middle, or at the bottom when it is zero.
      let margin = least == 0 ? 1 : least.magnitude / 2
      (least, most) = (
        fixedLow.map { $0 / unit } ?? least - (least == 0 ? 0 : margin), least + margin
      )
      if !(least < most) { most = least + max(1, least.magnitude) }
    } else if beginsAtZero, fixedLow == nil, least > 0, least < most / 2 {
      least = 0
    }
    if let fixedHigh, fixedHigh / unit == most {
      low = least
      step = (most - least) / count
      return
    }
    var candidate = (most - least) / count
    var start = least
    for _ in 0..<12 {
      candidate = Self.round(candidate)
      // A single interval around zero cannot have round numbers at both ends.
      let grid = count < 2 ? candidate / 10 : candidate
      start = fixedLow.map { $0 / unit } ?? (least / grid).rounded(.down) * grid
      if start + candidate * count >= most * (most > 0 ? 1 - 1e-12 : 1 + 1e-12) { break }
      candidate *= 1.0001
    }
    low = start
    step = candidate
  }

  /// The numbers at the ticks; those beyond the greatest representable number are infinite.
  var ticks: [Double] { (0...Int(intervals)).map { tick($0) } }

  func tick(_ index: Int) -> Double {
    let value = low + step * Double(index)
    // 0.1 + 0.2 is not 0.3: this makes a zero exact.
    return (value.magnitude < step * 1e-9 ? 0 : value) * unit
  }

  /// How many steps the scale starts above zero, or below it if negative; nil unless it is a whole
  /// number.
  var offset: Int? {
    let steps = low / step
    guard steps.magnitude < 1e12, (steps - steps.rounded()).magnitude < 1e-6 else { return nil }
    return Int(steps.rounded())
  }

  /// Whether this many steps are a round number.
  func isRound(_ count: Int) -> Bool {
    let length = step * Double(count) * unit
    return Self.round(length) <= length * (1 + 1e-9)
  }

  /// The position of `number`: 0 at the low end, 1 at the high end.
  func position(_ number: Double) -> Double {
    let position = (number / unit - low) / (step * intervals)
    return position.isNaN ? 0 : position
  }

  /// How many decimals distinguish neighbouring ticks.
  var decimals: Int { decimals(every: 1) }

  /// How many decimals distinguish ticks that are this many steps apart.
  func decimals(every count: Int) -> Int {
    var step = self.step * Double(count) * unit
    var decimals = 0
    while decimals < 6, (step - step.rounded()).magnitude > step * 1e-6 {
      step *= 10
      decimals += 1
    }
    return decimals
  }

  /// The smallest round number that is not less than `number`, which is positive.
  static func round(_ number: Double) -> Double {
    guard number.isFinite, number > 0 else { return 1 }
    let parts = DecimalParts(number)
    // Division may leave a little more than before.
    let factor = factors.first { $0 >= parts.mantissa * (1 - 1e-12) } ?? 10
    // Powers of ten are exact when parsed, but not when multiplied.
    let rounded = Double("\(factor)e\(parts.exponent)") ?? number
    return min(rounded, .greatestFiniteMagnitude)
  }

  private static let factors = [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10]
}
