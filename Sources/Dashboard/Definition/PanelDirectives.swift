/// The directives in the comment block above a query.
struct PanelDirectives {
  private(set) var name: String?
  private(set) var nameOffset: Int?
  private(set) var title: String?
  private(set) var view: ViewKind?
  private(set) var key: [(text: String, offset: Int)] = []
  private(set) var rank: (text: String, offset: Int)?
  var alert = Alert()
  private(set) var options = ViewOptions()
  private(set) var formats: [ColumnFormatting] = []
  private(set) var colors: [ColumnColoring] = []
  private(set) var spark: String?
  /// Whether the panel has a row of its own below the layout.
  private(set) var isBelow = false
  private(set) var drill: (drill: Drill, offset: Int)?
  /// Columns named by directives other than `key` and `rank`.
  private(set) var columns: [(directive: String, column: String, offset: Int)] = []
  /// All directives but the name, as `key: value`.
  private(set) var lines: [String] = []

  /// Those of a query without a name: at most a title, from prose above it.
  init(caption: String?) {
    title = caption
    if let caption { lines.append("\(Directive.PanelKey.title.rawValue): \(caption)") }
  }

  /// Reads a block whose first directive is `name`.
  init(_ block: [Directive], views: [ViewKind], log: inout DiagnosticLog) {
    var seen: Set<String> = []
    for directive in block {
      guard let key = directive.panelKey else {
        log.note(.error, at: directive.offset, Self.complaint(aboutUnknown: directive))
        continue
      }
      guard seen.insert(directive.key).inserted else {
        log.note(.error, at: directive.offset, directive.isGivenTwice)
        continue
      }
      guard !directive.value.isEmpty else {
        log.note(.error, at: directive.offset, directive.needsValue)
        continue
      }
      read(key, directive, views, log: &log)
      // A recording has no details to open.
      if key != .name, key != .onEnter { lines.append("\(directive.key): \(directive.value)") }
    }
    checkAlert(block, log: &log)
  }

  private mutating func read(
    _ key: Directive.PanelKey, _ directive: Directive, _ views: [ViewKind],
    log: inout DiagnosticLog
  ) {
    switch key {
    case .name: readName(directive, log: &log)
    case .title: title = directive.value
    case .view: readView(directive, views, log: &log)
    case .key: readKey(directive, log: &log)
    case .rank: rank = (directive.valueWithoutRemark, directive.valueOffset)
    case .alert: readAlert(directive, log: &log)
    case .onAlert: readHook(directive, log: &log)
    case .spark:
      let column = directive.valueWithoutRemark
      spark = column
      columns.append((directive.key, column, directive.valueOffset))
    case .format: readFormats(directive, log: &log)
    case .color: readColors(directive, log: &log)
    case .place: readPlace(directive, log: &log)
    case .onEnter:
      guard let read = Self.drill(directive, log: &log) else { return }
      drill = (read.drill, directive.valueOffset)
      columns += read.columns
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

  private mutating func readPlace(_ directive: Directive, log: inout DiagnosticLog) {
    isBelow = directive.valueWithoutRemark == "below"
    if !isBelow {
      log.note(
        .error, at: directive.valueOffset,
        "\"place:\" can only be \"below\"; \"layout:\" at the head places panels freely")
    }
  }

  private mutating func readKey(_ directive: Directive, log: inout DiagnosticLog) {
    key = directive.parts { $0 == UInt8(ascii: ",") }
    if key.isEmpty {
      log.note(.error, at: directive.valueOffset, "\"key:\" needs the name of a column")
    }
  }

  private mutating func readView(
    _ directive: Directive, _ views: [ViewKind], log: inout DiagnosticLog
  ) {
    let words = directive.words
    guard let word = words.first else { return }
    let kinds = views.map(\.rawValue)
    guard let kind = views.first(where: { $0.rawValue == word.text }) else {
      log.note(
        .error, at: word.offset,
        "no view is called \"\(word.text)\"" + Suggestion.remedy(for: word.text, among: kinds))
      return
    }
    view = kind
    for word in words.dropFirst() { readOption(of: kind, word, directive, log: &log) }
    if let minimum = options.minimum, let maximum = options.maximum, minimum >= maximum {
      log.note(.error, at: word.offset, "\"min=\" must be less than \"max=\"")
    }
  }

  /// Reads `min=0` after the name of a view.
  private mutating func readOption(
    of kind: ViewKind, _ word: (text: String, offset: Int), _ directive: Directive,
    log: inout DiagnosticLog
  ) {
    let parts = word.text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0])
    let known = kind.options.map(\.rawValue)
    guard let key = ViewOptions.Key(rawValue: name), kind.options.contains(key) else {
      let choice =
        known.isEmpty
        ? "\"\(kind.rawValue)\" takes no options"
        : "\"\(kind.rawValue)\" has no option \"\(name)\""
          + Suggestion.remedy(for: name, among: known)
      log.note(.error, at: word.offset, choice)
      return
    }
    guard parts.count == 2, !parts[1].isEmpty else {
      log.note(.error, at: word.offset, "\"\(name)\" needs a value, as in \"\(name)=1\"")
      return
    }
    let offset = word.offset + name.utf8.count + 1
    if let complaint = options.set(key, to: String(parts[1])) {
      log.note(.error, at: offset, complaint)
    }
    switch key {
    case .x: columns.append((directive.key, String(parts[1]), offset))
    case .y: columns += options.y.map { (directive.key, $0, offset) }
    default: break
    }
  }

  /// Reads `revenue money € share-bar, size bytes`: a column, and the words of its format.
  private mutating func readFormats(_ directive: Directive, log: inout DiagnosticLog) {
    let parts = Self.columns(
      directive, example: "thousands",
      // Of a misspelt one it is to be said what it may be.
      isKnown: { word in
        ColumnFormat.words.contains(word.text)
          || Suggestion.closest(to: word.text, among: ColumnFormat.words) != nil
      },
      log: &log
    ) { words throws(ColumnWords.Fault) in try ColumnFormat(words) }
    for part in parts {
      if formats.contains(where: { $0.column.lowercased() == part.column.lowercased() }) {
        log.note(.error, at: part.offset, "\"\(part.column)\" has a format already")
        continue
      }
      formats.append(ColumnFormatting(column: part.column, format: part.value))
      columns.append((directive.key, part.column, part.offset))
    }
  }

  /// Reads `stock red<10 amber<25, load gradient`: a column, and its rules.
  private mutating func readColors(_ directive: Directive, log: inout DiagnosticLog) {
    let parts = Self.columns(
      directive, example: "red<10", isKnown: ColumnColoring.isKnown, log: &log
    ) { words throws(ColumnWords.Fault) in try ColumnColoring(words) }
    for part in parts {
      if colors.contains(where: { $0.column.lowercased() == part.column.lowercased() }) {
        log.note(.error, at: part.offset, "\"\(part.column)\" has colours already")
        continue
      }
      var coloring = part.value
      coloring.column = part.column
      colors.append(coloring)
      columns += ([part.column] + coloring.comparedColumns).map { (directive.key, $0, part.offset) }
    }
  }

  /// The parts of a directive, each a column and what is said about it.
  private static func columns<Value>(
    _ directive: Directive, example: String, isKnown: (ColumnWords.Word) -> Bool,
    log: inout DiagnosticLog,
    read: (ArraySlice<ColumnWords.Word>) throws(ColumnWords.Fault) -> Value
  ) -> [(column: String, value: Value, offset: Int)] {
    var parts: [(column: String, value: Value, offset: Int)] = []
    do throws(ColumnWords.Fault) {
      for words in try ColumnWords(directive).parts {
        do throws(ColumnWords.Fault) {
          let (column, value) = try words.column(
            isKnown: isKnown, needed: "\"\(directive.key):\"", example: example, read: read)
          parts.append((column, value, words[0].offset))
        } catch {
          log.note(.error, at: error.offset, error.message)
        }
      }
    } catch {
      log.note(.error, at: error.offset, error.message)
    }
    return parts
  }

  private static func complaint(aboutUnknown directive: Directive) -> String {
    if directive.headKey != nil {
      return "\"\(directive.key):\" belongs at the head of the file, above the first \"-- name:\""
    }
    let keys = Directive.PanelKey.allCases.map(\.rawValue)
    return "unknown key \"\(directive.key)\"" + Suggestion.remedy(for: directive.key, among: keys)
  }
}
