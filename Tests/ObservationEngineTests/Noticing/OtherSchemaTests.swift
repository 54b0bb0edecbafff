import ObservationEngine
import TestSupport
import Testing

/// Tables of attached databases and temporary ones, and those of the same name in another schema.
@Suite(.fewAtOnce)
struct OtherSchemaTests {
  private static let schema =
    "CREATE TABLE t (id INTEGER PRIMARY KEY, a); INSERT INTO t VALUES (1, 1)"

  /// A file to attach, in a folder of its own, with the table `t`.
  private func archive(_ folder: TemporaryFolder) async throws -> Configuration {
    let path = folder.path("archive.db")
    let archive = try Database(path: path)
    try await archive.write { try $0.execute(script: Self.schema) }
    var configuration = TemporaryDatabase.alwaysOpen
    configuration.attachments = ["archive": path]
    return configuration
  }

  @Test(arguments: StorageKind.allCases)
  func `tables of attached databases are noticed`(_ kind: StorageKind) async throws {
    let folder = try TemporaryFolder()
    let query = try await ObservedQuery(
      kind, "CREATE TABLE main.u (x)", "SELECT sum(a) FROM archive.t",
      configuration: try await archive(folder))
    try await query.notices("INSERT INTO archive.t(a) VALUES (10)")
    try await query.notices("UPDATE archive.t SET a = 2 WHERE id = 1")
    try await query.notices("INSERT INTO u VALUES (1); DELETE FROM archive.t")
    try await query.notices("INSERT INTO t(a) VALUES (7)")
    try await query.notices("DROP TABLE archive.t; CREATE TABLE archive.t (a)")
    try await query.notices("INSERT INTO archive.t VALUES (8)")
  }

  @Test(arguments: StorageKind.allCases)
  func `a table of the same name in another schema does not matter`(
    _ kind: StorageKind
  ) async throws {
    let folder = try TemporaryFolder()
    let configuration = try await archive(folder)
    let main = try await ObservedQuery(
      kind, Self.schema, "SELECT sum(a) FROM main.t", configuration: configuration)
    try await main.ignores("UPDATE archive.t SET a = a + 1")
    try await main.ignores("DELETE FROM archive.t")
    try await main.notices("UPDATE main.t SET a = a + 1")
    let attached = try await ObservedQuery(
      kind, Self.schema, "SELECT count(*), sum(a) FROM archive.t", configuration: configuration)
    try await attached.ignores("UPDATE main.t SET a = a + 1")
    try await attached.ignores("DELETE FROM main.t")
    try await attached.notices("INSERT INTO archive.t VALUES (9, 9)")
  }

  @Test(arguments: StorageKind.allCases)
  func `temporary tables are noticed by the connection that has them`(
    _ kind: StorageKind
  ) async throws {
    var configuration = TemporaryDatabase.alwaysOpen
    configuration.usesSingleConnection = true
    let query = try await ObservedQuery(
      kind, "CREATE TEMP TABLE basket (x)", "SELECT sum(x) FROM basket",
      configuration: configuration)
    try await query.notices("INSERT INTO basket VALUES (1)")
    try await query.notices("UPDATE temp.basket SET x = 5")
    try await query.notices("DELETE FROM basket")
    try await query.notices("DROP TABLE basket; CREATE TEMP TABLE basket AS SELECT 3 AS x")
    try await query.notices("INSERT INTO basket VALUES (4)")
  }

  @Test(arguments: StorageKind.allCases)
  func `a temporary table of the same name does not matter, until it takes the name`(
    _ kind: StorageKind
  ) async throws {
    var configuration = TemporaryDatabase.alwaysOpen
    configuration.usesSingleConnection = true
    let query = try await ObservedQuery(
      kind, Self.schema, "SELECT sum(a) FROM main.t", configuration: configuration)
    try await query.passes {
      try await $0.write(script: "CREATE TEMP TABLE t (id INTEGER PRIMARY KEY, a)")
    }
    try await query.ignores("INSERT INTO temp.t VALUES (1, 100)")
    try await query.ignores("UPDATE t SET a = 7")
    try await query.notices("UPDATE main.t SET a = 7")
    // What has no schema means the temporary table, as soon as there is one.
    let bare = try await ObservedQuery(
      kind, Self.schema, "SELECT sum(a) FROM t", configuration: configuration)
    try await bare.notices("CREATE TEMP TABLE t (id INTEGER PRIMARY KEY, a)")
    try await bare.notices("INSERT INTO t VALUES (1, 100)")
    try await bare.ignores("UPDATE main.t SET a = 8")
  }
}
