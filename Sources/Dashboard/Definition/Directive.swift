/// A comment line of the form `-- word: value`.
struct Directive: Equatable {
  /// The keys for the query below, `name` first.
  enum PanelKey: String, CaseIterable {
    case name
    case title
    case view
    case key
    case rank
    case spark
    case format
    case color
    case place
    case alert
    case onAlert = "on-alert"
    case onEnter = "on-enter"
  }

  /// The keys for the dashboard.
  enum HeadKey: String, CaseIterable {
    case dashboard
    case dialect
    case layout
    case preset
    case param
  }

  /// In lower case.
  let key: String
  /// Without surrounding blanks.
  let value: String
  /// Where the key starts.
  let offset: Int
  /// Where the value starts.
  let valueOffset: Int

  /// The directive in a comment, or nil when the comment is prose.
  ///
  /// - Parameter comment: The text after the dashes, up to the end of the line.
  init?(_ comment: Range<Int>, in source: SourceText) {
    let bytes = source.bytes
    let start = comment.first { !Directive.isBlank(bytes[$0]) } ?? comment.upperBound
    var end = start
    while end < comment.upperBound, Directive.isWord(bytes[end], first: end == start) { end += 1 }
    guard end > start, end < comment.upperBound, bytes[end] == UInt8(ascii: ":") else { return nil }
    var value = (end + 1)..<comment.upperBound
    // "-- see https://…" has a word and a colon, but no key is meant.
    if source[value].hasPrefix("//") { return nil }
    while let first = value.first, Directive.isBlank(bytes[first]) { value.removeFirst() }
    while let last = value.last, Directive.isBlank(bytes[last]) { value.removeLast() }
    offset = start
    key = source[start..<end].lowercased()
    valueOffset = value.lowerBound
    self.value = source[value]
  }

  var panelKey: PanelKey? { PanelKey(rawValue: key) }
  var headKey: HeadKey? { HeadKey(rawValue: key) }

  /// The message for a directive without a value.
  var needsValue: String { "\"\(key):\" needs a value" }
  /// The message for a second directive where there can be one.
  var isGivenTwice: String { "\"\(key):\" is given twice" }

  /// The value without a remark in parentheses after a blank: `table   (or bar)`.
  var valueWithoutRemark: String {
    let bytes = Array(value.utf8)
    for index in bytes.indices.dropFirst(2) where bytes[index] == UInt8(ascii: "(") {
      guard Directive.isBlank(bytes[index - 1]), Directive.isBlank(bytes[index - 2]) else {
        continue
      }
      let kept = bytes[..<index].reversed().drop { Directive.isBlank($0) }.reversed()
      return String(decoding: kept, as: UTF8.self)
    }
    return value
  }

  /// The parts of ``valueWithoutRemark`` between separators, without surrounding blanks, and where
  /// each starts.
  func parts(separatedBy isSeparator: (UInt8) -> Bool) -> [(text: String, offset: Int)] {
    let bytes = Array(valueWithoutRemark.utf8)
    return bytes.indices.split { isSeparator(bytes[$0]) }.compactMap { part in
      let part = part.drop { Directive.isBlank(bytes[$0]) }
      guard let first = part.first, let last = part.last(where: { !Directive.isBlank(bytes[$0]) })
      else { return nil }
      return (String(decoding: bytes[first...last], as: UTF8.self), valueOffset + first)
    }
  }

  /// The words of ``valueWithoutRemark``, and where each starts.
  var words: [(text: String, offset: Int)] { parts(separatedBy: Directive.isBlank) }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
  }

  private static func isWord(_ byte: UInt8, first: Bool) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"): !first
    default: false
    }
  }
}
