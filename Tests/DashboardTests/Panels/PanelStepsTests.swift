import ObservationEngine
import Testing

@testable import Dashboard

/// The steps in which a panel receives a result, each alone.
@Suite struct PanelStepsTests {
  private func part(_ first: Int, rows: Int = 2, all: Int = 100) -> RowSet {
    RowSet(
      columns: ["id"], rows: (0..<rows).map { [.integer(Int64(first + $0))] },
      part: RowSet.Part(first: first, total: all, all: all))
  }

  @Test func `a commit is newer once`() {
    var data = PanelData()
    let news = [3, 3, 4].map { data.see($0) }
    #expect(news == [true, false, true])
  }

  @Test func `the first rows decide how a result is drawn`() {
    var data = PanelData()
    let empty = RowSet(columns: ["id"], rows: [])
    #expect(data.isFirst(empty))
    data.result = empty
    #expect(data.isFirst(Sample.numbers(1)), "nothing was known yet")
    data.result = Sample.numbers(1)
    #expect(!data.isFirst(Sample.numbers(2)))
    #expect(data.isFirst(Sample.value(1)), "other columns")
  }

  @Test func `another part has the same count, and other rows`() {
    var data = PanelData()
    #expect(!data.isOtherPart(part(0)))
    data.result = part(0)
    #expect(!data.isOtherPart(part(0)))
    #expect(data.isOtherPart(part(10)))
    #expect(data.isOtherPart(part(0, rows: 3)))
    #expect(!data.isOtherPart(part(10, all: 101)), "a row was added")
  }

  @Test func `marks belong to the commit of a change, and move without one`() {
    let old = Sample.scores(["ada": 2])
    let new = Sample.scores(["ada": 3])
    let diff = ResultDiff(from: old, to: new, key: ["player"])
    var data = PanelData()
    data.mark(diff, isQuiet: true, ranked: false, ordinal: 7, at: Sample.moment())
    #expect(data.marks.byRow.isEmpty && data.ordinal == 0)
    data.mark(diff, isQuiet: false, ranked: false, ordinal: 7, at: Sample.moment())
    #expect(data.marks.byRow.count == 1 && data.ordinal == 7)
  }

  @Test func `columns keep their width while values get shorter`() {
    let definition = Sample.panel("t")
    var data = PanelData()
    let wide = RowSet(columns: ["name"], rows: [["a long name"]])
    let short = RowSet(columns: ["name"], rows: [["a"]])
    data.summarize(wide, for: definition, isReset: true)
    let width = data.columns[0].width
    data.summarize(short, for: definition, isReset: false)
    #expect(data.columns[0].width == width)
    data.summarize(short, for: definition, isReset: true)
    #expect(data.columns[0].width < width)
  }

  @Test func `another column of numbers has no history yet`() {
    var data = PanelData()
    data.settleNumber(1)
    data.history.append(
      Sample.scores(["ada": 2]), value: 1, key: RowKey(columns: [], of: Sample.scores([:])),
      spark: nil, ordinal: 1)
    data.settleNumber(1)
    #expect(data.history.values.count == 1)
    data.settleNumber(0)
    #expect(data.history.values.count == 0)
  }

  @Test func `the number before is kept if it was another one`() {
    var data = PanelData()
    data.comparePrevious([1], [2])
    #expect(data.previousNumber == 1)
    data.comparePrevious([2], [2])
    #expect(data.previousNumber == nil)
    data.comparePrevious(nil, [2])
    #expect(data.previousNumber == nil)
  }

  @Test func `an obstacle makes a table of the intended view, until it is gone`() {
    var fit = PanelFit(Sample.panel("t", .line))
    fit.settle(obstacle: "no numbers")
    #expect(fit.kind == .table && fit.isSubstitute && fit.misfit == "no numbers")
    fit.settle(obstacle: nil)
    #expect(fit.kind == .line && !fit.isSubstitute)
  }

  @Test func `the chosen row keeps its line, and an emptied list no row`() {
    var viewport = Viewport()
    viewport.list = ScrollingList(cursor: 4, top: 2)
    viewport.follow(9, of: 20)
    #expect(viewport.list == ScrollingList(cursor: 9, top: 7))
    viewport.follow(nil, of: 6)
    #expect(viewport.list == ScrollingList(cursor: 5, top: 3))
    viewport.follow(nil, of: 0)
    #expect(viewport.list == ScrollingList())
  }

  @Test func `other columns take the choices among the former ones with them`() {
    var viewport = Viewport()
    viewport.sort = RowSort(column: 1)
    viewport.leftColumn = 2
    viewport.filter = "a"
    viewport.forgetColumns([])
    #expect(viewport.sort == nil && viewport.leftColumn == 0)
    #expect(viewport.filter == "a", "a filter is of all columns")
  }
}
