import Testing

@testable import LiveQueryTUI

@Suite struct ArgumentErrorTests {
  @Test(
    arguments: [
      ([], "which database? usage: livequery DATABASE [DASHBOARD.sql]"),
      ([""], "the name of the database is empty"),
      (["a.db", "b.sql", "c"], "too many operands: c — an SQL query is given with -c"),
      (["a.db", "b.sql", "-f", "c.sql"], "two dashboards: -f and b.sql"),
      (["a.db", "--jsn"], "unknown option --jsn, did you mean \"--json\"?"),
      (["a.db", "--qqqqqqqq"], "unknown option --qqqqqqqq"),
      (["a.db", "-x"], "unknown option -x"),
      (["a.db", "-json"], "unknown option -j, did you mean \"--json\"?"),
      (["a.db", "--once=yes"], "--once takes no value"),
      (["a.db", "-c"], "-c needs a value: -c SQL"),
      (["a.db", "--param"], "--param needs a value: --param NAME=VALUE"),
      (["a.db", "--param", "x"], "--param x: the form is NAME=VALUE"),
      (["a.db", "--param", "=1"], "--param =1: \"\" is not a parameter name"),
      (["a.db", "--param", "a b=1"], "--param a b=1: \"a b\" is not a parameter name"),
      (["a.db", "-o", ""], "-o: the name of the file is empty"),
    ] as [([String], String)])
  func `a slip is named with its remedy`(_ words: [String], _ message: String) {
    #expect(throws: ArgumentError(message: message)) { try Arguments(parsing: words) }
  }

  @Test(
    arguments: [
      (["--poll", "0"], "--poll 0: expected a whole number from 1 to 86400000"),
      (["--poll", "+5"], "--poll +5: expected a whole number from 1 to 86400000"),
      (["--poll", "5ms"], "--poll 5ms: expected a whole number from 1 to 86400000"),
      (["--debounce", ""], "--debounce : expected a whole number from 0 to 86400000"),
      (["--stream", "--count", "0"], "--count 0: expected a whole number from 1"),
      (["--timeout", "-1"], "--timeout -1: expected seconds, such as 10 or 0.5"),
      (["--timeout", "nan"], "--timeout nan: expected seconds, such as 10 or 0.5"),
      (["--timeout", "0"], "--timeout 0: expected seconds, such as 10 or 0.5"),
      (["--frame", "80"], "--frame 80: expected WIDTHxHEIGHT, such as 80x24, each from 1 to 1000"),
      (
        ["--frame", "0x5"], "--frame 0x5: expected WIDTHxHEIGHT, such as 80x24, each from 1 to 1000"
      ),
      (
        ["--frame", "2000x2000"],
        "--frame 2000x2000: expected WIDTHxHEIGHT, such as 80x24, each from 1 to 1000"
      ),
      (
        ["--frame", "80x24x2"],
        "--frame 80x24x2: expected WIDTHxHEIGHT, such as 80x24, each from 1 to 1000"
      ),
      (
        ["--color", "allways"],
        "--color allways: expected auto, always, never, did you mean \"always\"?"
      ),
    ] as [([String], String)])
  func `a value that is none is refused`(_ words: [String], _ message: String) {
    #expect(throws: ArgumentError(message: message)) {
      try Arguments(parsing: ["app.db"] + words)
    }
  }

  @Test(
    arguments: [
      (["--once", "--stream"], "--once and --stream exclude each other"),
      (["--keys", "k", "--once"], "--keys and --once exclude each other"),
      (["--csv", "--json"], "--csv and --json exclude each other"),
      (["--stream", "--csv"], "--stream writes NDJSON; --csv is for --once"),
      (["--once", "--count", "3"], "--count is for --stream and --rows"),
      (["--count", "3"], "--count is for --stream and --rows"),
      (["--rows", "--once"], "--rows and --once exclude each other"),
      (["--state", "s"], "--state is for --rows and --stream"),
      (
        ["--rows", "a.sql"],
        "--rows prints changed rows of tables: a.sql is a dashboard, not a table"
      ),
      (
        ["--rows", "--until", "SELECT 1"],
        "--rows prints changed rows of tables: --until has no meaning with it"
      ),
      (["--rows", ""], "the name of the table is empty"),
      (["--check"], "--check needs a dashboard"),
      (["--check", "d.sql", "--csv"], "--csv has no meaning with --check"),
      (["--frame", "9x9", "--panel", "p"], "--panel has no meaning with --keys and --frame"),
      (["-f", "-", "--keys", "-"], "dashboard and keys cannot both come from standard input"),
    ] as [([String], String)])
  func `a contradiction is refused`(_ words: [String], _ message: String) {
    #expect(throws: ArgumentError(message: message)) {
      try Arguments(parsing: ["app.db"] + words)
    }
  }

  @Test func `a word that is no UTF-8 is refused, not repaired`() throws {
    let bytes: [CChar] = [0x61, -1, 0x62]
    #expect {
      try ProcessArguments.decode(bytes, 2)
    } throws: { error in
      (error as? ArgumentError)?.message.hasPrefix("argument 2, \"a\u{fffd}b\", is not valid")
        == true
    }
    #expect(try ProcessArguments.decode([0x61, -61, -92] as [CChar], 1) == "aä")
  }

  @Test func `what is printed points to the help`() {
    let error = ArgumentError(message: "which database? usage: livequery DATABASE [DASHBOARD.sql]")
    #expect(
      error.description
        == "livequery: which database? usage: livequery DATABASE [DASHBOARD.sql]\n"
        + "Try \"livequery --help\".")
  }

  @Test func `what is printed holds no control characters of the command line`() {
    let printed = "\(ArgumentError(message: "unknown option --a\u{1b}[31m\u{202e}b"))"
    #expect(!printed.unicodeScalars.contains { $0 == "\u{1b}" || $0 == "\u{202e}" })
  }
}
