import TestSupport
import Testing

/// What the compiler refuses at the call site, asked of the compiler itself.
@Suite(.fewAtOnce)
struct RefusedSourceTests {
  @Test func `text is not taken for SQL, nor a list for a value`() async throws {
    let source = """
      import ObservationEngine

      func refused(_ db: Connection, name: String, ids: [Int]) throws {
        let text = "DELETE FROM player WHERE name = '\\(name)'"
        try db.execute(text)  // refused
        try db.execute("DELETE FROM player WHERE name = " + name)  // refused
        _ = try db.fetchAll(from: "player", where: text)  // refused
        _ = Query.rows(text)  // refused
        try db.execute("DELETE FROM player WHERE id IN (\\(ids))")  // refused
        try db.execute("DELETE FROM player WHERE id = \\(db)")  // refused
        try db.execute("DELETE FROM player WHERE id = ?", [db])  // refused
        let number: Int = try db.fetchOne("SELECT 1")  // refused
        _ = number
      }

      func taken(_ db: Connection, name: String, score: Int?, ids: [Int]) throws {
        try db.execute("DELETE FROM player WHERE name = ? OR score = ?", [name, score])
        try db.execute("DELETE FROM player WHERE name = \\(name) OR id IN (\\(values: ids))")
        _ = try db.fetchAll(from: "player", where: "score > \\(score)", orderBy: "name")
        let number: Int? = try db.fetchOne("SELECT \\(score)")
        _ = number
      }
      """
    let folder = try TemporaryFolder()
    let path = try folder.write(source, to: "source.swift")
    let products = String(try BuiltProgram.path("ExternalWriter").dropLast("/ExternalWriter".count))
    let maps = ["CSQLite", "CLinux"].flatMap {
      ["-Xcc", "-fmodule-map-file=\(products)/\($0).build/module.modulemap"]
    }
    let result = try await RunningProgram.run(
      ["swiftc", "-typecheck", "-swift-version", "6", "-module-cache-path", folder.path("modules")]
        + ["-I", products + "/Modules"] + maps + [path])
    let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
    let expected = lines.indices.filter { lines[$0].hasSuffix("// refused") }.map { $0 + 1 }
    // "…/source.swift:5:18: error: …"
    let found = result.errors.split(separator: "\n").compactMap { line -> Int? in
      guard line.hasPrefix(path), line.contains(": error: ") else { return nil }
      return Int(line.dropFirst(path.count + 1).prefix { $0 != ":" })
    }
    #expect(Set(found).sorted() == expected, "\(result.errors)")
  }
}
