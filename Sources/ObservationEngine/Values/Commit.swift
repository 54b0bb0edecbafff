/// One observed change of the database: a committed transaction, or several observed together.
public struct Commit: Sendable, Equatable {
  /// Who committed.
  public enum Origin: Sendable {
    /// A write through this `Database`.
    case own
    /// Another process, or another connection of this one.
    case external
  }

  /// What happened to the file.
  public enum Kind: Sendable, Equatable {
    /// Rows changed.
    case data
    /// The schema changed.
    case schema
    /// Another file is at the path now; the engine opened it.
    case fileReplaced
  }

  /// Which tables may have changed.
  public enum Tables: Sendable, Equatable {
    /// These and no others, by their declared names, in ascending order without regard to case. A
    /// table outside `main` is prefixed with `temp.` or the name of its attached database.
    case named([String])
    /// Any of them, and why there is no list.
    case all(reason: String)
  }

  /// How the changed tables were determined.
  package enum Evidence: String, Sendable {
    /// SQLite's hooks reported each row: an own commit.
    case hooks
    /// From the pages that another process wrote to the write-ahead log: each belongs to one table.
    /// A named table whose rows aren't known may be unchanged, if a page was rewritten with the same
    /// content.
    case pages
    /// They are unknown, for the reason in ``Tables/all(reason:)``; or a server reported them.
    case none
  }

  /// How many rows a transaction changed, net: a row inserted and deleted again does not count.
  public struct RowCounts: Sendable, Equatable {
    /// New rows.
    public var inserted: Int
    /// Rows whose content differs.
    public var updated: Int
    /// Deleted rows.
    public var deleted: Int

    /// Counts by kind.
    package init(inserted: Int = 0, updated: Int = 0, deleted: Int = 0) {
      self.inserted = inserted
      self.updated = updated
      self.deleted = deleted
    }
  }

  /// The number of this observed change, from 1 on, in the order of observation.
  public let ordinal: Int
  /// Who committed.
  public let origin: Origin
  /// What happened.
  public let kind: Kind
  /// Which tables may have changed.
  public let tables: Tables
  /// How ``tables`` was determined.
  package let evidence: Evidence
  /// How many rows changed, if known, while at least one follower receives every commit
  /// (``Database/onCommit(_:)``).
  public let rows: RowCounts?
  /// The minimum number of commits this stands for: several can be observed together.
  public let count: Int
  /// When it was observed.
  public let time: Timestamp
  /// The same moment on the monotonic clock (`CLOCK_MONOTONIC`), which all processes of a machine share: the time
  /// since the machine started.
  public let observedAt: Duration

  /// An observed change made of its parts.
  ///
  /// Without `evidence`, it is the usual one for the origin, and ``Evidence/none`` for all tables.
  package init(
    ordinal: Int, origin: Origin, kind: Kind = .data, tables: Tables, evidence: Evidence? = nil,
    rows: RowCounts? = nil, count: Int = 1, time: Timestamp, observedAt: Duration = .zero
  ) {
    self.ordinal = ordinal
    self.origin = origin
    self.kind = kind
    self.tables = tables
    self.evidence = evidence ?? Evidence(origin, tables)
    self.rows = rows
    self.count = count
    self.time = time
    self.observedAt = observedAt
  }
}

extension Commit.Tables {
  /// Tables in any order, each once.
  package static func named(unordered names: some Sequence<String>) -> Self {
    let names = Array(names)
    guard names.count > 1 else { return .named(names) }
    // A table that was renamed to another spelling of its name is still the same table.
    let byFolded = Dictionary(names.map { ($0.asciiLowercased, $0) }) { _, later in later }
    return .named(byFolded.sorted { $0.key < $1.key }.map(\.value))
  }

  /// The tables of this commit and a later one.
  package func union(_ later: Self) -> Self {
    if self == later { return self }
    return switch (self, later) {
    case (.named(let names), .named(let more)): .named(unordered: names + more)
    case (.all, _): self
    case (_, .all): later
    }
  }
}

extension Commit.Evidence {
  fileprivate init(_ origin: Commit.Origin, _ tables: Commit.Tables) {
    switch (tables, origin) {
    case (.all, _): self = .none
    case (.named, .own): self = .hooks
    case (.named, .external): self = .pages
    }
  }

  /// The evidence for two commits taken as one: the weaker.
  package func union(_ other: Self) -> Self {
    switch (self, other) {
    case (.none, _), (_, .none): .none
    case (.pages, _), (_, .pages): .pages
    case (.hooks, .hooks): .hooks
    }
  }
}

/// Something that happened to an observed database, for a list of events.
package enum DatabaseEvent: Sendable, Equatable {
  /// A change was committed.
  case commit(Commit)
  /// A transaction of this `Database` was rolled back.
  case rollback(Timestamp)
  /// The file is gone from its path; the last values remain.
  case fileMissing(Timestamp)
  /// The engine changed how it works and says so: for instance, it polls because inotify is
  /// unavailable.
  case notice(String, Timestamp)
}
