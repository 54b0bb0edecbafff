import TestSupport
import Testing

/// Stepping through time, and opening a line of the feed, by scripted keys.
@Suite(.fewAtOnce) struct TimeFrameTests {
  private func frame(_ keys: String) async throws -> Frame {
    let playground = try await Playground(
      "CREATE TABLE t (v INTEGER); INSERT INTO t VALUES (1);", journal: "wal")
    let commits =
      "cUPDATE t SET v = 2 WHERE v = 1;<Enter><wait>UPDATE t SET v = 3 WHERE v = 2;<Enter><wait><Esc>"
    return try await Frame(
      commits + keys, on: playground, dashboard: ["-c", "SELECT v AS value FROM t"])
  }

  @Test func `the panel shows what it showed before, and what is live again`() async throws {
    let live = try await frame("")
    #expect(live.shows("● LIVE", "tx 2"))
    let back = try await frame(",")
    #expect(back.shows("‖ PAUSED  −1", "tx 1"))
    #expect(back.shows("‖ frame 2 of 3 · tx 1 at", "1 newer · , back  . forward  0 live"))
    let again = try await frame(",,0")
    #expect(again.text.contains("● LIVE"))
  }

  @Test func `Enter on a line of the feed tells what the commit changed`() async throws {
    let frame = try await frame("3j<Enter>")
    #expect(frame.shows("┫tx 1┣"))
    #expect(frame.shows("by", "me: this program"))
    #expect(frame.shows("source", "row hooks"))
    #expect(frame.shows("~ value 1 → 2"))
  }
}
