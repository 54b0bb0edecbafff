import DatabaseConsole

/// The list of tables, and the user's position in it.
struct ExplorerList: Sendable, Equatable {
  /// Tables that are folded under one line.
  enum Fold: String, Sendable, CaseIterable {
    case empty, views, `internal`

    /// `58 views`, `1 empty table`.
    func title(_ count: Int) -> String {
      switch self {
      case .views: QuantityText.count(count, "view")
      case .empty: QuantityText.count(count, "empty table")
      case .internal: QuantityText.count(count, "internal table")
      }
    }
  }

  /// One line, whatever happens to the lines around it.
  enum Line: Sendable, Hashable {
    case table(String)
    case fold(Fold, count: Int)

    /// Whether both are about the same thing.
    func isSame(as other: Line) -> Bool {
      if case .fold(let fold, _) = self, case .fold(fold, _) = other { return true }
      return self == other
    }
  }

  private(set) var lines: [Line] = []
  private var list = ScrollingList(cursor: 0)
  private(set) var opened: Set<Fold> = []
  /// What a name must contain; empty for every table.
  var filter = ""

  /// The chosen line, as an index into ``lines``.
  var cursor: Int { list.cursor ?? 0 }
  /// The first line in view.
  var top: Int { list.top }
  /// The line under the cursor.
  var chosen: Line? { lines.indices.contains(cursor) ? lines[cursor] : nil }

  /// The table under the cursor.
  var chosenTable: String? { if case .table(let name)? = chosen { name } else { nil } }

  /// The lines in a view of so many.
  func visible(_ count: Int) -> ArraySlice<Line> { lines.dropFirst(top).prefix(count) }

  /// Shows these tables; the cursor stays on its line.
  ///
  /// - Parameters:
  ///   - tables: In the order shown.
  ///   - fold: Where a table is folded; nil for one that isn't.
  mutating func arrange(_ tables: [String], fold: (String) -> Fold?) {
    let search = TextSearch(filter)
    var main: [Line] = []
    var folded: [Fold: [String]] = [:]
    for name in tables where filter.isEmpty || search.matches(name) {
      if let fold = fold(name) {
        folded[fold, default: []].append(name)
      } else {
        main.append(.table(name))
      }
    }
    // A filter finds folded tables as well, after the others.
    if !filter.isEmpty {
      main += Fold.allCases.flatMap { folded[$0] ?? [] }.map(Line.table)
      folded = [:]
    }
    // A list of closed folds says nothing.
    if main.isEmpty, opened.isDisjoint(with: folded.keys),
      let first = Fold.allCases.first(where: { folded[$0] != nil })
    {
      opened.insert(first)
    }
    var new = main
    for fold in Fold.allCases {
      guard let names = folded[fold] else { continue }
      new.append(.fold(fold, count: names.count))
      if opened.contains(fold) { new += names.map(Line.table) }
    }
    let former = chosen
    let isFirst = lines.isEmpty
    lines = new
    let place = former.flatMap { former in new.firstIndex { $0.isSame(as: former) } }
    let target = place ?? min(cursor, max(0, new.count - 1))
    // A list that isn't scrolled shows what comes to its top.
    let newTop = top > 0 ? max(0, min(top + target - cursor, target)) : 0
    list = ScrollingList(cursor: target, top: newTop)
    // The first line may be that of a fold, which has no rows to show.
    if isFirst, chosenTable == nil, new.indices.contains(target + 1) { list.cursor = target + 1 }
  }

  /// Keeps the cursor in view, and the view filled.
  mutating func clamp(visible: Int) {
    if visible > 0 { move(to: cursor, visible: visible) }
  }

  mutating func move(to line: Int, visible: Int) {
    list.choose(line, of: lines.count, visible: visible)
  }

  /// Moves the cursor to a table, if it is in the list.
  mutating func choose(_ table: String, visible: Int) {
    guard let line = lines.firstIndex(of: .table(table)) else { return }
    move(to: line, visible: visible)
  }

  mutating func set(_ fold: Fold, isOpen: Bool) {
    if isOpen { opened.insert(fold) } else { opened.remove(fold) }
  }
}
