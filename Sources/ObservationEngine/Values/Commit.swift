/// One observed change of the database: a committed transaction, or several that were seen at once.
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
    /// Another file stands at the path now; it was reopened.
    case fileReplaced
  }

  /// Which tables may have changed.
  public enum Tables: Sendable, Equatable {
    /// These and no others, by the names that they are declared with, in ascending order without
    /// regard to case; `temp.` or the name of an attached database stands before the names of their
    /// tables.
    case named([String])
    /// Any of them, and why no list is known.
    case all(reason: String)
  }

  /// How it was found out which tables changed.
  public enum Evidence: String, Sendable {
    /// SQLite's hooks told of each row: an own commit.
    case hooks
    /// The pages that another process wrote to the write-ahead log: each belongs to one table. Where the rows
    /// are not known, a table that is named may be as it was: a page was written with the content that it had.
    case pages
    /// It was not found out: see the reason of ``Tables/all(reason:)``.
    case none
  }

  /// How many rows a transaction changed, net: a row inserted and deleted again does not count.
  public struct RowCounts: Sendable, Equatable {
    /// Rows that are new.
    public var inserted: Int
    /// Rows with another content.
    public var updated: Int
    /// Rows that are gone.
    public var deleted: Int

    /// Counts by kind.
    public init(inserted: Int = 0, updated: Int = 0, deleted: Int = 0) {
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
  /// How ``tables`` was found out.
  public let evidence: Evidence
  /// How many rows changed, when that is known, while ``Database/onCommit(_:)`` or another follower needs
  /// the rows of all tables.
  public let rows: RowCounts?
  /// How many commits this stands for, at least: several can be seen at once.
  public let count: Int
  /// When it was observed.
  public let time: Timestamp

  /// An observed change made of its parts.
  ///
  /// Without `evidence` it is what is usual for the origin; ``Evidence/none`` for all tables.
  public init(
    ordinal: Int, origin: Origin, kind: Kind = .data, tables: Tables, evidence: Evidence? = nil,
    rows: RowCounts? = nil, count: Int = 1, time: Timestamp
  ) {
    self.ordinal = ordinal
    self.origin = origin
    self.kind = kind
    self.tables = tables
    self.evidence = evidence ?? Evidence(origin, tables)
    self.rows = rows
    self.count = count
    self.time = time
  }
}

extension Commit.Tables {
  /// Tables in any order, each once.
  package static func named(unordered names: some Sequence<String>) -> Self {
    // A table that was renamed to another spelling of its name is still one table.
    let byFolded = Dictionary(names.map { ($0.asciiLowercased, $0) }) { _, later in later }
    return .named(byFolded.sorted { $0.key < $1.key }.map(\.value))
  }

  /// The tables of this and of a later commit.
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

  /// What holds of two commits taken as one: the weaker.
  package func union(_ other: Self) -> Self {
    switch (self, other) {
    case (.none, _), (_, .none): .none
    case (.pages, _), (_, .pages): .pages
    case (.hooks, .hooks): .hooks
    }
  }
}

/// Something that happened to an observed database, for a log of events.
package enum DatabaseEvent: Sendable, Equatable {
  /// A change was committed.
  case commit(Commit)
  /// A transaction of this `Database` was rolled back.
  case rollback(Timestamp)
  /// The file is gone from its path; the last values stay.
  case fileMissing(Timestamp)
  /// The engine changed how it works, and says so: polling because inotify is not to be had, …
  case notice(String, Timestamp)
}
