import ObservationEngine
import Testing

struct RegionTests {
  private func region(_ reads: (String, String)...) -> Region {
    var region = Region()
    for (table, column) in reads {
      region.insert(rowsOf: TableID(name: table))
      if !column.isEmpty { region.insert(column: column, of: TableID(name: table)) }
    }
    return region
  }

  private func change(
    _ table: String, inserted: Int = 0, updated: [String] = [], deleted: Int = 0
  ) -> Changeset {
    let counts = Commit.RowCounts(
      inserted: inserted, updated: updated.isEmpty ? 0 : 1, deleted: deleted)
    return Changeset([
      TableID(name: table): .rows(counts, updatedColumns: Set(updated))
    ])
  }

  @Test
  func `tables and columns are folded as SQLite folds them`() {
    #expect(TableID(name: "Player") == TableID(schema: "MAIN", name: "pLAYER"))
    #expect(TableID(name: "ÄB") == TableID(name: "Äb"))
    #expect(TableID(name: "Ä") != TableID(name: "ä"), "only ASCII letters have no case")
    #expect(TableID(schema: "temp", name: "a") != TableID(name: "a"))
    #expect(TableID(name: "a") < TableID(name: "b"))
    #expect(region(("T", "Col")) == region(("t", "cOL")))
  }

  @Test
  func `an update matters to those who read its columns`() {
    let update = change("player", updated: ["score"])
    #expect(update.affects(region(("player", "score"))))
    #expect(update.affects(region(("player", "name"), ("player", "SCORE"))))
    #expect(!update.affects(region(("player", "name"))))
    #expect(!update.affects(region(("player", ""))), "which rows there are is the same")
    #expect(!update.affects(region(("map", "score"))))
  }

  @Test
  func `a new or vanished row matters to all who read its table`() {
    for changeset in [change("player", inserted: 1), change("player", deleted: 1)] {
      #expect(changeset.affects(region(("player", ""))))
      #expect(changeset.affects(region(("player", "name"))))
      #expect(!changeset.affects(region(("map", "name"))))
      #expect(!changeset.affects(Region()))
    }
  }

  @Test
  func `a full region is affected by every change, and by no empty one`() {
    let full = Region.full(reason: "a virtual table")
    #expect(full.isFull)
    #expect(change("map", updated: ["name"]).affects(full))
    #expect(!Changeset().affects(full))
    #expect(Changeset(everything: "VACUUM").affects(full))
  }

  @Test
  func `a change of everything, or of many rows, affects every reader of it`() {
    #expect(Changeset(everything: "schema").affects(region(("map", "name"))))
    let bulk = Changeset([TableID(name: "map"): .bulk(reason: "many")])
    #expect(bulk.affects(region(("map", ""))))
    #expect(!bulk.affects(region(("player", "name"))))
    #expect(bulk.rowCounts == nil)
    #expect(Changeset(everything: "schema").rowCounts == nil)
  }

  @Test
  func `row counts add up over tables`() {
    var changeset = change("player", inserted: 2, deleted: 1)
    for (table, change) in change("map", inserted: 3, updated: ["name"]).tables {
      changeset[table] = change
    }
    #expect(changeset.rowCounts == Commit.RowCounts(inserted: 5, updated: 1, deleted: 1))
    #expect(Changeset().rowCounts == Commit.RowCounts())
    #expect(Changeset().isEmpty)
    #expect(!changeset.isEmpty)
  }

  @Test
  func `a union of regions reads what either reads`() {
    var union = region(("player", "name"))
    union.formUnion(region(("player", "score"), ("map", "")))
    #expect(union == region(("map", ""), ("player", "score"), ("player", "name")))
    #expect(change("map", inserted: 1).affects(union))
    #expect(!union.isFull)
    union.formUnion(.full(reason: "first"))
    union.formUnion(.full(reason: "second"))
    #expect(union.fullReason == "first")
  }

  /// The definition of `affects`, over all small cases.
  @Test
  func `affects agrees with its definition in all small cases`() {
    let tables = ["a", "b"]
    let columns = ["x", "y"]
    for table in tables {
      for inserted in 0...1 {
        for deleted in 0...1 {
          for updated in [[], ["x"], ["y"], ["x", "y"]] {
            let changeset = change(table, inserted: inserted, updated: updated, deleted: deleted)
            for read in tables {
              for column in columns + [""] {
                let expected =
                  read == table && (inserted + deleted > 0 || updated.contains(column))
                #expect(changeset.affects(region((read, column))) == expected)
              }
            }
          }
        }
      }
    }
  }
}
