internal import CSQLite

/// Under which numbers the hooks find the stored columns of a table, and which of the values that they return are
/// certain.
///
/// `sqlite3_preupdate_old` takes the place of a value in the record for the place of its column in the declaration when
/// it asks whether the column is the rowid, or REAL, whose whole numbers are stored as integers. The two differ behind a
/// `VIRTUAL` column, and in a WITHOUT ROWID table whose key doesn't come first. There it returns integers for whole
/// numbers of some REAL columns, and reals for integers of some others.
///
/// Source: `sqlite3_preupdate_old()` in vdbeapi.c of SQLite 3.40.1.
struct HookedColumns {
  private enum Form {
    case asReturned
    /// An integer is a real.
    case real
    /// A real may be an integer, or a whole real if the column can have these.
    case doubtful(hasWholeReals: Bool)
  }

  typealias Source = (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Int32

  /// Why rows aren't known.
  struct Unknown: Error {
    let reason: String
  }

  /// By places in the declaration; `nil` for those that aren't stored.
  private let numbers: [Int32?]
  private let forms: [Form]

  /// - Parameters:
  ///   - name: Of the table.
  ///   - primaryKey: The columns of the declared primary key.
  ///   - recordOrder: The columns of a WITHOUT ROWID table in the order of its records, by their places in the
  ///     declaration; `nil` for a table with rowids.
  /// - Throws: ``Unknown`` for a table whose columns the hooks don't number reliably.
  init(
    of name: String, _ columns: [TableCatalog.Column], primaryKey: [String], recordOrder: [Int]?
  ) throws(Unknown) {
    let stored = columns.indices.filter { !columns[$0].isComputed }
    let isShifted = stored != Array(stored.indices)
    let isReal = columns.map { $0.affinity == .real }
    var numbers = columns.indices.map { columns[$0].isComputed ? nil : Int32($0) }
    // Whether SQLite may take a column for a REAL one.
    var isTakenForReal = isReal
    if let recordOrder {
      // sqlite3_preupdate_new numbers them in one way for an INSERT, and in another for an UPDATE.
      guard !isShifted else {
        throw Unknown(reason: "\(name) has a VIRTUAL column before one that is stored")
      }
      // A key that repeats a column under another collation has it twice in the record, and SQLite loses the last one.
      guard recordOrder.sorted() == stored else {
        throw Unknown(reason: "\(name) has a column twice in its key")
      }
      for (place, column) in recordOrder.enumerated() {
        isTakenForReal[column] = isReal[place]
      }
    } else if isShifted {
      // Almost always the rowid; see SchemaReader.declaresRowid.
      let mayBeRowid = columns.firstIndex {
        primaryKey == [$0.name] && $0.declaredType.asciiLowercased == "integer"
      }
      let isBefore = mayBeRowid.map { columns[..<$0].contains(where: \.isComputed) } ?? false
      guard let numbering = Self.numbering, !isBefore else {
        throw Unknown(reason: "\(name) has a VIRTUAL column before its key")
      }
      for (place, column) in stored.enumerated() {
        if numbering == .stored { numbers[column] = Int32(place) }
        isTakenForReal[column] = isReal[place]
      }
    }
    self.numbers = numbers
    forms = columns.indices.map { column in
      if isReal[column] { return .real }
      return isTakenForReal[column]
        ? .doubtful(hasWholeReals: columns[column].canHaveWholeReals) : .asReturned
    }
  }

  /// How the hooks number the stored columns of a table with rowids.
  private enum Numbering { case stored, declared }

  /// What the linked library does, by trying it; `nil` when it does neither.
  private static let numbering: Numbering? = {
    guard let connection = try? Connection(path: ":memory:", options: Connection.Options())
    else { return nil }
    defer { connection.close() }
    let found = Found()
    sqlite3_preupdate_hook(
      connection.handle,
      { context, handle, operation, _, _, _, _ in
        guard operation == SQLITE_DELETE else { return }
        let found = Unmanaged<Found>.fromOpaque(context!).takeUnretainedValue()
        for column in Int32(0)..<3 {
          var value: OpaquePointer?
          let isFound = sqlite3_preupdate_old(handle, column, &value) == SQLITE_OK
          found.values.append(isFound ? value.map { Value($0) } : nil)
        }
      }, Unmanaged.passUnretained(found).toOpaque())
    for sql in [
      "CREATE TABLE t(v AS (1), a, b)", "INSERT INTO t(a, b) VALUES (2, 3)", "DELETE FROM t",
    ] { try? connection.execute(engine: sql) }
    sqlite3_preupdate_hook(connection.handle, nil, nil)
    if found.values.prefix(2) == [2, 3] { return .stored }
    return found.values.dropFirst() == [2, 3] ? .declared : nil
  }()

  private final class Found {
    var values: [Value?] = []
  }

  /// The value of a stored column, by its place in the declaration; `nil` when it isn't certain.
  ///
  /// - Parameter source: `sqlite3_preupdate_old` or `sqlite3_preupdate_new`.
  func value(
    _ column: Int, _ handle: OpaquePointer, _ source: Source
  ) -> Value? {
    var pointer: OpaquePointer?
    guard let number = numbers[column], source(handle, number, &pointer) == SQLITE_OK, let pointer
    else { return nil }
    let value = Value(pointer)
    switch (forms[column], value) {
    case (.real, .integer(let number)): return .real(Double(number))
    case (.doubtful(let hasWholeReals), .real(let number)):
      guard number == number.rounded(), abs(number) <= 0x1p63 else { return value }
      // Of two larger integers that are neighbours, both are the same real.
      return hasWholeReals || abs(number) >= 0x1p53 ? nil : .integer(Int64(number))
    default: return value
    }
  }
}
