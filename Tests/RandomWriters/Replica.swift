import Glibc
import TestSupport

/// The rows of the panels, by what the stream says alone: each row as the JSON object that it is, with
/// how often it is there.
struct Replica {
  private(set) var panels: [String: [String: Int]] = [:]
  /// Of batches whose end has not come.
  private var pending: [String: [(row: String, step: Int)]] = [:]
  /// Whether the stream took off a row that is not there.
  private(set) var complaint: String?
  private(set) var batches = 0

  private let descriptor: Int32
  private var unfinished: [UInt8] = []

  /// - Parameter path: The file that the stream is written to.
  init(path: String) throws {
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Unexpected("\(path): \(String(cString: strerror(errno)))") }
  }

  func end() { close(descriptor) }

  /// Reads what was written since the last time.
  ///
  /// - Returns: Whether there was a whole line.
  mutating func read() -> Bool {
    var buffer = [UInt8](repeating: 0, count: 256 * 1024)
    var hasLine = false
    while true {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      guard count > 0 else { return hasLine }
      unfinished += buffer[..<count]
      var start = unfinished.startIndex
      while let end = unfinished[start...].firstIndex(of: UInt8(ascii: "\n")) {
        apply(String(decoding: unfinished[start..<end], as: UTF8.self))
        start = end + 1
        hasLine = true
      }
      unfinished.removeSubrange(..<start)
    }
  }

  /// Applies a line.
  ///
  /// No text in the rows has a quote, a backslash or a brace, and no name of a panel: so the parts can be cut
  /// out without taking the JSON apart.
  private mutating func apply(_ line: String) {
    guard let panel = line.between("\"panel\":\"", "\""), let kind = line.between("\"op\":\"", "\"")
    else { return complain("a line that is none: \(line)") }
    if kind == "end" {
      batches += 1
      for (row, step) in pending.removeValue(forKey: panel) ?? [] {
        let count = (panels[panel]?[row] ?? 0) + step
        if count < 0 { complain("\(panel) has no \(row) to take off") }
        panels[panel, default: [:]][row] = count == 0 ? nil : count
      }
      return
    }
    if let old = line.between("\"old\":{", "}") { pending[panel, default: []].append((old, -1)) }
    if let new = line.between("\"new\":{", "}") { pending[panel, default: []].append((new, 1)) }
  }

  private mutating func complain(_ text: String) { if complaint == nil { complaint = text } }
}

extension String {
  /// What stands between the first `start` and the next `end`.
  fileprivate func between(_ start: StaticString, _ end: Character) -> String? {
    var rest = self[...].utf8
    let length = start.utf8CodeUnitCount
    return start.withUTF8Buffer { pattern in
      while let at = rest.firstIndex(of: pattern[0]) {
        rest = rest[at...]
        if rest.starts(with: pattern) {
          let body = rest.dropFirst(length)
          guard let close = body.firstIndex(of: end.utf8.first!) else { return nil }
          return String(Substring(body[..<close]))
        }
        rest = rest.dropFirst()
      }
      return nil
    }
  }
}
