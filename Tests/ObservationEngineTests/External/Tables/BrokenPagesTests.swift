import TestSupport
import Testing

@testable import ObservationEngine

/// Pages that contradict each other, made by hand: there is an answer, it leaves out nothing, and
/// it comes after bounded work.
@Suite(.timeLimit(.minutes(10)))
struct BrokenPagesTests {
  /// What is wrong.
  enum Damage: CaseIterable, Sendable {
    case interiorNamesItself, interiorNamesItsParent, interiorNamesTwice
    case childBeyondTheFile, cellsOutsideOfThePage, hundredLevels, rootBeyondTheFile
    case overflowCircle, overflowBeyondTheFile, overflowLengthIsHuge
    case freelistCircle, freelistBeyondTheFile, freelistCountIsHuge
    case parentsInACircle, parentBeyondTheFile, unknownKindOfParent

    var autoVacuum: Int {
      switch self {
      case .parentsInACircle, .parentBeyondTheFile, .unknownKindOfParent: 1
      default: 0
      }
    }

    func apply(to database: inout BrokenDatabase) throws {
      let root = try database.root(of: "deep")
      let top = database.offset(root)
      let interior = try database.pages("internal", of: "deep").last { $0 != root } ?? root
      let inner = database.offset(interior)
      switch self {
      case .interiorNamesItself: database.put(interior, at: inner + 8)
      case .interiorNamesItsParent: database.put(root, at: inner + 8)
      case .interiorNamesTwice:
        database.put(database.integer(at: inner + 8), at: inner + Int(firstCell(database, inner)))
      case .childBeyondTheFile: database.put(9_999_999, at: inner + 8)
      case .cellsOutsideOfThePage:
        for index in 12..<40 { database.bytes[inner + index] = 0xff }
      case .rootBeyondTheFile: database.put(4_000_000_000, at: top + 8)
      case .hundredLevels: addLevels(to: &database, below: top)
      case .overflowCircle:
        let pages = try database.pages("overflow", of: "long")
        database.put(pages[1], at: database.offset(pages[4]))
      case .overflowBeyondTheFile:
        let pages = try database.pages("overflow", of: "long")
        database.put(0xffff_ffff, at: database.offset(pages[3]))
      case .overflowLengthIsHuge:
        let leaf = try database.root(of: "long")
        let cell = database.offset(leaf) + Int(firstCell(database, database.offset(leaf), head: 8))
        for index in 0..<8 { database.bytes[cell + index] = 0xff }
      case .freelistCircle:
        let trunk = database.integer(at: 32)
        database.put(trunk, at: database.offset(trunk))
      case .freelistBeyondTheFile: database.put(8_000_000, at: 32)
      case .freelistCountIsHuge:
        database.put(0xffff_fff0, at: database.offset(database.integer(at: 32)) + 4)
      case .parentsInACircle:
        // Two interior pages that each have the other one above them.
        for (page, parent) in [(interior, interior + 1), (interior + 1, interior)] {
          putEntry(&database, of: page, kind: 5, parent: parent)
        }
      case .parentBeyondTheFile:
        putEntry(&database, of: interior, kind: 5, parent: 0xffff_ffff)
      case .unknownKindOfParent: putEntry(&database, of: interior, kind: 77, parent: 1)
      }
    }

    private func firstCell(_ database: BrokenDatabase, _ page: Int, head: Int = 12) -> UInt16 {
      UInt16(database.bytes[page + head]) << 8 | UInt16(database.bytes[page + head + 1])
    }

    /// Hangs a hundred interior pages, each with one page below it, under an interior page.
    private func addLevels(to database: inout BrokenDatabase, below top: Int) {
      let first = UInt32(database.pageCount + 1)
      let leaf = database.integer(at: top + 8)
      // No cells, so that the only way down leads through them.
      database.bytes[top + 3] = 0
      database.bytes[top + 4] = 0
      database.put(first, at: top + 8)
      for level in 0..<100 as Range<UInt32> {
        var page = [UInt8](repeating: 0, count: BrokenDatabase.pageSize)
        page[0] = 5
        page[5] = 4
        let start = database.bytes.count
        database.bytes += page
        database.put(level == 99 ? leaf : first + level + 1, at: start + 8)
      }
      database.put(UInt32(database.pageCount), at: 28)
    }

    private func putEntry(
      _ database: inout BrokenDatabase, of page: UInt32, kind: UInt8, parent: UInt32
    ) {
      let span = UInt32(BrokenDatabase.pageSize / 5 + 1)
      let map = (page - 2) / span * span + 2
      let place = database.offset(map) + 5 * Int(page - map - 1)
      database.bytes[place] = kind
      database.put(parent, at: place + 1)
    }
  }

  @Test(arguments: Damage.allCases)
  func `no answer leaves out a table, and each comes after bounded work`(
    _ damage: Damage
  ) async throws {
    try await onOwnThread {
      var database = try BrokenDatabase(autoVacuum: damage.autoVacuum)
      try damage.apply(to: &database)
      try database.write()
      let connection = try database.reader()
      defer { connection.close() }
      let tracker = TableTracker(connection: connection)
      var refusal: DatabaseError?
      do throws(DatabaseError) { try tracker.build() } catch { refusal = error }
      let plain = try PlainConnection(database.path)
      // What is not damaged changes, then what is, as far as SQLite can.
      for sql in [
        "INSERT INTO fine (name) VALUES ('bob')", "UPDATE fine SET name = 'eve'",
        "UPDATE deep SET body = 'x' WHERE id % 3 = 0", "UPDATE long SET body = zeroblob(15000)",
        "DELETE FROM long", "INSERT INTO passing VALUES (zeroblob(5000))",
        "DELETE FROM deep WHERE id > 300", "INSERT INTO fine (name) VALUES ('ida')",
      ] {
        let fineBefore = try plain.texts("SELECT name FROM fine ORDER BY id")
        try? plain.run(sql)  // It may not be possible: the pages are broken.
        let hasChanged = try plain.texts("SELECT name FROM fine ORDER BY id") != fineBefore
        guard case .header(let header) = connection.wal.indexState() else { continue }
        if case .tables(let told) = tracker.advance(to: header), hasChanged {
          #expect(told.contains(TableID(name: "fine")), "\(sql)")
        }
        var slices = 0
        while tracker.scanSlice(), slices < 5_000 { slices += 1 }
        #expect(slices < 5_000, "the search has no end")
        if !tracker.isReady { try? tracker.build() }  // Refused, if at all, with an error.
      }
      if let refusal { #expect(refusal.code.primary == .corrupt, "\(refusal)") }
      plain.close()
    }
  }

  @Test(arguments: [
    Damage.interiorNamesItself, .interiorNamesItsParent, .interiorNamesTwice, .childBeyondTheFile,
    .hundredLevels,
    .rootBeyondTheFile, .freelistCircle, .freelistBeyondTheFile, .freelistCountIsHuge,
  ])
  func `a map is refused with an error when its pages contradict each other`(
    _ damage: Damage
  ) throws {
    var database = try BrokenDatabase()
    try damage.apply(to: &database)
    try database.write()
    let connection = try database.reader()
    defer { connection.close() }
    let tracker = TableTracker(connection: connection)
    #expect(throws: DatabaseError.self) { try tracker.build() }
    guard case .header(let header) = connection.wal.indexState() else {
      Issue.record("there is no log")
      return
    }
    let answer = tracker.advance(to: header)
    guard case .all = answer else {
      Issue.record("answered \(answer) without a map")
      return
    }
  }
}
