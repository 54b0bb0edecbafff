import ObservationEngine
import Testing

@testable import Dashboard

@Suite struct AlertReducerTests {
  private func state(hook: String? = "./notify.sh") throws -> DashboardState {
    var panel = Sample.panel("errors", .number)
    panel.alert = try AlertRule("n > 5 until n < 4")
    panel.onAlert = try hook.map { try HookCommand($0) }
    var other = Sample.panel("queue", .number)
    other.alert = try AlertRule("n > 5")
    return Sample.state([panel, other])
  }

  private func refresh(_ numbers: [Int: Int64], _ ordinal: Int = 1) -> Action {
    .refreshed(
      Refresh(
        results: numbers.mapValues { .success(Sample.value(.integer($0))) }, ordinal: ordinal),
      at: Sample.moment())
  }

  @Test func `an alert rings and calls its hook with the report`() throws {
    var state = try state()
    let effects = reduce(&state, refresh([0: 6], 3))
    let command = try HookCommand("./notify.sh")
    let report = """
      {"alert":"raised","panel":"errors","condition":"n > 5","tx":3,\
      "ts":"2026-11-20T12:04:31.204000Z","database":"arena.sqlite","rows":1,"matching":1,\
      "new":{"n":6}}

      """
    #expect(
      effects == [.ring, .hooks(.run(HookCall(command: command, panel: "errors", input: report)))])
    #expect(state.alerts.board["errors"].hook == .waiting)
    #expect(reduce(&state, refresh([0: 7])) == [])
  }

  @Test func `a recording calls no hook`() throws {
    var state = try state()
    _ = reduce(&state, .replayed(ReplayProgress(played: 1, count: 2)))
    #expect(reduce(&state, refresh([0: 6])) == [.ring])
    #expect(state.alerts.board["errors"].hook == nil)
  }

  @Test func `alerts that come together ring once`() throws {
    var state = try state(hook: nil)
    #expect(reduce(&state, refresh([0: 6, 1: 6])) == [.ring])
  }

  @Test func `an alert that ends has no effect`() throws {
    var state = try state()
    _ = reduce(&state, refresh([0: 6]))
    #expect(reduce(&state, refresh([0: 1])) == [])
    #expect(!state.alerts.board["errors"].isRaised)
  }

  @Test func `a paused display goes on to alert`() throws {
    var state = try state(hook: nil)
    _ = reduce(&state, refresh([0: 1]))
    try state.press(" ")
    #expect(state.isPaused)
    #expect(reduce(&state, refresh([0: 6])) == [.ring])
    #expect(state.alerts.board["errors"].isRaised)
  }

  @Test func `a acknowledges what the message line shows, one after the other`() throws {
    var state = try state(hook: nil)
    _ = reduce(&state, refresh([0: 6, 1: 6]))
    #expect(state.shownAlert == 0)
    try state.press("2")
    #expect(state.shownAlert == 1)
    #expect(try state.press("a") == [])
    #expect(state.shownAlert == 0)
    try state.press("a")
    #expect(state.shownAlert == nil)
    #expect(state.alerts.board["errors"].isRaised)
    try state.press("a")
    #expect(state.message?.text == "no alert to dismiss")
  }

  @Test func `hooks are asked about before anything else`() throws {
    var state = try state()
    let request = HookRequest(
      command: try HookCommand("./notify.sh"), panel: "errors")
    #expect(reduce(&state, .hook(.needConfirmation([request]))) == [])
    #expect(state.modes.question == .confirmHooks)
    #expect(try state.press("xq") == [])
    #expect(try state.press("y") == [.hooks(.confirm(true, [request]))])
    #expect(state.modes.question == nil)
    #expect(state.alerts.asked == [])
  }

  @Test(arguments: ["n", "<Esc>", "<Enter>", "<C-c>"])
  func `whoever does not say yes says no`(_ key: String) throws {
    var state = try state()
    let request = HookRequest(command: try HookCommand("./notify.sh"), panel: nil)
    _ = reduce(&state, .hook(.needConfirmation([request])))
    #expect(try state.press(key) == [.hooks(.confirm(false, [request]))])
    #expect(state.message?.text == "hooks do not run in this session")
  }

  @Test func `questions wait for each other, and none takes another's answer`() throws {
    var state = try state()
    let requests = [HookRequest(command: try HookCommand("old"), panel: "errors")]
    try state.press("c")
    _ = reduce(&state, .console(.needsConfirmation(question: "sure?", sql: "DELETE FROM t;")))
    _ = reduce(&state, .hook(.needConfirmation(requests)))
    // The answer to the first is none to the second, even if it was typed twice.
    #expect(try state.press("yy").contains(.console(.run(sql: "DELETE FROM t;"))))
    #expect(state.modes.question == nil)
    try state.press("<Esc>")
    #expect(state.modes.question == .confirmHooks)
    // The file is saved with other commands before the answer.
    let others = [HookRequest(command: try HookCommand("new"), panel: "errors")]
    _ = reduce(&state, .hook(.needConfirmation(others)))
    #expect(try state.press("y") == [.hooks(.confirm(true, others))])
    #expect(state.modes.question == nil)
  }

  @Test(arguments: [("c", "select y", "<Esc>"), ("/", "y", "<Enter>"), (":", "y", "<Esc>")])
  func `hooks are not asked about in the middle of a text`(
    _ start: String, _ text: String, _ end: String
  ) throws {
    var state = try state()
    try state.press("1" + start)
    _ = reduce(
      &state,
      .hook(.needConfirmation([HookRequest(command: try HookCommand("new"), panel: "errors")])))
    #expect(state.modes.question == nil)
    if start != "/", start != ":" {
      #expect(state.screen().text.contains("would run commands"))
    }
    #expect(try !state.press(text).contains { if case .hooks = $0 { true } else { false } })
    #expect(state.modes.question == nil)
    try state.press(end)
    #expect(state.modes.question == .confirmHooks)
  }

  @Test func `a yes right behind the key that ended a text is none`() throws {
    var state = try state()
    try state.press("1/ab")
    let requests = [HookRequest(command: try HookCommand("new"), panel: "errors")]
    _ = reduce(&state, .hook(.needConfirmation(requests)))
    #expect(reduce(&state, .key(.enter)) == [])
    #expect(state.modes.question == .confirmHooks)
    #expect(reduce(&state, .key(.character("y"))) == [])
    #expect(state.modes.question == .confirmHooks)
    #expect(try state.press("y") == [.hooks(.confirm(true, requests))])
  }

  @Test func `commands that are gone are not asked about`() throws {
    var state = try state()
    try state.press("c")
    let requests = [HookRequest(command: try HookCommand("new"), panel: "errors")]
    _ = reduce(&state, .hook(.needConfirmation(requests)))
    _ = reduce(&state, .hook(.needConfirmation([])))
    try state.press("<Esc>")
    #expect(state.modes.question == nil)
    _ = reduce(&state, .hook(.needConfirmation(requests)))
    #expect(state.modes.question == .confirmHooks)
    _ = reduce(&state, .hook(.needConfirmation([])))
    #expect(state.modes.question == nil)
  }

  @Test func `what becomes of an alert's hook stands with the alert`() throws {
    var state = try state()
    _ = reduce(&state, refresh([0: 6]))
    let command = try HookCommand("./notify.sh")
    _ = reduce(&state, .hook(.changed(command, panel: "errors", .exited(0, complaint: ""))))
    #expect(state.alerts.board["errors"].hook == .exited(0, complaint: ""))
    #expect(state.message == nil)
  }

  @Test func `a failure of the command for every change is a message`() throws {
    var state = try state()
    let command = try HookCommand("./each")
    _ = reduce(&state, .hook(.changed(command, panel: nil, .running)))
    _ = reduce(&state, .hook(.changed(command, panel: nil, .exited(0, complaint: ""))))
    #expect(state.message == nil)
    _ = reduce(&state, .hook(.changed(command, panel: nil, .exited(3, complaint: "no network"))))
    #expect(state.message == Message("hook ./each failed (3): no network", .warning))
  }

  @Test(
    arguments: [
      (.waiting, "waits"), (.running, "runs"), (.exited(0, complaint: ""), "ok (0)"),
      (.exited(2, complaint: ""), "failed (2)"), (.exited(2, complaint: "x"), "failed (2): x"),
      (.killed(signal: 9), "was killed by signal 9"), (.failed("gone"), "did not start: gone"),
      (.timedOut(.seconds(10)), "was killed after 10 s"), (.skipped("x"), "not run: x"),
    ] as [(HookStatus, String)])
  func `every end of a hook has its words`(_ status: HookStatus, _ text: String) {
    #expect(status.text == text)
  }
}
