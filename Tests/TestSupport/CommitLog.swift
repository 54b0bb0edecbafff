internal import DatabaseConsole
package import ObservationEngine
internal import Synchronization

/// Records the events of a database, its own commits and those of others, in the engine's order;
/// notices of how the engine works are left out.
package final class CommitLog: Sendable {
  private let journal = Journal<(event: DatabaseEvent, changeset: Changeset)>()
  private let database: Database
  private let follower: EventFollower
  private let position = Mutex(0)
  /// Observes nothing, but makes the engine look for commits of others.
  private let watch: WindowedObservation?

  /// - Parameter noticesOthers: Whether to make the engine look for commits of others.
  package init(_ database: Database, noticesOthers: Bool = true) {
    self.database = database
    follower = EventFollower(database, wanting: .all(wantsRows: false)) {
      [journal] event, changeset in
      // How the engine looks, by inotify or by polling, depends on what else runs on the machine.
      if case .notice = event { return }
      journal.append((event, changeset))
    }
    watch = noticesOthers ? database.panels([]) : nil
  }

  deinit { journal.finish() }

  /// All commits so far.
  package var commits: [Commit] {
    journal.entries.compactMap { if case .commit(let commit) = $0.event { commit } else { nil } }
  }

  /// How many commits were observed of `origin`.
  package func count(_ origin: Commit.Origin) -> Int {
    commits.filter { $0.origin == origin }.reduce(0) { $0 + $1.count }
  }

  /// The next event of any kind.
  package func nextEvent() async throws -> DatabaseEvent { try await nextEventAndChangeset().event }

  /// The next event, which must be a commit.
  package func nextCommit() async throws -> Commit {
    let event = try await nextEvent()
    guard case .commit(let commit) = event else {
      throw Unexpected("expected a commit, came \(event)")
    }
    return commit
  }

  /// What the next event, which must be a commit, changed.
  package func nextChangeset() async throws -> Changeset {
    let entry = try await nextEventAndChangeset()
    guard case .commit = entry.event else {
      throw Unexpected("expected a commit, came \(entry.event)")
    }
    return entry.changeset
  }

  /// Waits for the first event that `isWanted`, whatever comes before it.
  package func first(where isWanted: (DatabaseEvent) -> Bool) async throws -> DatabaseEvent {
    while true {
      let event = try await nextEvent()
      if isWanted(event) { return event }
    }
  }

  /// Waits until so many commits of `origin` were observed.
  package func expect(_ origin: Commit.Origin, count: Int) async throws {
    while self.count(origin) < count { _ = try await nextEvent() }
  }

  /// The next event, with what it changed; nothing for what is no commit.
  package func nextEventAndChangeset() async throws
    -> (event: DatabaseEvent, changeset: Changeset)
  {
    let index = position.withLock { position in
      defer { position += 1 }
      return position
    }
    guard let entry = await journal.entry(at: index) else {
      throw Unexpected("no event \(index + 1); before it came \(journal.entries.map(\.event))")
    }
    return entry
  }
}
