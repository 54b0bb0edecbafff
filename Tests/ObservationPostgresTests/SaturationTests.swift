import Testing

@testable import ObservationPostgres

struct SaturationTests {
  private static let millisecond: UInt64 = 1_000_000

  /// Refreshes of three commits each, so many milliseconds after the pause of the one before.
  private func refreshes(_ count: Int, after gap: UInt64, ranAll: Bool = true) -> [Bool] {
    var saturation = Saturation()
    var pauseEnded: UInt64 = 10 * Self.millisecond
    return (1...count).map { _ in
      let began = pauseEnded + gap * Self.millisecond
      defer { pauseEnded = began + 10 * Self.millisecond }
      return saturation.note(began: began, pauseEnded: pauseEnded, ranAll: ranAll, commits: 3)
    }
  }

  @Test func `it takes a second of refreshes without a pause, and many commits`() {
    #expect(refreshes(200, after: 0).firstIndex(of: true) == 101)
    #expect(refreshes(30, after: 0).allSatisfy { !$0 })
  }

  @Test func `commits that come with pauses are none, however many they become`() {
    #expect(refreshes(1_000, after: 5).allSatisfy { !$0 })
  }

  @Test func `neither are those that don't concern every query`() {
    #expect(refreshes(1_000, after: 0, ranAll: false).allSatisfy { !$0 })
  }

  @Test func `one pause begins it anew`() {
    var saturation = Saturation()
    var found: [Int] = []
    for step in 0..<300 {
      let began = UInt64(step) * 10 * Self.millisecond
      let waited = step == 90 ? 6 * Self.millisecond : 0
      if saturation.note(
        began: began, pauseEnded: began - min(began, waited), ranAll: true, commits: 3)
      {
        found.append(step)
      }
    }
    #expect(found.first == 192)
  }
}

struct SteadyPauseTests {
  private func lengths(_ commits: [Int]) -> [UInt64] {
    var pause = SteadyPause()
    return commits.map {
      pause.note(commits: $0)
      return pause.length / 1_000_000
    }
  }

  @Test func `it doubles while each refresh finds several commits, up to a limit`() {
    #expect(lengths([1, 2, 9, 3, 2, 2, 2, 2, 2]) == [0, 1, 2, 4, 8, 16, 32, 50, 50])
  }

  @Test func `one commit ends it, and none changes nothing`() {
    #expect(lengths([2, 2, 0, 0, 1, 0, 2]) == [1, 2, 2, 2, 0, 0, 1])
  }
}
