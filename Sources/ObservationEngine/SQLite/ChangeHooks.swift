internal import CSQLite
internal import Glibc

/// Answers ``ChangeHooks`` within a transaction, on the connection's thread of execution.
protocol ChangeHooksDelegate: AnyObject {
  /// How much of a table to capture, asked at its first change in a transaction; `nil` when it is
  /// enough that the table changed.
  func interest(in table: TableID) -> TableInterest?

  /// Whether any follower receives commits, asked at the first change of a transaction.
  var isFollowed: Bool { get }

  /// Called inside the commit, while the write lock is held; `false` makes SQLite roll back.
  func willCommit() -> Bool

  /// Called inside each rollback of a transaction; it must do nothing but note it.
  func didRollBackTransaction()
}

/// Captures what the open transaction of a writing connection changes.
///
/// It keeps the content of each observed row before the row's *first* change ("first touch wins"),
/// and nothing else. After the commit, the net change is found by reading those rows again. So
/// savepoints, failed statements, REPLACE, UPSERT, triggers and foreign key actions need no
/// bookkeeping of their own.
///
/// Guarded by the connection's thread of execution: SQLite calls it only inside step.
final class ChangeHooks {
  /// Changed tables in the open transaction.
  private(set) var captures: [TableID: TableCapture] = [:]
  /// How many changes of rows SQLite has reported, of any transaction.
  private(set) var reportCount = 0
  /// True from SQLite's decision to commit until the statement that committed has finished.
  private(set) var isCommitting = false
  /// True after a rollback that undid something.
  private(set) var didRollBack = false
  private unowned let connection: Connection
  private let authorizer: Authorizer
  /// The connection's handle, for `deinit`, when the connection above may be gone.
  private let handle: OpaquePointer
  /// Must outlive the hooks.
  private unowned let delegate: any ChangeHooksDelegate
  /// Whether to ignore the changes of the open transaction, once that is decided.
  private var decidedToIgnore: Bool?
  // Row changes arrive table by table, so remembering the last one saves a lookup per row. Names
  // are compared rather than addresses: a dropped table and a new one may share an address.
  private var lastCapture: TableCapture?
  private var lastID = TableID(name: "")
  private var lastName: [CChar] = [0]
  private var lastSchema: [CChar] = [0]

  init(connection: Connection, delegate: any ChangeHooksDelegate) {
    self.connection = connection
    self.delegate = delegate
    handle = connection.handle
    authorizer = connection.authorizer
    let context = Unmanaged.passUnretained(self).toOpaque()
    sqlite3_preupdate_hook(
      connection.handle,
      { context, handle, operation, schema, name, oldRowid, newRowid in
        guard let handle, let schema, let name else { return }
        let hooks = Unmanaged<ChangeHooks>.fromOpaque(context!).takeUnretainedValue()
        if hooks.isIgnoring { return }
        hooks.willChange(handle, operation, schema, name, oldRowid: oldRowid, newRowid: newRowid)
      }, context)
    sqlite3_commit_hook(
      connection.handle,
      { context in
        let hooks = Unmanaged<ChangeHooks>.fromOpaque(context!).takeUnretainedValue()
        hooks.isCommitting = true
        return hooks.delegate.willCommit() ? 0 : 1
      }, context)
    sqlite3_rollback_hook(
      connection.handle,
      { context in
        let hooks = Unmanaged<ChangeHooks>.fromOpaque(context!).takeUnretainedValue()
        hooks.didRollBack = hooks.didRollBack || !hooks.captures.isEmpty
        hooks.forgetCaptures()
        hooks.isCommitting = false
        hooks.delegate.didRollBackTransaction()
      }, context)
  }

  /// Removes the hooks; the connection stays usable without them.
  func remove() {
    sqlite3_preupdate_hook(handle, nil, nil)
    sqlite3_commit_hook(handle, nil, nil)
    sqlite3_rollback_hook(handle, nil, nil)
  }

  /// Returns and clears the captures, for a transaction that has committed.
  func takeCaptures() -> [TableID: TableCapture] {
    defer {
      forgetCaptures()
      isCommitting = false
    }
    return captures
  }

  /// The tables that the open transaction touched, in ascending order.
  var touchedTables: [String] { captures.keys.sorted().map(\.folded) }

  private var isIgnoring: Bool {
    if let decidedToIgnore { return decidedToIgnore }
    let isIgnoring = !delegate.isFollowed
    decidedToIgnore = isIgnoring
    return isIgnoring
  }

  private func forgetCaptures() {
    decidedToIgnore = nil
    authorizer.schemasOfChangedTables = []
    captures = [:]
    lastCapture = nil
  }

  /// Notes that the commit failed and the transaction is still open.
  func commitFailed() { isCommitting = false }

  /// Whether a transaction that had changed something was rolled back since the last call.
  func takeRollback() -> Bool {
    defer { didRollBack = false }
    return didRollBack
  }

  private func willChange(
    _ handle: OpaquePointer, _ operation: Int32, _ schema: UnsafePointer<CChar>,
    _ name: UnsafePointer<CChar>, oldRowid: Int64, newRowid: Int64
  ) {
    reportCount += 1
    let capture = capture(schema, name)
    if capture.isBulk { return }
    // The catalog has the columns from before the transaction, to which a savepoint may return.
    guard !authorizer.schemasOfChangedTables.contains(capture.id.schema) else {
      return capture.turnBulk("a table was altered or dropped in the same transaction")
    }
    guard sqlite3_preupdate_count(handle) == capture.columnCount else {
      return capture.turnBulk("\(capture.id) has another form than it had")
    }
    if let columns = capture.keyColumns {
      if operation != SQLITE_INSERT,
        let key = capture.key(columns, handle, sqlite3_preupdate_old)
      {
        capture.touch(key, handle)
      }
      if operation != SQLITE_DELETE,
        let key = capture.key(columns, handle, sqlite3_preupdate_new)
      {
        capture.touch(key, nil)
      }
      return
    }
    if operation != SQLITE_INSERT, capture.wants(rowid: oldRowid) {
      capture.touch(.rowid(oldRowid), handle)
    }
    let isNewKey = operation == SQLITE_INSERT || newRowid != oldRowid
    if operation != SQLITE_DELETE, isNewKey, capture.wants(rowid: newRowid) {
      capture.touch(.rowid(newRowid), nil)
    }
  }

  private func capture(
    _ schema: UnsafePointer<CChar>, _ name: UnsafePointer<CChar>
  ) -> TableCapture {
    let isLast = strcmp(name, lastName) == 0 && strcmp(schema, lastSchema) == 0
    if isLast, let lastCapture { return lastCapture }
    let id =
      isLast ? lastID : TableID(schema: String(cString: schema), name: String(cString: name))
    let capture =
      captures[id]
      ?? TableCapture(id, table: connection.catalog.table(id), interest: delegate.interest(in: id))
    captures[id] = capture
    lastCapture = capture
    if isLast { return capture }
    lastID = id
    lastName = Array(UnsafeBufferPointer(start: name, count: strlen(name) + 1))
    lastSchema = Array(UnsafeBufferPointer(start: schema, count: strlen(schema) + 1))
    return capture
  }
}
