import TestSupport
import Testing

@testable import DatabaseConsole

struct KeyPositionsTests {
  @Test
  func `the way begins at the nearest row that is known`() {
    var places = KeyPositions(count: 1_000, isDescending: false)
    #expect(places.start(10..<20) == .init(key: nil, skip: 10, isBackward: false))
    #expect(places.start(900..<990) == .init(key: nil, skip: 10, isBackward: true))
    places.insert(.init(position: 500, key: 7_000))
    #expect(places.start(510..<530) == .init(key: 7_000, skip: 10, isBackward: false))
    #expect(places.start(500..<501) == .init(key: 7_000, skip: 0, isBackward: false))
    #expect(places.start(450..<490) == .init(key: 7_000, skip: 11, isBackward: true))
  }

  @Test(arguments: [false, true])
  func `between rows without a gap every key is known`(isDescending: Bool) {
    var places = KeyPositions(count: 1_000, isDescending: isDescending)
    let sign: Int64 = isDescending ? -1 : 1
    places.insert(.init(position: 100, key: 50))
    places.insert(.init(position: 900, key: 50 + 800 * sign))
    #expect(places.start(300..<310) == .init(key: 50 + 200 * sign, skip: 0, isBackward: false))
    places.insert(.init(position: 999, key: 50 + 900 * sign))
    #expect(places.start(950..<955) == .init(key: 50 + 900 * sign, skip: 45, isBackward: true))
  }

  @Test
  func `keys at the ends of the numbers are no trap`() {
    var places = KeyPositions(count: 2, isDescending: false)
    places.insert(.init(position: 0, key: .min))
    places.insert(.init(position: 1, key: .max))
    #expect(places.knowsEnds)
    #expect(places.start(0..<2) == .init(key: .min, skip: 0, isBackward: false))
  }

  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func `every way leads to the rows`(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let isDescending = seed.isMultiple(of: 2)
    var keys: [Int64] = [0]
    for _ in 1..<2_000 {
      keys.append(keys.last! + (random.onceIn(30) ? Int64.random(in: 2...50, using: &random) : 1))
    }
    if isDescending { keys.reverse() }
    var places = KeyPositions(count: keys.count, isDescending: isDescending)
    for step in 0..<2_000 {
      let first = Int.random(in: 0..<keys.count, using: &random)
      let range = first..<min(keys.count, first + Int.random(in: 1...50, using: &random))
      let start = places.start(range)
      let order = start.isBackward ? Array(keys.reversed()) : keys
      let begin = start.key.map { key in order.firstIndex(of: key) } ?? 0
      let expected = start.isBackward ? range.reversed().map { keys[$0] } : range.map { keys[$0] }
      let found = begin.map { Array(order[($0 + start.skip)...].prefix(range.count)) }
      #expect(found == expected, "seed \(seed), step \(step): \(range), \(start)")
      places.insert(.init(position: range.lowerBound, key: keys[range.lowerBound]))
      places.insert(.init(position: range.upperBound - 1, key: keys[range.upperBound - 1]))
      #expect(places.places.count <= KeyPositions.limit)
    }
    #expect(places.places == places.places.sorted { $0.position < $1.position }, "seed \(seed)")
  }
}
