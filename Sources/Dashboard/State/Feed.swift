package import ObservationEngine

/// The observed commits and events, newest first.
package struct Feed: Sendable {
  /// One line of the feed.
  package struct Entry: Sendable, Equatable {
    package var event: DatabaseEvent
    /// The panels whose results changed with it, by index.
    package var panels: [Int]
    /// How long the refresh took that it caused.
    package var duration: Duration?
  }

  /// As many as anyone scrolls through; older ones are forgotten.
  static let capacity = 1000

  /// Oldest first, because it grows at the end.
  private(set) var entries: [Entry] = []
  /// How many lines the view is scrolled back from the newest.
  var scroll = 0
  /// Commits by this program and by others, in all.
  private(set) var ownCommits = 0
  private(set) var externalCommits = 0
  /// Events that nobody will see, because too many came at once.
  private(set) var dropped = 0

  mutating func append(_ refresh: Refresh, panelCount: Int) {
    let panels = refresh.results.keys.filter { $0 < panelCount }.sorted()
    dropped += refresh.droppedEvents
    for event in refresh.events {
      let isCommit: Bool
      if case .commit(let commit) = event {
        isCommit = true
        switch commit.origin {
        case .own: ownCommits += commit.count
        case .external: externalCommits += commit.count
        }
      } else {
        isCommit = false
      }
      entries.append(
        Entry(
          event: event, panels: isCommit ? panels : [],
          duration: isCommit ? refresh.duration : nil))
      // Whoever reads old lines keeps them in view.
      if scroll > 0 { scroll += 1 }
    }
    // In batches, so that a full feed does not move a thousand entries for each new one.
    if entries.count > Self.capacity + 128 { entries.removeFirst(entries.count - Self.capacity) }
  }
}
