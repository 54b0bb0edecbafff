internal import CPostgres
internal import ObservationEngine

/// What a statement returned.
struct ServerResult: Equatable {
  var columns: [String] = []
  var rows: [[Value]] = []
  /// How many rows there were, including those that were not kept.
  var rowCount = 0
  /// What it did: `SELECT 3`, `INSERT 0 1`, `BEGIN`.
  var command = ""
  /// The rows that it inserted, updated or deleted; nil for any other statement.
  var changes: Int?
  /// How long it took, from the result before it.
  var duration: Duration = .zero

  /// A result without columns is that of a command.
  var rowSet: RowSet? { columns.isEmpty ? nil : RowSet(columns: columns, rows: rows) }

  /// The text in the first row.
  func text(_ column: Int) -> String? {
    guard let row = rows.first, column < row.count else { return nil }
    switch row[column] {
    case .text(let text): return text
    case .integer(let number): return String(number)
    default: return nil
    }
  }
}

/// How much of a result is kept.
struct ResultLimits {
  /// More rows are counted, but not kept.
  var rows = Int.max
  /// So are rows once the kept ones take about this many bytes.
  var bytes = Int.max
  /// Whether more rows are an error instead: a panel shows all of its rows or none.
  var refusesMore = false
  /// Receives the number of rows so far.
  var progress: ((Int) -> Void)?
}

/// Collects the rows of one statement as they come.
struct ResultReader {
  private(set) var result = ServerResult()
  private(set) var fault: ServerFault?
  private var readings: [ColumnReading] = []
  private var bytes = 0
  private let limits: ResultLimits

  init(_ limits: ResultLimits) { self.limits = limits }

  /// - Returns: Whether there is more of it to come.
  mutating func read(_ part: OpaquePointer) {
    switch lq_pq_resultStatus(part) {
    case Int32(LQ_SINGLE_TUPLE), Int32(LQ_TUPLES_OK):
      if result.columns.isEmpty { readColumns(part) }
      for row in 0..<lq_pq_ntuples(part) { read(row, of: part) }
      finish(part)
    case Int32(LQ_COMMAND_OK), Int32(LQ_EMPTY_QUERY): finish(part)
    case Int32(LQ_PIPELINE_ABORTED):
      fault = fault ?? ServerFault(state: ServerFault.skipped, message: "not run")
    case Int32(LQ_COPY_IN), Int32(LQ_COPY_OUT), Int32(LQ_COPY_BOTH):
      fault = ServerFault(
        state: "0A000",
        message: "COPY with standard input or output is psql's; use a file of the server")
    default: fault = fault ?? ServerFault(part)
    }
  }

  private mutating func readColumns(_ part: OpaquePointer) {
    for column in 0..<lq_pq_nfields(part) {
      result.columns.append(String(cString: lq_pq_fname(part, column)))
      readings.append(
        ColumnReading(type: lq_pq_ftype(part, column), modifier: lq_pq_fmod(part, column)))
    }
  }

  private mutating func read(_ row: Int32, of part: OpaquePointer) {
    result.rowCount += 1
    limits.progress?(result.rowCount)
    // The kept rows are the first ones, without gaps.
    guard result.rows.count == result.rowCount - 1, result.rowCount <= limits.rows,
      bytes < limits.bytes
    else {
      refuse()
      return
    }
    var values: [Value] = []
    values.reserveCapacity(readings.count)
    for (column, reading) in readings.enumerated() {
      let column = Int32(column)
      if lq_pq_getisnull(part, row, column) != 0 {
        values.append(.null)
        continue
      }
      let length = Int(lq_pq_getlength(part, row, column))
      bytes += length
      let start = UnsafeRawPointer(lq_pq_getvalue(part, row, column)!)
      values.append(
        reading.value(
          UnsafeBufferPointer(start: start.assumingMemoryBound(to: UInt8.self), count: length)))
    }
    bytes += 32 + 16 * values.count
    result.rows.append(values)
    if bytes > limits.bytes { refuse() }
  }

  private mutating func refuse() {
    guard limits.refusesMore, fault == nil else { return }
    let size =
      limits.bytes < 1_000_000
      ? "\(limits.bytes / 1000) kB" : "\(limits.bytes / 1_000_000) MB"
    fault = ServerFault(
      state: ServerFault.tooBig, message: "the result is larger than \(size)")
  }

  private mutating func finish(_ part: OpaquePointer) {
    result.command = String(cString: lq_pq_cmdStatus(part))
    let verb = result.command.prefix { $0 != " " }
    if ["INSERT", "UPDATE", "DELETE", "MERGE"].contains(verb) {
      result.changes = Int(String(cString: lq_pq_cmdTuples(part)))
    }
  }
}

extension ServerFault {
  /// Codes of the program's own, which no server uses: a statement after a failed one; a result beyond a limit.
  static let skipped = "LQ001"
  static let tooBig = "LQ002"
}
