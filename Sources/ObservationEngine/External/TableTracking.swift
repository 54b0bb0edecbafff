/// The detector's knowledge of the map from pages to tables: whether there is one, and when to
/// build one.
struct TableTracking: Equatable {
  /// The state of a ``TableTracker``.
  enum Map: Equatable {
    case missing
    /// It leaves pages out, which are to be searched for.
    case incomplete
    case complete
  }

  /// What a commit changed, for the stream.
  struct Change: Equatable {
    var changeset: Changeset
    var kind = Commit.Kind.data
    var evidence: Commit.Evidence?

    static let overwritten = "the file was written to past its WAL"

    init(everything reason: String) { changeset = Changeset(everything: reason) }

    private init(_ changeset: Changeset) { self.changeset = changeset }

    /// What each commit changed, in order; of commits that the answer doesn't tell apart, all together.
    static func changes(_ answer: TableTracker.Answer) -> [Change] {
      switch answer {
      case .all(let reason): return [Change(everything: reason)]
      case .overwritten: return [Change(everything: overwritten)]
      case .rewritten(let reason):
        var change = Change(everything: reason)
        change.evidence = .pages
        return [change]
      case .schema(let reason):
        var change = Change(everything: reason)
        change.kind = .schema
        change.evidence = .pages
        return [change]
      case .tables(let tables):
        var changeset = Changeset()
        for table in tables where !table.name.hasPrefix("sqlite_") {
          changeset[table] = .bulk(reason: "another process changed it")
        }
        // SQLite's own tables, or none at all: user_version, REINDEX, …
        changeset.touchesInternals = tables.isEmpty || changeset.tables.count < tables.count
        return [Change(changeset)]
      case .commits(let changesets): return changesets.map { Change($0) }
      }
    }
  }

  var map = Map.missing
  var schedule = BuildSchedule()

  /// When there is something to do: make the map, or search; `nil` when there is nothing.
  func due(_ now: UInt64) -> UInt64? {
    switch map {
    case .missing: schedule.next
    case .incomplete: now
    case .complete: nil
    }
  }
}

extension TableTracker {
  var state: TableTracking.Map {
    guard isReady else { return .missing }
    return wantsScan ? .incomplete : .complete
  }
}
