import Dashboard
import Glibc
import TestSupport
import Testing

@testable import LiveQueryTUI

@Suite(.fewAtOnce) struct ConfigurationTests {
  private func diagnostics(_ text: String) -> [String] {
    ConfigurationFile.parse(text).diagnostics.map { $0.rendered(file: "config") }
  }

  @Test func `keys are options, with blanks and comments anywhere`() {
    let (arguments, diagnostics) = ConfigurationFile.parse(
      "# mine\r\n\n  theme=light\nmouse = off\n\tascii = yes \nbusy-timeout = 250\nread-only = no\n"
    )
    #expect(diagnostics == [])
    #expect(arguments.theme == "light")
    #expect(!arguments.usesMouse)
    #expect(arguments.isASCII)
    #expect(arguments.busyTimeout == .milliseconds(250))
    #expect(!arguments.isReadOnly)
  }

  @Test(arguments: [
    ("\n  tehme = dark\n", #"config:2:3: error: unknown key "tehme", did you mean "theme"?"#),
    (
      "qqqq = 1",
      #"config:1:1: error: unknown key "qqqq"; there are theme, color, ascii, mouse, bell, read-only, panes, poll, "#
        + "debounce, busy-timeout, query-timeout, memory, hook-timeout"
    ),
    (
      "theme = drak",
      #"config:1:9: error: theme drak: expected auto, dark, high-contrast, light, mono, did you mean "dark"?"#
    ),
    ("poll = soon", "config:1:8: error: poll soon: expected a whole number from 1 to 86400000"),
    (
      "key.export = x ^i",
      "config:1:14: error: ^i is the same key as Tab in a terminal: write Tab"
    ),
    ("mouse = maybe", "config:1:9: error: mouse maybe: expected on or off"),
    ("theme dark", "config:1:1: error: expected \"key = value\""),
    (
      "poll = 5\npoll = 6",
      "config:2:1: error: \"poll\" is given already on line 1"
    ),
    (
      "th\u{1b}eme = x", "config:1:1: error: unknown key \"th\u{241B}eme\", did you mean \"theme\"?"
    ),
  ])
  func `what is wrong is said with its place`(_ text: String, _ expected: String) {
    #expect(diagnostics(text) == [expected])
  }

  @Test func `the command line goes before the file`() throws {
    let (configured, _) = ConfigurationFile.parse("theme = light\npoll = 500")
    let arguments = try Arguments(parsing: ["--theme", "dark", "app.db"], over: configured)
    #expect(arguments.theme == "dark")
    #expect(arguments.pollInterval == .milliseconds(500))
  }

  @Test func `what is printed says the same when it is read`() throws {
    let (configured, _) = ConfigurationFile.parse(
      "theme = high-contrast\nmouse = off\nquery-timeout = 0\nmemory = 256\ndebounce = 7\nhook-timeout = 2.5\nbell = on"
    )
    let (again, diagnostics) = ConfigurationFile.parse(configured.configurationText)
    #expect(diagnostics == [])
    #expect(again == configured)
    let (defaults, _) = ConfigurationFile.parse(Arguments().configurationText)
    #expect(defaults == Arguments())
  }

  @Test(arguments: ["none", "console", "feed,schema"])
  func `the panes that are printed are those to begin with`(_ panes: String) throws {
    let (configured, _) = ConfigurationFile.parse("panes = \(panes)")
    #expect(configured.configurationText.contains("\npanes = \(panes)\n"))
    let (again, _) = ConfigurationFile.parse(configured.configurationText)
    #expect(again == configured)
    let typed = try Arguments(parsing: ["--panes", panes, "app.db"])
    #expect(typed.configurationText.contains("\npanes = \(panes)\n"))
  }

  @Test func `a byte order mark at the start means nothing`() {
    let (arguments, found) = ConfigurationFile.parse("\u{feff}theme = light\nmouse = off\n")
    #expect(found == [])
    #expect(arguments.theme == "light" && !arguments.usesMouse)
    #expect(diagnostics("\u{feff}tehme = dark").first?.hasPrefix("config:1:1: error") == true)
  }

  @Test func `every key is printed, with what it is for`() {
    let text = Arguments().configurationText
    for key in ConfigurationFile.Key.allCases {
      #expect(text.contains("\(key.rawValue) = "), "\(key)")
      #expect(text.contains("# \(key.summary)"), "\(key)")
    }
  }

  @Test func `the file is where XDG says, or in the home`() {
    func path(_ variables: [String: String]) -> String? {
      Paths.configuration("config") { variables[$0] }
    }
    #expect(path(["XDG_CONFIG_HOME": "/x", "HOME": "/h"]) == "/x/livequery/config")
    #expect(path(["XDG_CONFIG_HOME": "x", "HOME": "/h"]) == "/h/.config/livequery/config")
    #expect(path([:]) == nil)
  }

  @Test func `the program reads the file, and refuses a wrong one`() async throws {
    let folder = try TemporaryFolder()
    let file = try folder.write("theme = light\n", to: "mine")
    let printed = try await LiveQuery.run("--print-config", "--config", file, "--ascii")
    #expect(printed.status == 0)
    #expect(printed.output.contains("\ntheme = light\n"))
    #expect(printed.output.contains("\nascii = on\n"))
    try folder.write("theme = light\ncolour = red\n", to: "mine")
    let refused = try await LiveQuery.run("--once", "--config", file, "x.db")
    #expect(refused.status == 2)
    #expect(
      refused.errors == "\(file):2:1: error: unknown key \"colour\", did you mean \"color\"?\n")
    #expect(try folder.text("mine") == "theme = light\ncolour = red\n")
    // What holds is printed all the same, and the fault beside it.
    let partial = try await LiveQuery.run("--print-config", "--config", file, "--ascii")
    #expect(partial.status == 2)
    #expect(partial.errors == refused.errors)
    #expect(partial.output.contains("\ntheme = light\n"))
    #expect(partial.output.contains("\nascii = on\n"))
    let missing = try await LiveQuery.run("--once", "--config", folder.path("none"), "x.db")
    #expect(missing.status == 2)
    #expect(missing.errors.contains("No such file"))
    let pipe = folder.path("pipe")
    #expect(mkfifo(pipe, 0o600) == 0)
    let piped = try await LiveQuery.run("--once", "--config", pipe, "x.db")
    #expect(piped.status == 2)
    #expect(piped.errors == "livequery: \(pipe) is not a regular file\n")
    #expect(try await LiveQuery.run("--print-config", "--config", "/dev/null").status == 0)
    let defaults = try await LiveQuery.run("--print-config", "--config", folder.path("none"))
    #expect(defaults.status == 2)
    #expect(defaults.errors == missing.errors)
    #expect(defaults.output.contains("\ntheme = auto\n"))
  }
}
