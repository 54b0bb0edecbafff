import ObservationEngine

/// The scale of a gauge: its ends, and its thresholds.
struct GaugeScale {
  /// The severity of a number.
  enum State: Comparable { case normal, warning, critical }

  let low: Double
  let high: Double
  let warning: Double?
  let critical: Double?
  /// Whether smaller numbers are worse.
  let isFalling: Bool
  /// Whether the critical number itself is critical.
  private let includesCritical: Bool
  /// The number that raises the panel's alert.
  private let raising: Double?

  /// The panel's own ends, or else zero, and a round number beyond all previous ones. The alert's
  /// threshold is critical, unless the panel sets one.
  init(_ definition: PanelDefinition, column: ColumnSummary, numbers: [Double]) {
    let options = definition.options
    let threshold = definition.alert?.threshold(ofColumn: column.name)
    let alert = options.critical == nil ? threshold : nil
    raising = threshold?.number
    warning = options.warning
    critical = options.critical ?? alert?.number
    includesCritical = alert?.isIncluded ?? true
    isFalling = alert?.isFalling ?? ((critical ?? .infinity) < (warning ?? -.infinity))
    let seen = (numbers + [warning, critical].compactMap { $0 }).filter(\.isFinite)
    low = options.minimum ?? min(0, seen.min() ?? 0)
    let greatest = max(seen.max() ?? 1, low)
    let isFraction = column.format?.isFraction == true
    // If nothing is above zero, zero is the upper end, unless it is the lower one.
    let rounded = greatest > 0 ? NumberAxis.round(greatest) : low < 0 ? 0 : 1
    let usual = isFraction && greatest <= 1 ? 1 : rounded
    high = options.maximum ?? max(usual, low == usual ? low + 1 : low)
  }

  /// The position of a number, from 0 to 1.
  func share(_ number: Double) -> Double {
    let share = (number / 2 - low / 2) / (high / 2 - low / 2)
    return share.isNaN ? 0 : min(max(share, 0), 1)
  }

  /// - Parameter isHeld: Whether the alert is raised, and does not end with this number: it is then
  ///   as severe as the number that raises it.
  func state(_ number: Double, isHeld: Bool) -> State {
    guard isHeld, let raising else { return state(number) }
    return max(state(number), raising == critical ? .critical : state(raising))
  }

  func state(_ number: Double) -> State {
    func crossed(_ threshold: Double?) -> Bool {
      guard let threshold else { return false }
      return isFalling ? number <= threshold : number >= threshold
    }
    let isAtCritical = number == critical && !includesCritical
    return crossed(critical) && !isAtCritical ? .critical : crossed(warning) ? .warning : .normal
  }

  /// The threshold of a state.
  func threshold(_ state: State) -> Double? {
    switch state {
    case .normal: nil
    case .warning: warning
    case .critical: critical
    }
  }
}

extension GaugeScale.State {
  var role: Style.Role {
    switch self {
    case .normal: .bar
    case .warning: .warning
    case .critical: .error
    }
  }

  var word: String {
    switch self {
    case .normal: ""
    case .warning: "WARN"
    case .critical: "CRIT"
    }
  }
}
