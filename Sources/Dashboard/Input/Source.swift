/// Where the rows come from.
package enum Source: Sendable, Hashable {
  /// A database; without a console there is no place to type SQL.
  case database(hasConsole: Bool = true)
  /// A recording that plays: there is nothing to query.
  case recording(ReplayProgress)

  var isRecording: Bool { if case .recording = self { true } else { false } }
  var hasConsole: Bool { self == .database() }
}

/// The progress of a recording.
package struct ReplayProgress: Sendable, Hashable {
  /// Refreshes shown so far.
  package let played: Int
  /// The total number of refreshes.
  package let count: Int

  package init(played: Int, count: Int) {
    self.played = played
    self.count = count
  }

  /// `REPLAY 12/42`, and at the end `REPLAY END`.
  var text: String { played < count ? "REPLAY \(played)/\(count)" : "REPLAY END" }
}
