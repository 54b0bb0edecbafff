import Dashboard
import ObservationEngine

extension Option {
  static let allCases: [Option] = [
    Option("command", letter: "c", value: "SQL", "a panel of this query") {
      (arguments: inout Arguments, value: String, _: String) in
      arguments.commands.append(value)
    },
    Option("file", letter: "f", value: "FILE", "the dashboard file, or - for standard input") {
      (arguments: inout Arguments, value: String, name: String) throws(ArgumentError) in
      arguments.dashboard = try Arguments.file(value, name)
    },
    Option("dashboards", "list the dashboards that are ready to be chosen by name") {
      (arguments: inout Arguments, _: String, _: String) in
      arguments.request = .dashboards
    },
    Option(
      "read-only", letter: "r", "the console cannot write",
      setting: Setting(place: 6) { $0.isReadOnly ? "on" : "off" }
    ) { (arguments: inout Arguments, _: String, _: String) in
      arguments.isReadOnly = true
    },
    Option("param", value: "NAME=VALUE", "bind a parameter in every panel") {
      (arguments: inout Arguments, value: String, _: String) throws(ArgumentError) in
      try arguments.takeParameter(value)
    },
    Option("preset", letter: "p", value: "NAME", "the preset to begin with") {
      (arguments: inout Arguments, value: String, _: String) in
      arguments.preset = value
    },
    Option(
      "panes", value: "LIST", "show console, feed, schema, or none of them",
      setting: Setting(place: 7) { arguments in
        let panes = arguments.panes.over(arguments.usualPanes).panes
        if panes.isEmpty { return nil }
        let shown = LayoutPane.allCases.filter { panes[$0] == true }
        return shown.isEmpty ? "none" : shown.map(\.rawValue).joined(separator: ",")
      }
    ) { (arguments: inout Arguments, value: String, name: String) throws(ArgumentError) in
      let panes = try Arguments.panes(value, name)
      // A setting yields to what was chosen in an earlier session.
      if name.hasPrefix("-") { arguments.panes = panes } else { arguments.usualPanes = panes }
    },
    Option("once", "print each panel once") {
      (arguments: inout Arguments, _: String, name: String) throws(ArgumentError) in
      try arguments.take(mode: .once, name)
    },
    Option("stream", "print each changed row, until interrupted") {
      (arguments: inout Arguments, _: String, name: String) throws(ArgumentError) in
      try arguments.take(mode: .stream, name)
    },
    Option("rows", "print each changed row of tables, until interrupted") {
      (arguments: inout Arguments, _: String, name: String) throws(ArgumentError) in
      try arguments.take(mode: .rows, name)
    },
    Option("state", value: "FILE", "remember in this file what was printed, and go on from there") {
      (arguments: inout Arguments, value: String, name: String) throws(ArgumentError) in
      arguments.state = try Arguments.file(value, name)
    },
    Option("listen", value: "unix:PATH", "give the lines of --stream to clients of a socket") {
      (arguments: inout Arguments, value: String, name: String) throws(ArgumentError) in
      arguments.listener = try Arguments.socket(value, name)
    },
    Option("table", "print aligned text") {
      (arguments: inout Arguments, _: String, _: String) throws(ArgumentError) in
      try arguments.take(format: .table)
    },
    Option("csv", "print comma-separated values") {
      (arguments: inout Arguments, _: String, _: String) throws(ArgumentError) in
      try arguments.take(format: .csv)
    },
    Option("json", "print JSON") {
      (arguments: inout Arguments, _: String, _: String) throws(ArgumentError) in
      try arguments.take(format: .json)
    },
    Option("ndjson", "print one JSON object a line") {
      (arguments: inout Arguments, _: String, _: String) throws(ArgumentError) in
      try arguments.take(format: .ndjson)
    },
    Option(
      "output", letter: "o", value: "FILE", "write to a file, or a file for each panel to DIR/"
    ) {
      (arguments: inout Arguments, value: String, name: String) throws(ArgumentError) in
      arguments.output = try Arguments.file(value, name)
    },
    Option("panel", value: "NAME", "print one panel, or several") {
      (arguments: inout Arguments, value: String, _: String) in
      if !arguments.panels.contains(value) { arguments.panels.append(value) }
    },
    Option("null", value: "TEXT", "what is printed for NULL") {
      (arguments: inout Arguments, value: String, _: String) in
      arguments.null = value
    },
    Option("count", value: "N", "end after so many changes") {
      (arguments: inout Arguments, value: String, name: String) throws(ArgumentError) in
      arguments.count = try Arguments.integer(value, name, in: 1...Int.max)
    },
    Option("until", value: "SQL", "wait until this query is true") {
      (arguments: inout Arguments, value: String, _: String) in
      arguments.until = value
    },
    Option("timeout", value: "SEC", "give up after so many seconds") {
      (arguments: inout Arguments, value: String, name: String) throws(ArgumentError) in
      arguments.timeout = try Arguments.seconds(value, name)
    },
    Option("exec", value: "CMD", "run a command at each change, with it as JSON on its input") {
      (arguments: inout Arguments, value: String, name: String) throws(ArgumentError) in
      arguments.exec = try Arguments.hook(value, name)
    },
    Option(
      "hook-timeout", value: "SEC", "end a command after so many seconds",
      setting: Setting(place: 13) { seconds($0.hookLimit) }
    ) { (arguments: inout Arguments, value: String, name: String) throws(ArgumentError) in
      arguments.hookLimit = try Arguments.seconds(value, name)
    },
    Option("trust-hooks", "run commands without asking") {
      (arguments: inout Arguments, _: String, _: String) in
      arguments.trustsHooks = true
    },
    Option("fail-on-alert", "end with status 5 when an alert was raised") {
      (arguments: inout Arguments, _: String, _: String) in
      arguments.failsOnAlert = true
    },
    Option("bell", "ring at each alert", setting: Setting(place: 5) { $0.ringsBell ? "on" : "off" })
    { (arguments: inout Arguments, _: String, _: String) in
      arguments.ringsBell = true
    },
    Option("record", value: "FILE", "record what is shown into a file") {
      (arguments: inout Arguments, value: String, name: String) throws(ArgumentError) in
      arguments.recording = try Arguments.file(value, name)
    },
    Option("replay", value: "FILE", "play a recording") {
      (arguments: inout Arguments, value: String, name: String) throws(ArgumentError) in
      arguments.replay = try Arguments.file(value, name)
    },
    Option("speed", value: "N", "how fast to play it") {
      (arguments: inout Arguments, value: String, name: String) throws(ArgumentError) in
      arguments.speed = try Arguments.speed(value, name)
    },
    Option(
      "poll", value: "MS", "look for commits every so many ms as well",
      setting: Setting(place: 8) { milliseconds($0.pollInterval) }
    ) { (arguments: inout Arguments, value: String, name: String) throws(ArgumentError) in
      arguments.pollInterval = try Arguments.milliseconds(value, name, from: 1)
    },
    Option(
      "debounce", value: "MS", "wait so many ms for further commits",
      setting: Setting(place: 9) { milliseconds($0.debounce) }
    ) { (arguments: inout Arguments, value: String, name: String) throws(ArgumentError) in
      arguments.debounce = try Arguments.milliseconds(value, name, from: 0)
    },
    Option(
      "busy-timeout", value: "MS", "wait so many ms for a lock",
      setting: Setting(place: 10) { milliseconds($0.busyTimeout) }
    ) { (arguments: inout Arguments, value: String, name: String) throws(ArgumentError) in
      arguments.busyTimeout = try Arguments.milliseconds(value, name, from: 0)
    },
    Option(
      "query-timeout", value: "MS", "cancel a panel's query after so many ms, 0 for never",
      setting: Setting(place: 11) { milliseconds($0.queryTimeout) }
    ) { (arguments: inout Arguments, value: String, name: String) throws(ArgumentError) in
      arguments.queryTimeout = try Arguments.milliseconds(value, name, from: 0)
    },
    Option(
      "memory", value: "MB", "let queries use so many MB of memory, 0 for any",
      setting: Setting(place: 12) { $0.memory.map(String.init) }
    ) { (arguments: inout Arguments, value: String, name: String) throws(ArgumentError) in
      arguments.memory = try Arguments.integer(value, name, in: 0...1_000_000)
    },
    Option("audit", "run every query as well, and compare") {
      (arguments: inout Arguments, _: String, _: String) throws(ArgumentError) in
      arguments.audits = true
    },
    Option("keys", value: "FILE", "press the keys in a file, and print the screen") {
      (arguments: inout Arguments, value: String, name: String) throws(ArgumentError) in
      arguments.keys = try Arguments.file(value, name)
      try arguments.take(mode: .frame, name)
    },
    Option("frame", value: "WxH", "the size of that screen") {
      (arguments: inout Arguments, value: String, name: String) throws(ArgumentError) in
      arguments.frame = try Arguments.size(value, name)
      try arguments.take(mode: .frame, name)
    },
    Option("check", "say what is wrong with the dashboard") {
      (arguments: inout Arguments, _: String, name: String) throws(ArgumentError) in
      try arguments.take(mode: .check, name)
    },
    Option(
      "color", value: words(ColorChoice.self), "when to use colours",
      setting: Setting(place: 2) { $0.color.rawValue }
    ) { (arguments: inout Arguments, value: String, name: String) throws(ArgumentError) in
      arguments.color = try Arguments.word(value, name)
    },
    Option(
      "theme", value: ThemeFiles.usual.names.joined(separator: "|"), "which colours to use",
      setting: Setting(place: 1) { $0.theme }
    ) { (arguments: inout Arguments, value: String, name: String) throws(ArgumentError) in
      arguments.theme = try Arguments.choice(value, name, among: ThemeFiles.usual.names)
    },
    Option(
      "ascii", "draw with ASCII characters only",
      setting: Setting(place: 3) { $0.isASCII ? "on" : "off" }
    ) { (arguments: inout Arguments, _: String, _: String) in
      arguments.isASCII = true
    },
    Option(
      "no-mouse", "leave the mouse to the terminal",
      setting: Setting(
        "mouse", "whether clicks and the wheel are for the program", isInverse: true, place: 4
      ) { $0.usesMouse ? "on" : "off" }
    ) { (arguments: inout Arguments, _: String, _: String) in
      arguments.usesMouse = false
    },
    Option("config", value: "FILE", "read this configuration file") {
      (arguments: inout Arguments, value: String, name: String) throws(ArgumentError) in
      arguments.configuration = try Arguments.file(value, name)
    },
    Option("print-config", "print the configuration in effect") {
      (arguments: inout Arguments, _: String, _: String) in
      arguments.request = .printConfiguration
    },
    Option(
      "completions", value: words(Completions.Shell.self),
      "print what makes a shell complete these options"
    ) { (arguments: inout Arguments, value: String, name: String) throws(ArgumentError) in
      arguments.request = .completions(try Arguments.word(value, name))
    },
    Option("print-triggers", "print what makes a PostgreSQL server report commits") {
      (arguments: inout Arguments, _: String, _: String) in
      arguments.request = .printTriggers
    },
    Option("help", letter: "h", "print a summary") {
      (arguments: inout Arguments, _: String, _: String) in
      arguments.request = .help
    },
    Option("version", letter: "V", "print the version") {
      (arguments: inout Arguments, _: String, _: String) in
      arguments.request = .version
    },
  ]

  /// The text of `--help`, which fits a screen of 80x24, with a line left for the next prompt.
  static let help = """
    Usage: livequery [OPTIONS] DATABASE [DASHBOARD.sql]
    Panels of SQL over an SQLite file, or postgres://..., fresh after any commit.

      -c, --command SQL       a panel of this query (repeatable)
      -f, --file FILE         a dashboard, - for stdin     --dashboards  ready ones
      -p, --preset NAME       its preset               -r, --read-only  no writing
          --param NAME=VALUE  bind :NAME in every panel (repeatable)
          --panes LIST        console,feed,schema      --check  say what is wrong
          --color WHEN  --theme NAME  --ascii  --no-mouse               appearance
          --config FILE  --print-config  --completions SHELL  --print-triggers
    Printing, instead of a screen:
          --once              each panel once     --stream  each change, as JSON
          --rows [TABLE...]   each changed row of tables     --state FILE  go on
          --table --csv --json --ndjson               the format for --once
      -o, --output FILE       write to FILE           --panel NAME   a panel
          --null TEXT  for NULL  --count N  changes  --listen unix:PATH  socket
          --until SQL         wait until SQL is true  --timeout SEC  then give up
          --keys FILE         press keys, then print  --frame WxH    of this size
    Alerts:  --exec CMD  --trust-hooks  --hook-timeout SEC  --fail-on-alert  --bell
    Timing, in ms:  --poll MS  --debounce MS  --busy-timeout MS  --query-timeout MS
    Record/replay:  --record FILE  --replay FILE  --speed N   --memory MB  --audit
      -h, --help   -V, --version                      more: man livequery
    Exit: 0 done, 1 SQL error, 2 usage, 3 cannot open or busy, 4 timeout, 5 alert
    """
}
