import ObservationEngine

/// Ages, which change with time.
extension PanelState {
  /// How many rows are examined: no screen shows more.
  private static let rowsInView = 500

  /// The time of the monotonic clock at which one of the visible ages changes; nil without any.
  ///
  /// - Complexity: O(rows in view) for each column of ages.
  func nextAge(after now: Moment) -> UInt64? {
    guard let result, error == nil else { return nil }
    let ages = columns.indices.filter { columns[$0].format?.isRelative == true }
    guard !ages.isEmpty else { return nil }
    let seconds = Double(now.civil.microseconds) / 1e6
    var wait = Double.infinity
    for row in rowsInView(Self.rowsInView).rows.compactMap({ $0 }) {
      for column in ages {
        guard let moment = MomentForm.seconds(result.rows[row][column]) else {
          continue
        }
        wait = min(wait, Self.wait(age: seconds - moment))
      }
    }
    guard wait.isFinite else { return nil }
    return now.monotonic + UInt64(max(0.001, wait) * 1e9)
  }

  /// How many seconds the text of an age stays the same.
  private static func wait(age: Double) -> Double {
    let unit =
      switch age.magnitude {
      case ..<60: 1.0
      case ..<3600: 60.0
      default: 3600.0
      }
    let rest = age.magnitude.truncatingRemainder(dividingBy: unit)
    return age < 0 ? rest + 0.001 : unit - rest
  }
}
