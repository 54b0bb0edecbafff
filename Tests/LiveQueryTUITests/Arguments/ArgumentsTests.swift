import Dashboard
import ObservationEngine
import Testing

@testable import LiveQueryTUI

@Suite struct ArgumentsTests {
  @Test func `operands are the database and the dashboard`() throws {
    let arguments = try Arguments(parsing: ["app.db", "arena.sql"])
    #expect(arguments.database == "app.db")
    #expect(arguments.dashboard == "arena.sql")
    #expect(arguments.requestedMode == nil)
  }

  @Test func `without a mode the screen is for a terminal and once for everything else`() throws {
    let arguments = try Arguments(parsing: ["app.db"])
    #expect(arguments.mode(outputIsTerminal: true) == .screen)
    #expect(arguments.mode(outputIsTerminal: false) == .once)
  }

  @Test(arguments: [
    ["-o", "x.csv"], ["-ox.csv"], ["--output", "x.csv"], ["--output=x.csv"], ["-ro", "x.csv"],
    ["-rox.csv"],
  ])
  func `a value may follow its option in each usual way`(_ words: [String]) throws {
    let arguments = try Arguments(parsing: words + ["app.db"])
    #expect(arguments.output == "x.csv")
    #expect(arguments.database == "app.db")
  }

  @Test func `a value may look like an option`() throws {
    let arguments = try Arguments(parsing: ["app.db", "-c", "-- all\nSELECT 1", "--null", "-"])
    #expect(arguments.commands == ["-- all\nSELECT 1"])
    #expect(arguments.null == "-")
  }

  @Test func `a value may be empty and may hold equals signs`() throws {
    let arguments = try Arguments(parsing: ["app.db", "--null=", "--until=SELECT a=b FROM t"])
    #expect(arguments.null == "")
    #expect(arguments.until == "SELECT a=b FROM t")
  }

  @Test func `two hyphens end the options`() throws {
    let arguments = try Arguments(parsing: ["--once", "--", "-r", "--json"])
    #expect(arguments.database == "-r")
    #expect(arguments.dashboard == "--json")
    #expect(!arguments.isReadOnly)
  }

  @Test func `commands and parameters add up and other options replace`() throws {
    let arguments = try Arguments(parsing: [
      "-c", "SELECT 1", "-c", "SELECT 2", "--param", "a=1", "--param", ":b=x", "--poll", "5",
      "--poll", "7", "app.db",
    ])
    #expect(arguments.commands == ["SELECT 1", "SELECT 2"])
    #expect(arguments.parameters == ["a": 1, "b": "x"])
    #expect(arguments.pollInterval == .milliseconds(7))
  }

  @Test(
    arguments: [
      ("42", .integer(42)), ("-1", .integer(-1)), ("1.5", .real(1.5)), ("1e3", .real(1000)),
      ("007", .text("007")), ("", .text("")), ("1e999", .text("1e999")), ("0x10", .text("0x10")),
      (".5", .real(0.5)), ("-.5", .real(-0.5)), ("5.", .real(5)), ("2E+2", .real(200)),
      ("00.5", .text("00.5")), (".", .text(".")), ("1e", .text("1e")), ("1.2.3", .text("1.2.3")),
      ("e", .text("e")), ("-", .text("-")), ("9223372036854775808", .text("9223372036854775808")),
    ] as [(String, Value)])
  func `a parameter is a number only where it is written like one`(
    _ text: String, _ value: Value
  ) throws {
    let arguments = try Arguments(parsing: ["app.db", "--param", "p=\(text)"])
    #expect(arguments.parameters == ["p": value])
  }

  @Test func `a server gets a parameter as it was written`() throws {
    let arguments = try Arguments(parsing: [
      "--param", "a=1.10", "--param", "b=1e6", "postgres:///shop", "--param=c=7",
    ])
    #expect(arguments.parameters == ["a": .text("1.10"), "b": .text("1e6"), "c": 7])
  }

  @Test func `each timing option has its unit`() throws {
    let arguments = try Arguments(parsing: [
      "app.db", "--poll=250", "--debounce=0", "--busy-timeout=1500", "--timeout=0.5",
      "--query-timeout=60000",
    ])
    #expect(arguments.pollInterval == .milliseconds(250))
    #expect(arguments.debounce == .zero)
    #expect(arguments.busyTimeout == .milliseconds(1500))
    #expect(arguments.queryTimeout == .seconds(60))
    #expect(arguments.timeout == .milliseconds(500))
  }

  @Test(arguments: [
    ["--csv"], ["-o", "x"], ["--panel", "fame"], ["--null", "-"], ["--until", "SELECT 1"],
    ["--timeout", "5"],
  ])
  func `who says how to print wants to print on a terminal too`(_ words: [String]) throws {
    let arguments = try Arguments(parsing: words + ["app.db"])
    #expect(arguments.mode(outputIsTerminal: true) == .once)
  }

  @Test func `keys and frame go together`() throws {
    let arguments = try Arguments(parsing: ["app.db", "--keys", "k.txt", "--frame", "160x48"])
    #expect(arguments.requestedMode == .frame)
    #expect(arguments.keys == "k.txt")
    #expect(arguments.frame == Size(width: 160, height: 48))
  }

  @Test func `a check of the dashboard alone needs no database`() throws {
    let alone = try Arguments(parsing: ["--check", "arena.sql"])
    #expect(alone.database == nil)
    #expect(alone.dashboard == "arena.sql")
    let both = try Arguments(parsing: ["--check", "app.db", "arena.sql"])
    #expect(both.database == "app.db")
    #expect(both.dashboard == "arena.sql")
  }

  @Test(arguments: [["-h"], ["--help"], ["app.db", "--help", "--nonsense"]])
  func `help is given whatever stands after it`(_ words: [String]) throws {
    #expect(try Arguments(parsing: words).request == .help)
  }

  @Test(arguments: [["-V"], ["--version"], ["-rV"]])
  func `the version needs no database`(_ words: [String]) throws {
    #expect(try Arguments(parsing: words).request == .version)
  }
}
