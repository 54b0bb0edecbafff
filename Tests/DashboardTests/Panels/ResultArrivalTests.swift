import Testing

@testable import Dashboard

/// Which results are changes: only those of commits.
@Suite struct ResultArrivalTests {
  private func arrival(
    part: Bool = false, newLook: Bool = false, newer: Bool = false, otherPart: Bool = false
  ) -> ResultArrival {
    ResultArrival(
      wasPart: part, isNewLook: newLook, hasSameLook: !newLook, isNewer: newer,
      isOtherPart: otherPart)
  }

  @Test(arguments: [true, false], [true, false])
  func `a whole result is a change, whatever it has`(_ isNewer: Bool, _ isSame: Bool) {
    let arrival = arrival(newer: isNewer)
    #expect(!arrival.isMove)
    #expect(arrival.isSameView)
    #expect(!arrival.isQuiet(isSame: isSame, isReset: false))
    #expect(arrival.isChange(isQuiet: false))
  }

  @Test func `rows that a scroll loads are none`() {
    let arrival = arrival(part: true, otherPart: true)
    #expect(arrival.isMove && !arrival.isSameView)
    #expect(arrival.isQuiet(isSame: false, isReset: false))
    #expect(!arrival.isChange(isQuiet: true))
  }

  @Test func `a commit changes the part in view, unless it left it as it was`() {
    let here = arrival(part: true, newer: true)
    #expect(!here.isQuiet(isSame: true, isReset: false))
    let elsewhere = arrival(part: true, newer: true, otherPart: true)
    #expect(elsewhere.isQuiet(isSame: true, isReset: false))
    #expect(!elsewhere.isQuiet(isSame: false, isReset: false))
  }

  @Test func `another filter is no change, but frames of a newer state keep their rows`() {
    let same = arrival(part: true, newLook: true)
    #expect(same.isQuiet(isSame: false, isReset: false))
    #expect(!same.isChange(isQuiet: true))
    let newer = arrival(part: true, newLook: true, newer: true)
    #expect(newer.isQuiet(isSame: false, isReset: false))
    #expect(newer.isChange(isQuiet: true))
  }

  @Test(arguments: [true, false])
  func `other columns always are a change`(_ isNewLook: Bool) {
    let arrival = arrival(part: true, newLook: isNewLook, otherPart: true)
    #expect(!arrival.isQuiet(isSame: false, isReset: true))
    #expect(arrival.isChange(isQuiet: false))
  }
}
