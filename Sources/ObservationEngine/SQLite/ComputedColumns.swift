internal import CSQLite

/// Computes the columns of a table that are generated when they are read (`VIRTUAL`), for rows that are not in the
/// table: no page has their values.
///
/// SQLite does it: each row is written to a table of the same declaration in a database in memory, and read from there.
/// The declaration may come from a stranger: what it takes to compile and to compute is limited, and what exceeds that
/// isn't known.
///
/// Confined to one thread.
final class ComputedColumns {
  /// The declaration of such a table, and what limits its values.
  struct Declaration {
    let table: String
    let columns: [SchemaReader.Column]
    /// `CREATE TABLE …`, and nothing after it.
    let creation: String
    /// The most bytes of a value.
    let valueBytes: Int

    /// An expression of a few bytes can make a gigabyte.
    private static let mostValueBytes = 1 << 18
    private static let mostBytes = 1 << 16
    private static let mostComputed = 100

    /// Functions and operators with which nothing is computed: the first return NULL for what is longer than a value may
    /// be here; the others can take exponential time, and be made case-sensitive.
    private static let excluded: Set<String> = ["printf", "format", "like", "glob"]

    /// - Parameters:
    ///   - table: Of the main schema, as ``SchemaReader/columns(of:in:)`` describes it.
    ///   - connection: One that reads it.
    /// - Returns: `nil` for a table without such columns, and where they are not computed.
    /// - Throws: `DatabaseError` when the schema can't be read.
    init?(
      of table: String, _ columns: [SchemaReader.Column], _ connection: Connection
    ) throws(DatabaseError) {
      let count = columns.count(where: \.isVirtual)
      guard (1...Self.mostComputed).contains(count), !connection.options.schemaCallsApplication,
        try connection.fetch(engine: "PRAGMA main.encoding").first?.first == "UTF-8",
        case .text(let sql)? = try connection.fetch(
          engine: """
            SELECT sql FROM main.sqlite_schema WHERE type = 'table' AND name = ?1 COLLATE NOCASE
            """, [.text(table)]
        ).first?.first, sql.utf8.count <= Self.mostBytes
      else { return nil }
      // SQLite reads one statement when it opens a file, and has found such columns in it. The rest could be a pragma that
      // works when it is compiled.
      let tokens = SQLTokenizer.tokens(of: sql).prefix { !$0.isSymbol(";") }
      let expressions = Self.withoutChecks(tokens)
      let next = expressions.dropFirst().map { $0.isSymbol("(") } + [false]
      let isExcluded = zip(expressions, next).contains { token, isCalled in
        token.isWord("like") || token.isWord("glob")
          || isCalled && Self.excluded.contains(token.name?.asciiLowercased ?? "")
      }
      guard let end = tokens.last?.range.upperBound, !isExcluded else { return nil }
      self.table = table
      self.columns = columns
      creation = String(decoding: sql.utf8.prefix(end), as: UTF8.self)
      valueBytes = min(connection.options.limits.valueBytes ?? .max, Self.mostValueBytes)
    }

    /// The tokens outside of CHECK constraints, which aren't evaluated here.
    private static func withoutChecks(
      _ tokens: ArraySlice<SQLToken>
    ) -> [SQLToken] {
      var kept: [SQLToken] = []
      var depth = 0
      for token in tokens {
        if depth > 0 || kept.last?.isWord("check") == true, token.isSymbol("(") { depth += 1 }
        if depth == 0 { kept.append(token) }
        if depth > 0, token.isSymbol(")") { depth -= 1 }
      }
      return kept
    }
  }

  /// All columns of the table, in declared order.
  let columns: [String]
  private let isComputed: [Bool]
  private let storedCount: Int
  private let scratch: Connection
  private let insertion: String
  private let selection: String
  private let deletion: String
  /// The places among the stored columns of those that a row is inserted with.
  private let inserted: [Int]
  private let clock: () -> UInt64

  /// The most instructions of a statement, and how deep the expressions of all columns may be together: each column
  /// that is computed from two others doubles the first, and SQLite compiles them within each other.
  private static let (instructions, depth): (Int32, Int32) = (20_000, 2_000)

  /// - Parameter clock: Nanoseconds that the thread has worked: while it waits for a processor, no expression runs.
  /// - Throws: `DatabaseError` when SQLite doesn't accept the declaration by itself, or it is too much.
  init(
    _ declaration: Declaration, clock: @escaping () -> UInt64 = SystemClock.thread
  ) throws(DatabaseError) {
    self.clock = clock
    let declared = declaration.columns
    scratch = try Connection(path: ":memory:", options: Connection.Options())
    columns = declared.map(\.name)
    isComputed = declared.map(\.isVirtual)
    let stored = declared.filter { !$0.isVirtual }
    storedCount = stored.count
    inserted = stored.indices.filter { stored[$0].visibility == .ordinary }
    let names = inserted.map { stored[$0].name.quotedIdentifier }.joined(separator: ", ")
    let values = inserted.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
    let name = "main.\(declaration.table.quotedIdentifier)"
    insertion = "INSERT INTO \(name)(\(names)) VALUES (\(values))"
    selection = "SELECT \(columns.map(\.quotedIdentifier).joined(separator: ", ")) FROM \(name)"
    deletion = "DELETE FROM \(name)"
    // The rows were valid once.
    try scratch.execute(engine: "PRAGMA ignore_check_constraints = 1")
    // As for what is in a file already.
    _ = lq_db_config(scratch.handle, SQLITE_DBCONFIG_DQS_DDL, 1)
    let count = isComputed.count(where: \.self)
    for (limit, value) in [
      (SQLITE_LIMIT_LENGTH, Int32(clamping: declaration.valueBytes)),
      (SQLITE_LIMIT_VDBE_OP, Self.instructions),
      (SQLITE_LIMIT_EXPR_DEPTH, Self.depth / Int32(clamping: max(1, count))),
    ] { sqlite3_limit(scratch.handle, limit, value) }
    try scratch.execute(engine: declaration.creation)
    try scratch.execute(engine: selection)
  }

  deinit { scratch.close() }

  /// A row with all of its columns, in declared order.
  ///
  /// - Parameter stored: The values of the stored columns, in declared order.
  /// - Throws: `DatabaseError` when SQLite refuses the row, would store other values, or can't compute a column.
  func wholeRow(_ stored: [Value]) throws(DatabaseError) -> [Value] {
    guard stored.count == storedCount, stored.allSatisfy(\.isFaithful) else { throw Self.unknown }
    // Where the last one failed, its row may be there.
    try scratch.execute(engine: deletion)
    _ = try scratch.fetch(engine: insertion, inserted.map { stored[$0] })
    let rows = try scratch.fetch(engine: selection)
    guard rows.count == 1, rows[0].count == columns.count else { throw Self.unknown }
    var known = stored[...]
    for (value, isComputed) in zip(rows[0], isComputed) where !isComputed {
      guard value == known.popFirst() else { throw Self.unknown }
    }
    return rows[0]
  }

  private static let unknown = DatabaseError(
    code: .error, message: "the computed columns of a row aren't known")

  /// The most rows and bytes of the table, in a commit, that are computed.
  private static let (mostRows, mostBytes) = (1_000, TableCapture.byteLimit)
  /// The most nanoseconds for these rows, and for one of them.
  private static let (mostTime, mostTimeOfRow): (UInt64, UInt64) = (100_000_000, 20_000_000)

  /// Whether a row took so long that none is computed any more.
  private var isGivenUp = false

  /// Rows with all of their columns.
  ///
  /// - Throws: `DatabaseError` when a row isn't known, or they are too much.
  func wholeRows(
    _ entries: [RowDifference.Entry]
  ) throws(DatabaseError) -> [RowDifference.Entry] {
    guard entries.count <= Self.mostRows, !isGivenUp else { throw Self.unknown }
    let began = clock()
    var now = began
    var bytes = 0
    func row(_ stored: [Value]?) throws(DatabaseError) -> [Value]? {
      guard let stored else { return nil }
      guard bytes <= Self.mostBytes, now - began <= Self.mostTime else { throw Self.unknown }
      let before = now
      defer {
        now = clock()
        if now - before > Self.mostTimeOfRow { isGivenUp = true }
      }
      let row = try wholeRow(stored)
      bytes += row.reduce(0) { $0 + $1.byteCount }
      return row
    }
    var whole: [RowDifference.Entry] = []
    for entry in entries {
      whole.append(
        RowDifference.Entry(key: entry.key, old: try row(entry.old), new: try row(entry.new)))
    }
    return whole
  }

  /// The computed columns, folded, in which updated rows differ.
  ///
  /// - Parameter entries: Whole rows.
  func updated(in entries: [RowDifference.Entry]) -> Set<String> {
    var found: Set<String> = []
    for entry in entries {
      guard let old = entry.old, let new = entry.new else { continue }
      for index in columns.indices where isComputed[index] && !old[index].isSurely(new[index]) {
        found.insert(columns[index].asciiLowercased)
      }
    }
    return found
  }
}

extension RowDifference {
  /// Stores rows that differ, with the columns that are computed when they are read, where these can be known.
  ///
  /// - Parameters:
  ///   - entries: Rows of the stored columns.
  ///   - columns: The names of these.
  ///   - computed: The others, folded.
  ///   - computation: What computes them; `nil` where they can't be.
  mutating func keep(
    _ entries: [Entry], columns: [String], computed: Set<String>,
    by computation: ComputedColumns?
  ) {
    if let computation, let whole = try? computation.wholeRows(entries) {
      updatedColumns.formUnion(computation.updated(in: whole))
      keep(whole, columns: computation.columns)
      return
    }
    lack(computed)
    // Such rows are neither handed on nor looked up. Maintained queries that read no such column can use them.
    if interest.wantsRows { keep(entries, columns: columns, isIndexed: false) }
    interest.wantsRows = false
  }

  /// Notes that computed columns of its rows aren't known.
  mutating func lack(_ computed: Set<String>) {
    if counts.updated > 0 { updatedColumns.formUnion(computed) }
  }
}
