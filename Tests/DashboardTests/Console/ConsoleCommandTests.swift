import ObservationEngine
import Testing

@testable import Dashboard

@Suite struct ConsoleCommandTests {
  @Test(arguments: ["select 1", ".5 + 1", "", "explain select 1", "-- :pin"])
  func `SQL is no command`(_ text: String) {
    let command = ConsoleCommand(text)
    if case .unknown? = command { return }
    #expect(command == nil)
  }

  @Test func `commands have arguments`() {
    #expect(ConsoleCommand(":explain select 1") == .explain("select 1"))
    #expect(ConsoleCommand(" :explain ") == .explain(nil))
    #expect(ConsoleCommand(":pin fame") == .pin(name: "fame"))
    #expect(ConsoleCommand(":pin") == .pin(name: nil))
    #expect(ConsoleCommand(":unpin fame") == .unpin(name: "fame"))
    #expect(ConsoleCommand(":unpin") == .unpin(name: nil))
    #expect(ConsoleCommand(":save") == .save(""))
    #expect(ConsoleCommand(":save a b.sql") == .save("a b.sql"))
    #expect(ConsoleCommand(":read x.sql") == .read(file: "x.sql", asks: true))
    #expect(ConsoleCommand(":read! x.sql") == .read(file: "x.sql", asks: false))
    #expect(ConsoleCommand(".read x.sql") == .read(file: "x.sql", asks: true))
    #expect(ConsoleCommand(":undo") == .undo)
    #expect(ConsoleCommand(":redo") == .redo)
    #expect(ConsoleCommand(":help") == .answer(ConsoleCommand.help))
    #expect(ConsoleCommand("help") == .answer(ConsoleCommand.help))
  }

  @Test(arguments: [
    (".tabels", ".tabels is not a command here, did you mean \".tables\"?"),
    (".nope", ".nope is not a command here"), ("quit", "Esc leaves it"),
    (":read", "needs the name"),
  ])
  func `what is none is told, with what was meant`(_ text: String, _ message: String) {
    guard case .unknown(let reason) = ConsoleCommand(text) else {
      Issue.record("\(text) is a command")
      return
    }
    #expect(reason.contains(message))
  }

  @Test(arguments: DotCommand.known)
  func `every command of sqlite3 that is known has an answer`(_ name: String) {
    let command = ConsoleCommand(".\(name) x")
    if case .unknown = command { Issue.record("\(name) is unknown") }
    if case .answer(let lines) = command { #expect(lines.allSatisfy { !$0.isEmpty }) }
  }

  @Test func `a name in a command is a text, and no SQL`() {
    guard case .sql(let sql) = ConsoleCommand(".schema a'b") else {
      Issue.record("no SQL")
      return
    }
    #expect(sql.contains("LIKE 'a''b'"))
  }

  @Test(
    arguments: [
      (":sa|", ["save"]), (":|", ConsoleCommand.names), (".tab|", ["tables"]), (":save|", nil),
      (":save o|", ["one", "other"]), (":save |", ["one", "two", "other"]), (":save one|", nil),
      (":save one x|", nil), (".schema pl|", ["players"]), (".indexes sc|", ["scores"]),
      (":read x|", nil), (":nope x|", nil), (" :und|", ["undo"]),
      (":unpin o|", ["one", "other"]),
    ] as [(String, [String]?)])
  func `names of commands, panels and tables are completed`(_ text: String, _ names: [String]?) {
    let parts = text.split(separator: "|", omittingEmptySubsequences: false)
    let completion = ConsoleCommand.complete(
      Array(parts.joined()), at: parts[0].count, pinned: ["one", "two", "other"],
      CompleterTests.vocabulary)
    guard case .words(let offer) = completion else {
      Issue.record("it is SQL")
      return
    }
    #expect(offer?.candidates.map(\.name) == names)
  }

  @Test(arguments: ["select pl|", ":explain select pl|", ".5|", "|", "select :na|"])
  func `SQL is completed as SQL`(_ text: String) {
    let parts = text.split(separator: "|", omittingEmptySubsequences: false)
    #expect(
      ConsoleCommand.complete(
        Array(parts.joined()), at: parts[0].count, pinned: [], CompleterTests.vocabulary) == .sql)
  }
}
