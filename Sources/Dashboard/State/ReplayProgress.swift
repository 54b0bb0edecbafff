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
