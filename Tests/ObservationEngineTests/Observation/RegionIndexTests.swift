import TestSupport
import Testing

@testable import ObservationEngine

/// The index against the obvious oracle: asking each region whether a changeset affects it.
struct RegionIndexTests {
  private static let tables = ["a", "b", "c"].map { TableID(name: $0) }
  private static let columns = ["x", "y"]

  @Test(arguments: 1...40 as ClosedRange<UInt64>)
  func `it finds those whom a changeset concerns, and no others`(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var index = RegionIndex()
    var regions: [Int: Region] = [:]
    for step in 0..<120 {
      if random.onceIn(3), let id = regions.keys.sorted().randomElement(using: &random) {
        index.remove(id, reading: regions.removeValue(forKey: id)!)
      } else {
        let region = Self.region(&random)
        index.insert(step, reading: region)
        regions[step] = region
      }
      let changeset = Self.changeset(&random, index: &index)
      index.mayHaveBecomeClean()
      let found = index.affected(by: changeset) ?? Set(regions.keys)
      let expected = Set(regions.filter { changeset.affects($0.value) }.keys)
      #expect(found == expected, "seed \(seed), step \(step)")
    }
  }

  @Test
  func `whoever was found is not found again before it may be clean`() {
    var index = RegionIndex()
    var region = Region()
    region.insert(column: "x", of: Self.tables[0])
    index.insert(1, reading: region)
    let changeset = Changeset([Self.tables[0]: .bulk(reason: "many")])
    let first = index.affected(by: changeset)
    let second = index.affected(by: changeset)
    #expect([first, second] == [[1], []])
    index.insert(2, reading: region)
    let third = index.affected(by: changeset)
    #expect(third == [1, 2], "who is new is found with the others")
    index.mayHaveBecomeClean()
    let fourth = index.affected(by: changeset)
    #expect(fourth == [1, 2])
  }

  private static func region(_ random: inout SeededRandom) -> Region {
    if random.onceIn(10) { return .full(reason: "a pragma") }
    var region = Region()
    for table in tables where random.onceIn(2) {
      region.insert(rowsOf: table)
      for column in columns where random.onceIn(2) { region.insert(column: column, of: table) }
      if random.onceIn(2) { region.restrict(table, to: restriction(&random)) }
    }
    return region
  }

  private static func restriction(_ random: inout SeededRandom) -> RowRestriction {
    let values = Set((0..<Int.random(in: 1...2, using: &random)).map { _ in value(&random) })
    return RowRestriction(random.onceIn(2) ? .rowid : .named("x"), in: values)
  }

  private static func value(_ random: inout SeededRandom) -> Value {
    .integer(Int64.random(in: 1...6, using: &random))
  }

  /// What a writer would tell that asked this index what matters.
  private static func changeset(
    _ random: inout SeededRandom, index: inout RegionIndex
  ) -> Changeset {
    var changeset = Changeset()
    if random.onceIn(20) { changeset = Changeset(everything: "the schema changed") }
    for table in tables where random.onceIn(2) {
      guard let interest = index.interest(in: table), !random.onceIn(6) else {
        changeset[table] = .bulk(reason: "nobody asked")
        continue
      }
      changeset[table] = difference(&random, interest).map { .rows($0) }
    }
    return changeset
  }

  private static func difference(
    _ random: inout SeededRandom, _ interest: TableInterest
  ) -> RowDifference? {
    var difference = RowDifference(interest: interest)
    let columns = columns.filter { interest.columns?.contains($0) ?? true }
    var entries: [RowDifference.Entry] = []
    for rowid in 1...6 as ClosedRange<Int64>
    where random.onceIn(3) && interest.rowids?.contains(rowid) ?? true {
      let old = random.onceIn(4) ? nil : columns.map { _ in value(&random) }
      let new = random.onceIn(4) && old != nil ? nil : columns.map { _ in value(&random) }
      switch (old, new) {
      case (nil, _): difference.counts.inserted += 1
      case (_, nil): difference.counts.deleted += 1
      case (let old?, let new?):
        let changed = columns.indices.filter { old[$0] != new[$0] }.map { columns[$0] }
        if changed.isEmpty { continue }
        difference.counts.updated += 1
        difference.updatedColumns.formUnion(changed)
      }
      entries.append(RowDifference.Entry(key: .rowid(rowid), old: old, new: new))
    }
    if entries.isEmpty { return nil }
    difference.keep(entries, columns: columns)
    return difference
  }
}
