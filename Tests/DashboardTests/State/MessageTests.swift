import ObservationEngine
import Testing

@testable import Dashboard

/// How long the message line says what it says, and what it gives way to.
@Suite struct MessageTests {
  private func state() throws -> DashboardState {
    var panel = Sample.panel("errors", .number)
    panel.alert = try AlertRule("n > 5")
    return Sample.state([panel])
  }

  private func line(_ state: DashboardState) -> String {
    let lines = state.screen().text.split(separator: "\n", omittingEmptySubsequences: false)
    return String(lines[lines.count - 4]) + String(lines[lines.count - 3])
  }

  @Test func `a notice is gone after a while, though nobody presses a key`() throws {
    var state = try state()
    _ = reduce(&state, .message("read again", .notice))
    let end = try #require(state.changesAt)
    #expect(end == Sample.moment(10).monotonic)
    _ = reduce(&state, .ticked(Sample.moment(9.9)))
    #expect(line(state).contains("read again"))
    _ = reduce(&state, .ticked(Sample.moment(10)))
    #expect(!line(state).contains("read again"))
    #expect(state.changesAt == nil)
  }

  @Test func `an old warning gives way to what is wrong, an error to a key`() throws {
    var state = try state()
    let refresh = Refresh(results: [
      0: .failure(DatabaseError(code: .error, message: "no such table"))
    ])
    _ = reduce(&state, .refreshed(refresh, at: Sample.moment()))
    _ = reduce(&state, .message("cut off", .warning))
    _ = reduce(&state, .ticked(Sample.moment(9)))
    #expect(line(state).contains("cut off"))
    _ = reduce(&state, .ticked(Sample.moment(10)))
    #expect(line(state).contains("no such table"))
    state.deliver([0: Sample.value(.integer(1))], ordinal: 2, at: 11)
    #expect(line(state).contains("cut off"))
    _ = reduce(&state, .message("the file is gone", .error))
    #expect(state.changesAt == nil)
    _ = reduce(&state, .ticked(Sample.moment(100_000)))
    #expect(line(state).contains("the file is gone"))
    try state.press("j")
    #expect(!line(state).contains("the file is gone"))
  }

  @Test func `a dashboard that is wrong is told in place of an older message`() throws {
    var state = try state()
    _ = reduce(&state, .message("d.sql read again: 12 panels", .notice))
    _ = reduce(&state, .dashboardRejected("d.sql:61:1: error: incomplete"))
    #expect(line(state).contains("! d.sql:61:1: error: incomplete"))
    // The panels stay as they are: so does what is said of them.
    _ = reduce(&state, .dashboardRejected(nil))
    _ = reduce(&state, .message("d.sql read again: 12 panels", .notice))
    #expect(line(state).contains("read again"))
  }

  @Test func `an alert is told in place of an older message`() throws {
    var state = try state()
    state.deliver([0: Sample.value(.integer(1))])
    _ = reduce(&state, .message("d.sql read again: 12 panels", .notice))
    state.deliver([0: Sample.value(.integer(6))], ordinal: 2)
    #expect(line(state).contains("> 5"))
    #expect(!line(state).contains("read again"))
  }
}
