/// Limits for the SQL of readers, for files or queries that may be hostile or simply too large.
///
/// Set them in ``Configuration/limits``; `nil` leaves a limit as SQLite has it. A query that
/// exceeds one fails with an error that says so.
///
/// ## Guarantees
/// - They apply to the connections that only read: `read`, observations, and the detection of
///   commits. They never raise a limit above the one SQLite was built with.
///
/// ## Limits
/// - Writing is not restricted. A small refresh after an own commit runs on the writer, so only
///   ``resultBytes`` limits it.
///
/// See https://www.sqlite.org/limits.html for the exact meaning of SQLite's limits.
public struct ResourceLimits: Sendable, Equatable {
  /// Bytes of one text, BLOB or row.
  public var valueBytes: Int?
  /// Bytes of one SQL statement.
  public var sqlBytes: Int?
  /// Columns of a table or result; terms of SET, GROUP BY and ORDER BY.
  public var columns: Int?
  /// How deep an expression may be nested.
  public var expressionDepth: Int?
  /// Terms of a compound SELECT (`UNION` and the like).
  public var compoundTerms: Int?
  /// Instructions of one compiled statement.
  public var instructions: Int?
  /// Arguments of a function.
  public var functionArguments: Int?
  /// Attached databases.
  public var attachments: Int?
  /// Bytes of a pattern of LIKE or GLOB.
  public var patternBytes: Int?
  /// Parameters of a statement.
  public var parameters: Int?
  /// How deep triggers may nest.
  public var triggerDepth: Int?
  /// Threads that help with sorting.
  package var workerThreads: Int?
  /// Bytes that the results of one read may occupy in memory, together with those that its
  /// observation group already retains.
  ///
  /// A value counts as its bytes plus 16; a row as 32.
  public var resultBytes: Int?

  /// No limits but SQLite's own.
  public init() {}
}
