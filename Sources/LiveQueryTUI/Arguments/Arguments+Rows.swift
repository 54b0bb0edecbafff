/// Options of `--rows`, whose operands are tables.
extension Arguments {
  mutating func take(tables operands: [String]) throws(ArgumentError) {
    try Self.refuseEmpty(operands, second: "table")
    if let dashboard = operands.dropFirst().first(where: { $0.hasSuffix(".sql") }) {
      throw ArgumentError(
        message: "--rows prints changed rows of tables: \(dashboard) is a dashboard, not a table")
    }
    database = operands.first
    tables = Array(operands.dropFirst())
  }

  /// Refuses contradictions.
  func checkRows() throws(ArgumentError) {
    guard requestedMode == .rows else {
      if state != nil, requestedMode != .stream {
        throw ArgumentError(message: "--state is for --rows and --stream")
      }
      if listener != nil, requestedMode != .stream {
        throw ArgumentError(message: "--listen is for --stream")
      }
      return
    }
    let others: [(name: String, isGiven: Bool)] = [
      ("--replay", replay != nil), ("-f", dashboard != nil), ("-c", !commands.isEmpty),
      ("--preset", preset != nil), ("--param", !parameters.isEmpty), ("--panel", !panels.isEmpty),
      (format.map { "--\($0.rawValue)" } ?? "", format != nil), ("--null", null != nil),
      ("--until", until != nil), ("--exec", exec != nil), ("--record", recording != nil),
      ("--fail-on-alert", failsOnAlert), ("--listen", listener != nil),
    ]
    guard let other = others.first(where: \.isGiven) else { return }
    throw ArgumentError(
      message: "--rows prints changed rows of tables: \(other.name) has no meaning with it")
  }
}
