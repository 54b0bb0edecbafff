import CSQLite
import TestSupport

/// What is done to rows.
extension RandomWork {
  /// Does one random thing within the transaction of `writer`, if one is open.
  func operation(_ writer: PlainConnection) throws(PlainConnection.Failure) {
    if random.onceIn(9) { return try schemaOperation(writer) }
    if random.onceIn(8) { return try documentOperation(writer) }
    guard let table = try pickTable(writer) else { return try makeTable(writer) }
    let count = Int(try writer.integer("SELECT count(*) FROM \(table)"))
    if count > 150 { return try shrink(table, writer) }
    guard count > 0 else {
      for _ in 0..<5 { try insert(into: table, writer) }
      return
    }
    let isKeyed = table.hasPrefix("key")
    let place = Int64.random(in: 0..<Int64(count), using: &random)
    switch Int.random(in: 0..<16, using: &random) {
    case 0, 1: try insert(into: table, writer)
    case 2:
      for _ in 0..<Int.random(in: 3...40, using: &random) { try insert(into: table, writer) }
    case 3, 4: try insert(into: table, writer, isBig: true)
    case 5, 6: try update(table, place, "a = \(number)", writer)
    case 7: try update(table, place, "b = '\(word)'", writer)
    case 8: try rewrite(table, place, writer, keepsSize: false)
    case 9, 10: try rewrite(table, place, writer, keepsSize: true)
    case 11 where !isKeyed, 12 where !isKeyed: try writeBlob(table, place, writer)
    case 13: try updateOddly(table, place, writer)
    case 14 where !isKeyed: try update(table, place, "rowid = \(number)", writer)
    default: try delete(table, place, writer)
    }
  }

  // MARK: - Random values

  var number: Int { Int.random(in: 0...2000, using: &random) }

  var word: String {
    let length = random.onceIn(5) ? Int.random(in: 20...90, using: &random) : 3
    return "w\(number)" + String(repeating: "x", count: length)
  }

  /// Up to a few pages; with large pages not so many, for all of it is read at each look.
  private var bigSize: Int {
    let pages = traits.pageSize > 4096 ? 2 : Int.random(in: 1...9, using: &random)
    return Int.random(in: traits.pageSize / 4...traits.pageSize * pages, using: &random)
  }

  private func blob(_ size: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: UInt8.random(in: 0...255, using: &random), count: size)
    for _ in 0..<min(4, size) {
      bytes[Int.random(in: 0..<size, using: &random)] = UInt8.random(in: 0...255, using: &random)
    }
    return bytes
  }

  // MARK: - Tables

  /// The ordinary tables that there are now.
  func tables(_ writer: PlainConnection) throws(PlainConnection.Failure) -> [String] {
    try writer.texts(
      """
      SELECT name FROM sqlite_schema WHERE type = 'table'
      AND substr(name, 4, 1) = '_' ORDER BY name
      """)
  }

  private func pickTable(_ writer: PlainConnection) throws(PlainConnection.Failure) -> String? {
    let names = try tables(writer)
    return names.isEmpty ? nil : names[Int.random(in: 0..<names.count, using: &random)]
  }

  /// Which row has the place in the order of the table: a condition with what is bound to it.
  private func condition(
    _ table: String, _ place: Int64, _ writer: PlainConnection
  ) throws(PlainConnection.Failure) -> (sql: String, bindings: [PlainConnection.Binding]) {
    let order = [PlainConnection.Binding.integer(place)]
    guard table.hasPrefix("key") else {
      let sql = "SELECT rowid FROM \(table) NOT INDEXED LIMIT 1 OFFSET ?1"
      return ("rowid = ?1", [.integer(try writer.integer(sql, order))])
    }
    let names = try writer.texts("SELECT b FROM \(table) NOT INDEXED LIMIT 1 OFFSET ?1", order)
    let number = try writer.integer("SELECT a FROM \(table) NOT INDEXED LIMIT 1 OFFSET ?1", order)
    return ("b = ?1 AND a = ?2", [.text(names.first ?? ""), .integer(number)])
  }

  // MARK: - One row

  func insert(
    into table: String, _ writer: PlainConnection, isBig: Bool = false
  ) throws(PlainConnection.Failure) {
    let size = isBig ? bigSize : Int.random(in: 0...24, using: &random)
    note(isBig ? "insert big" : "insert", "\(table) \(size)")
    try writer.run(
      "INSERT OR REPLACE INTO \(table) (a, b, c) VALUES (?1, ?2, ?3)",
      [.integer(Int64(number)), .text(word), .blob(blob(size))])
  }

  private func update(
    _ table: String, _ place: Int64, _ assignment: String, _ writer: PlainConnection
  ) throws(PlainConnection.Failure) {
    note("update", "\(table) \(assignment)")
    let row = try condition(table, place, writer)
    try writer.run("UPDATE OR REPLACE \(table) SET \(assignment) WHERE \(row.sql)", row.bindings)
  }

  /// Gives a row a value that is stored in an unusual way, or the value that it has.
  private func updateOddly(
    _ table: String, _ place: Int64, _ writer: PlainConnection
  ) throws(PlainConnection.Failure) {
    let columns = try writer.texts("SELECT name FROM pragma_table_info(?1)", [.text(table)])
    var assignments = ["a = a", "a = a", "c = NULL", "c = x''", "c = '\(word)'"]
    if columns.contains("r") {
      // Whole numbers are stored as integers; NaN becomes NULL.
      assignments += ["5.0", "-0.0", "0", "1", "1e300", "-1e15", "9e999 - 9e999", "'7'", "2.5"]
        .map { "r = \($0)" }
    }
    if columns.contains("n") { assignments += ["n = 'x'", "n = '3.0'", "n = 1e3", "n = 1e30"] }
    if !table.hasPrefix("key") {
      // No UTF-8, and halves of pairs of surrogates in UTF-16; a NUL inside.
      assignments += ["61ff80", "e29882c3", "00d8", "3dd8610041", "41004200"]
        .map { "b = CAST(x'\($0)' AS TEXT)" }
    }
    let choice = Int.random(in: 0..<assignments.count, using: &random)
    try update(table, place, assignments[choice], writer)
  }

  /// Gives a row another value. One of the same size is written over the old one, and only the
  /// pages with the bytes that differ.
  private func rewrite(
    _ table: String, _ place: Int64, _ writer: PlainConnection, keepsSize: Bool
  ) throws(PlainConnection.Failure) {
    note(keepsSize ? "rewrite in place" : "rewrite", table)
    let row = try condition(table, place, writer)
    var bytes = try writer.bytes("SELECT c FROM \(table) WHERE \(row.sql)", row.bindings) ?? []
    if keepsSize, !bytes.isEmpty {
      bytes[Int.random(in: 0..<bytes.count, using: &random)] &+= 1
    } else {
      bytes = blob(random.onceIn(2) ? bigSize : 9)
    }
    try writer.run(
      "UPDATE \(table) SET c = ?\(row.bindings.count + 1) WHERE \(row.sql)",
      row.bindings + [.blob(bytes)])
  }

  private func writeBlob(
    _ table: String, _ place: Int64, _ writer: PlainConnection
  ) throws(PlainConnection.Failure) {
    // Beside computed columns SQLite 3.40.1 opens another column than the one that is named.
    guard !table.hasPrefix("mix") else { return }
    let rowid = try writer.integer(
      "SELECT rowid FROM \(table) NOT INDEXED LIMIT 1 OFFSET ?1", [.integer(place)])
    // A column that an index has cannot be written in place.
    let indexed = try writer.integer(
      "SELECT count(*) FROM sqlite_schema WHERE tbl_name = ?1 AND type = 'index'", [.text(table)])
    let type = try writer.texts(
      "SELECT typeof(c) FROM \(table) WHERE rowid = ?1", [.integer(rowid)])
    guard indexed == 0, type == ["blob"] else { return }
    let size = Int(
      try writer.integer(
        "SELECT length(c) FROM \(table) WHERE rowid = ?1", [.integer(rowid)]))
    guard size > 0 else { return }
    note("write blob", "\(table) \(rowid)")
    let offset = Int.random(in: 0..<size, using: &random)
    let bytes = blob(min(size - offset, Int.random(in: 1...40, using: &random)))
    try writer.overwrite(bytes, at: offset, table: table, column: "c", rowid: rowid)
  }

  private func delete(
    _ table: String, _ place: Int64, _ writer: PlainConnection
  ) throws(PlainConnection.Failure) {
    if random.onceIn(4) { return try shrink(table, writer) }
    note("delete", table)
    let row = try condition(table, place, writer)
    try writer.run("DELETE FROM \(table) WHERE \(row.sql)", row.bindings)
  }

  /// Deletes many rows, or all of them.
  private func shrink(
    _ table: String, _ writer: PlainConnection
  ) throws(PlainConnection.Failure) {
    let conditions = ["", " WHERE a % 2", " WHERE a > 300", " WHERE a < 1800", " WHERE a % 5"]
    let condition = conditions[Int.random(in: 0..<conditions.count, using: &random)]
    note("delete many", table + condition)
    try writer.run("DELETE FROM \(table)\(condition)")
  }
}
