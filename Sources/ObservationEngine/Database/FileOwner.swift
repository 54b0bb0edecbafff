internal import Glibc

/// A program that keeps accounts of its own of what is in a database file.
///
/// Whoever else writes to such a file, or copies its log into it, makes these accounts wrong.
package enum FileOwner: Sendable, Equatable {
  /// It keeps the Raft log `raft.db` beside the database.
  /// See https://rqlite.io/docs/guides/direct-access
  case rqlite
  /// It is the file system itself, and shows the position of each database in a file `NAME-pos`.
  /// See https://fly.io/docs/litefs/position
  case liteFS

  /// The owner of the database at a path without symbolic links; `nil` when there is none that is known.
  init?(ofFileAt path: String, fileSystem: (_ folder: String) -> String?) {
    let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    if access(folder + "/raft.db", F_OK) == 0, !path.hasSuffix("/raft.db") {
      self = .rqlite
    } else if access(path + "-pos", F_OK) == 0, fileSystem(folder.isEmpty ? "/" : folder) == "FUSE"
    {
      self = .liteFS
    } else {
      return nil
    }
  }

  /// What users are told.
  var notice: String {
    switch self {
    case .rqlite:
      "rqlite owns this database (raft.db is beside it): it is opened read-only; "
        + "write through rqlite's HTTP API"
    case .liteFS:
      "LiteFS owns this database: it is opened read-only; "
        + "write with the application that LiteFS runs, on its primary"
    }
  }

  /// Why a write is refused.
  var refusal: String {
    switch self {
    case .rqlite:
      "rqlite owns this database and alone writes to it: use rqlite's HTTP API"
    case .liteFS:
      "LiteFS owns this database, which is read-only here: "
        + "write with the application that LiteFS runs, on its primary"
    }
  }
}
