import DatabaseConsole
import ObservationEngine
import Testing

@testable import Dashboard

/// The values that the console is made of, each alone.
@Suite struct ConsoleValuesTests {
  // MARK: Work

  @Test func `counting for a submitted text ends with the text still submitted`() {
    var work = ConsoleWork.submitted("delete from t;")
    work.count(rowsOf: "delete from t;")
    #expect(work == .submitted("delete from t;", .counting(sql: "delete from t;")))
    #expect(work.refusal != nil)
    work.endPreparing()
    #expect(work == .submitted("delete from t;"))
    #expect(work.refusal == nil)
  }

  @Test func `counting for a further statement ends with nothing to do`() {
    var work = ConsoleWork.nothing
    work.count(rowsOf: "delete from t;")
    #expect(work.counted == "delete from t;")
    work.endPreparing()
    #expect(work == .nothing)
  }

  @Test func `only what has not started is withdrawn`() {
    var work = ConsoleWork.running(since: 5)
    work.progress(rows: 7)
    work.withdraw()
    work.endPreparing()
    #expect(work == .running(since: 5, rows: 7))
    work = .submitted(":read x.sql", .reading(ConsoleWork.Reading(file: "x.sql", since: 5)))
    work.withdraw()
    work.progress(rows: 7)
    #expect(work == .nothing)
  }

  // MARK: History

  @Test func `a walk through the history leads back to the text being written`() {
    var typed = TypedStatement(history: StatementHistory(["a", "b"]))
    typed.text = TextBuffer("draft")
    var seen: [String] = []
    for back in [true, true, true, false, false, false] {
      typed.walkHistory(back: back)
      seen.append(typed.text.text)
    }
    #expect(seen == ["b", "a", "a", "b", "draft", "draft"])
    typed.walkHistory(back: true)
    typed.clear()
    typed.walkHistory(back: true)
    #expect(typed.text.text == "b")
  }

  @Test func `the same statement is not added twice in a row`() {
    var history = StatementHistory(["a"])
    for statement in ["a", "b", "a"] { history.append(statement) }
    #expect(history.statements == ["a", "b", "a"])
  }

  @Test func `a search goes on from its match, and starts again with another pattern`() {
    let history = StatementHistory(["select 1", "begin", "select 2"])
    var search = HistorySearch(pattern: "select")
    history.find(&search, older: false)
    #expect(search.match == 2)
    history.find(&search, older: true)
    #expect(search.match == 0)
    history.find(&search, older: true)
    #expect(search.match == 0, "the oldest match stays")
    search.pattern = "nowhere"
    history.find(&search, older: false)
    #expect(search.match == nil)
  }

  // MARK: Names

  @Test func `names are read after a change of the schema, numbers of rows for a user alone`() {
    let second: UInt64 = 1_000_000_000
    var names = ConsoleVocabulary()
    func isRead(isTyping: Bool = false, at moment: UInt64) -> Bool {
      names.mustBeRead(isTyping: isTyping, at: moment)
    }
    #expect(isRead(at: 0))
    #expect(!isRead(isTyping: true, at: second), "they are being read")
    names.receive(SQLVocabulary(), at: second)
    guard case .commit(let rows) = Sample.commit(1),
      case .commit(let table) = Sample.commit(2, kind: .schema)
    else { return }
    names.note(rows)
    #expect(!isRead(isTyping: true, at: 2 * second), "they were read just now")
    #expect(!isRead(at: 9 * second))
    names.note(table)
    names.note(rows)
    #expect(isRead(at: 2 * second))
  }
}
