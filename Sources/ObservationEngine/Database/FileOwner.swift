internal import Glibc

/// A program that keeps its own records of a database file's content.
///
/// Any other program that writes to such a file, or checkpoints its WAL, invalidates these records.
package enum FileOwner: Sendable, Equatable {
  /// It keeps its Raft entries in `raft.db`, next to the database.
  /// See https://rqlite.io/docs/guides/direct-access
  case rqlite
  /// It is the file system itself, and exposes the position of each database in a file `NAME-pos`.
  /// See https://fly.io/docs/litefs/position
  case liteFS

  /// The owner of the database at a path without symbolic links; `nil` for no known owner.
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

  /// The message for users.
  var notice: String {
    switch self {
    case .rqlite:
      "rqlite owns this database (raft.db is next to it): it is opened read-only; "
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
