import DatabaseConsole
import ObservationEngine

extension ConsoleCommand {
  /// What a command that is being typed may become.
  enum Completion: Equatable {
    /// It is SQL, or SQL follows it.
    case sql
    /// Nothing, or these words.
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
      // A number may begin with a dot.
      if typed.first?.isNumber == true { return .sql }
      let names = head[sign] == ":" ? Self.names : DotCommand.known
      return .words(
        offer(names.map { Completer.Candidate(kind: .command, name: $0, text: $0) }, for: typed))
    }
    let name = String(typed[..<blank]).asciiLowercased
    let start = typed[blank...].firstIndex { !$0.isWhitespace } ?? cursor
    let argument = head[start...]
    // Names are one word, and the first one.
    guard !argument.contains(where: \.isWhitespace) else {
      return Self.isSQL(name) ? .sql : .words(nil)
    }
    switch name {
    case _ where isSQL(name): return .sql
    case "save":
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

  /// Those that begin with what was typed; nil for none, and when that is all of the only one.
  private static func offer(
    _ candidates: [Completer.Candidate], for typed: ArraySlice<Character>
  ) -> Completer.Offer? {
    let prefix = String(typed).asciiLowercased
    let found = candidates.filter { $0.name.asciiLowercased.hasPrefix(prefix) }
    guard !found.isEmpty, found.map(\.text) != [String(typed)] else { return nil }
    return Completer.Offer(range: typed.startIndex..<typed.endIndex, candidates: found)
  }
}
