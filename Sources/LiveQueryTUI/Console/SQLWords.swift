/// The words of an SQL statement outside of parentheses: keywords, names (with their quotes),
/// punctuation; without literals and comments.
struct SQLWords {
  private(set) var topLevel: [String] = []

  init(_ sql: String) {
    var rest = Array(sql.unicodeScalars)[...]
    var depth = 0
    while let scalar = rest.first {
      switch scalar {
      case "-" where rest.dropFirst().first == "-":
        rest = rest.drop { $0 != "\n" }
      case "/" where rest.dropFirst().first == "*":
        rest = Self.afterComment(rest)
      case "'":
        _ = Self.quoted(&rest, until: "'")
      case "\"", "`":
        add(Self.quoted(&rest, until: scalar), at: depth)
      case "[":
        add(Self.quoted(&rest, until: "]"), at: depth)
      case "(":
        depth += 1
        rest.removeFirst()
      case ")":
        depth = max(0, depth - 1)
        rest.removeFirst()
      case _ where Self.isWord(scalar):
        let word = rest.prefix { Self.isWord($0) }
        rest = rest.dropFirst(word.count)
        add(word, at: depth)
      default:
        if !scalar.properties.isWhitespace { add(rest.prefix(1), at: depth) }
        rest.removeFirst()
      }
    }
  }

  private mutating func add(_ scalars: ArraySlice<Unicode.Scalar>, at depth: Int) {
    guard depth == 0 else { return }
    var word = ""
    word.unicodeScalars.append(contentsOf: scalars)
    topLevel.append(word)
  }

  private static func isWord(_ scalar: Unicode.Scalar) -> Bool {
    // SQLite's own rule: letters, digits, _, $ and everything beyond ASCII.
    switch scalar {
    case "a"..."z", "A"..."Z", "0"..."9", "_", "$": true
    default: scalar.value > 0x7f
    }
  }

  private static func quoted(
    _ rest: inout ArraySlice<Unicode.Scalar>, until end: Unicode.Scalar
  ) -> ArraySlice<Unicode.Scalar> {
    var index = rest.startIndex + 1
    while index < rest.endIndex {
      if rest[index] == end {
        // A doubled quote stands for itself.
        guard end != "]", index + 1 < rest.endIndex, rest[index + 1] == end else { break }
        index += 1
      }
      index += 1
    }
    let close = min(index + 1, rest.endIndex)
    defer { rest = rest[close...] }
    return rest[..<close]
  }

  private static func afterComment(
    _ rest: ArraySlice<Unicode.Scalar>
  ) -> ArraySlice<Unicode.Scalar> {
    var index = rest.startIndex + 2
    while index + 1 < rest.endIndex {
      if rest[index] == "*", rest[index + 1] == "/" { return rest[(index + 2)...] }
      index += 1
    }
    return rest[rest.endIndex...]
  }
}
