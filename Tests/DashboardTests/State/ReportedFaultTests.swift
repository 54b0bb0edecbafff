import Glibc
import ObservationEngine
import Testing

@testable import Dashboard

/// What users reported as wrong once, and the tests that keep it away.
@Suite struct ReportedFaultTests {
  private static let kept: [(fault: String, tests: [String])] = [
    (
      "row counts of tables with capital letters stood still in the schema",
      ["a table is counted again in whatever case a commit names it"]
    ),
    (
      "the feed wrote names of tables in lower case",
      ["commits name tables as they are declared", "a narrow feed names the tables"]
    ),
    (
      "the clock next to LIVE stood still",
      ["beside LIVE it is the time of day, and ticks each second"]
    ),
    (
      "ticks of the y axis were at uneven distances",
      ["neighbouring ticks are the same number of rows apart, at every height"]
    ),
    ("s sorted by a hidden column", ["s sorts by the columns that are shown"]),
    (
      "one NULL or a negative number turned bars into a table",
      [
        "a number that is NULL at present leaves the view as it is",
        "labels with numbers are bars on both sides of zero",
      ]
    ),
    (
      "the title of a dashboard was never shown",
      ["the title of a dashboard is in the first line, or else the name of its file"]
    ),
    (
      "the feed left out panels that were refreshed later, and so did the latency",
      [
        "a slow panel stands in the line of the commit that its result was awaited since",
        "a commit that a slow panel follows counts when that is drawn",
      ]
    ),
    (
      "--until without a dashboard printed all tables",
      ["a condition that holds is all there is to say"]
    ),
    (
      "of several --panel only the last was printed, and as CSV tables without names",
      [
        "several panels are printed in the order in which they are chosen",
        "several panels as CSV are refused with the remedies, or are files of a folder",
      ]
    ),
    (
      "the chooser of columns named other keys than its own, and g and G did not move in the help",
      [
        "the last line names the keys of the chooser of columns",
        "g and G go to the ends of what is in front",
      ]
    ),
    (
      "a panel of a long table said \"top 1 of 100\", its hidden limit",
      ["only rows around the view are held, and the frame tells of all"]
    ),
    ("p was called preset where it turns pages", ["pages are turned by a key that is named"]),
    (
      "after a failed :save its text stayed, and what was typed next became part of it",
      ["what is typed after a failed command is no part of it"]
    ),
    (
      "real numbers had 18 digits in JSON, and others in CSV",
      ["a real number has the same fewest digits in every format"]
    ),
    ("hidden columns were exported", ["rows are copied and exported as they are shown"]),
    (
      "differences had other formats than their column",
      ["a difference is written as its column is"]
    ),
    ("a table that was created later had no panel", ["a table that is created appears"]),
  ]

  @Test func `each fault has its tests`() throws {
    // From this file up to the folder of all tests.
    let folder = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3)
      .joined(separator: "/")
    var names: Set<Substring> = []
    for file in Self.files(in: folder) where file.hasSuffix(".swift") {
      let text = try #require(Self.text(of: file))
      for line in text.split(separator: "\n") where line.contains("func `") {
        let parts = line.split(separator: "`", omittingEmptySubsequences: false)
        if parts.count > 1 { names.insert(parts[1]) }
      }
    }
    for (fault, tests) in Self.kept {
      for test in tests { #expect(names.contains(Substring(test)), "\(fault): \(test)") }
    }
  }

  @Test func `s sorts by the columns that are shown`() throws {
    var panel = Sample.panel("p", .table)
    var hidden = ColumnFormat()
    hidden.isHidden = true
    panel.formats = [ColumnFormatting(column: "id", format: hidden)]
    var state = Sample.state([panel])
    let rows = RowSet(columns: ["id", "name", "n"], rows: [[1, "b", 2], [2, "a", 3]])
    state.deliver([0: rows])
    var sorted: [Int?] = []
    for _ in 1...3 {
      try state.press("s")
      sorted.append(state.panels[0].sort?.column)
    }
    #expect(sorted == [1, 2, nil])
  }

  @Test func `the title of a dashboard is in the first line, or else the name of its file`() {
    let cases: [(title: String?, shown: String)] = [
      ("Northwind sales", "dashboard Northwind sales"), (nil, "dashboard a.sql"),
    ]
    for (title, shown) in cases {
      var state = DashboardState(
        definition: DashboardDefinition(title: title, panels: [Sample.panel("p")]),
        databaseName: "nw.db", dashboardName: "a.sql", now: Sample.moment())
      _ = reduce(&state, .resized(Size(width: 120, height: 40)))
      #expect(state.screen().text.prefix(120).contains(shown))
    }
  }

  @Test func `the last line names the keys of the chooser of columns`() throws {
    var state = Sample.state([Sample.panel("p", .table)])
    state.deliver([0: Sample.scores(["ada": 1])])
    try state.press("<lt>")
    let hints = state.screen().text.split(separator: "\n").last
    for hint in ["j k choose", "Spc show/hide", "< > move", "0 reset", "Esc close"] {
      #expect(hints?.contains(hint) == true, "\(hints ?? "")")
    }
  }

  @Test func `g and G go to the ends of what is in front`() throws {
    var state = Sample.state([Sample.panel("p", .table)])
    let count = HelpSection.lines(state).count
    try state.press("?G")
    #expect(state.screen().text.contains("-\(count) of \(count)"))
    try state.press("g")
    #expect(state.screen().text.contains("┫1-"))
  }

  // MARK: Files

  private static func files(in folder: String) -> [String] {
    guard let stream = opendir(folder) else { return [] }
    defer { closedir(stream) }
    var found: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      guard !name.hasPrefix(".") else { continue }
      let path = "\(folder)/\(name)"
      found += entry.pointee.d_type == UInt8(DT_DIR) ? files(in: path) : [path]
    }
    return found
  }

  private static func text(of path: String) -> String? {
    guard let file = fopen(path, "r") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while case let count = fread(&buffer, 1, buffer.count, file), count > 0 {
      bytes += buffer[..<count]
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
