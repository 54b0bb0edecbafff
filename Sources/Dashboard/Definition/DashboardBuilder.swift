import DatabaseConsole
import ObservationEngine

/// Builds a dashboard from the pieces of its file.
struct DashboardBuilder {
  private let source: SourceText
  private let views: [ViewKind]
  private let dialect: SQLDialect
  private var log: DiagnosticLog
  private var definition = DashboardDefinition(panels: [])
  private var presets = PresetDirectives()
  /// The comments since the last statement.
  private var comments: [Range<Int>] = []
  /// The last `-- name:`; nil while queries have none.
  private var lastName: String?
  private var statementCount = 0
  /// The line of each panel's name.
  private var nameLines: [String: Int] = [:]
  /// The panels with a row of their own below the layout.
  private var below: [String] = []

  init(_ source: SourceText, views: [ViewKind], dialect: SQLDialect) {
    self.dialect = dialect
    self.source = source
    self.views = views
    log = DiagnosticLog(source: source)
  }

  mutating func add(_ piece: StatementSplitter.Piece) {
    switch piece {
    case .comment(let range):
      comments.append(range)
    case .statement(let range, _, let inner):
      if !range.isEmpty { addStatement(range, inner: inner) }
    case .shellCommand(let range):
      let word = source[range].prefix { !$0.isWhitespace }
      log.note(
        .error, at: range.lowerBound,
        "\"\(word)\" is a command of \(word.hasPrefix("\\") ? "psql" : "the sqlite3 shell"), not SQL; "
          + "remove this line")
    case .unclosed(let quote, let offset, _):
      log.note(.error, at: offset, "this \(quote.rawValue) has no end")
      // The block above belongs to this query, which can't be read.
      for lost in readComments().dropLast() { complain(aboutLost: lost) }
    }
  }

  /// The result, after the last piece.
  mutating func finish() -> (definition: DashboardDefinition, diagnostics: [Diagnostic]) {
    for block in readComments() { complain(aboutLost: block) }
    // A file that can't be split has an error already.
    if statementCount == 0, !log.diagnostics.contains(where: { $0.severity == .error }) {
      log.note(.error, at: 0, "there is no query in this dashboard")
    }
    let limit = DashboardDefinition.maximumPanelCount
    if definition.panels.count > limit {
      log.note(
        Diagnostic(
          .error, at: definition.panels[limit].source.sql,
          "\(definition.panels.count) queries; a dashboard can have \(limit) at most"))
      definition.panels.removeSubrange(limit...)
    }
    definition.separateDetails(dialect, log: &log)
    presets.complete(&definition, below: below, log: &log)
    let ordered = log.diagnostics.sorted { $0.position < $1.position }
    return (definition, ordered)
  }

  private mutating func addStatement(_ range: Range<Int>, inner: [Range<Int>]) {
    let caption = caption(above: range.lowerBound)
    var blocks = readComments()
    let block = blocks.popLast()
    for lost in blocks { complain(aboutLost: lost) }
    statementCount += 1
    for comment in inner {
      guard let directive = Directive(comment, in: source), directive.panelKey == .name else {
        continue
      }
      log.note(.error, at: directive.offset, "the query above has no \";\" at its end")
    }

    var directives = PanelDirectives(caption: caption)
    if let block {
      if block.lastLine + 1 != source.line(at: range.lowerBound) {
        log.note(
          .error, at: block.directives[0].offset,
          "\"-- name:\" and what follows it must stand directly above the query, "
            + "without an empty line between")
      }
      directives = PanelDirectives(block.directives, views: views, log: &log)
      lastName = directives.name ?? lastName
    } else if let lastName {
      log.note(
        .error, at: range.lowerBound,
        "a second query under \"\(lastName)\"; put \"-- name:\" above it")
      return
    }
    addPanel(range, directives)
  }

  private mutating func addPanel(_ range: Range<Int>, _ directives: PanelDirectives) {
    let name = directives.name ?? "panel\(statementCount)"
    let position = source.position(at: directives.nameOffset ?? range.lowerBound)
    if let line = nameLines[name] {
      log.note(
        Diagnostic(
          .error, at: position, "a panel is called \"\(name)\" already, on line \(line)"))
      return
    }
    nameLines[name] = position.line
    if directives.isBelow { below.append(name) }
    definition.panels.append(
      PanelDefinition(
        name: name, title: directives.title, sql: source[range], view: directives.view,
        key: directives.key.map(\.text), rank: directives.rank?.text,
        options: directives.options, formats: directives.formats, spark: directives.spark,
        source: PanelDefinition.Source(
          name: position, sql: source.position(at: range.lowerBound),
          key: directives.key.map { source.position(at: $0.offset) },
          rank: directives.rank.map { source.position(at: $0.offset) },
          columns: directives.columns.map {
            PanelDefinition.NamedColumn(
              directive: $0.directive, column: $0.column, position: source.position(at: $0.offset))
          })))
    definition.panels[definition.panels.count - 1].colors = directives.colors
    if let read = directives.drill {
      var drill = read.drill
      drill.source = source.position(at: read.offset)
      definition.panels[definition.panels.count - 1].drill = drill
    }
    directives.addAlert(to: &definition.panels[definition.panels.count - 1], in: source)
  }
}

/// Comments between statements: prose, lines about the dashboard, blocks about a panel.
extension DashboardBuilder {
  /// The directives from a `-- name:` to the end of its comment block.
  private struct Block {
    var directives: [Directive]
    var lastLine: Int
  }

  /// Takes the comments since the last statement, reads the directives for the whole dashboard, and
  /// returns the blocks about panels: all but the last have no query.
  private mutating func readComments() -> [Block] {
    defer { comments = [] }
    var blocks: [Block] = []
    var previousLine = 0
    var isInBlock = false
    for comment in comments {
      let line = source.line(at: comment.lowerBound)
      let directive = Directive(comment, in: source)
      if line != previousLine + 1 { isInBlock = false }
      previousLine = line
      if let directive, directive.panelKey == .name, !isInBlock {
        isInBlock = true
        blocks.append(Block(directives: [], lastLine: line))
      }
      if isInBlock {
        if let directive { blocks[blocks.count - 1].directives.append(directive) }
        blocks[blocks.count - 1].lastLine = line
      } else if let directive {
        readOutsideOfBlocks(directive)
      }
    }
    return blocks
  }

  /// The first line of prose in the comment directly above a query, for one without a name: files
  /// of queries that were never meant to be dashboards say there what each is about. A line without
  /// letters is decoration, and what ends with a semicolon is a query that was put aside.
  private func caption(above query: Int) -> String? {
    var line = source.line(at: query)
    var caption: String?
    for comment in comments.reversed() {
      guard source.line(at: comment.lowerBound) == line - 1 else { break }
      line -= 1
      let directive = Directive(comment, in: source)
      guard directive?.headKey == nil, directive?.panelKey == nil else { continue }
      let text = source[comment].trimmedOfWhitespace
      if text.hasSuffix(";") { break }
      if text.contains(where: \.isLetter) { caption = text }
    }
    return caption
  }

  private mutating func readOutsideOfBlocks(_ directive: Directive) {
    switch directive.headKey {
    case .some where statementCount > 0:
      log.note(
        .error, at: directive.offset,
        "\"\(directive.key):\" belongs at the head of the file, above the first query")
    case .some where directive.value.isEmpty:
      log.note(.error, at: directive.offset, directive.needsValue)
    case .dashboard where definition.title != nil:
      log.note(.error, at: directive.offset, directive.isGivenTwice)
    case .dashboard:
      definition.title = directive.value
    case .dialect where definition.dialect != nil:
      log.note(.error, at: directive.offset, directive.isGivenTwice)
    case .dialect:
      guard let dialect = SQLDialect(word: directive.value.lowercased()) else {
        log.note(
          .error, at: directive.valueOffset, "the dialects are \"sqlite\" and \"postgres\"")
        return
      }
      definition.dialect = DashboardDefinition.DeclaredDialect(
        dialect: dialect, position: source.position(at: directive.offset))
    case .layout:
      presets.appendLayout(directive)
    case .preset:
      presets.appendPreset(directive)
    case .param:
      let parameter = Self.parameter(
        directive, known: definition.parameters, in: source, log: &log)
      if let parameter { definition.parameters.append(parameter) }
    case nil:
      warn(aboutProse: directive)
    }
  }

  /// Prose may contain a colon; but a line that looks like a directive gets a warning.
  private mutating func warn(aboutProse directive: Directive) {
    if directive.panelKey != nil {
      log.note(
        .warning, at: directive.offset,
        "\"\(directive.key):\" has no effect without \"-- name:\" above it")
    } else if statementCount == 0,
      let meant = Suggestion.closest(
        to: directive.key, among: Directive.HeadKey.allCases.map(\.rawValue))
    {
      log.note(
        .warning, at: directive.offset,
        "\"\(directive.key):\" has no effect, did you mean \"\(meant)\"?")
    }
  }

  private mutating func complain(aboutLost block: Block) {
    log.note(.error, at: block.directives[0].offset, "no query follows this \"-- name:\"")
  }
}
