import ObservationEngine
import TestSupport

@testable import Dashboard

/// A replica built from the lines of `--rows` alone.
struct PrintedRows {
  typealias Rows = [[Value]: [String: Value]]

  private(set) var tables: [String: Rows] = [:]
  /// The number of the newest commit that has ended.
  private(set) var commit = -1
  /// Why lines are the result of a comparison, in order.
  private(set) var compared: [String] = []
  /// How many rows were printed.
  private(set) var count = 0
  /// Whether a line may come that came before, as after a crash.
  var mayRepeat = false
  private var open = 0

  /// Applies a line.
  ///
  /// - Returns: The line, if it ends a commit.
  @discardableResult
  mutating func apply(_ line: String) throws -> JSONValue? {
    let json = try JSONReader.read(Array(line.utf8))
    guard let number = json["commit"]?.integer.map({ Int($0) }) else {
      throw Unexpected("no commit: \(line)")
    }
    guard let table = json["table"]?.text else {
      guard json["rows"]?.integer == Int64(open) else { throw Unexpected("\(open) rows: \(line)") }
      guard mayRepeat || number == commit + 1 else { throw Unexpected("after \(commit): \(line)") }
      (commit, open) = (number, 0)
      if let reason = json["compared"]?.text { compared.append(reason) }
      return json
    }
    (open, count) = (open + 1, count + 1)
    guard let members = json["key"]?.members else { throw Unexpected("no key: \(line)") }
    let key = try members.map { try Self.value($0.value) }
    let old = try json["old"].map(Self.row)
    let new = try json["new"].map(Self.row)
    let kind = old == nil ? "insert" : new == nil ? "delete" : "update"
    guard json["op"]?.text == kind else { throw Unexpected("not a \(kind): \(line)") }
    guard mayRepeat || tables[table]?[key] == old else {
      throw Unexpected("the row was \(tables[table]?[key] ?? [:]): \(line)")
    }
    guard mayRepeat || old != new else { throw Unexpected("no change: \(line)") }
    tables[table, default: [:]][key] = new
    return nil
  }

  /// Forgets that the lines of a commit have no end: they come again.
  mutating func forgetOpen() { open = 0 }

  /// What the tables of a file hold.
  ///
  /// - Parameter keys: The tables, and the columns of their keys.
  static func truth(_ path: String, _ keys: [String: [String]]) async throws -> [String: Rows] {
    var configuration = Configuration()
    configuration.createsFile = false
    let database = try Database(path: path, configuration: configuration)
    defer { database.close() }
    return try await database.read { connection in
      var tables: [String: Rows] = [:]
      for (table, key) in keys {
        let list = key.map(\.quotedIdentifier).joined(separator: ", ")
        let rows = try connection.fetchAll(
          SQL(raw: "SELECT \(list), * FROM \(table.quotedIdentifier)"))
        for row in rows.rows {
          let pairs = zip(rows.columns.dropFirst(key.count), row.dropFirst(key.count))
          tables[table, default: [:]][Array(row.prefix(key.count))] = Dictionary(
            uniqueKeysWithValues: pairs)
        }
      }
      return tables
    }
  }

  /// The tables that have rows.
  var filled: [String: Rows] { tables.filter { !$0.value.isEmpty } }

  private static func row(_ json: JSONValue) throws -> [String: Value] {
    guard let members = json.members else { throw Unexpected("no row: \(json)") }
    return Dictionary(uniqueKeysWithValues: try members.map { ($0.name, try value($0.value)) })
  }

  private static func value(_ json: JSONValue) throws -> Value {
    switch json {
    case .null: return .null
    case .string(let text): return .text(text)
    case .number(let text):
      if let number = Int64(text) { return .integer(number) }
      if let number = Double(text) { return .real(number) }
    case .object:
      if let bytes = json["$blob"]?.text.flatMap(Base64.bytes) { return .blob(bytes) }
    case .bool, .array: break
    }
    throw Unexpected("no value: \(json)")
  }
}
