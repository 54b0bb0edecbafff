/// The `-- layout:` lines of a dashboard file, before they are checked.
struct LayoutMatrix {
  private typealias Cell = (text: String, offset: Int)

  /// The word for a cell without a panel.
  static let free = "."

  private var rows: [[Cell]] = []

  var isEmpty: Bool { rows.isEmpty }

  mutating func append(_ directive: Directive) {
    rows.append(directive.words)
  }

  /// The rows of names, or none when they are invalid, which the log then reports.
  func checked(for definition: DashboardDefinition, log: inout DiagnosticLog) -> [[String]] {
    guard let width = rows.first?.count else { return [] }
    var isGood = true
    for row in rows where row.count != width {
      log.note(
        .error, at: row[0].offset,
        "this row of the layout has \(Self.cells(row.count)), the first one \(width)")
      isGood = false
    }
    let names = definition.panels.map(\.name)
    let known = Set(names).union(LayoutPane.names)
    let texts = rows.map { $0.map(\.text) }
    var extents: [String: Extent] = [:]
    for (y, row) in rows.enumerated() {
      for (x, cell) in row.enumerated() {
        if cell.text == Self.free { continue }
        // A pane with two names is one pane.
        let pane = names.contains(cell.text) ? nil : LayoutPane(word: cell.text)
        let name = pane?.rawValue ?? cell.text
        if var extent = extents[name] {
          extent.add(x: x, y: y)
          extents[name] = extent
          continue
        }
        extents[name] = Extent(x: x, y: y, offset: cell.offset)
        guard !known.contains(cell.text) else { continue }
        let isDetail = definition.details.contains { $0.name == cell.text }
        log.note(
          .error, at: cell.offset,
          isDetail
            ? "the layout names \"\(cell.text)\", which \"on-enter:\" opens, so it has no place of its own"
            : "the layout names \"\(cell.text)\", but no panel is called so"
              + Suggestion.phrase(for: cell.text, among: names + LayoutPane.names.sorted()))
        isGood = false
      }
    }
    // In a ragged layout nothing is a rectangle, and reporting that would bury the cause.
    guard isGood else { return [] }
    for (name, extent) in extents where !extent.isRectangle {
      log.note(
        .error, at: extent.offset, "the cells of \"\(name)\" in the layout are not a rectangle")
      isGood = false
    }
    guard isGood, !names.isEmpty else { return isGood ? texts : [] }
    // Such a layout would leave the screen to the panel that has the focus.
    guard texts.joined().contains(where: names.contains) else {
      log.note(
        .warning, at: rows[0][0].offset, "the layout names no panel, so it has no effect")
      return []
    }
    return texts
  }

  private static func cells(_ count: Int) -> String { count == 1 ? "1 cell" : "\(count) cells" }

  /// The cells of one name.
  private struct Extent {
    var columns: ClosedRange<Int>
    var rows: ClosedRange<Int>
    var count = 1
    /// Where the first of them is.
    let offset: Int

    init(x: Int, y: Int, offset: Int) {
      columns = x...x
      rows = y...y
      self.offset = offset
    }

    mutating func add(x: Int, y: Int) {
      columns = min(columns.lowerBound, x)...max(columns.upperBound, x)
      rows = min(rows.lowerBound, y)...max(rows.upperBound, y)
      count += 1
    }

    var isRectangle: Bool { count == columns.count * rows.count }
  }
}

/// A pane other than a panel that a layout can place. A panel of the same name hides it.
package enum LayoutPane: String, Sendable, CaseIterable {
  case console
  case feed
  case schema

  /// The pane of a word; the feed is also called by the title of its frame.
  package init?(word: String) {
    guard word != "transactions" else {
      self = .feed
      return
    }
    self.init(rawValue: word)
  }

  static let names = Set(allCases.map(\.rawValue) + ["transactions"])
}
