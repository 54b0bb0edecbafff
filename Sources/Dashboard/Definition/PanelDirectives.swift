/// What the comment block above a query says about its panel.
struct PanelDirectives {
  private(set) var name: String?
  private(set) var nameOffset: Int?
  private(set) var title: String?
  private(set) var view: ViewKind?
  private(set) var key: [(text: String, offset: Int)] = []
  private(set) var rank: (text: String, offset: Int)?
  var alert = Alert()

  /// No directives at all.
  init() {}

  /// Reads a block whose first directive is `name`.
  init(_ block: [Directive], log: inout DiagnosticLog) {
    var seen: Set<String> = []
    for directive in block {
      guard let key = directive.panelKey else {
        log.note(.error, at: directive.offset, Self.complaint(aboutUnknown: directive))
        continue
      }
      guard seen.insert(directive.key).inserted else {
        log.note(.error, at: directive.offset, "\"\(directive.key):\" is given twice")
        continue
      }
      guard !directive.value.isEmpty else {
        log.note(.error, at: directive.offset, "\"\(directive.key):\" needs a value")
        continue
      }
      read(key, directive, log: &log)
    }
    checkAlert(block, log: &log)
  }

  private mutating func read(
    _ key: Directive.PanelKey, _ directive: Directive, log: inout DiagnosticLog
  ) {
    switch key {
    case .name: readName(directive, log: &log)
    case .title: title = directive.value
    case .view: readView(directive, log: &log)
    case .key: readKey(directive, log: &log)
    case .rank: rank = (directive.valueWithoutRemark, directive.valueOffset)
    case .alert: readAlert(directive, log: &log)
    case .onAlert: readHook(directive, log: &log)
    case .spark:
      log.note(
        .warning, at: directive.offset,
        "\"\(directive.key):\" is not drawn yet by this version; ignored")
    }
  }

  private mutating func readName(_ directive: Directive, log: inout DiagnosticLog) {
    let words = directive.words
    // The layout separates names by blanks.
    if words.count > 1 {
      log.note(
        .error, at: words[1].offset,
        "a name is one word; \"title:\" can have several")
    }
    name = words.first?.text
    nameOffset = directive.valueOffset
  }

  private mutating func readKey(_ directive: Directive, log: inout DiagnosticLog) {
    key = directive.parts { $0 == UInt8(ascii: ",") }
    if key.isEmpty {
      log.note(.error, at: directive.valueOffset, "\"key:\" needs the name of a column")
    }
  }

  private mutating func readView(_ directive: Directive, log: inout DiagnosticLog) {
    let words = directive.words
    guard let word = words.first else { return }
    let kinds = ViewKind.allCases.map(\.rawValue)
    guard let kind = ViewKind(rawValue: word.text) else {
      let phrase = Suggestion.phrase(for: word.text, among: kinds)
      log.note(
        .error, at: word.offset,
        "no view is called \"\(word.text)\""
          + (phrase.isEmpty ? "; there are \(kinds.joined(separator: ", "))" : phrase))
      return
    }
    view = kind
    if !kind.isDrawn {
      log.note(
        .warning, at: word.offset,
        "\"\(word.text)\" is not drawn yet by this version; shown as a table")
    } else if words.count > 1 {
      log.note(
        .warning, at: words[1].offset,
        "\"\(word.text)\" takes no options; \"\(words[1].text)\" is ignored")
    }
  }

  private static func complaint(aboutUnknown directive: Directive) -> String {
    if directive.headKey != nil {
      return "\"\(directive.key):\" belongs at the head of the file, above the first \"-- name:\""
    }
    let keys = Directive.PanelKey.allCases.map(\.rawValue)
    let phrase = Suggestion.phrase(for: directive.key, among: keys)
    return "unknown key \"\(directive.key)\""
      + (phrase.isEmpty ? "; there are \(keys.joined(separator: ", "))" : phrase)
  }
}
