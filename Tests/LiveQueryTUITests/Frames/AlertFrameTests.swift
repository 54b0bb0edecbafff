import Glibc
import TestSupport
import Testing

/// Alerts, hooks, export and recordings on a screen that nobody sees.
@Suite(.fewAtOnce) struct AlertFrameTests {
  private static func playground(hook: String = "./hook.sh") async throws -> (Playground, String) {
    let playground = try await Playground("CREATE TABLE t (n INT); INSERT INTO t VALUES (6), (7);")
    try playground.folder.writeScript("cat > got", to: "hook.sh")
    let dashboard = try playground.folder.write(
      """
      -- name: errors
      -- title: error rate
      -- view: number
      -- alert: rate > 5% until rate < 4%
      -- on-alert: \(hook)
      SELECT sum(n) / 200.0 AS rate FROM t;

      -- name: all
      SELECT n, n * n AS square FROM t ORDER BY n;
      """, to: "d.sql")
    return (playground, dashboard)
  }

  @Test func `a hook is shown before it runs, and runs after a yes`() async throws {
    let (playground, dashboard) = try await Self.playground()
    let asked = try await Frame(on: playground, dashboard: [dashboard])
    #expect(asked.shows("┏━┫hooks┣"))
    #expect(asked.shows("when panel errors alerts:"))
    #expect(asked.shows("./hook.sh"))
    #expect(asked.shows(" ? Trust this dashboard's commands?  y / n"))
    #expect(!playground.folder.names.contains("got"))

    let run = try await Frame(
      "y<wait>", size: "120x24", on: playground, dashboard: [dashboard])
    #expect(run.shows("┫! > 5%┣"))
    #expect(run.shows("ALERT since "))
    #expect(run.shows("hook: hook.sh ✓"))
    #expect(
      run.shows(
        " ! error rate: rate > 5% (now ", " · hook ./hook.sh ok (0) · a to dismiss"))
    #expect(try playground.folder.text("got").contains("\"new\":{\"rate\":0.065"))
  }

  @Test func `a command that was not in view does not run`() async throws {
    let playground = try await Playground("CREATE TABLE t (n INT);")
    let hooks = (1...12).map { $0 < 12 ? "./ok.sh \($0)" : "sh -c 'echo EVIL > evil'" }
    let dashboard = try playground.folder.write(
      hooks.enumerated().map { index, hook in
        """
        -- name: p\(index + 1)
        -- alert: n >= 0
        -- on-alert: \(hook)
        SELECT count(*) AS n FROM t;
        """
      }.joined(separator: "\n\n"), to: "d.sql")
    let hasty = try await Frame("y<wait>", on: playground, dashboard: [dashboard])
    #expect(hasty.shows("not yet, 9 more lines"))
    #expect(!playground.folder.names.contains("evil"))
    let careful = try await Frame("<PgDn>", on: playground, dashboard: [dashboard])
    #expect(careful.shows("echo EVIL"))
    #expect(!playground.folder.names.contains("evil"))
    _ = try await Frame("<PgDn>y<wait>", on: playground, dashboard: [dashboard])
    #expect(playground.folder.names.contains("evil"))
  }

  @Test func `a hook that is refused does not run`() async throws {
    let (playground, dashboard) = try await Self.playground()
    let frame = try await Frame("n<wait>", size: "160x24", on: playground, dashboard: [dashboard])
    #expect(frame.shows("hooks do not run in this session"))
    let next = try await Frame("n<wait>j", size: "160x24", on: playground, dashboard: [dashboard])
    #expect(next.shows("hook ./hook.sh not run: refused in this session"))
    #expect(!playground.folder.names.contains("got"))
  }

  @Test func `a acknowledges, and the panel still says so`() async throws {
    let (playground, dashboard) = try await Self.playground()
    let frame = try await Frame(
      "a", options: ["--trust-hooks"], on: playground, dashboard: [dashboard])
    #expect(!frame.shows("(now "))
    #expect(frame.shows("ALERT since "))
  }

  @Test func `a hook that hangs is told on the screen`() async throws {
    let (playground, dashboard) = try await Self.playground(hook: "sleep 1000")
    let frame = try await Frame(
      size: "120x24", options: ["--trust-hooks", "--hook-timeout", "0.1"], on: playground,
      dashboard: [dashboard])
    #expect(frame.shows("hook sleep 1000 was killed after 100 ms"))
    #expect(frame.shows("hook: sleep !"))
  }

  @Test func `with --fail-on-alert the status tells when the person leaves`() async throws {
    let (playground, dashboard) = try await Self.playground()
    let keys = try playground.folder.write("q", to: "keys")
    let result = try await LiveQuery.run(
      "--keys", keys, "--trust-hooks", "--fail-on-alert", playground.database, dashboard)
    #expect(result.status == 5)
  }

  @Test func `--exec runs for each change of a panel, after a yes`() async throws {
    let (playground, _) = try await Self.playground()
    let got = playground.folder.path("got")
    let frame = try await Frame(
      "yc<wait>delete from t where n = 7;<Enter><wait>",
      options: [
        "--exec", "sh -c 'cat > \"$0\"' \(got)",
      ], on: playground, dashboard: ["-c", "SELECT count(*) AS n FROM t"])
    #expect(frame.shows("sql>"))
    #expect(
      try playground.folder.text("got").contains("\"src\":\"me\",\"panel\":\"panel1\",\"op\":\"~\"")
    )
  }

  @Test func `x writes the rows as they are shown to a new file`() async throws {
    let (playground, dashboard) = try await Self.playground()
    let prompt = try await Frame(
      "n2x", on: playground, dashboard: [dashboard])
    #expect(prompt.shows(" export to all.csv  Enter write  Tab csv, json, md, ndjson  Esc"))
    let path = playground.folder.path("rows.md")
    let written = try await Frame(
      "n2/7<Enter>x<C-u>\(path)<Enter><wait>", size: "160x24", on: playground,
      dashboard: [dashboard])
    #expect(written.shows("1 row written to \(path) (51 B)"))
    #expect(
      try playground.folder.text("rows.md")
        == "|   n | square |\n| --: | -----: |\n|   7 |     49 |\n")
    let again = try await Frame(
      "n2x<C-u>\(path)<Enter><wait>", size: "160x24", on: playground, dashboard: [dashboard])
    #expect(again.shows("! \(path) exists; choose another name"))
    #expect(
      try playground.folder.text("rows.md").hasSuffix("|   7 |     49 |\n"))
  }

  @Test func `a file that cannot be made is told in the line`() async throws {
    let (playground, dashboard) = try await Self.playground()
    let frame = try await Frame(
      "n2x<C-u>/nowhere/a.csv<Enter><wait>", size: "120x24", on: playground,
      dashboard: [dashboard])
    #expect(frame.shows("export to /nowhere/a.csv  ! /nowhere/a.csv: No such file or directory"))
  }

  @Test func `without a terminal there is no clipboard`() async throws {
    let (playground, dashboard) = try await Self.playground()
    let frame = try await Frame("n2y", on: playground, dashboard: [dashboard])
    #expect(frame.shows("! there is no clipboard without a terminal"))
  }
}
