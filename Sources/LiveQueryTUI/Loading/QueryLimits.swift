import ObservationEngine

/// Limits for the queries of panels: as much as a dashboard can sensibly need.
enum QueryLimits {
  /// Megabytes that SQLite may use, unless `--memory` says otherwise. A result may take half of it,
  /// a value an eighth.
  static let memory = 128

  /// How a query gets more memory, and more time.
  static let memoryRemedy = "--memory allows more"
  static let timeRemedy = "--query-timeout allows more"

  /// The limits on readers.
  static func resources(megabytes: Int) -> ResourceLimits {
    var limits = ResourceLimits()
    guard megabytes > 0 else { return limits }
    let bytes = megabytes * 1_000_000
    limits.valueBytes = bytes / 8
    limits.resultBytes = bytes / 2
    limits.sqlBytes = 1_000_000
    limits.columns = 2_000
    limits.expressionDepth = 1_000
    limits.compoundTerms = 500
    limits.instructions = 1_000_000
    limits.functionArguments = 127
    limits.attachments = 10
    limits.patternBytes = 10_000
    limits.parameters = 32_766
    limits.triggerDepth = 100
    limits.workerThreads = 0
    return limits
  }
}

extension Arguments {
  /// How long the queries of one snapshot may take; nil for any time.
  ///
  /// When panels are printed once, no user sees that a query takes long, so there is a default. A
  /// `--timeout` replaces it.
  func queryLimit(_ mode: Mode) -> Duration? {
    if let queryTimeout { return queryTimeout == .zero ? nil : queryTimeout }
    switch mode {
    case .once, .check: return timeout == nil && until == nil ? .seconds(10) : nil
    case .frame: return .seconds(10)
    case .screen, .stream, .rows: return .seconds(30)
    }
  }
}
