import DatabaseConsole
import ObservationEngine

extension ConsoleCommand {
  /// The possible completions of a command being typed.
  enum Completion: Equatable {
    /// It is SQL, or takes SQL.
    case sql
    /// These words, or none.
    case words(Completer.Offer?)
  }

  /// Offers names of commands, of pinned panels and of tables.
  ///
  /// - Parameter pinned: The names of the pinned panels.
  static func complete(
    _ text: [Character], at cursor: Int, pinned: [String], _ vocabulary: SQLVocabulary
  ) -> Completion {
    let head = text[..<cursor]
    guard let sign = head.firstIndex(where: { !$0.isWhitespace }), ":.".contains(head[sign]) else {
      return .sql
    }
    let typed = head[(sign + 1)...]
    guard let blank = typed.firstIndex(where: \.isWhitespace) else {
      // A number may start with a dot.
      if typed.first?.isNumber == true { return .sql }
      let names = head[sign] == ":" ? Self.names : DotCommand.known
      return .words(
        offer(names.map { Completer.Candidate(kind: .command, name: $0, text: $0) }, for: typed))
    }
    let name = String(typed[..<blank]).asciiLowercased
    let start = typed[blank...].firstIndex { !$0.isWhitespace } ?? cursor
    let argument = head[start...]
    // A name is a single word, and the first argument.
    guard !argument.contains(where: \.isWhitespace) else {
      return Self.isSQL(name) ? .sql : .words(nil)
    }
    switch name {
    case _ where isSQL(name): return .sql
    case "save", "unpin":
      return .words(
        offer(
          pinned.map { Completer.Candidate(kind: .panel, name: $0, text: $0) }, for: argument))
    case "tables", "schema", "fullschema", "indexes", "indices":
      let tables = vocabulary.tables.filter { $0.kind != "shadow" }.map { table in
        Completer.Candidate(
          kind: table.kind == "view" ? .view : .table, name: table.name, text: table.name)
      }
      return .words(offer(tables, for: argument))
    default: return .words(nil)
    }
  }

  private static func isSQL(_ name: String) -> Bool { ["explain", "e"].contains(name) }

  /// The words that start with the typed text; nil for none, and when the only one is complete.
  private static func offer(
    _ candidates: [Completer.Candidate], for typed: ArraySlice<Character>
  ) -> Completer.Offer? {
    let prefix = String(typed).asciiLowercased
    let found = candidates.filter { $0.name.asciiLowercased.hasPrefix(prefix) }
    guard !found.isEmpty, found.map(\.text) != [String(typed)] else { return nil }
    return Completer.Offer(range: typed.startIndex..<typed.endIndex, candidates: found)
  }
}
