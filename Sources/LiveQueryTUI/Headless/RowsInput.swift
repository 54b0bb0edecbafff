import Dashboard
import DatabaseConsole
import ObservationEngine

/// What `--rows` reads, and where it remembers what it has printed.
struct RowsInput: Sendable {
  private let database: Database
  private let selection: FollowedTables
  private let replica: Database
  private let arguments: Arguments
  private let file: StateFile?

  /// - Throws: ``Failure`` when there is no such table, or the state can't be used.
  init(_ arguments: Arguments, _ database: Database) throws {
    (self.arguments, self.database) = (arguments, database)
    if !arguments.tables.isEmpty {
      let known = try database.readWaiting { try SchemaReader($0).tables(in: "main") }
      for name in arguments.tables { try Self.check(name, known) }
    }
    selection = FollowedTables(arguments.tables.isEmpty ? nil : arguments.tables)
    var configuration = Configuration()
    configuration.usesSingleConnection = true
    configuration.limitRemedy = QueryLimits.memoryRemedy
    guard let path = arguments.state else {
      file = nil
      replica = try Database(temporary: configuration)
      return
    }
    let file = try StateFile(path, watching: database.file?.realPath ?? "")
    self.file = file
    replica = try file.open(configuration) { try RowFeed.prepare($0) }
  }

  private static func check(_ name: String, _ tables: [SchemaReader.Table]) throws(Failure) {
    guard let table = tables.first(where: { $0.name.asciiLowercased == name.asciiLowercased })
    else {
      let known = tables.filter { $0.kind == .table && !$0.isInternal }.map(\.name)
      throw Failure(
        "no such table: \(name)\(Suggestion.phrase(for: name, among: known))",
        status: ExitStatus.sqlError)
    }
    let refusal: String
    switch table.kind {
    case .table where table.isInternal: refusal = "is a table of SQLite's own"
    case .table: return
    case .view: refusal = "is a view: name the tables that it reads"
    case .virtual: refusal = "is a virtual table, whose rows can't be followed"
    case .shadow: refusal = "belongs to a virtual table, whose rows can't be followed"
    }
    throw Failure("\(name) \(refusal)", status: ExitStatus.usage)
  }

  func feed(lines: RowLines) -> RowFeed {
    RowFeed(
      database, selection, replica: replica, isDurable: file != nil,
      debounce: arguments.debounce ?? .zero, lines: lines
    ) { StandardError.say($0) }
  }

  /// Whether a later run continues after what is printed.
  var isDurable: Bool { file != nil }

  /// Where lines that an earlier run left begin in the output.
  func place() async throws -> Output.Place? { try await replica.read { try StateFile.place($0) } }

  /// Notes where the next lines will begin in the output.
  func note(_ place: Output.Place) async throws {
    try await replica.write { try StateFile.note(place, $0) }
  }

  /// Cancels what runs, and closes the replica.
  func shutDown() {
    replica.shutDown()
    withExtendedLifetime(file) {}
  }
}
