/// Where the panes of the explorer are.
///
///     tables │ rows      tables  │ rows        rows │ columns
///            │ columns   columns │             of a table that is opened
///
/// The columns are below the list if that leaves room for them.
/// On a narrow screen the pane with the focus is alone.
struct ExplorerPanes: Sendable, Equatable {
  /// What they depend on.
  struct Input: Sendable, Equatable {
    var pane: ExplorerState.Pane
    /// How many lines the list has.
    var lineCount = 0
    /// Whether the list is left behind.
    var isInside: Bool
    /// How many columns the shown table has; 0 when they aren't shown.
    var columnCount: Int
    /// Whether the columns have statistics, which need room.
    var isDetailed = false
    /// Whether there is nothing to list.
    var isEmpty: Bool
    /// Whether the line under the cursor has rows to show.
    var hasRows: Bool
  }

  private(set) var tables: Rect?
  private(set) var rows: Rect?
  private(set) var columns: Rect?

  init(_ input: Input, in area: Rect, isZoomed: Bool) {
    guard !input.isEmpty else {
      rows = area
      return
    }
    let isWide = area.width >= 64
    var rest = area
    if input.isInside {
      if input.columnCount > 0, !isZoomed, area.width >= 110 {
        rest = left(of: area, width: area.width - (input.isDetailed ? 66 : 50))
        columns = right(of: area, rest)
        rows = rest
      } else if input.pane == .columns, input.columnCount > 0 {
        columns = area
      } else {
        rows = area
      }
      return
    }
    guard isWide, !isZoomed else {
      switch input.pane {
      case .tables: tables = area
      case .rows: rows = area
      case .columns: if input.columnCount > 0 { columns = area } else { tables = area }
      }
      return
    }
    let list = left(of: area, width: min(max(35, area.width * 2 / 5), 64))
    tables = list
    rest = right(of: area, list)
    // It depends on nothing that moving the cursor changes: the panes would jump.
    // Without a table, one line says so.
    let lines = max(1, input.lineCount) + 3
    if area.height - lines >= max(9, area.height * 2 / 5) {
      tables = Rect(x: list.x, y: list.y, width: list.width, height: lines)
      rows = rest
      if input.columnCount > 0 {
        columns = Rect(
          x: list.x, y: list.y + lines, width: list.width, height: area.height - lines)
      }
      return
    }
    let wanted = min(input.columnCount + 3, rest.height * 2 / 5)
    guard input.columnCount > 0, rest.height >= 14 else {
      if input.pane == .columns, input.columnCount > 0 { columns = rest } else { rows = rest }
      return
    }
    let height = max(5, wanted)
    rows = Rect(x: rest.x, y: rest.y, width: rest.width, height: rest.height - height)
    columns = Rect(
      x: rest.x, y: rest.y + rest.height - height, width: rest.width, height: height)
  }

  /// All of a tiny screen for the list, or for a value.
  init(tiny input: Input, in area: Rect) {
    if input.pane == .tables, !input.isInside, !input.isEmpty { tables = area }
  }

  private func left(of area: Rect, width: Int) -> Rect {
    Rect(x: area.x, y: area.y, width: width, height: area.height)
  }

  private func right(of area: Rect, _ left: Rect) -> Rect {
    Rect(
      x: area.x + left.width, y: area.y, width: area.width - left.width, height: area.height)
  }

  /// The list or the columns, if they are at that cell.
  func list(x: Int, y: Int) -> (pane: ExplorerState.Pane, frame: Rect)? {
    if let tables, tables.contains(x: x, y: y) { return (.tables, tables) }
    if let columns, columns.contains(x: x, y: y) { return (.columns, columns) }
    return nil
  }

  /// How many lines of the list are in view: the names of its columns take one.
  func visibleTables(isTiny: Bool) -> Int {
    tables.map { isTiny ? $0.height : max(0, $0.height - 3) } ?? 0
  }

  /// How many columns are in view.
  var visibleColumns: Int { columns.map { max(0, $0.height - 3) } ?? 0 }
}

extension ExplorerPanes.Input {
  init(_ explorer: ExplorerState) {
    self.init(
      pane: explorer.pane, lineCount: explorer.list.lines.count, isInside: !explorer.path.isEmpty,
      columnCount: explorer.columnCount, isDetailed: explorer.wantsStatistics,
      isEmpty: explorer.isEmpty, hasRows: explorer.subject != nil)
  }
}
