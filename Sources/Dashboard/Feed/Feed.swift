package import ObservationEngine

/// The observed commits and events, newest first.
package struct Feed: Sendable, Equatable {
  /// One line of the feed.
  package struct Entry: Sendable, Equatable {
    package var event: DatabaseEvent
    /// The panels whose results changed with it, by index.
    package var panels: [Int]
    /// How long the refresh took that it caused.
    package var duration: Duration?
    /// The first commit of a burst on this line; the event has the last one's time and ordinal, and
    /// the tables of all.
    package var burst: Burst?

    /// Commits in quick succession, more than the feed has lines for.
    package struct Burst: Sendable, Equatable {
      package var since: Timestamp
      package var firstOrdinal: Int
    }
  }

  /// As many as users scroll through; older ones are dropped.
  static let capacity = 1000
  /// Foreign commits are one burst if they are at most this many microseconds apart: a faster feed
  /// can't be read.
  private static let burstGap: Int64 = 50_000
  /// The lines of a burst before it is folded, while the feed isn't on the screen.
  static let usualRoom = 12

  /// Oldest first, because it grows at the end.
  private(set) var entries: [Entry] = []
  /// The lines from the newest; the chosen one stays on its entry unless it is the newest.
  private var list = ScrollingList(cursor: 0)
  /// The total of own and of foreign commits.
  private(set) var ownCommits = 0
  private(set) var externalCommits = 0
  /// Events that are not shown, because too many came together.
  private(set) var dropped = 0
  /// The tables in the order in which they were first seen, which gives each its colour.
  private(set) var tableOrder: [String: Int] = [:]
  /// The slower panels, and the commit since which their results are awaited.
  private var awaited: [Int: Int] = [:]

  /// The chosen line, counted from the newest.
  var cursor: Int { list.cursor ?? 0 }
  /// How many lines the view is scrolled back from the newest.
  var scroll: Int { list.top }

  /// The entry under the cursor.
  var chosen: Entry? {
    let index = entries.count - 1 - cursor
    return entries.indices.contains(index) ? entries[index] : nil
  }

  /// Renumbers the panels in its lines.
  mutating func renumberPanels(_ numbers: [Int?]) {
    // All of them are read again, whatever was committed.
    awaited = [:]
    for index in entries.indices where !entries[index].panels.isEmpty {
      entries[index].panels = entries[index].panels.compactMap { panel in
        numbers.indices.contains(panel) ? numbers[panel] : nil
      }.sorted()
    }
  }

  /// Adds the events of a refresh.
  ///
  /// - Parameter room: How many lines are in view. A burst has a line for each commit while it fits
  ///   there, and one for all of them when it doesn't.
  /// - Complexity: O(events · room).
  mutating func append(_ refresh: Refresh, panelCount: Int, room: Int = usualRoom) {
    let changed = refresh.results.keys.filter { $0 < panelCount }.sorted()
    let panels = changed.filter { awaited[$0] == nil }
    dropped += refresh.droppedEvents
    for event in refresh.events {
      guard case .commit(let commit) = event else {
        append(Entry(event: event, panels: []))
        continue
      }
      switch commit.origin {
      case .own: ownCommits += commit.count
      case .external: externalCommits += commit.count
      }
      if case .named(let tables) = commit.tables {
        for table in tables where tableOrder[table] == nil {
          tableOrder[table] = tableOrder.count
        }
      }
      append(
        Entry(event: event, panels: panels, duration: refresh.duration), commit,
        room: max(room, 2))
    }
    for panel in changed where awaited[panel] != nil { addLate(panel, of: refresh) }
    noteAwaited(refresh, panelCount: panelCount)
    // In batches, so that a full feed does not move a thousand entries for each new one.
    if entries.count > Self.capacity + 128 {
      entries.removeFirst(entries.count - Self.capacity)
      move(by: 0, visible: 0)
    }
  }

  /// Adds a panel's late result to the line of the commit since which it was awaited.
  private mutating func addLate(_ panel: Int, of refresh: Refresh) {
    guard let ordinal = awaited[panel],
      let index = entries.lastIndex(where: { $0.contains(ordinal) })
    else { return }
    entries[index].panels = Set(entries[index].panels + [panel]).sorted()
    if let late = refresh.recomputed[panel] {
      entries[index].duration = (entries[index].duration ?? .zero) + late
    }
  }

  /// Records the panels that follow the commits of `refresh` later than the others.
  private mutating func noteAwaited(_ refresh: Refresh, panelCount: Int) {
    var first: Int?
    for case .commit(let commit) in refresh.events where first == nil { first = commit.ordinal }
    for panel in 0..<panelCount {
      guard refresh.stale[panel]?.isSlowness == true else {
        awaited[panel] = nil
        continue
      }
      // This result was late for an earlier commit.
      if refresh.recomputed[panel] != nil { awaited[panel] = nil }
      if awaited[panel] == nil {
        awaited[panel] = first ?? entries.last(where: \.isCommit)?.ordinal
      }
    }
  }

  /// Adds the line of a commit, or folds its burst when there is no room for the lines.
  private mutating func append(_ entry: Entry, _ commit: Commit, room: Int) {
    let length = burstLength(before: commit, limit: room)
    guard length >= room || length > 0 && entries.last?.burst != nil else { return append(entry) }
    let members = entries.suffix(length) + [entry]
    entries.removeLast(length)
    entries.append(members.dropFirst().reduce(members[members.startIndex]) { $0.folded(with: $1) })
    list.mergeFirst(length)
  }

  /// How many of the newest lines are one burst with a commit, up to a limit; a folded burst ends
  /// it.
  private func burstLength(before commit: Commit, limit: Int) -> Int {
    var next = commit
    var length = 0
    while length < min(limit, entries.count),
      case .commit(let old) = entries[entries.count - 1 - length].event, Self.isBurst(old, next)
    {
      length += 1
      if entries[entries.count - length].burst != nil { break }
      next = old
    }
    return length
  }

  private mutating func append(_ entry: Entry) {
    entries.append(entry)
    list.prepend()
  }

  /// Moves the cursor towards older lines; the view of `visible` lines follows.
  mutating func move(by lines: Int, visible: Int) {
    list.choose(by: lines, of: entries.count, visible: visible)
  }

  /// Handles a click on a line, counted from the newest.
  ///
  /// - Returns: Whether it opens the line that was chosen already.
  mutating func click(line: Int, visible: Int, isFocused: Bool) -> Bool {
    guard line < entries.count else { return false }
    if isFocused, cursor == line { return true }
    move(by: line - cursor, visible: visible)
    return false
  }

  fileprivate static func isBurst(_ old: Commit, _ new: Commit) -> Bool {
    guard old.origin == .external, new.origin == .external, old.kind == .data, new.kind == .data
    else { return false }
    return new.time.microseconds - old.time.microseconds <= burstGap
  }
}

extension Feed.Entry {
  fileprivate var isCommit: Bool { ordinal != nil }

  /// Whether a commit is this line's, or one of its burst.
  func contains(_ number: Int) -> Bool {
    guard let ordinal else { return false }
    return (burst?.firstOrdinal ?? ordinal)...ordinal ~= number
  }

  /// This line with the commits of the next one of the same burst.
  fileprivate func folded(with next: Feed.Entry) -> Feed.Entry {
    guard case .commit(let old) = event, case .commit(let new) = next.event else { return self }
    var folded = next
    folded.event = .commit(
      Commit(
        ordinal: new.ordinal, origin: new.origin, kind: new.kind,
        tables: old.tables.union(new.tables), evidence: old.evidence.union(new.evidence),
        count: old.count + new.count, time: new.time))
    folded.panels = Set(panels).union(next.panels).sorted()
    folded.burst = burst ?? Burst(since: old.time, firstOrdinal: old.ordinal)
    return folded
  }
}

extension Feed.Entry {
  /// The number of its newest commit; nil for an event that isn't a commit.
  var ordinal: Int? {
    if case .commit(let commit) = event { commit.ordinal } else { nil }
  }
}
