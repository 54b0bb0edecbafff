import ObservationEngine

/// What was handed to the executor, from the text to the end of its last statement.
enum ConsoleWork: Sendable, Equatable {
  /// What happens to a submitted text before its first statement starts.
  enum Step: Sendable, Equatable {
    case starting
    /// The rows are counted that its statement would change, before the user is asked.
    case counting(sql: String)
    /// The file is read that it names, before the user is asked.
    case reading(Reading)
  }

  /// A file that is being read, before it is confirmed or runs.
  struct Reading: Sendable, Equatable {
    /// The name as typed.
    var file: String
    /// On the monotonic clock.
    var since: UInt64

    /// The last part of the path, which identifies the file.
    var name: String { file.lastPathPart }
  }

  case nothing
  /// A text was submitted; it is still in the editor.
  case submitted(String, Step = .starting)
  /// The rows of a further statement of a text are counted.
  case counting(sql: String)
  /// A statement runs, since a time of the monotonic clock, and has returned this many rows.
  case running(since: UInt64, rows: Int = 0)

  // MARK: What each has

  /// The submitted text that has not started to run.
  var submitted: String? { if case .submitted(let text, _) = self { text } else { nil } }

  /// The statement whose rows are counted.
  var counted: String? {
    switch self {
    case .submitted(_, .counting(let sql)), .counting(let sql): sql
    case .nothing, .submitted, .running: nil
    }
  }

  /// The file that is read.
  var reading: Reading? {
    if case .submitted(_, .reading(let reading)) = self { reading } else { nil }
  }

  /// When the running statement started, on the monotonic clock.
  var runningSince: UInt64? { if case .running(let since, _) = self { since } else { nil } }

  /// How many rows the running statement has returned so far.
  var rows: Int { if case .running(_, let rows) = self { rows } else { 0 } }

  /// Why nothing else can be submitted; nil when something can.
  var refusal: String? {
    switch self {
    case .nothing, .submitted(_, .starting): nil
    case .running: "a statement is running; Ctrl-C cancels it"
    case .submitted(_, .counting), .counting:
      "a statement waits for its rows to be counted; Ctrl-C drops it"
    case .submitted(_, .reading(let reading)):
      "\(reading.name) is being read; Ctrl-C takes it back"
    }
  }

  /// When what it shows changes next: an age in seconds.
  var since: UInt64? { runningSince ?? reading?.since }

  // MARK: Steps

  mutating func count(rowsOf sql: String) {
    if case .submitted(let text, _) = self {
      self = .submitted(text, .counting(sql: sql))
    } else {
      self = .counting(sql: sql)
    }
  }

  /// Counting or reading has ended: the user is asked.
  mutating func endPreparing() {
    switch self {
    case .submitted(let text, _): self = .submitted(text)
    case .counting: self = .nothing
    case .nothing, .running: break
    }
  }

  mutating func progress(rows: Int) {
    if case .running(let since, _) = self { self = .running(since: since, rows: rows) }
  }

  /// Forgets what has not started.
  mutating func withdraw() {
    if case .running = self { return }
    self = .nothing
  }

  /// The error of a failed statement; for a cancelled one, with its progress.
  func described(_ error: DatabaseError, at moment: UInt64) -> DatabaseError {
    guard error.code.primary == .interrupted, let since = runningSince else { return error }
    let time = QuantityText.duration(nanoseconds: moment > since ? moment - since : 0)
    let rows = QuantityText.count(rows, "row")
    return DatabaseError(
      code: error.code, message: "cancelled after \(time), \(rows)", sql: error.sql)
  }
}
