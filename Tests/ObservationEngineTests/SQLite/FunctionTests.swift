import ObservationEngine
import TestSupport
import Testing

/// Functions and collations written in Swift.
@Suite(.fewAtOnce)
struct FunctionTests {
  private static let reverse = CustomFunction(
    "reverse", argumentCount: 1, isDeterministic: true
  ) { arguments in
    guard case .text(let text) = arguments[0] else { return .null }
    return .text(String(text.reversed()))
  }

  private func database(
    _ kind: StorageKind = .wal, _ functions: [CustomFunction] = [reverse],
    trustsSchema: Bool = false, collations: [CustomCollation] = []
  ) async throws -> TemporaryDatabase {
    var configuration = TemporaryDatabase.alwaysOpen
    configuration.functions = functions
    configuration.collations = collations
    configuration.trustsSchema = trustsSchema
    return try await TemporaryDatabase(kind, configuration: configuration)
  }

  @Test(arguments: StorageKind.allCases)
  func `a function is there to read, write and observe with`(_ kind: StorageKind) async throws {
    let db = try await database(kind)
    try await db.write(script: "INSERT INTO player(name) VALUES (reverse('adá'))")
    let sql = "SELECT reverse(name) FROM player ORDER BY id"
    #expect(try await db.database.read { try $0.fetchOne(SQL(raw: sql)) } == "adá")
    let recorder = db.database.record(.rows(SQL(raw: sql)))
    try await recorder.expect(RowSet(columns: ["reverse(name)"], rows: [["adá"]]))
    try await db.write(script: "UPDATE player SET name = NULL")
    try await recorder.expect(RowSet(columns: ["reverse(name)"], rows: [[nil]]))
  }

  @Test
  func `values of all kinds come and go as they are`() async throws {
    let db = try await database(.memory, [CustomFunction("same", argumentCount: 1) { $0[0] }])
    let values: [Value] = [
      nil, 0, .integer(.min), 0.5, "", "a\u{0}b 👩‍👩‍👧", .blob([]), .blob([0, 255]),
    ]
    for value in values {
      let row = try await db.database.read {
        try $0.fetchAll("SELECT same(?1), typeof(same(?1)) = typeof(?1)", [value]).rows[0]
      }
      #expect(row == [value, 1])
    }
    // SQLite knows no NaN.
    let nan = try await db.database.read {
      try $0.fetchAll("SELECT same(?)", [Double.nan]).rows[0]
    }
    #expect(nan == [nil])
  }

  @Test
  func `functions of one name are told apart by their number of arguments`() async throws {
    let db = try await database(
      .memory,
      [
        CustomFunction("arity", argumentCount: 0) { _ in 0 },
        CustomFunction("arity", argumentCount: 2) { _ in 2 },
        CustomFunction("any") { .integer(Int64($0.count)) },
      ])
    let row = try await db.database.read {
      try $0.fetchAll("SELECT arity(), ARITY(1, 2), any(), any(1, 2, 3)").rows
    }
    #expect(row == [[0, 2, 0, 3]])
    let error = await #expect(throws: DatabaseError.self) {
      try await db.integer("SELECT arity(1)")
    }
    #expect(error?.message.contains("wrong number of arguments") == true)
  }

  @Test
  func `an error that a function throws is the statement's`() async throws {
    let db = try await database(
      .wal,
      [
        CustomFunction("typed") { _ in
          throw DatabaseError(code: .mismatch, message: "no such colour; try red")
        },
        CustomFunction("untyped") { _ in throw Unexpected("bad luck") },
        CustomFunction("cancelled") { _ in throw CancellationError() },
        .aggregate("total_of_none", initial: 0) { _, _ in
          throw DatabaseError(code: .mismatch, message: "nothing can be added")
        } result: { _ in
          1
        },
      ])
    func error(_ sql: String) async -> DatabaseError? {
      await #expect(throws: DatabaseError.self) { try await db.integer(sql) }
    }
    let typed = await error("SELECT typed()")
    #expect(
      typed
        == DatabaseError(
          code: .mismatch, message: "no such colour; try red", sql: "SELECT typed()"))
    let untyped = await error("SELECT untyped()")
    #expect(untyped?.message.hasPrefix("untyped() failed: ") == true)
    #expect(untyped?.message.contains("bad luck") == true)
    #expect(await error("SELECT cancelled()")?.code.primary == .interrupted)
    #expect(await error("SELECT total_of_none(1)")?.message == "nothing can be added")
    // A write that calls it is undone.
    await #expect(throws: DatabaseError.self) {
      try await db.write(script: "INSERT INTO player(name) VALUES ('eve'); SELECT typed()")
    }
    #expect(try await db.integer("SELECT count(*) FROM player") == 0)
  }

  @Test
  func `an aggregate has a state for each group, and a result for none`() async throws {
    let product = CustomFunction.aggregate("product", argumentCount: 1, initial: 1) {
      state, arguments in
      if let factor = Int.fromValue(arguments[0]) { state *= factor }
    } result: {
      .integer(Int64($0))
    }
    let db = try await database(.wal, [product])
    try await db.write(
      script: "INSERT INTO player(name, score) VALUES ('a', 2), ('b', 5), ('a', 3), ('b', 7)")
    let rows = try await db.database.read {
      try $0.fetchAll("SELECT name, product(score) FROM player GROUP BY name ORDER BY name").rows
    }
    #expect(rows == [["a", 6], ["b", 35]])
    #expect(try await db.integer("SELECT product(score) FROM player WHERE false") == 1)
    // Interrupted in the middle of a group, and used again.
    for _ in 1...3 {
      await #expect(throws: DatabaseError.self) {
        try await db.integer(
          """
          SELECT product(iif(score = 7, abs(-9223372036854775807 - 1), score)) FROM player
          """)
      }
      #expect(try await db.integer("SELECT product(score) FROM player") == 210)
    }
  }

  @Test
  func `the state of an abandoned group is released`() async throws {
    final class Token: Sendable {}
    let token = Token()
    weak let seen = token
    let db = try await database(
      .memory,
      [
        .aggregate("hold", initial: [Token]()) { state, _ in
          state.append(token)
        } result: { _ in
          throw Unexpected("no result")
        }
      ])
    await #expect(throws: DatabaseError.self) { try await db.integer("SELECT hold(1)") }
    #expect(seen != nil)
  }

  @Test
  func `who may call a function from the schema of the file is for the function to say`()
    async throws
  {
    let uses: [(CustomFunction.SchemaUse, Bool, Bool)] = [
      (.never, false, false), (.never, true, false), (.whenTrusted, false, false),
      (.whenTrusted, true, true), (.always, false, true),
    ]
    for (use, trustsSchema, isAllowed) in uses {
      let function = CustomFunction("secret", argumentCount: 0, schemaUse: use) { _ in 42 }
      let db = try await database(.memory, [function], trustsSchema: trustsSchema)
      #expect(try await db.integer("SELECT secret()") == 42)
      do {
        try await db.write(script: "CREATE VIEW v AS SELECT secret()")
        #expect(try await db.integer("SELECT * FROM v") == 42)
        #expect(isAllowed)
      } catch let error as DatabaseError {
        #expect(!isAllowed && error.message.contains("unsafe use of secret"))
      }
    }
  }

  @Test
  func `a column that calls a function which a schema must not call is no damage`() async throws {
    let trusting = try await database(trustsSchema: true)
    try await trusting.write(script: "CREATE TABLE t (a, b AS (reverse(a)))")
    var configuration = TemporaryDatabase.alwaysOpen
    configuration.functions = [Self.reverse]
    let error = await #expect(throws: DatabaseError.self) {
      let database = try Database(path: trusting.path, configuration: configuration)
      defer { database.close() }
      _ = try await database.read { try $0.fetchAll("SELECT * FROM t") }
    }
    #expect(
      error?.description.contains("unsafe use of reverse(); CustomFunction.SchemaUse") == true)
  }

  @Test
  func `SQLite's own functions may be called from the schema of any file`() async throws {
    let db = try await TemporaryDatabase(
      schema:
        "CREATE TABLE t (a, b AS (json_extract(a, '$.x'))); CREATE VIEW v AS SELECT json(a) AS j FROM t"
    )
    try await db.run("INSERT INTO t VALUES ('{\"x\": 7}')")
    #expect(try await db.integer("SELECT b FROM t, v") == 7)
  }

  @Test
  func `only a deterministic function can be part of an index`() async throws {
    let db = try await database(
      .memory, [Self.reverse, CustomFunction("dice", argumentCount: 0) { _ in 4 }],
      trustsSchema: true)
    try await db.write(script: "CREATE INDEX reversed ON player(reverse(name))")
    let error = await #expect(throws: DatabaseError.self) {
      try await db.write(script: "CREATE INDEX diced ON player(dice())")
    }
    #expect(error?.message.contains("non-deterministic") == true)
  }

  @Test
  func `bad declarations are errors when the database is opened`() async throws {
    for function in [
      CustomFunction("f", argumentCount: 200) { _ in 0 },
      CustomFunction("f", argumentCount: -1) { _ in 0 }, CustomFunction("") { _ in 0 },
      CustomFunction(String(repeating: "f", count: 256)) { _ in 0 },
    ] {
      var configuration = Configuration()
      configuration.functions = [function]
      let error = #expect(throws: DatabaseError.self) {
        _ = try Database(inMemory: configuration)
      }
      #expect(error?.code == .misuse)
    }
  }

  @Test
  func `what is not declared is an error that says where to`() async throws {
    let db = try await database(.memory, [])
    let function = await #expect(throws: DatabaseError.self) {
      try await db.integer("SELECT nix()")
    }
    #expect(function?.message == "no such function: nix")
    #expect(
      function?.description
        == "no such function: nix; functions in Swift are declared in Configuration.functions — in: SELECT nix()"
    )
    let collation = await #expect(throws: DatabaseError.self) {
      try await db.integer("SELECT 1 FROM player ORDER BY name COLLATE nix")
    }
    #expect(collation?.description.contains("declared in Configuration.collations") == true)
    #expect(collation?.sql?.contains("nix") == true)
  }

  @Test(arguments: StorageKind.allCases)
  func `a collation orders rows and indexes on every connection`(_ kind: StorageKind) async throws {
    let byLength = CustomCollation("by_length") { left, right in
      left.count < right.count ? .before : left.count > right.count ? .after : .same
    }
    let db = try await database(kind, collations: [byLength])
    try await db.write(
      script: """
        CREATE TABLE word (text TEXT COLLATE by_length); CREATE INDEX by_text ON word(text);
        INSERT INTO word VALUES ('ccc'), ('ä'), (''), ('👩‍👩‍👧👩‍👩‍👧')
        """)
    let rows = try await db.database.read { connection in
      [
        try connection.fetchAll("SELECT text FROM word ORDER BY text").rows,
        try connection.fetchAll("SELECT text FROM word WHERE text = 'xx'").rows,
      ]
    }
    #expect(rows[0] == [[""], ["ä"], ["👩‍👩‍👧👩‍👩‍👧"], ["ccc"]])
    #expect(rows[1] == [["👩‍👩‍👧👩‍👩‍👧"]])
    var configuration = Configuration()
    configuration.collations = [CustomCollation("") { _, _ in .same }]
    #expect(throws: DatabaseError.self) { _ = try Database(inMemory: configuration) }
  }
}
