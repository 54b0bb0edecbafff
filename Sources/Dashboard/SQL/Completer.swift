import DatabaseConsole
import ObservationEngine

/// Suggests the words that can come at the cursor.
///
///     Completer(vocabulary).offer(in: Array("select pl"), at: 9)    // players
struct Completer {
  /// One suggested word.
  struct Candidate: Equatable {
    enum Kind: String {
      case column, alias, table, view, function, pragma, value, keyword, command, panel
    }

    var kind: Kind
    /// Its name.
    var name: String
    /// The text that replaces the typed one: the name, quoted if necessary.
    var text: String
    /// Its description: how many rows a table has, or the table of a column.
    var detail = ""
  }

  /// The typed part of a word, and its possible completions.
  struct Offer: Equatable {
    /// In characters of the text.
    var range: Range<Int>
    var candidates: [Candidate]
    /// Whether they are offered before any of the word is typed.
    var isImmediate = false
  }

  /// Users don't scroll through more.
  private static let limit = 100

  let vocabulary: SQLVocabulary

  init(_ vocabulary: SQLVocabulary) { self.vocabulary = vocabulary }

  /// The possible words at the cursor.
  ///
  /// - Parameters:
  ///   - cursor: In characters. Only text before it in the same statement determines the word, but
  ///     tables named after it are in scope too.
  ///   - isAsked: Whether the user requested it: then an empty word is completed too.
  /// - Returns: nil if nothing can be offered: within strings and comments, after a complete word
  ///   without alternatives, and in texts beyond ``SQLHighlight/limit``.
  /// - Complexity: O(text + names).
  func offer(in text: [Character], at cursor: Int, isAsked: Bool = false) -> Offer? {
    // A text of this length was pasted, not typed.
    guard text.count <= SQLHighlight.limit else { return nil }
    let before = String(text[..<cursor])
    guard before.utf8.count <= SQLHighlight.limit else { return nil }
    let place = Place(before, after: String(text[cursor...]))
    guard let place else { return nil }
    let pragma = PragmaPlace(place.statement[..<place.cursor])
    let isImmediate = pragma?.hasValues == true
    guard place.typed.before > 0 || isAsked || place.qualifier != nil || isImmediate else {
      return nil
    }
    let found = pragma.map { candidates(of: $0, place) } ?? candidates(at: place)
    guard !found.isEmpty else { return nil }
    if found.count == 1, found[0].text == place.prefix { return nil }
    return Offer(
      range: cursor - place.typed.before..<cursor + place.typed.after,
      candidates: Array(found.prefix(Self.limit)), isImmediate: isImmediate)
  }

  /// The names of pragmas, or the possible values of one.
  private func candidates(of pragma: PragmaPlace, _ place: Place) -> [Candidate] {
    let found =
      switch pragma {
      case .name: vocabulary.pragmas.map { Candidate(kind: .pragma, name: $0, text: $0) }
      case .values(let values):
        values.map { Candidate(kind: .value, name: $0, text: Self.literal($0, place)) }
      case .table: tables(in: nil).map { quoted($0, as: place.quote) }
      case .other: [] as [Candidate]
      }
    return Self.matching(found, place.prefix)
  }

  /// A value of a pragma: a word, in capitals if the user writes them, or a text.
  private static func literal(_ value: String, _ place: Place) -> String {
    guard value.allSatisfy(\.isLetter) else { return "'\(value)'" }
    return place.prefix.isEmpty || place.prefix.contains(where: \.isLowercase)
      ? value : value.uppercased()
  }

  private func candidates(at place: Place) -> [Candidate] {
    let scope = StatementScope(
      place.statement, at: place.cursor, trigger: place.trigger, vocabulary)
    var found: [Candidate]
    if let listed = scope.listed {
      let table = scope.tables.first?.table
      found = listed.map { column($0, of: table, showsType: true) }
    } else if let qualifier = place.qualifier {
      if let table = scope.table(called: qualifier) ?? self.table(qualifier) {
        found = table.columns.map { column($0, of: table, showsType: true) }
      } else {
        // main.players
        found = tables(in: qualifier)
      }
    } else if place.isFirst {
      found = SQLKeywords.first.map { keyword($0, place) }
    } else if Self.tableWords.contains(place.previous) || scope.isTablePlace {
      found = queries(scope) + tables(in: nil)
      if !Self.ownTableWords.contains(place.previous) { found += tableFunctions(place) }
      found += next(place)
    } else if place.previous == "as" {
      return []
    } else {
      found = expressions(scope, place) + next(place)
      found += SQLKeywords.offered.map { keyword($0, place) }
    }
    if place.quote != nil {
      // Quotes only enclose names.
      found = found.filter { [.column, .alias, .table, .view].contains($0.kind) }
    }
    return Self.matching(found.map { quoted($0, as: place.quote) }, place.prefix)
  }

  /// A candidate whose name is in the quotes with which the user started it.
  private func quoted(_ candidate: Candidate, as quote: Character?) -> Candidate {
    guard let quote, candidate.text == Self.quoted(candidate.name) else { return candidate }
    var candidate = candidate
    let name = candidate.name
    switch quote {
    case "[" where !name.unicodeScalars.contains("]"): candidate.text = "[\(name)]"
    case "`": candidate.text = name.quoted(by: "`")
    default: candidate.text = name.quotedIdentifier
    }
    return candidate
  }

  /// Functions that can be called in FROM. The many named after pragmas are offered only once one
  /// is being typed.
  private func tableFunctions(_ place: Place) -> [Candidate] {
    let isPragma = place.prefix.asciiLowercased.hasPrefix("pr")
    return vocabulary.tableFunctions.filter { isPragma || !$0.name.hasPrefix("pragma_") }
      .map { Candidate(kind: .function, name: $0.name, text: $0.name + "(") }
  }

  /// Words followed by a table whose rows or schema change.
  private static let ownTableWords: Set<String> = ["into", "update", "table"]

  private static let tableWords: Set<String> = ["from", "join", "into", "update", "table"]

  /// The parts of an expression, the nearest first.
  private func expressions(_ scope: StatementScope, _ place: Place) -> [Candidate] {
    var found: [Candidate] = []
    for entry in scope.tables {
      found += entry.table.columns.map { column($0, of: entry.table, showsType: false) }
    }
    found += scope.results.map {
      Candidate(kind: .column, name: $0, text: Self.quoted($0), detail: "result")
    }
    for entry in scope.tables {
      guard let alias = entry.alias else { continue }
      let isQuery = entry.table.kind == "query"
      found.append(
        Candidate(
          kind: .alias, name: alias, text: Self.quoted(alias),
          detail: isQuery ? "query" : entry.table.name))
    }
    for row in scope.rows {
      guard let name = row.alias.map({ cased($0, place) }) else { continue }
      found.append(Candidate(kind: .alias, name: name, text: name, detail: row.table.name))
    }
    found += queries(scope) + tables(in: nil)
    found += vocabulary.functions.map { Candidate(kind: .function, name: $0, text: $0 + "(") }
    return found
  }

  /// The common table expressions in scope.
  private func queries(_ scope: StatementScope) -> [Candidate] {
    scope.expressions.map {
      Candidate(kind: .table, name: $0.name, text: Self.quoted($0.name), detail: "WITH")
    }
  }

  private func next(_ place: Place) -> [Candidate] {
    (SQLKeywords.following[place.previous] ?? []).map { keyword($0, place) }
  }

  private func table(_ name: String) -> SQLVocabulary.Table? {
    vocabulary.tables.first { $0.name.asciiLowercased == name.asciiLowercased }
  }

  /// The tables of a schema, or of all; without those behind virtual tables, which are not written
  /// by hand.
  private func tables(in schema: String?) -> [Candidate] {
    vocabulary.tables
      .filter { $0.kind != "shadow" }
      .filter { schema == nil || $0.schema.asciiLowercased == schema?.asciiLowercased }
      .map { table in
        let name = Self.quoted(table.name)
        let isForeign = schema == nil && table.schema != "main" && table.schema != "temp"
        let rows =
          switch table.rows {
          case .exact(let count): NumberText.grouped(count)
          case .estimate(let count): "~" + NumberText.grouped(count)
          case .moreThan(let count): ">" + NumberText.grouped(count)
          case nil: table.kind == "virtual" ? "virtual" : ""
          }
        return Candidate(
          kind: table.kind == "view" ? .view : .table, name: table.name,
          text: isForeign ? Self.quoted(table.schema) + "." + name : name, detail: rows)
      }
  }

  private func column(
    _ column: SQLVocabulary.Column, of table: SQLVocabulary.Table?, showsType: Bool
  ) -> Candidate {
    Candidate(
      kind: .column, name: column.name, text: Self.quoted(column.name),
      detail: showsType ? column.type : table?.name ?? "")
  }

  private func keyword(_ word: String, _ place: Place) -> Candidate {
    let text = cased(word, place)
    return Candidate(kind: .keyword, name: text, text: text)
  }

  /// A word in the user's case: small letters, or capitals.
  private func cased(_ word: String, _ place: Place) -> String {
    let isSmall = place.prefix.contains(where: \.isLowercase) || place.prefix.isEmpty
    return isSmall && !place.writesCapitals ? word : word.uppercased()
  }

  /// The candidates that start with `prefix`, each name once; a name that needs no capitals matches
  /// any case.
  private static func matching(_ candidates: [Candidate], _ prefix: String) -> [Candidate] {
    let folded = prefix.asciiLowercased
    var seen: Set<String> = []
    // A column of several tables is offered once for each, with the table's name.
    return candidates.filter { candidate in
      candidate.name.asciiLowercased.hasPrefix(folded)
        && seen.insert(candidate.kind.rawValue + candidate.text).inserted
    }
  }

  /// The name, quoted as SQL requires.
  private static func quoted(_ name: String) -> String {
    let isPlain =
      name.utf8.allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x61...0x7a).contains(byte | 0x20) || byte == 0x5f
          || byte > 0x7f
      } && name.first.map { !$0.isNumber } ?? false
    return isPlain && !SQLKeywords.contains(name) ? name : name.quotedIdentifier
  }
}
