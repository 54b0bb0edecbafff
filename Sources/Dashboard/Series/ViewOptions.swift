/// The options after the name of a view: `gauge min=0 max=10% warn=5%`.
package struct ViewOptions: Sendable, Equatable {
  /// The words before the equals sign.
  package enum Key: String, Sendable, CaseIterable {
    /// The column for the horizontal axis.
    case x
    /// The columns that are drawn.
    case y
    case min
    case max
    /// From this value on, a gauge warns.
    case warn
    /// From this value on, a gauge is in a critical state.
    case crit
    /// The approximate number of bins of a histogram.
    case bins
    /// The edge at which a log grows.
    case newest
    /// Which direction of a number is good.
    case good
  }

  /// Where the newest row of a log is.
  package enum Edge: String, Sendable, CaseIterable { case top, bottom }

  /// Which direction of a number is good, and so green.
  package enum Good: String, Sendable, CaseIterable { case up, down, neither }

  package var x: String?
  package var y: [String] = []
  package var minimum: Double?
  package var maximum: Double?
  package var warning: Double?
  package var critical: Double?
  package var bins: Int?
  package var newest: Edge?
  package var good = Good.up

  package init() {}

  /// The role of an arrow.
  func role(isRising: Bool) -> Style.Role {
    switch good {
    case .up: isRising ? .rising : .falling
    case .down: isRising ? .falling : .rising
    case .neither: .muted
    }
  }

  /// Sets one option.
  ///
  /// - Returns: Why the value can't be used; nil when it was set.
  mutating func set(_ key: Key, to value: String) -> String? {
    switch key {
    case .x: x = value
    case .y: y = value.split(separator: ",").map(String.init)
    case .min: return setNumber(\.minimum, key, value)
    case .max: return setNumber(\.maximum, key, value)
    case .warn: return setNumber(\.warning, key, value)
    case .crit: return setNumber(\.critical, key, value)
    case .bins:
      guard let count = Int(value), (1...Self.maximumBins).contains(count) else {
        return "\"bins=\" needs a number from 1 to \(Self.maximumBins)"
      }
      bins = count
    case .newest:
      guard let edge = Edge(rawValue: value) else {
        return "\"newest=\" is either \"top\" or \"bottom\""
      }
      newest = edge
    case .good:
      guard let direction = Good(rawValue: value) else {
        return "\"good=\" is \"up\", \"down\" or \"neither\""
      }
      good = direction
    }
    return nil
  }

  /// No screen has columns for more bins.
  private static let maximumBins = 500

  private mutating func setNumber(
    _ path: WritableKeyPath<ViewOptions, Double?>, _ key: Key, _ value: String
  ) -> String? {
    guard let number = Self.number(value) else {
      return "\"\(key.rawValue)=\" needs a number, not \"\(value)\""
    }
    self[keyPath: path] = number
    return nil
  }

  /// A number, or a percentage of one: `0.1` and `10%` are the same.
  static func number(_ text: String) -> Double? {
    let isPercentage = text.hasSuffix("%")
    guard let number = Double(isPercentage ? String(text.dropLast()) : text), number.isFinite else {
      return nil
    }
    return isPercentage ? number / 100 : number
  }
}
