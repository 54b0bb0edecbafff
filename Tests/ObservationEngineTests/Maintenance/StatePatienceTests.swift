import Testing

@testable import ObservationEngine

struct StatePatienceTests {
  /// How often a query runs before its state is read.
  private func runs(_ patience: StatePatience, isSmall: Bool = false) -> Int {
    var patience = patience
    var runs = 0
    repeat {
      patience.noteRun()
      runs += 1
    } while !patience.isOver(isSmall: isSmall) && runs < 10_000
    return runs
  }

  @Test func `a state is read for what runs again, and for what takes little time a run later`() {
    #expect(runs(StatePatience()) == 2)
    #expect(runs(StatePatience(), isSmall: true) == 3)
  }

  @Test(arguments: [false, true])
  func `one that saved what it took is read again at once`(isSmall: Bool) {
    var patience = StatePatience()
    patience.noteState(cost: 100)
    patience.noteResult(saving: 60)
    patience.noteResult(saving: 40)
    patience.noteLoss()
    #expect(runs(patience, isSmall: isSmall) == 1)
  }

  @Test func `one that saved less is waited for as the first one is`() {
    var patience = StatePatience()
    for _ in 1...3 {
      patience.noteLoss()
      patience.noteState(cost: 100)
      patience.noteResult(saving: 99)
      patience.noteLoss()
      #expect(runs(patience) == 2)
      #expect(runs(patience, isSmall: true) == 3)
    }
  }

  @Test func `one that gave nothing is waited for twice as long each time, within bounds`() {
    var patience = StatePatience()
    var waits: [Int] = []
    for _ in 1...12 {
      // Not even if it took no time.
      patience.noteState(cost: 0)
      patience.noteLoss()
      waits.append(runs(patience))
    }
    #expect(waits.prefix(4) == [3, 5, 9, 17])
    #expect(waits.suffix(2) == [StatePatience.most + 1, StatePatience.most + 1])
  }

  @Test func `what a lost state saved counts no more`() {
    var patience = StatePatience()
    patience.noteState(cost: 100)
    patience.noteResult(saving: 1_000)
    patience.noteLoss()
    // The next one can't be read.
    patience.noteLoss()
    #expect(runs(patience) == 2)
    patience.noteState(cost: 100)
    patience.noteLoss()
    #expect(runs(patience) == 3)
  }

  @Test func `one that takes longer than the query is read again much later`() {
    var patience = StatePatience()
    patience.noteState(cost: 1)
    patience.noteResult(saving: 1)
    patience.noteLoss()
    patience.noteCheapness()
    #expect(runs(patience) == 513)
  }

  @Test(arguments: [true, false])
  func `the next run can be enough`(isSmall: Bool) {
    var patience = StatePatience()
    patience.endAfterNextRun()
    #expect(runs(patience, isSmall: isSmall) == 1)
    patience = StatePatience()
    for _ in 1...3 { patience.noteLoss() }
    patience.endAfterNextRun()
    #expect(runs(patience, isSmall: isSmall) == 1)
  }

  @Test func `another schema begins anew`() {
    var patience = StatePatience()
    for _ in 1...5 { patience.noteLoss() }
    patience.reset()
    #expect(runs(patience) == 2)
  }
}
