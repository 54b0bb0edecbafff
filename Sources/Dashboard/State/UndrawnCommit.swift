package import ObservationEngine

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
