import Dashboard
import ObservationEngine

/// The time in which former observations of a session still report, after its panels were
/// replaced.
///
/// The first results of the new observation may contain a commit that no event has reported yet:
/// what came before them is news of the former one. It ends once it has reported as far as that.
/// Until then both report the commits of this time, and each is taken once: the former one may be
/// ahead, so the time ends when the new one has reported all that was taken.
struct Handover {
  enum Progress: Equatable { case underWay, ended }

  private struct Former {
    let follower: Task<Void, Never>
    let generation: Int
    /// The newest commit that it reported; -1 before its first results.
    var ordinal: Int
  }

  private var formers: [Former] = []
  /// The commit that the first results of the current observation contain, and the newest that it
  /// reported since; nil before them.
  private var current: (first: Int, newest: Int)?
  private var reported: Set<Int> = []

  /// Begins with another set of panels.
  ///
  /// - Parameters:
  ///   - follower: What takes over the results of the former set.
  ///   - generation: The number of the former set.
  ///   - ordinal: The newest commit that the former set reported.
  mutating func begin(after follower: Task<Void, Never>, of generation: Int, at ordinal: Int) {
    formers.append(Former(follower: follower, generation: generation, ordinal: ordinal))
    current = nil
  }

  /// Removes the commits that were reported already, notes how far an observation has reported, and
  /// ends the former ones that need not go on.
  mutating func receive(_ refresh: inout Refresh, of generation: Int) -> Progress {
    var newest = refresh.ordinal
    refresh.events.removeAll { event in
      guard case .commit(let commit) = event else { return false }
      newest = max(newest, commit.ordinal)
      return !reported.insert(commit.ordinal).inserted
    }
    if let index = formers.firstIndex(where: { $0.generation == generation }) {
      formers[index].ordinal = max(formers[index].ordinal, newest)
    } else {
      current = (current?.first ?? newest, max(current?.newest ?? newest, newest))
    }
    guard let current else { return .underWay }
    formers.removeAll { former in
      guard former.ordinal >= current.first else { return false }
      former.follower.cancel()
      return true
    }
    let hasCaughtUp = reported.allSatisfy { $0 <= current.newest }
    return formers.isEmpty && hasCaughtUp ? .ended : .underWay
  }

  /// Ends all former observations.
  func end() { for former in formers { former.follower.cancel() } }
}
