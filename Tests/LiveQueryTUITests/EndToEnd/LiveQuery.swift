import Glibc
import TestSupport

/// The built program, as a person or a script starts it.
enum LiveQuery {
  /// Variables that keep the program from the files of whoever runs the tests.
  static let environment = ["XDG_STATE_HOME": "/dev/null", "XDG_CONFIG_HOME": "/dev/null"]

  static var path: String {
    get throws { try BuiltProgram.path("livequery") }
  }

  /// Runs it to its end.
  static func run(
    _ arguments: String..., input: RunningProgram.Input = .empty,
    environment: [String: String] = [:]
  ) async throws -> ProgramResult {
    try await run(arguments, input: input, environment: environment)
  }

  static func run(
    _ arguments: [String], input: RunningProgram.Input = .empty,
    environment: [String: String] = [:]
  ) async throws -> ProgramResult {
    try await start(arguments, input: input, environment: environment).result()
  }

  /// Starts it.
  static func start(
    _ arguments: [String], input: RunningProgram.Input = .empty,
    environment: [String: String] = [:]
  ) throws -> RunningProgram {
    try RunningProgram(
      [path] + arguments, input: input,
      environment: Self.environment.merging(environment) { $1 })
  }

  /// Runs it as somebody whom permissions bind, which root is not.
  static func runUnprivileged(
    _ arguments: [String], in folder: TemporaryFolder
  ) async throws -> ProgramResult {
    try await startUnprivileged(arguments, in: folder).result()
  }

  /// Starts it as somebody whom permissions bind.
  ///
  /// - Parameter folder: Where a copy of the program may be put, which everybody can reach.
  static func startUnprivileged(
    _ arguments: [String], in folder: TemporaryFolder
  ) async throws -> RunningProgram {
    guard geteuid() == 0 else { return try start(arguments) }
    // The build folder may be closed to others.
    let program = folder.path("livequery")
    let copy = try await RunningProgram.run(["cp", try path, program])
    guard copy.status == 0 else { throw Unexpected(copy.errors) }
    return try RunningProgram(
      ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", program] + arguments,
      environment: environment)
  }
}

/// A database of its own for a test, made by `sqlite3`.
struct Playground: Sendable {
  let folder: TemporaryFolder
  let shell: SQLiteShell

  var database: String { shell.database }

  init(_ sql: String = "", journal: String = "delete") async throws {
    folder = try TemporaryFolder()
    shell = SQLiteShell(folder.path("app.db"))
    try await shell.run("PRAGMA journal_mode = \(journal); PRAGMA synchronous = OFF; \(sql)")
  }

  /// A copy of another database.
  init(copying path: String) async throws {
    folder = try TemporaryFolder()
    shell = SQLiteShell(folder.path("app.db"))
    let copy = try await RunningProgram.run(["cp", path, folder.path("app.db")])
    guard copy.status == 0 else { throw Unexpected(copy.errors) }
    let mode = try await RunningProgram.run(["chmod", "644", folder.path("app.db")])
    guard mode.status == 0 else { throw Unexpected(mode.errors) }
  }

  /// A copy of the sample.
  static func sample() async throws -> Playground {
    try await Playground(copying: projectFile("sample.db"))
  }

  /// A file of the project.
  static func projectFile(_ name: String) -> String {
    let parts = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(4)
    return (parts + [Substring(name)]).joined(separator: "/")
  }
}

/// What many tests begin with.
enum Fixture {
  /// Every kind of value, and text that formats must quote.
  static let things = """
    CREATE TABLE thing (id INTEGER PRIMARY KEY, name TEXT, size REAL, data BLOB);
    INSERT INTO thing VALUES (1, 'plain', 1.5, NULL), (2, 'a "b", c', -0.25, x'00ff10'),
      (3, NULL, 1e25, x''), (9007199254740993, 'zwei' || char(10) || 'Zeilen', 2.0, NULL);
    """
  static let counter = "CREATE TABLE t (id INTEGER PRIMARY KEY, v); INSERT INTO t VALUES (1, 'a');"
  /// A query that never ends.
  static let endless =
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
}
