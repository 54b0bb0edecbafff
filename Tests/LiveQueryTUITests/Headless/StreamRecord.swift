import TestSupport

/// A line of `--stream`, taken apart by hand: what the program says is compared as text, so nothing
/// that a decoder would forgive is forgiven.
struct StreamRecord {
  /// The members of the object, in order, each as the text that it is.
  let members: [(name: String, json: String)]

  init(_ line: String) throws {
    var scanner = Scanner(rest: Array(line.utf8)[...])
    members = try scanner.object()
    guard scanner.rest.isEmpty else { throw Unexpected("more than an object: \(line)") }
  }

  var names: [String] { members.map(\.name) }

  subscript(name: String) -> String? { members.first { $0.name == name }?.json }

  var ordinal: Int? { self["tx"].flatMap { Int($0) } }
  var operation: String? { self["op"] }
  var panel: String { self["panel"] ?? "" }

  private struct Scanner {
    var rest: ArraySlice<UInt8>

    mutating func object() throws -> [(name: String, json: String)] {
      var members: [(name: String, json: String)] = []
      try expect("{")
      while true {
        let name = try value()
        try expect(":")
        members.append((String(name.dropFirst().dropLast()), try value()))
        guard rest.first == UInt8(ascii: ",") else { break }
        rest.removeFirst()
      }
      try expect("}")
      return members
    }

    /// The text of one value: up to a comma, colon or bracket that is not within it.
    private mutating func value() throws -> String {
      var depth = 0
      var isInText = false
      var index = rest.startIndex
      while index < rest.endIndex {
        let character = Character(Unicode.Scalar(rest[index]))
        if isInText {
          if character == "\\" { index += 1 }
          isInText = character != "\""
        } else if "{[".contains(character) {
          depth += 1
        } else if depth == 0, ",:]}".contains(character) {
          break
        } else if "}]".contains(character) {
          depth -= 1
        } else if character == "\"" {
          isInText = true
        }
        index += 1
      }
      guard index > rest.startIndex else { throw Unexpected("no value") }
      defer { rest = rest[index...] }
      return String(decoding: rest[..<index], as: UTF8.self)
    }

    private mutating func expect(_ character: Character) throws {
      guard rest.first == character.asciiValue else {
        throw Unexpected("no \(character) before \(String(decoding: rest, as: UTF8.self))")
      }
      rest.removeFirst()
    }
  }
}

/// The rows that the records of a stream add up to, by panel: as many of each as there are.
///
/// Written without a look at how the program finds the records.
struct StreamedRows {
  private(set) var rows: [String: [String: Int]] = [:]
  /// The keys of the rows of panels that have a key.
  private var keys: [String: Set<String>] = [:]
  private let keyed: Set<String>

  init(keyed: Set<String> = []) { self.keyed = keyed }

  mutating func apply(_ record: StreamRecord) throws {
    let panel = record.panel
    switch record.operation {
    case "\"+\"": try add(record["new"], key: record["key"], to: panel)
    case "\"-\"": try remove(record["old"], key: record["key"], from: panel)
    case "\"~\"":
      try remove(record["old"], key: record["key"], from: panel)
      try add(record["new"], key: record["key"], to: panel)
    // Which state the rows are of.
    case "\"end\"", "\"stale\"", "\"fresh\"": break
    default: throw Unexpected("unknown op \(record.operation ?? "nil")")
    }
  }

  private mutating func add(_ row: String?, key: String?, to panel: String) throws {
    guard let row, let key else { throw Unexpected("a record without new or key") }
    rows[panel, default: [:]][row, default: 0] += 1
    if keyed.contains(panel), !keys[panel, default: []].insert(key).inserted {
      throw Unexpected("\(panel) has two rows with the key \(key)")
    }
  }

  private mutating func remove(_ row: String?, key: String?, from panel: String) throws {
    guard let row, let key, let count = rows[panel]?[row] else {
      throw Unexpected("\(panel) has no row \(row ?? "nil") to be removed or changed")
    }
    rows[panel]?[row] = count == 1 ? nil : count - 1
    if keyed.contains(panel), keys[panel]?.remove(key) == nil {
      throw Unexpected("\(panel) has no key \(key)")
    }
  }

  /// Whether a panel has exactly the rows that `sqlite3 -json` printed.
  func matches(_ panel: String, _ json: String) -> Bool {
    rows[panel, default: [:]] == Self.counted(json)
  }

  /// The rows of an array that has one in each line.
  static func counted(_ json: String) -> [String: Int] {
    var rows: [String: Int] = [:]
    for line in json.split(separator: "\n") where line != "[]" {
      var row = line
      if row.first == "[" { row = row.dropFirst() }
      row = row.dropLast()
      rows[String(row), default: 0] += 1
    }
    return rows
  }
}
