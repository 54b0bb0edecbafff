import Testing

@testable import Dashboard

/// A list stays in its bounds, and its chosen line in view.
@Suite struct ScrollingListTests {
  @Test func `the view follows the chosen line, and no farther than necessary`() {
    var list = ScrollingList()
    list.choose(9, of: 20, visible: 5)
    #expect(list == ScrollingList(cursor: 9, top: 5))
    list.choose(by: -2, of: 20, visible: 5)
    #expect(list == ScrollingList(cursor: 7, top: 5))
    list.choose(by: -99, of: 20, visible: 5)
    #expect(list == ScrollingList(cursor: 0, top: 0))
    list.choose(by: 99, of: 20, visible: 5)
    #expect(list == ScrollingList(cursor: 19, top: 15))
    list.choose(3, of: 0, visible: 5)
    #expect(list == ScrollingList(cursor: 0, top: 0))
  }

  @Test func `the view scrolls alone, until a line must stay in it`() {
    var list = ScrollingList(cursor: 1)
    list.scroll(by: 4, of: 20, visible: 5)
    #expect(list == ScrollingList(cursor: 1, top: 4))
    list.keepCursorInView(visible: 5)
    #expect(list.cursor == 4)
    list.scroll(by: 99, of: 20, visible: 5)
    #expect(list.top == 15)
    list.scroll(by: -99, of: 20, visible: 5)
    #expect(list.top == 0)
  }

  @Test func `what shrinks keeps its last lines in view`() {
    var list = ScrollingList(cursor: nil, top: 15)
    list.clamp(of: 12, visible: 5)
    #expect(list.top == 7)
    list = ScrollingList(cursor: 19, top: 0)
    list.clamp(of: 20, visible: 5)
    #expect(list == ScrollingList(cursor: 19, top: 15))
  }

  @Test func `a line before all others moves what is not at the start`() {
    var list = ScrollingList(cursor: 0)
    list.prepend()
    #expect(list == ScrollingList(cursor: 0))
    list = ScrollingList(cursor: 3, top: 2)
    list.prepend()
    #expect(list == ScrollingList(cursor: 4, top: 3))
    list.moveToStart()
    #expect(list == ScrollingList(cursor: 0))
  }

  @Test func `a short list begins at its start as long as that shows the chosen line`() {
    #expect(ScrollingList.top(showing: 2, of: 9, visible: 4) == 0)
    #expect(ScrollingList.top(showing: 5, of: 9, visible: 4) == 2)
    #expect(ScrollingList.top(showing: 0, of: 2, visible: 4) == 0)
  }
}
