package import ObservationEngine

/// How long the frame with an action's changes may wait.
package enum FrameUrgency: Sendable, Equatable {
  /// The user waits for it, or a panel has news.
  case now
  /// Only the feed and the header have news of a server: further ones may share the frame.
  case soon
  /// Time has passed, or only the feed and the header have news, which the engine has collected:
  /// while refreshes follow one another, the next one shows it as well.
  case paced
  /// It is shown with whatever causes the next frame.
  case none
}

extension DashboardState {
  /// How long the frame with the changes of an action may wait; asked before the action is reduced.
  package func urgency(of action: Action) -> FrameUrgency {
    switch action {
    case .ticked: .paced
    case .drawn: .none
    case .refreshed(let refresh, _, _): isForFeedAlone(refresh) ? feedUrgency : .now
    // Sizes change with commits, whose frame shows them.
    case .databaseInfo(let info): info.journalMode == database.journalMode ? feedUrgency : .now
    case .key, .resized, .console, .focusPanel, .panelKept, .parameters, .referenceFound, .schema,
      .explorer, .hook, .exporting, .exported, .replayed, .panelsReplaced, .dashboardRejected,
      .message, .read:
      .now
    }
  }

  private var feedUrgency: FrameUrgency { database.server == nil ? .paced : .soon }

  /// A frame costs ten times as much as noticing a commit that no panel reads.
  private func isForFeedAlone(_ refresh: Refresh) -> Bool {
    refresh.results.isEmpty && refresh.recomputed.isEmpty && refresh.stale.isEmpty
      && refresh.droppedEvents == 0 && panels.allSatisfy { $0.staleness == nil }
      && refresh.events.allSatisfy { event in
        guard case .commit(let commit) = event else { return false }
        return commit.origin == .external && commit.kind == .data
      }
  }
}

/// When the next frame is due, on the monotonic clock.
package struct FrameClock: Sendable, Equatable {
  /// How long a commit that no panel reads waits for further ones, in nanoseconds.
  private static let feedDelay: UInt64 = 200_000_000
  /// A little more than the time between two refreshes, in nanoseconds.
  private static let framePause: UInt64 = 35_000_000

  /// When to draw the frame, which may differ from the last one; nil when there is no need.
  package private(set) var dueAt: UInt64? = 0
  private var drawnAt: UInt64 = 0

  package init() {}

  /// Something has changed.
  package mutating func request(_ urgency: FrameUrgency, at now: UInt64) {
    switch urgency {
    case .now: dueAt = 0
    case .soon: dueAt = dueAt ?? now + Self.feedDelay
    case .paced: dueAt = min(dueAt ?? .max, drawnAt + Self.framePause)
    case .none: break
    }
  }

  /// Whether the frame is due.
  package func isDue(at now: UInt64) -> Bool { dueAt.map { $0 <= now } ?? false }

  /// The frame is drawn.
  package mutating func draw(at now: UInt64) {
    dueAt = nil
    drawnAt = now
  }
}

/// The oldest commit that is not completely on the screen: in every panel that it concerns,
/// including slow ones.
package struct UndrawnCommit: Sendable {
  /// When it was noticed, on the monotonic clock, and its origin.
  package struct Notice: Sendable, Equatable {
    package var noticed: UInt64
    package var origin: Commit.Origin
  }

  /// The commit that the next frame shows completely.
  private var complete: Notice?
  /// A commit that waits for slow panels, and for which ones.
  private var waiting: (notice: Notice, panels: Set<Int>)?

  package init() {}

  /// Records what a refresh brought, and what is still to come.
  package mutating func receive(_ refresh: Refresh) {
    let slow = Set(refresh.stale.filter { $0.value.isSlowness }.keys)
    if let (notice, panels) = waiting {
      let rest = panels.intersection(slow).subtracting(refresh.recomputed.keys)
      waiting = rest.isEmpty ? nil : (notice, rest)
      if rest.isEmpty { add(notice) }
    }
    guard let notice = Self.notice(of: refresh) else { return }
    if slow.isEmpty {
      add(notice)
    } else if waiting == nil {
      waiting = (notice, slow)
    }
  }

  /// The commit that is completely on the screen, now that a frame was drawn.
  package mutating func take() -> Notice? {
    defer { complete = nil }
    return complete
  }

  private mutating func add(_ notice: Notice) {
    complete = Notice(
      noticed: min(complete?.noticed ?? .max, notice.noticed), origin: notice.origin)
  }

  private static func notice(of refresh: Refresh) -> Notice? {
    guard refresh.noticed > 0 else { return nil }
    var notice: Notice?
    for case .commit(let commit) in refresh.events {
      notice = Notice(noticed: refresh.noticed, origin: commit.origin)
    }
    return notice
  }
}
