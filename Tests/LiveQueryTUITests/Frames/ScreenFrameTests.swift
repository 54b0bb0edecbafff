import TestSupport
import Testing

/// Whole runs of the program on a screen that nobody sees: panels, sizes, and what keys do to them.
@Suite(.fewAtOnce) struct ScreenFrameTests {
  @Test func `a small screen shows every panel, console and feed`() async throws {
    let frame = try await Frame()
    #expect(frame.lines.count == 24)
    #expect(frame.widths.allSatisfy { $0 <= 80 })
    #expect(frame.shows(" livequery  app.db  WAL rw", "● LIVE", "tx 0"))
    #expect(frame.shows("━┫1 hall of fame┣", "┫top 8 of 15", "─┤2 players├"))
    #expect(frame.shows("┃  1     ada        98 389     140      ┃"))
    #expect(frame.shows("3 matches ove…"))
    #expect(frame.shows("[█▉     │      ]"))
    #expect(frame.shows("4 matches per hour"))
    // Beside the title: the line below is that of other panels.
    #expect(frame.shows("4 matches per hour├─┤● med  ○ oth├"))
    #expect(frame.shows("│ dust ", "2 016", "│"))
    #expect(frame.shows("3976   keep   26 min 44 s"))
    #expect(frame.shows("7 SQL", "autocommit", "8 transactions", "live"))
    #expect(frame.lines.last?.hasPrefix(" ?help  Tab focus  1-") == true)
  }

  @Test func `a large screen shows more of everything`() async throws {
    let frame = try await Frame(size: "160x48")
    #expect(frame.lines.count == 48)
    #expect(frame.widths.allSatisfy { $0 <= 160 })
    #expect(frame.shows("WAL · rw", "dashboard arena  ", "● LIVE"))
    #expect(frame.shows("15     alan", "75 144"))
    #expect(frame.shows("dust  ▇▇", "2 016  42 %"))
  }

  @Test func `a screen without room shows a panel a page`() async throws {
    let frame = try await Frame("<Tab>", size: "40x10")
    #expect(frame.lines.count == 10)
    #expect(frame.widths.allSatisfy { $0 <= 40 })
    #expect(frame.shows("page 2/6"))
    #expect(frame.shows("2 players"))
  }

  @Test(arguments: [("20x5", "hall of fame"), ("20x1", "98 389"), ("1x1", "…"), ("29x40", "hall")])
  func `a tiny screen shows one number`(_ size: String, _ text: String) async throws {
    let frame = try await Frame(size: size)
    let parts = size.split(separator: "x").compactMap { Int($0) }
    #expect(frame.lines.count == parts[1])
    #expect(frame.widths.allSatisfy { $0 <= parts[0] })
    #expect(frame.lines[0].hasPrefix(text))
  }

  @Test func `with --ascii nothing is drawn beyond ASCII`() async throws {
    let playground = try await Playground(
      "CREATE TABLE t (name TEXT, n INT); INSERT INTO t VALUES ('a', 1), ('b', 2);")
    let frame = try await Frame(
      options: ["--ascii"], on: playground,
      dashboard: ["-c", "SELECT * FROM t", "-c", "SELECT 42", "-c", "SELECT n, n FROM t"])
    #expect(frame.text.utf8.allSatisfy { $0 < 0x80 })
    #expect(frame.shows("#=[1 panel1]="))
    #expect(frame.shows("####"))
    #expect(frame.shows("* LIVE"))
  }

  @Test func `the focus is framed, and zoom fills the screen with it`() async throws {
    let focused = try await Frame("<Tab><Tab><Tab><Tab>")
    #expect(focused.shows("━┫5 games by map┣"))
    #expect(focused.shows("─┤1 hall of fame├"))
    let zoomed = try await Frame("5z")
    #expect(zoomed.shows("━┫5 games by map┣"))
    #expect(zoomed.shows("lab", "14"))
    #expect(!zoomed.shows("hall of fame"))
    let back = try await Frame("5zz")
    #expect(back.shows("─┤1 hall of fame├"))
  }

  @Test func `a filter keeps the rows that contain a text, until Escape`() async throws {
    let filtered = try await Frame("/kEn<Enter>")
    #expect(filtered.shows("1 hall of fame /kEn", "1 of 15"))
    #expect(filtered.shows("10     ken        83 441"))
    #expect(!filtered.shows("98 389"))
    let cleared = try await Frame("/ken<Enter><Esc>")
    #expect(cleared.shows("98 389"))
  }

  @Test func `rows are sorted by a column, and turned round`() async throws {
    func order(_ frame: Frame) -> [Substring] {
      frame.lines.filter { $0.hasPrefix("┃ ") }.compactMap { line in
        let words = line.split(separator: " ")
        return words.count > 2 && Int(words[1]) != nil ? words[2] : nil
      }
    }
    let byName = order(try await Frame("s"))
    #expect(byName.prefix(3) == ["ada", "alan", "barbara"])
    let reversed = order(try await Frame("sS"))
    #expect(reversed.prefix(2) == ["tony", "radia"])
    let original = order(try await Frame("sss<Esc>"))
    #expect(original.prefix(3) == ["ada", "grace", "linus"])
  }

  @Test func `the row under the cursor is inspected`() async throws {
    let frame = try await Frame("jj<Enter>")
    #expect(frame.shows("┫row 2 of 15┣"))
    #expect(frame.shows("player", "grace"))
    #expect(frame.shows("score", "97840", "(97 840)"))
  }

  @Test func `help lies over the panels`() async throws {
    let frame = try await Frame("?")
    #expect(frame.shows("┫help┣"))
    #expect(frame.shows("filter the rows while typing"))
    let closed = try await Frame("?<Esc>")
    #expect(!closed.shows("┫help┣"))
  }

  @Test func `a paused display says so`() async throws {
    let frame = try await Frame("<Space>")
    #expect(frame.shows("PAUSED"))
    #expect(!frame.shows("LIVE"))
  }

  @Test func `without a dashboard there is the explorer`() async throws {
    let frame = try await Frame("/players<Enter><wait>", size: "120x40", dashboard: [])
    #expect(frame.shows("1 tables", "2 players"))
    #expect(frame.shows("mal␛]0;owned␇␛[2J␍"))
    #expect(!frame.text.utf8.contains(0x1b))
  }

  @Test func `a panel that fails says why in its place`() async throws {
    let playground = try await Playground(Fixture.counter)
    let frame = try await Frame(
      on: playground, dashboard: ["-c", "SELECT abs(-9223372036854775807 - 1)", "-c", "SELECT 7"])
    #expect(frame.shows("panel1", "error"))
    #expect(frame.shows("integer overflow"))
    #expect(frame.shows("2 panel2"))
  }

  @Test(
    arguments: [
      "SELECT replace(hex(zeroblob(500000)), '0', 'y') AS long, 1 AS n",
      "SELECT \((1...2000).map { "\($0) AS c\($0)" }.joined(separator: ","))",
      "SELECT zeroblob(1000000) AS data, 1 AS n",
    ])
  func `the largest results fit the smallest and the largest screens`(
    _ query: String
  ) async throws {
    for size in ["1x1", "20x5", "80x24", "1000x50"] {
      let frame = try await Frame("llll<Enter>", size: size, dashboard: ["-c", query])
      let width = Int(size.split(separator: "x")[0]) ?? 0
      #expect(frame.widths.allSatisfy { $0 <= width })
    }
  }

  @Test func `an unknown key is refused with its line`() async throws {
    let playground = try await Playground()
    let script = try playground.folder.write("jj\n<bogus>", to: "keys")
    let result = try await LiveQuery.run("--keys", script, playground.database, "-c", "SELECT 1")
    #expect(result.status == 2)
    #expect(
      result.errors
        == "livequery: \(script): line 2: <bogus> is not a key; write <lt> for a plain <\n")
  }
}
