internal import Glibc
internal import Synchronization

/// What this process knows of one database file, across all `Database` objects: its connections,
/// the holds that block new ones, the queues with a connection, and the descriptors on the file and
/// its -shm.
///
/// A value that names the file; one table of the process has the contents, behind one lock.
///
/// ## Why one table for the process
/// - POSIX locks belong to the process: closing *any* descriptor on a file drops every lock that
///   the process holds on it, including those of SQLite's connections. So each file has at most one
///   descriptor here, to query locks, and it is closed only with the last connection to the
///   database. See "Posix Advisory Locking" in SQLite's os_unix.c; SQLite defers its own closes
///   likewise.
/// - Connections that are not the engine's are not counted: the application may use SQLite as well,
///   and SQL may attach a file. So a descriptor is kept as long as the process has another one on
///   the file.
/// - A -shm file is found by its path. When another database replaces the one at that path,
///   connections to the new one open the same -shm file on which the old one has a descriptor. That
///   descriptor stays open until both are closed. Without the locks, the next process to open the
///   database takes the -shm file for abandoned and truncates it, and SQLite crashes (SIGBUS) here
///   when it reads its mapping of that file.
/// - SQLite shares the wal-index between all connections of a process to one file. A connection
///   opened while another one has a deleted index gets that index, but the WAL that is at the path
///   by then. So all of them must be closed before another one may be opened.
package struct ProcessFile: Sendable {
  /// Why new connections to a file are blocked.
  enum Purpose {
    /// All connections are being closed, to be opened again. Every `Database` of the process takes
    /// part: one that was opened with a deleted index may not know that it is deleted.
    case emptying
    /// Open connections stay, but a new one would open another WAL.
    case keepingOut
    /// The last connections are being closed because the database is idle.
    case resting
  }

  /// Blocks new connections to a file until it is released.
  struct OpenHold {
    let owner: ObjectIdentifier
    let purpose: Purpose
    let reason: String
  }

  fileprivate struct QueueReference {
    weak let queue: ConnectionQueue?
  }

  /// What is known while a connection is open.
  fileprivate struct Open {
    var connections = 0
    /// How many of them only watch for foreign commits.
    var watches = 0
    var descriptors: [FileIdentity: Int32] = [:]
    /// The file's paths when connections to it were opened.
    var paths: Set<String> = []
    /// Something other than a checkpoint wrote to the file.
    var isOverwritten = false
    let closeLock = CloseLock()
    let emptyings = LogEmptyings()
  }

  fileprivate struct Entry {
    /// `nil` without a connection.
    var open: Open?
    /// At most one per owner.
    var holds: [OpenHold] = []
    var queues: [ObjectIdentifier: QueueReference] = [:]

    var isEmpty: Bool { open == nil && holds.isEmpty && queues.isEmpty }
  }

  /// A descriptor that the engine doesn't need now, but may not close while others may have locks on the file.
  fileprivate struct Kept {
    let descriptor: Int32
    let file: FileIdentity
    /// The paths of the databases whose connections may have the file open.
    var paths: Set<String> = []
  }

  fileprivate struct Table {
    var entries: [FileIdentity: Entry] = [:]
    /// Closed when the next one is: when others have closed the file isn't known. Used again when its file is.
    var kept: [Kept] = []
  }

  fileprivate static let table = Mutex(Table())

  let identity: FileIdentity

  package init(_ identity: FileIdentity) { self.identity = identity }

  private func withEntry<Output: Sendable>(_ body: (inout Entry) -> Output) -> Output {
    Self.table.withLock { table in
      var entry = table.entries[identity] ?? Entry()
      let output = body(&entry)
      table.entries[identity] = entry.isEmpty ? nil : entry
      return output
    }
  }

  // MARK: - Connections

  /// How many connections this process has to the database.
  package var connections: Int { withEntry { $0.open?.connections ?? 0 } }

  /// Whether all open connections only watch for commits.
  var hasOnlyWatches: Bool {
    withEntry { $0.open.map { $0.connections == $0.watches } ?? true }
  }

  /// Counts connections that are about to be opened, one to each of these files.
  ///
  /// - Parameter files: The path of each of them.
  /// - Returns: The hold that blocks one of them; then none is counted.
  static func connectionWillOpen(_ files: [FileIdentity: String]) -> OpenHold? {
    table.withLock { table in
      for file in files.keys {
        if let hold = table.entries[file]?.holds.first { return hold }
      }
      for (file, path) in files { table.entries[file, default: Entry()].noteOpen(path) }
      return nil
    }
  }

  func connectionDidOpen(at path: String) { withEntry { $0.noteOpen(path) } }

  func connectionDidClose() {
    Self.table.withLock { table in
      guard var open = table.entries[identity]?.open else { return }
      open.connections -= 1
      guard open.connections == 0 else {
        table.entries[identity]?.open = open
        return
      }
      table.entries[identity]?.open = nil
      if table.entries[identity]?.isEmpty == true { table.entries[identity] = nil }
      table.closeDescriptors(of: open, of: identity)
    }
  }

  /// Counts one of the open connections as watching only, until it is closed.
  func watchDidOpen() { withEntry { $0.open?.watches += 1 } }

  func watchWillClose() { withEntry { $0.open?.watches -= 1 } }

  /// Runs `body` with a descriptor on the database file, which is at `path`, unless this process has
  /// a connection open; none is opened meanwhile.
  ///
  /// - Complexity: O(descriptors of the process).
  func withoutConnections<Output: Sendable>(
    to path: String, _ body: (_ descriptor: Int32) -> Output
  ) -> Output? {
    Self.table.withLock { table in
      guard table.entries[identity]?.open == nil,
        let taken = table.takeDescriptor(on: identity, at: path)
      else { return nil }
      let output = body(taken.descriptor)
      table.kept.append(taken)
      table.closeKept()
      return output
    }
  }

  /// Closes a descriptor on a database file, immediately, or as soon as that drops no lock of this process.
  ///
  /// - Returns: The file's inode; `nil` when the system doesn't say, and the descriptor stays open.
  static func closeWhenUnused(_ descriptor: Int32) -> FileIdentity? {
    guard let file = identity(of: descriptor) else { return nil }
    table.withLock { table in
      table.kept.append(Kept(descriptor: descriptor, file: file))
      table.closeKept()
    }
    return file
  }

  fileprivate static func identity(of descriptor: Int32) -> FileIdentity? {
    var info = stat()
    return fstat(descriptor, &info) == 0 ? FileIdentity(info) : nil
  }

  /// The lock under which connections to the database are closed.
  var closeLock: CloseLock { withEntry { $0.open?.closeLock } ?? CloseLock() }

  /// The times when this process empties the database's WAL; `nil` without a connection.
  var emptyings: LogEmptyings? { withEntry { $0.open?.emptyings } }

  /// The database that was at the path before, if connections to it have the -shm file open that is
  /// still there.
  ///
  /// SQLite considers that file abandoned when the process opens the new database, and truncates
  /// it.
  ///
  /// - Complexity: O(descriptors of the process) while connections to both databases exist;
  ///   otherwise O(databases).
  func former(at path: String) -> ProcessFile? {
    // A connection to the new database made its own index, or waited here.
    guard connections == 0, let former = formers(at: path).first,
      let index = DatabaseFile.identity(of: path + "-shm")
    else { return nil }
    return OpenDescriptors.identities()?.contains(index) == true ? former : nil
  }

  /// All databases that were at the path before, as long as connections to them are open.
  func formers(at path: String) -> [ProcessFile] {
    Self.table.withLock { table in
      table.entries.filter { $0.key != identity && $0.value.open?.paths.contains(path) == true }
        .map { ProcessFile($0.key) }
    }
  }

  /// Whether the -wal that connections have open was deleted, and the detector, which watches the
  /// file, has not yet said what is to be done.
  ///
  /// - Complexity: O(1) while there is a -wal file, else O(descriptors of the process).
  func isWaitingForDetector(_ path: String) -> Bool {
    guard withEntry({ $0.holds.isEmpty && ($0.open?.watches ?? 0) > 0 }) else { return false }
    let log = path + "-wal"
    return DatabaseFile.identity(of: log) == nil && OpenDescriptors.haveDeleted(log)
  }

  // MARK: - Holds

  /// Blocks new connections, or changes the purpose of the owner's hold, until ``release(_:)``.
  func hold(_ hold: OpenHold) {
    withEntry { entry in
      entry.holds.removeAll { $0.owner == hold.owner }
      entry.holds.append(hold)
    }
  }

  /// Blocks new connections, as ``hold(_:)`` does, unless another owner already does.
  ///
  /// - Returns: Whether the file was free.
  func holdIfFree(_ hold: OpenHold) -> Bool {
    withEntry { entry in
      guard entry.holds.isEmpty else { return false }
      entry.holds = [hold]
      return true
    }
  }

  /// Removes one owner's hold; the holds of other owners stay.
  func release(_ owner: ObjectIdentifier) {
    withEntry { $0.holds.removeAll { $0.owner == owner } }
  }

  /// Why an owner other than `owner` waits for all connections to be closed, if one does.
  func reasonToClose(besides owner: ObjectIdentifier) -> String? {
    withEntry { $0.holds.first { $0.purpose == .emptying && $0.owner != owner }?.reason }
  }

  /// Whether all connections have been closed since the owner began to wait for that.
  ///
  /// The first waiting owner that finds the file without a connection ends the wait of all of them,
  /// so that they need not meet another such point in time.
  func isEmptied(by owner: ObjectIdentifier) -> Bool {
    withEntry { entry in
      guard entry.holds.contains(where: { $0.owner == owner && $0.purpose == .emptying })
      else { return true }
      guard entry.open == nil else { return false }
      entry.holds.removeAll { $0.purpose == .emptying }
      return true
    }
  }

  // MARK: - Queues

  func queueDidOpen(_ queue: ConnectionQueue) {
    withEntry { $0.queues[ObjectIdentifier(queue)] = QueueReference(queue: queue) }
  }

  func queueDidClose(_ queue: ObjectIdentifier) { withEntry { $0.queues[queue] = nil } }

  /// Makes every idle connection close, even if it has session state, which is lost.
  ///
  /// - Parameter epoch: Whose connections; `nil` for those of every `Database`.
  func closeAllIdle(of epoch: FileEpoch? = nil) {
    // A queue whose last reference is dropped must not be freed under the lock.
    let queues = withEntry { $0.queues.values.map(\.self) }.compactMap(\.queue)
    for queue in queues where epoch.map({ queue.serves($0) }) ?? true {
      queue.closeWhenIdle(keepsState: false)
    }
  }

  // MARK: - Content and descriptors

  /// Notes that something other than a checkpoint wrote to the file, until the last connection to
  /// it is closed.
  func noteOverwritten() { withEntry { $0.open?.isOverwritten = true } }

  var isOverwritten: Bool { withEntry { $0.open?.isOverwritten == true } }

  /// A descriptor on the file at `path`, which belongs to the database; `nil` when there is no such
  /// file, or no connection to the database is open.
  package func descriptor(for path: String) -> Int32? {
    Self.table.withLock { table in
      guard let open = table.entries[identity]?.open,
        let expected = DatabaseFile.identity(of: path)
      else { return nil }
      if let known = open.descriptors[expected] { return known }
      guard var taken = table.takeDescriptor(on: expected, at: path) else { return nil }
      // Another file may have come to the path between the two calls. If it has a descriptor
      // already, this second one must stay open as well.
      guard open.descriptors[taken.file] == nil else {
        taken.paths = open.paths
        table.kept.append(taken)
        return nil
      }
      table.entries[identity]?.open?.descriptors[taken.file] = taken.descriptor
      return taken.descriptor
    }
  }

  /// The descriptor on a file that used to be at its path, if there is one.
  func descriptor(on file: FileIdentity) -> Int32? { withEntry { $0.open?.descriptors[file] } }
}

extension ProcessFile.Entry {
  fileprivate mutating func noteOpen(_ path: String) {
    open = open ?? ProcessFile.Open()
    open?.connections += 1
    open?.paths.insert(path)
  }
}

extension ProcessFile.Table {
  /// Closes the descriptors of a database without connections, and those kept earlier, unless others may have
  /// the file open.
  fileprivate mutating func closeDescriptors(
    of ended: ProcessFile.Open, of database: FileIdentity
  ) {
    for (file, descriptor) in ended.descriptors {
      // Of what the engine opens, only connections to the database have locks on its own file.
      let paths = file == database ? [] : ended.paths
      kept.append(ProcessFile.Kept(descriptor: descriptor, file: file, paths: paths))
    }
    closeKept()
  }

  /// Closes the descriptors on files that no other code in this process has open.
  ///
  /// Other code may open one right after the system was asked, and lock it before it is closed here: that is a
  /// moment of some microseconds, which only a descriptor that is never closed would avoid.
  fileprivate mutating func closeKept() {
    let free = kept.filter { !mayBeOpened($0) }
    // Without an answer it stays open: there is one for each file at most.
    guard !free.isEmpty, let used = OpenDescriptors.identities(except: ownDescriptors) else {
      return
    }
    let closable = Set(free.filter { !used.contains($0.file) }.map(\.descriptor))
    kept.removeAll { closable.contains($0.descriptor) }
    for descriptor in closable { close(descriptor) }
  }

  /// Whether a connection that is counted has the file open, or is about to open it.
  private func mayBeOpened(_ kept: ProcessFile.Kept) -> Bool {
    entries[kept.file]?.open != nil
      || entries.values.contains { $0.open?.paths.isDisjoint(with: kept.paths) == false }
  }

  /// All descriptors of the table: they are there to query locks, and have none themselves.
  private var ownDescriptors: Set<Int32> {
    var all = Set(kept.map(\.descriptor))
    for entry in entries.values {
      if let open = entry.open { all.formUnion(open.descriptors.values) }
    }
    return all
  }

  /// A descriptor on the file at a path: one that was kept on the file which is expected there, or a new one.
  fileprivate mutating func takeDescriptor(
    on file: FileIdentity, at path: String
  ) -> ProcessFile.Kept? {
    if let index = kept.firstIndex(where: { $0.file == file }) { return kept.remove(at: index) }
    let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0, let actual = ProcessFile.identity(of: descriptor) else { return nil }
    return ProcessFile.Kept(descriptor: descriptor, file: actual)
  }
}

/// Serializes the closing of connections to one file.
///
/// The last one to close checkpoints the WAL, which needs exclusive access. If two closed at the
/// same time, each would meet the other's shared lock, and neither would checkpoint. That is
/// harmless while the WAL stays in place, but a deleted WAL is lost.
final class CloseLock: Sendable {
  private let lock = Mutex(())

  func closeExclusively(_ close: () -> Void) { lock.withLock { _ in close() } }
}
