import ObservationEngine

/// The facts in the frame of the console, the most important first.
enum ConsoleFacts {
  static func choices(
    _ console: ConsoleState, _ place: ConsoleSurroundings, moment: Moment, _ symbols: Symbols
  ) -> [String] {
    let dot = symbols.dot
    switch console.work {
    case .nothing, .submitted(_, .starting): break
    case .running(let since, let count):
      let age = "running " + self.age(since: since, moment)
      let rows = count > 0 ? dot + QuantityText.count(count, "row") : ""
      return [age + rows + "\(dot)Ctrl-C cancels", age + rows, age]
    case .submitted(_, .counting), .counting:
      return ["counting rows\(dot)Ctrl-C drops the statement", "counting rows"]
    case .submitted(_, .reading(let reading)):
      let name = DisplayText.cut(reading.name, width: 24, glyphs: place.glyphs)
      let text = "reading \(name) \(age(since: reading.since, moment))"
      return ["\(text)\(dot)Ctrl-C takes it back", text, "reading"]
    }
    guard let transaction = console.transaction else {
      let mode = place.isReadOnly ? "read-only" : "autocommit"
      return lastOutcome(console, dot).map { [mode + dot + $0, mode] } ?? [mode]
    }
    let age = transaction.since.map { " " + self.age(since: $0.monotonic, moment) } ?? ""
    let statements = QuantityText.count(transaction.statements, "stmt")
    let shown = "panels show tx \(place.shownOrdinal)"
    let lock = transaction.holdsWriteLock ? "\(dot)writer lock held" : ""
    let time = age.isEmpty ? "" : "," + age
    return [
      "in transaction (\(statements)\(time))\(lock)\(dot)COMMIT or ROLLBACK",
      "in tx\(age)\(lock)\(dot)\(shown)", "in tx\(age)\(dot)\(shown)", "in transaction\(age)",
    ]
  }

  private static func age(since: UInt64, _ moment: Moment) -> String {
    let age = moment.monotonic > since ? moment.monotonic - since : 0
    return QuantityText.age(seconds: age / 1_000_000_000)
  }

  /// The outcome of the newest statement: `1 row · 4 ms`.
  private static func lastOutcome(_ console: ConsoleState, _ dot: String) -> String? {
    switch console.entries.last?.outcome {
    case .rows(_, let total, let duration):
      QuantityText.count(total, "row") + dot + QuantityText.duration(duration)
    case .done(let changes?, let duration):
      QuantityText.count(changes, "row") + dot + QuantityText.duration(duration)
    case .done(nil, let duration): QuantityText.duration(duration)
    default: nil
    }
  }
}
