internal import CSQLite

/// Captures what the open transaction of a writing connection changes.
///
/// For each row the content before its *first* change is kept ("first touch wins"), and nothing
/// else: what the transaction really changed is found after it committed, by looking at those rows
/// again. So savepoints, failed statements, REPLACE, UPSERT, triggers and foreign key actions need
/// no bookkeeping of their own.
///
/// Guarded by the connection's thread of execution: SQLite calls it inside step alone.
final class ChangeHooks {
  /// Identifies a row within its table.
  enum RowKey: Hashable {
    case rowid(Int64)
    case primaryKey([Value])
  }

  /// What is known of one changed table.
  struct Capture {
    /// The content of each touched row before the transaction; `nil` when it did not exist.
    var before: [RowKey: [Value]?] = [:]
    /// Why rows are not kept any more.
    var bulkReason: String?
  }

  /// Rows kept per table before only "many rows" is known: bounds memory, and beyond it comparing
  /// costs more than running most queries again.
  static let rowLimit = 50_000

  /// Changed tables by name, folded.
  private(set) var captures: [String: Capture] = [:]
  /// True from SQLite's decision to commit until the statement that committed has finished.
  private(set) var isCommitting = false
  /// True after a rollback that undid something.
  private(set) var didRollBack = false
  /// Called inside the commit, while the write lock is held; `false` makes it a rollback.
  var willCommit: (() -> Bool)?
  /// Called inside each rollback of a transaction; it must only take note.
  var didRollBackTransaction: (() -> Void)?

  private unowned let connection: Connection
  /// The connection's, for its deinit, when the reference above is no longer good.
  private let handle: OpaquePointer
  // Row changes come table by table: the last one saves a lookup per row.
  private var lastName = ""
  private var lastTable: TableCatalog.Table?

  init(connection: Connection) {
    self.connection = connection
    handle = connection.handle
    let context = Unmanaged.passUnretained(self).toOpaque()
    sqlite3_preupdate_hook(
      connection.handle,
      { context, handle, operation, schema, name, oldRowid, newRowid in
        // An attached database is not observed, nor are temporary tables: readers do not see them.
        guard let handle, let schema, let name, strcmpMain(schema) else { return }
        Unmanaged<ChangeHooks>.fromOpaque(context!).takeUnretainedValue()
          .willChange(
            handle, operation, String(cString: name), oldRowid: oldRowid, newRowid: newRowid)
      }, context)
    sqlite3_commit_hook(
      connection.handle,
      { context in
        let hooks = Unmanaged<ChangeHooks>.fromOpaque(context!).takeUnretainedValue()
        hooks.isCommitting = true
        return hooks.willCommit?() == false ? 1 : 0
      }, context)
    sqlite3_rollback_hook(
      connection.handle,
      { context in
        let hooks = Unmanaged<ChangeHooks>.fromOpaque(context!).takeUnretainedValue()
        hooks.didRollBack = hooks.didRollBack || !hooks.captures.isEmpty
        hooks.captures = [:]
        hooks.isCommitting = false
        hooks.didRollBackTransaction?()
      }, context)
  }

  /// Removes the hooks; the connection may go on without them.
  func remove() {
    sqlite3_preupdate_hook(handle, nil, nil)
    sqlite3_commit_hook(handle, nil, nil)
    sqlite3_rollback_hook(handle, nil, nil)
  }

  /// Takes what was captured, for a transaction that has committed.
  func takeCaptures() -> [String: Capture] {
    defer {
      captures = [:]
      isCommitting = false
      lastName = ""
      lastTable = nil
    }
    return captures
  }

  /// The tables that the open transaction touched, in ascending order.
  var touchedTables: [String] { captures.keys.sorted() }

  /// Says that the commit which began did not happen, and the transaction goes on.
  func commitFailed() { isCommitting = false }

  /// Whether a transaction that had changed something was rolled back since the last call.
  func takeRollback() -> Bool {
    defer { didRollBack = false }
    return didRollBack
  }

  private func willChange(
    _ handle: OpaquePointer, _ operation: Int32, _ name: String, oldRowid: Int64, newRowid: Int64
  ) {
    if name != lastName || lastTable == nil {
      lastName = name
      lastTable = connection.catalog.table(name)
    }
    let folded = name.asciiLowercased
    guard let table = lastTable else {
      return turnBulk(folded, "\(name) is new")
    }
    if captures[folded]?.bulkReason != nil { return }
    if let reason = table.untrackable { return turnBulk(folded, reason) }
    guard Int(sqlite3_preupdate_count(handle)) == table.columns.count else {
      return turnBulk(folded, "\(name) has another form than it had")
    }

    switch table.identity {
    case .rowid:
      if operation == SQLITE_INSERT {
        touch(folded, .rowid(newRowid)) { nil }
      } else {
        touch(folded, .rowid(oldRowid)) { self.oldRow(handle, table) }
        if operation == SQLITE_UPDATE, newRowid != oldRowid {
          touch(folded, .rowid(newRowid)) { nil }
        }
      }
    case .primaryKey(let columns):
      if operation != SQLITE_INSERT {
        let key = columns.map { self.value(handle, $0, sqlite3_preupdate_old) }
        touch(folded, .primaryKey(key)) { self.oldRow(handle, table) }
      }
      if operation != SQLITE_DELETE {
        let key = columns.map { self.value(handle, $0, sqlite3_preupdate_new) }
        touch(folded, .primaryKey(key)) { nil }
      }
    }
  }

  private func touch(_ table: String, _ key: RowKey, _ before: () -> [Value]?) {
    let isKnown = captures[table]?.before.keys.contains(key) ?? false
    if isKnown { return }
    captures[table, default: Capture()].before.updateValue(before(), forKey: key)
    if captures[table]?.before.count ?? 0 > Self.rowLimit {
      turnBulk(table, "more than \(Self.rowLimit) rows changed")
    }
  }

  private func turnBulk(_ table: String, _ reason: String) {
    captures[table] = Capture(bulkReason: captures[table]?.bulkReason ?? reason)
  }

  private func oldRow(_ handle: OpaquePointer, _ table: TableCatalog.Table) -> [Value] {
    table.columns.indices.map { value(handle, $0, sqlite3_preupdate_old) }
  }

  private func value(
    _ handle: OpaquePointer, _ column: Int,
    _ source: (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Int32
  ) -> Value {
    var pointer: OpaquePointer?
    guard source(handle, Int32(column), &pointer) == SQLITE_OK, let pointer else { return .null }
    switch sqlite3_value_type(pointer) {
    case SQLITE_INTEGER: return .integer(sqlite3_value_int64(pointer))
    case SQLITE_FLOAT: return .real(sqlite3_value_double(pointer))
    case SQLITE_TEXT:
      let bytes = sqlite3_value_text(pointer)
      let count = Int(sqlite3_value_bytes(pointer))
      return .text(String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self))
    case SQLITE_BLOB:
      let bytes = sqlite3_value_blob(pointer)
      let count = Int(sqlite3_value_bytes(pointer))
      return .blob([UInt8](UnsafeRawBufferPointer(start: bytes, count: count)))
    default: return .null
    }
  }
}

private func strcmpMain(_ schema: UnsafePointer<CChar>) -> Bool {
  schema[0] == 0x6d && schema[1] == 0x61 && schema[2] == 0x69 && schema[3] == 0x6e && schema[4] == 0
}
