/// Where a database's content is, and the way to open connections to it.
enum Storage: Sendable {
  case file(DatabaseFile)
  /// Private to one connection.
  case privateMemory
  /// A file without a name, private to one connection: SQLite deletes it with the connection.
  case privateFile
  /// Shared by all connections of this process that use this name.
  case sharedMemory(name: String)

  /// Finds errors in a configuration before a connection is opened.
  ///
  /// - Throws: `DatabaseError` with code `misuse`, or `cannotOpen` for the file of an attachment.
  func check(_ configuration: Configuration) throws(DatabaseError) {
    for (schema, path) in configuration.attachments {
      guard !["main", "temp", ""].contains(schema.asciiLowercased) else {
        throw DatabaseError(
          code: .misuse,
          message: "a database cannot be attached as '\(schema)'; choose another name")
      }
      if path == ":memory:" || path.isEmpty {
        if hasOneConnection(configuration) { continue }
        throw DatabaseError(
          code: .misuse,
          message: "'\(schema)' would be another database in memory on each connection; "
            + "say usesSingleConnection, or attach a file")
      }
      _ = try DatabaseFile(path: path, configuration: configuration)
    }
    let names = Set(configuration.attachments.keys.map(\.asciiLowercased))
    guard names.count == configuration.attachments.count else {
      throw DatabaseError(
        code: .misuse, message: "two attachments have names that SQL cannot tell apart")
    }
  }

  func hasOneConnection(_ configuration: Configuration) -> Bool {
    switch self {
    case .privateMemory, .privateFile: return true
    case .file, .sharedMemory: return configuration.usesSingleConnection
    }
  }

  /// The options for opening its connections.
  func options(_ configuration: Configuration, isReader: Bool) -> Connection.Options {
    var options = Connection.Options()
    options.isReader = isReader
    // SQLite opens shared memory for writing only, since the first connection creates it.
    if case .sharedMemory = self, configuration.isReadOnly { options.isReader = true }
    options.isReadOnly = configuration.isReadOnly
    options.busyTimeout = configuration.busyTimeout
    options.trustsSchema = configuration.trustsSchema
    options.schemaCallsApplication = configuration.schemaCallsApplication
    options.enforcesForeignKeys = configuration.enforcesForeignKeys
    options.journalMode = isReader || configuration.isReadOnly ? nil : configuration.journalMode
    options.functions = configuration.functions
    options.collations = configuration.collations
    options.dateFormat = configuration.dateFormat
    options.attachments = configuration.attachments.sorted { $0.key < $1.key }
      .map { (schema: $0.key, path: $0.value) }
    options.prepare = configuration.prepareConnection
    options.limits = configuration.limits
    options.limitRemedy = configuration.limitRemedy
    return options
  }

  func open(_ options: Connection.Options) throws(DatabaseError) -> Connection {
    let connection: Connection
    switch self {
    case .file(let file): return try file.open(options)
    case .privateMemory: connection = try Connection(path: ":memory:", options: options)
    case .privateFile: connection = try Connection(path: "", options: options)
    case .sharedMemory(let name):
      connection = try Connection(sharedMemory: "livequery-" + name, options: options)
    }
    _ = try connection.renewIfSchemaChanged()
    return connection
  }
}
