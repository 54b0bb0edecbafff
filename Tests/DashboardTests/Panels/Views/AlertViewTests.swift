import ObservationEngine
import Testing

@testable import Dashboard

@Suite struct AlertViewTests {
  private func state(
    _ view: ViewKind = .number, hook: String? = "./notify.sh", glyphs: GlyphSet = .unicode,
    size: Size = Size(width: 80, height: 24)
  ) throws -> DashboardState {
    var panel = Sample.panel("error rate", view)
    panel.alert = try AlertRule("n > 5")
    panel.onAlert = try hook.map { try HookCommand($0) }
    var state = Sample.state([panel], glyphs: glyphs, console: false, size: size)
    let refresh = Refresh(results: [0: .success(Sample.value(9))])
    _ = reduce(&state, .refreshed(refresh, at: Sample.moment()))
    if let command = panel.onAlert {
      let event = HookEvent.changed(command, panel: "error rate", .exited(0, complaint: ""))
      _ = reduce(&state, .hook(event))
    }
    return state
  }

  private func panel(_ state: DashboardState, width: Int, height: Int) -> String {
    var canvas = Canvas(size: Size(width: width, height: height), glyphs: state.glyphs)
    let context = PanelContext(
      index: 2, isFocused: false, showsDelta: true, moment: Sample.moment(),
      alert: AlertNote(state, panel: 0))
    PanelView.draw(
      state.panels[0], frame: Rect(x: 0, y: 0, width: width, height: height), context: context,
      on: &canvas)
    return canvas.grid.text
  }

  @Test func `a number says beside itself since when it alerts`() throws {
    #expect(
      panel(try state(), width: 38, height: 6) == """
        ╭─┤3 error rate├─────────────┤! > 5├─╮
        │  █▀█              ALERT since 12:04│
        │  ▀▀█                               │
        │  ▀▀▀                               │
        │                   hook: notify.sh ✓│
        ╰────────────────────────────────────╯
        """)
  }

  @Test func `a table says so in its frame`() throws {
    #expect(
      panel(try state(.table), width: 50, height: 4) == """
        ╭─┤3 error rate├─────────────────────────┤! > 5├─╮
        │   n                                            │
        │   9                                            │
        ╰────────┤ALERT since 12:04 · hook: notify.sh ✓├─╯
        """)
  }

  @Test func `what has no room is left out`() throws {
    let text = panel(try state(), width: 20, height: 3)
    #expect(text.contains("ALERT"))
    #expect(!text.contains("hook"))
    let tiny = panel(try state(), width: 9, height: 2)
    #expect(!tiny.contains("ALERT"))
    #expect(panel(try state(), width: 1, height: 1) == "")
  }

  @Test func `without Unicode it is ASCII`() throws {
    let text = panel(try state(glyphs: .ascii), width: 38, height: 6)
    #expect(text.utf8.allSatisfy { $0 < 0x80 })
    #expect(text.contains("hook: notify.sh ok"))
  }

  @Test func `the message line tells of it until it is acknowledged`() throws {
    var state = try state(size: Size(width: 120, height: 24))
    let line =
      " ! panel 1 crossed threshold n > 5 at 12:04:31 · hook ./notify.sh ok (0) · a acknowledge"
    #expect(state.screen().text.contains("\n" + line + "\n"))
    try state.press("j")
    #expect(state.screen().text.contains(line))
    try state.press("a")
    #expect(!state.screen().text.contains("crossed threshold"))
    #expect(state.screen().text.contains("ALERT since 12:04"))
  }

  @Test func `an alert that is over is told of until it is acknowledged`() throws {
    var state = try state(hook: nil, size: Size(width: 120, height: 24))
    let refresh = Refresh(results: [0: .success(Sample.value(1))])
    _ = reduce(&state, .refreshed(refresh, at: Sample.moment(60)))
    let text = state.screen().text
    #expect(
      text.contains("crossed threshold n > 5 at 12:04:31, over at 12:05:31 · a acknowledge"))
    #expect(!text.contains("ALERT since"))
  }

  @Test func `a narrow message line keeps what matters`() throws {
    let state = try state()
    let wide = try #require(AlertLine.message(state, width: 200))
    for width in [60, 70, 90] {
      let text = try #require(AlertLine.message(state, width: width))
      #expect(DisplayText.width(text) <= width)
      #expect(text.hasPrefix("panel 1 crossed threshold n > 5 at 12:04:31"))
      #expect(text.count <= wide.count)
    }
    #expect(AlertLine.message(state, width: 62)?.hasSuffix("a acknowledge") == true)
    #expect(AlertLine.message(state, width: 1)?.isEmpty == false)
  }

  @Test func `a failed hook is marked by a sign, not by colour alone`() throws {
    var state = try state()
    let command = try HookCommand("./notify.sh")
    let event = HookEvent.changed(command, panel: "error rate", .timedOut(.seconds(10)))
    _ = reduce(&state, .hook(event))
    #expect(panel(state, width: 38, height: 6).contains("hook: notify.sh !"))
    #expect(
      AlertLine.message(state, width: 200)?.contains("hook ./notify.sh was killed after 10 s")
        == true)
  }

  @Test(
    arguments: [
      (
        .exited(3, complaint: "curl: (6) Could not resolve host: hooks.example.org"), "failed (3)"
      ),
      (.failed("Exec format error; does it begin with #!/bin/sh?"), "did not start"),
      (
        .skipped("not confirmed; run it once on a terminal to confirm it, or give --trust-hooks"),
        "not run"
      ),
      (.timedOut(.seconds(10)), "killed after 10 s"), (.killed(signal: 15), "killed by signal 15"),
    ] as [(HookStatus, String)])
  func `a failure is told on any line, however much there is to tell`(
    _ status: HookStatus, _ short: String
  ) throws {
    for hook in ["./notify.sh", "./notify.sh --to " + String(repeating: "x", count: 200)] {
      var state = try state(hook: hook)
      let event = HookEvent.changed(try HookCommand(hook), panel: "error rate", status)
      _ = reduce(&state, .hook(event))
      for width in 26...160 {
        let text = try #require(AlertLine.message(state, width: width))
        #expect(DisplayText.width(text) <= width)
        #expect(text.contains("hook"))
        #expect(text.contains(short), "\(width): \(text)")
      }
    }
  }

  @Test func `of a failure that is told at length the end is cut`() throws {
    var state = try state()
    let complaint = "curl: (6) Could not resolve host: hooks.example.org"
    let command = try HookCommand("./notify.sh")
    let event = HookEvent.changed(
      command, panel: "error rate", .exited(3, complaint: complaint))
    _ = reduce(&state, .hook(event))
    #expect(
      AlertLine.message(state, width: 100)
        == "panel 1 crossed threshold n > 5 at 12:04:31 · hook failed (3): curl: (6) Could not … "
        + "· a acknowledge")
    #expect(AlertLine.message(state, width: 76)?.hasSuffix("a acknowledge") == true)
    #expect(state.screen().text.contains("hook failed (3)"))
  }

  @Test func `commands are shown whole before they are confirmed`() throws {
    var state = try state(hook: nil)
    let long = "sh -c '" + String(repeating: "x", count: 100) + "\u{1B}[31m'"
    let request = HookRequest(command: try HookCommand(long), panel: "errors")
    _ = reduce(&state, .hook(.needConfirmation([request])))
    let text = state.screen().text
    #expect(text.contains("┏━┫hooks┣"))
    #expect(text.contains("when panel errors alerts:"))
    #expect(text.contains("? run these commands, now and later?  y / n"))
    #expect(text.contains("␛[31m"))
    #expect(text.filter { $0 == "x" }.count >= 100)
  }

  @Test func `the question fits any screen`() throws {
    for (width, height) in [(1, 1), (5, 200), (20, 3), (500, 3), (30, 6)] {
      var state = try state(hook: nil, size: Size(width: width, height: height))
      let request = HookRequest(command: try HookCommand("./a"), panel: nil)
      _ = reduce(&state, .hook(.needConfirmation([request])))
      _ = state.screen()
    }
  }
}
