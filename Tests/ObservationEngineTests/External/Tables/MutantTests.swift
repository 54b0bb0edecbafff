import TestSupport
import Testing

@testable import ObservationEngine

/// A tracker of which a part is broken is found out: the oracle can fail.
@Suite
struct MutantTests {
  /// What can be left out of the tracker.
  enum Mutant: CaseIterable, Sendable {
    /// The map stays as it was made.
    case noUpdate
    /// Commits that were copied out of the log before they were seen are forgotten.
    case noLostCheck
    /// Pages that may be parts of long rows are taken for nobody's.
    case noOverflow
    /// Pages that left their trees without being written are overlooked.
    case noDroppedPages

    var parts: TableTracker.Parts {
      var parts = TableTracker.Parts()
      switch self {
      case .noUpdate: parts.map = { FrozenMap(base: $0) }
      case .noLostCheck: parts.doubt = { _ in nil }
      case .noOverflow: parts.map = { OverflowBlindMap(base: $0) }
      case .noDroppedPages: parts.map = { DropBlindMap(base: $0) }
      }
      return parts
    }
  }

  @Test(arguments: Mutant.allCases)
  func `the oracle finds what a broken tracker misses`(_ mutant: Mutant) async throws {
    let report = try await onOwnThread {
      var report = OracleReport()
      // Far more databases than the mutant needs.
      for seed in 1...60 as ClosedRange<UInt64>
      where mutant == .noDroppedPages ? report.failures.isEmpty : report.missed == 0 {
        let oracle = try TableOracle(seed: seed, parts: mutant.parts, audits: false)
        report.add(oracle.run(looks: 100))
      }
      return report
    }
    if mutant != .noDroppedPages { #expect(report.missed > 0, "\(report)") }
    #expect(!report.failures.isEmpty, "\(report)")
    print("\(mutant): found after \(report.looks) looks")
  }
}

/// A map that is never brought up to date.
private struct FrozenMap: PageOwnerMap {
  var base: any PageOwnerMap

  var wantsSearch: Bool { base.wantsSearch }
  var pageCount: UInt32 { base.pageCount }

  mutating func owner(of page: UInt32) throws(PageMapFailure) -> PageOwner {
    try base.owner(of: page)
  }

  mutating func update(changed: [UInt32], _ reader: PageReader) -> DroppedPages { DroppedPages() }

  func isTreePage(_ page: UInt32) -> Bool { base.isTreePage(page) }
  func holder(ofOverflow page: UInt32) -> UInt32? { base.holder(ofOverflow: page) }

  mutating func search(_ reader: PageReader, until isOver: () -> Bool) throws(PageMapFailure) {
    try base.search(reader, until: isOver)
  }
}

/// A map that doesn't say which pages left their trees.
private struct DropBlindMap: PageOwnerMap {
  var base: any PageOwnerMap

  var wantsSearch: Bool { base.wantsSearch }
  var pageCount: UInt32 { base.pageCount }

  mutating func owner(of page: UInt32) throws(PageMapFailure) -> PageOwner {
    try base.owner(of: page)
  }

  mutating func update(
    changed: [UInt32], _ reader: PageReader
  ) throws(PageMapFailure) -> DroppedPages {
    _ = try base.update(changed: changed, reader)
    return DroppedPages()
  }

  func isTreePage(_ page: UInt32) -> Bool { base.isTreePage(page) }
  func holder(ofOverflow page: UInt32) -> UInt32? { base.holder(ofOverflow: page) }

  mutating func search(_ reader: PageReader, until isOver: () -> Bool) throws(PageMapFailure) {
    try base.search(reader, until: isOver)
  }
}

/// A map that takes pages without a known owner for nobody's.
private struct OverflowBlindMap: PageOwnerMap {
  var base: any PageOwnerMap

  var wantsSearch: Bool { false }
  var pageCount: UInt32 { base.pageCount }

  mutating func owner(of page: UInt32) throws(PageMapFailure) -> PageOwner {
    let owner = try base.owner(of: page)
    return owner == .unknown ? .free : owner
  }

  mutating func update(
    changed: [UInt32], _ reader: PageReader
  ) throws(PageMapFailure) -> DroppedPages {
    try base.update(changed: changed, reader)
  }

  func isTreePage(_ page: UInt32) -> Bool { base.isTreePage(page) }
  func holder(ofOverflow page: UInt32) -> UInt32? { base.holder(ofOverflow: page) }

  mutating func search(_ reader: PageReader, until isOver: () -> Bool) {}
}
