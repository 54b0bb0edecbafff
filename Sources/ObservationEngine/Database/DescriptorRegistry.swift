internal import Glibc
internal import Synchronization

/// The process's own descriptors on database files, which exist to ask who holds a lock.
///
/// POSIX locks belong to the process: closing *any* descriptor on a file drops every lock that the
/// process holds on it, those of SQLite's connections too. So each file has at most one of our
/// descriptors here, and it is closed only when the last connection to the database is.
/// See "Posix Advisory Locking" in SQLite's os_unix.c; SQLite itself defers its closes likewise.
///
/// A -shm file goes by its path. When another database comes to that path, connections to the new database have
/// the file open that the old one has a descriptor on. That descriptor stays open until both are closed. Without
/// the locks, the next process to open the database takes the -shm file for abandoned and truncates it, and
/// SQLite crashes (SIGBUS) when it reads its mapping of that file here.
///
/// One for the process, because the locks are.
package final class DescriptorRegistry: Sendable {
  package static let shared = DescriptorRegistry()

  private struct Entry {
    var connections = 0
    /// How many of them only watch for commits of others.
    var watches = 0
    var descriptors: [DatabaseFile.Identity: Int32] = [:]
    /// Where the file stood when connections to it were opened.
    var paths: Set<String> = []
    /// The file was written to by something that is no checkpoint.
    var isOverwritten = false
    let turn = ClosingTurn()
  }

  /// By the identity of the database file.
  private let entries = Mutex<[DatabaseFile.Identity: Entry]>([:])
  /// Descriptors that outlive their entry, because another database has come to one of its paths. Only touched
  /// while `entries` is locked.
  private let outliving = Mutex<[(descriptor: Int32, paths: Set<String>)]>([])
  /// Which databases are shut for new connections.
  let gate = OpeningGate()
  /// Who has a connection open.
  let queues = OpenQueues()

  func connectionDidOpen(_ database: DatabaseFile.Identity, at path: String) {
    entries.withLock {
      $0[database, default: Entry()].connections += 1
      $0[database]?.paths.insert(path)
    }
  }

  /// Counts a connection that is about to be opened.
  ///
  /// - Returns: What is in the way; then it is not counted.
  func connectionWillOpen(_ databases: [DatabaseFile.Identity: String]) -> OpeningGate.Bar? {
    gate.pass(Set(databases.keys)) {
      for (database, path) in databases { connectionDidOpen(database, at: path) }
    }
  }

  /// The database that stood at the path before, if connections to it have the -shm file open that stands there
  /// still.
  ///
  /// SQLite takes that file for abandoned when the process opens the new database, and truncates it.
  ///
  /// - Complexity: O(descriptors of the process) while connections to both databases exist; else O(databases).
  func formerDatabase(
    at path: String, before new: DatabaseFile.Identity
  ) -> DatabaseFile.Identity? {
    let former: DatabaseFile.Identity? = entries.withLock { entries in
      // A connection to the new database has made its own index, or waited here.
      guard entries[new] == nil else { return nil }
      return entries.first { $0.value.paths.contains(path) }?.key
    }
    guard let former, let index = DatabaseFile.identity(of: path + "-shm") else { return nil }
    return OpenDescriptors.identities()?.contains(index) == true ? former : nil
  }

  func connectionDidClose(_ database: DatabaseFile.Identity) {
    entries.withLock { entries in
      guard var entry = entries[database] else { return }
      entry.connections -= 1
      entries[database] = entry.connections == 0 ? nil : entry
      if entry.connections == 0 { closeDescriptors(of: entry, of: database, besides: entries) }
    }
  }

  /// Closes the descriptors of a database without connections, and those kept earlier, except on files that
  /// connections to another database may have open.
  private func closeDescriptors(
    of entry: Entry, of database: DatabaseFile.Identity,
    besides others: [DatabaseFile.Identity: Entry]
  ) {
    outliving.withLock { outliving in
      for (file, descriptor) in entry.descriptors {
        // Only connections to the database have locks on its own file.
        if file == database {
          close(descriptor)
        } else {
          outliving.append((descriptor, entry.paths))
        }
      }
      outliving.removeAll { kept in
        guard others.values.allSatisfy({ $0.paths.isDisjoint(with: kept.paths) }) else {
          return false
        }
        close(kept.descriptor)
        return true
      }
    }
  }

  /// Takes note that the file was written to by something that is no checkpoint, until the last
  /// connection to it is closed.
  func noteOverwritten(_ database: DatabaseFile.Identity) {
    entries.withLock { $0[database]?.isOverwritten = true }
  }

  func isOverwritten(_ database: DatabaseFile.Identity) -> Bool {
    entries.withLock { $0[database]?.isOverwritten == true }
  }

  /// What the connections to the database share that are to be closed one after the other.
  func turn(to database: DatabaseFile.Identity) -> ClosingTurn {
    entries.withLock { $0[database]?.turn } ?? ClosingTurn()
  }

  /// Counts one of the open connections as one that only watches, until it is closed.
  func watchDidOpen(_ database: DatabaseFile.Identity) {
    entries.withLock { $0[database]?.watches += 1 }
  }

  func watchWillClose(_ database: DatabaseFile.Identity) {
    entries.withLock { $0[database]?.watches -= 1 }
  }

  /// Whether all open connections only watch.
  func hasOnlyWatches(_ database: DatabaseFile.Identity) -> Bool {
    entries.withLock { entries in
      entries[database].map { $0.connections == $0.watches } ?? true
    }
  }

  /// How many connections of this process to the database are open.
  package func connections(to database: DatabaseFile.Identity) -> Int {
    entries.withLock { $0[database]?.connections ?? 0 }
  }

  /// Runs `body`, which may open and close descriptors on the database file, unless a connection of
  /// this process is open; none is opened meanwhile.
  package func withoutConnections<Output>(
    to database: DatabaseFile.Identity, _ body: () -> Output
  ) -> Output? {
    entries.withLock { $0[database] == nil ? body() : nil }
  }

  /// A descriptor on the file at `path`, which belongs to the database; `nil` when there is no such
  /// file, or no connection to the database is open.
  package func descriptor(for path: String, of database: DatabaseFile.Identity) -> Int32? {
    entries.withLock { entries in
      guard entries[database] != nil, let expected = DatabaseFile.identity(of: path) else {
        return nil
      }
      if let known = entries[database]?.descriptors[expected] { return known }
      let descriptor = open(path, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { return nil }
      var info = stat()
      guard fstat(descriptor, &info) == 0 else { return nil }
      let actual = DatabaseFile.Identity(info)
      // Another file may have come to the path between the two looks. If it is one that has its
      // descriptor already, this second one must stay open as well: it is simply kept.
      guard entries[database]?.descriptors[actual] == nil else { return nil }
      entries[database]?.descriptors[actual] = descriptor
      return descriptor
    }
  }

  /// The descriptor on a file that was at its path earlier, if there is one.
  func descriptor(
    on file: DatabaseFile.Identity, of database: DatabaseFile.Identity
  ) -> Int32? {
    entries.withLock { $0[database]?.descriptors[file] }
  }
}

/// Closes connections to one file one after the other.
///
/// Whichever is closed last copies the log into the database, which needs the file for itself. Of two
/// that are closed at the same time each would meet the other's shared lock, and neither would copy.
/// That is harmless while the log stays where it is; a log that was deleted is lost.
final class ClosingTurn: Sendable {
  private let lock = Mutex(())

  func closeInTurn(_ close: () -> Void) { lock.withLock { _ in close() } }
}
