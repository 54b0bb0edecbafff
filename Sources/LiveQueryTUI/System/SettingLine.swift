import Dashboard

/// A line of a file of settings: `key = value`. Empty lines and those that start with `#` are none.
struct SettingLine {
  /// From 1.
  let number: Int
  /// Without surrounding blanks.
  let content: Substring
  private let line: Substring

  static func lines(of text: String) -> [SettingLine] {
    // Editors of other systems put a byte order mark first.
    String(text.unicodeScalars.drop { $0 == "\u{feff}" })
      .split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated()
      .compactMap { index, line in
        let content = line.trimmed
        if content.isEmpty || content.hasPrefix("#") { return nil }
        return SettingLine(number: index + 1, content: content, line: line)
      }
  }

  /// The two sides of the first `=`; nil without one.
  var setting: (key: Substring, value: Substring)? {
    guard let equals = content.firstIndex(of: "=") else { return nil }
    return (content[..<equals].trimmed, content[content.index(after: equals)...].trimmed)
  }

  /// Where a part of the line is.
  func position(of place: Substring) -> SourcePosition {
    SourcePosition(
      line: number, column: line.distance(from: line.startIndex, to: place.startIndex) + 1)
  }

  /// A message about a part of the line.
  func error(at place: Substring, _ message: String) -> Diagnostic {
    Diagnostic(.error, at: position(of: place), message)
  }

  /// A key that is none of the known ones.
  func hasUnknown(_ key: Substring, among known: [String]) -> Diagnostic {
    error(
      at: key, "unknown key \"\(key)\"" + Suggestion.remedy(for: String(key), among: known))
  }

  /// A key that another line has set.
  func repeats(_ key: Substring, of first: Int) -> Diagnostic {
    error(at: key, "\"\(key)\" is given already on line \(first)")
  }

  static func expectedSwitch(_ key: String, _ value: String) -> String {
    "\(key) \(value): expected on or off"
  }

  /// The value of a switch; nil for text that is none.
  static func isOn(_ value: Substring) -> Bool? {
    switch value.lowercased() {
    case "on", "yes", "true": true
    case "off", "no", "false": false
    default: nil
    }
  }
}

extension Substring {
  /// Without surrounding blanks, but still part of the same text.
  var trimmed: Substring {
    var rest = drop { $0.isWhitespace }
    while rest.last?.isWhitespace == true { rest.removeLast() }
    return rest
  }
}
