internal import CPostgres
internal import ObservationEngine

/// What a server said was wrong with a statement.
struct ServerFault: Error, Equatable {
  /// The five characters of SQLSTATE; empty when the connection itself failed.
  var state = ""
  var message: String
  var hint: String?
  /// In characters of the statement's text, from 1.
  var position: Int?
  /// Whether the server ends the connection with it.
  var isFatal = false
  /// How long after the first of the statements that were sent together it came; nil for one alone.
  var elapsed: Duration?

  init(state: String = "", message: String) {
    self.state = state
    self.message = message
  }

  /// Reads the fields of a failed result.
  init(_ result: OpaquePointer) {
    func field(_ code: Int) -> String? {
      lq_pq_resultErrorField(result, Int32(code)).map { String(cString: $0) }
    }
    state = field(Int(LQ_DIAG_SQLSTATE)) ?? ""
    isFatal = ["FATAL", "PANIC"].contains(field(Int(LQ_DIAG_SEVERITY)))
    message =
      field(Int(LQ_DIAG_MESSAGE_PRIMARY)) ?? String(cString: lq_pq_resultErrorMessage(result))
    if let detail = field(Int(LQ_DIAG_MESSAGE_DETAIL)) { message += ": " + detail }
    hint = field(Int(LQ_DIAG_MESSAGE_HINT))
    if state == "55P03" {
      hint = "another transaction holds the lock; try again, or raise --busy-timeout"
    }
    if state == "42P18" { hint = "write its type, as in :limit::integer" }
    position = field(Int(LQ_DIAG_STATEMENT_POSITION)).flatMap { Int($0) }
    while message.last?.isWhitespace == true { message.removeLast() }
  }

  /// The connection's own failure.
  init(connection: OpaquePointer) {
    var text = String(cString: lq_pq_errorMessage(connection))
    while text.last?.isWhitespace == true { text.removeLast() }
    text = text.split(whereSeparator: \.isNewline).map { line in
      String(line.drop(while: \.isWhitespace))
    }.joined(separator: "; ")
    if text.includes("no password supplied") { text += "; put it into ~/.pgpass or PGPASSWORD" }
    self.init(message: text.isEmpty ? "the connection is lost" : text)
  }

  /// Whether the connection can't be used any longer.
  ///
  /// Not by its state: a server that this one asks may be out of reach, too.
  var isLoss: Bool { state.isEmpty || isFatal }

  /// The state of a statement that was cancelled, at its limit or by another client.
  static let cancelled = "57014"

  /// Whether another client cancelled the statement, rather than the server at its limit.
  func isForeignCancellation(within limit: Duration?) -> Bool {
    guard state == Self.cancelled, let elapsed else { return false }
    return limit.map { elapsed < $0 } ?? true
  }

  /// The error for the user.
  ///
  /// - Parameter statement: What was sent; nil for a statement of the program's own.
  func error(in statement: ServerStatement?) -> DatabaseError {
    DatabaseError(
      code: code, message: message + (hint.map { "; \($0)" } ?? ""), sql: statement?.source,
      offset: statement.flatMap { statement in position.map(statement.offset(ofCharacter:)) })
  }

  private var code: DatabaseError.Code {
    if isLoss { return .cannotOpen }
    return switch state {
    case Self.cancelled: .interrupted
    case "55P03", "40001", "40P01": .busy
    case "25006": .readOnly
    case "53100": .full
    case "53200": .outOfMemory
    default:
      switch state.prefix(2) {
      case "23": .constraint
      default: .error
      }
    }
  }
}
