import ObservationEngine
import TestSupport
import Testing

@testable import Dashboard

@Suite struct AlertRuleTests {
  /// Three jobs: rates 0.01, 0.06 and unknown.
  private static let jobs = RowSet(
    columns: ["Queue", "rate", "count(*)", "data"],
    rows: [
      ["mail", 0.01, 3, .blob([1])], ["index", 0.06, 40, .blob([2])], ["idle", nil, 0, nil],
    ])

  @Test(
    arguments: [
      ("rate > 0.05", true), ("rate > 6%", false), ("rate >= 6 %", true), ("rate > .06", false),
      ("RATE>=6e-2", true), ("rate = 0.06", true), ("rate == 6%", true), ("rate <> 0.01", true),
      ("rate < -1", false), ("rate <= +0.01", true), ("0.05 < rate", true),
      ("queue = 'mail'", true), ("queue = 'MAIL'", false), ("queue > 'mail'", false),
      ("queue = 'it''s'", false), ("queue != 'mail' and rate > 5%", true),
      ("queue = 'mail' and rate > 5%", false), ("queue = 'mail' or rate > 50%", true),
      ("not queue = 'mail'", true), ("not (queue = 'mail' or rate > 0 or rate is null)", false),
      ("\"count(*)\" >= 40", true), ("[count(*)] > 40", false), ("`count(*)` = 40", true),
      ("rate is null", true), ("queue is null", false), ("rate is not null", true),
      ("rate = rate", true), ("rows = 3", true), ("rows > 3", false),
      ("rows = 3 and rate > 5%", true), ("all rate > 0", false), ("all queue <> ''", true),
      ("any rate > 5%", true), ("queue > 1", false), ("queue <> 1", true), ("data = data", true),
      ("rate <> 0.01 and rate <> 0.06", false), ("rate > 0 or rate > 1 and queue = 'none'", true),
    ])
  func `a condition holds of some row`(_ text: String, _ isTrue: Bool) throws {
    #expect(try AlertRule(text).isAlerting(false, on: Self.jobs) == isTrue)
  }

  @Test(
    arguments: [
      ("rate >", 6, "expected a number, a 'text' or a column at the end"),
      ("", 0, "expected a column at the end"),
      ("rate", 4, "\"rate\" needs a comparison after it: = <> < <= > >="),
      ("rate => 5", 5, "\"=>\" is not a comparison, did you mean \">=\"?"),
      ("rate ! 5", 5, "\"!\" is not a comparison, did you mean \"not\"?"),
      ("rate 5", 5, "expected a comparison before \"5\": = <> < <= > >="),
      ("rate > 5 && rate < 9", 9, "unexpected \"&&\", did you mean \"and\"?"),
      ("rate > 5 adn rate < 9", 9, "unexpected \"adn\", did you mean \"and\"?"),
      ("rate > 5 untill rate < 4", 9, "unexpected \"untill\", did you mean \"until\"?"),
      ("rate > 5 (rate)", 9, "unexpected \"(\"; conditions are joined by and, or, until"),
      ("rate > 5 until rate < 4 until rate < 3", 24, "\"until\" stands twice"),
      ("rate > 5 until", 14, "expected a column at the end"),
      ("(rate > 5", 0, "this parenthesis is not closed"),
      ("rate > 5)", 8, "unexpected \")\"; conditions are joined by and, or, until"),
      ("queue = 'mail", 8, "this text has no closing quote"),
      ("\"queue = 5", 0, "this name has no closing quote"),
      ("count(*) > 5", 0, "a column with such a name stands in quotes: \"count(…)\""),
      ("rate > 5x", 7, "\"5x\" is not a number; write it like 250, 0.05, 5% or 1e6"),
      ("rate > 1e999", 7, "\"1e999\" is not a number; write it like 250, 0.05, 5% or 1e6"),
      (
        "rate = null", 7,
        "expected a number, a 'text' or a column before \"null\"; NULL is tested by \"is null\""
      ),
      ("rate is 5", 8, "\"is\" is followed by \"null\" or \"not null\""),
      ("and > 5", 0, "expected a column before \"and\""),
      ("é > 5 and", 10, "expected a column at the end"),
    ])
  func `what is no condition is told with its place`(
    _ text: String, _ offset: Int, _ message: String
  ) {
    #expect(throws: AlertSyntaxError(message, at: offset)) { try AlertRule(text) }
  }

  @Test func `parentheses without end are refused, and not the end of the program`() {
    let text = String(repeating: "(", count: 100_000) + "a > 1"
    #expect(throws: AlertSyntaxError.self) { try AlertRule(text) }
    #expect(throws: AlertSyntaxError.self) {
      try AlertRule(String(repeating: "not ", count: 100_000) + "a > 1")
    }
  }

  @Test func `integers compare exactly`() throws {
    let result = RowSet(columns: ["n"], rows: [[.integer(9_007_199_254_740_993)]])
    #expect(try AlertRule("n > 9007199254740992").isAlerting(false, on: result) == true)
  }

  @Test func `without a row no condition on rows holds, and one on their number may`() throws {
    let none = RowSet(columns: ["rate"], rows: [])
    #expect(try AlertRule("rate > 0").isAlerting(false, on: none) == false)
    #expect(try AlertRule("rows = 0").isAlerting(false, on: none) == true)
    #expect(try AlertRule("all rate > 0").isAlerting(false, on: none) == true)
  }

  @Test func `a column called rows comes before the number of rows`() throws {
    let result = RowSet(columns: ["rows"], rows: [[5]])
    #expect(try AlertRule("rows = 5").isAlerting(false, on: result) == true)
    #expect(try AlertRule("\"rows\" = 5").columns.map(\.name) == ["rows"])
    #expect(try AlertRule("rows = 5").columns == [])
  }

  @Test func `without until an alert ends with its condition`() throws {
    let rule = try AlertRule("n > 5")
    #expect(rule.isAlerting(true, on: Sample.value(5)) == false)
    #expect(rule.isAlerting(true, on: Sample.value(6)) == true)
  }

  @Test func `with until an alert wavers no more`() throws {
    let rule = try AlertRule("n > 5 until n < 4")
    var isAlerting = false
    let seen = [4, 5, 6, 5, 4, 6, 3, 5, 6].map { (number: Int64) in
      isAlerting = rule.isAlerting(isAlerting, on: Sample.value(.integer(number))) ?? isAlerting
      return isAlerting
    }
    #expect(seen == [false, false, true, true, true, true, false, false, true])
  }

  @Test func `an alert about any row ends when every row is well`() throws {
    let rule = try AlertRule("n > 5 until n < 4")
    func rows(_ numbers: Int64...) -> RowSet {
      RowSet(columns: ["n"], rows: numbers.map { [.integer($0)] })
    }
    #expect(rule.isAlerting(false, on: rows(1, 9)) == true)
    #expect(rule.isAlerting(true, on: rows(1, 5)) == true)
    #expect(rule.isAlerting(true, on: rows(1, 3)) == false)
    #expect(rule.isAlerting(true, on: rows()) == false)
    let all = try AlertRule("all n > 5 until n < 4")
    #expect(all.isAlerting(true, on: rows(9, 5)) == true)
    #expect(all.isAlerting(true, on: rows(9, 3)) == false)
  }

  @Test func `a result without a named column says nothing`() throws {
    let rule = try AlertRule("rate > 5")
    #expect(rule.isAlerting(true, on: Sample.value(1)) == nil)
    #expect(rule.isAlerting(false, on: Sample.value(9)) == nil)
  }

  @Test(
    arguments: [
      ("rate > 0.05 until rate < 1%", 1, "> 0.05"), ("rate > 0.05", 2, "rate > 0.05"),
      ("rate > 1 or rate < 0", 1, "rate > 1 or rate < 0"), ("rows > 1", 1, "rows > 1"),
    ])
  func `where there is one column its name is left out`(
    _ rule: String, _ columns: Int, _ text: String
  ) throws {
    #expect(try AlertRule(rule).shortText(columnCount: columns) == text)
  }

  @Test func `any text is a rule or an error`() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededRandom(seed: seed)
    let pieces = [
      "rate", "rows", ">", "<=", "=", "5", "5%", "'a'", "\"b\"", "and", "or", "not", "until", "(",
      ")", "is", "null", "any", "all", "'", "\"", "é", "-", ".", "1e", "%", " ", "&", "[",
    ]
    for _ in 0..<5_000 {
      let count = Int.random(in: 0...12, using: &random)
      let text = (0..<count).map { _ in pieces.randomElement(using: &random) ?? "" }
        .joined(separator: Bool.random(using: &random) ? " " : "")
      do throws(AlertSyntaxError) {
        let rule = try AlertRule(text)
        _ = rule.isAlerting(true, on: Self.jobs)
        _ = rule.shortText(columnCount: 1)
      } catch {
        #expect((0...text.utf8.count).contains(error.offset), "\(text) (seed \(seed))")
      }
    }
  }
}
