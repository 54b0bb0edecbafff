import ObservationEngine

/// A number for each pair of two categories, as cells that are the darker the greater it is.
///
///     Mon ░░░░▒▒▓▓██▓▓░░
///     Tue     ░░▒▒▓▓▒▒
///         08  10  12  14
///      0 ░▒▓█ 128
///
/// The categories are the first two columns, or those of `x=` and `y=`. A time, alone or with one
/// number, is shown by day of the week and hour: the sums of the number, or how many rows there
/// are.
enum HeatmapKind: DrawnKind {
  static let name = "heatmap"
  static let options: [ViewOptions.Key] = [.x, .y, .min, .max]
  static let traits: ViewTraits = [.picture, .roomy, .chart]

  static func obstacle(
    _ result: RowSet, _ summaries: [ColumnSummary], _ options: ViewOptions
  ) -> String? {
    let roles = HeatmapRoles(result, summaries, options)
    return roles == nil ? "it needs two columns of categories and a number, or a time" : nil
  }

  static func chart(
    _ result: RowSet, _ summaries: [ColumnSummary], rows: [Int], _ options: ViewOptions
  ) -> ChartData? {
    HeatmapRoles(result, summaries, options).map { roles in
      .other(Heatmap(result, summaries, rows: rows, roles))
    }
  }

  static func facts(
    _ panel: PanelState, _ result: RowSet, visible: Int, _ symbols: Symbols
  ) -> String? {
    guard case .other(let value) = panel.chart, let map = value as? Heatmap else { return nil }
    let size = "\(map.columns.count) x \(map.rows.count)"
    return map.skipped == 0 ? size : "! \(QuantityText.count(map.skipped, "row")) left out"
  }

  static func draw(_ drawing: PanelDrawing, on canvas: inout Canvas) {
    let area = drawing.geometry.rows
    guard case .other(let value) = drawing.panel.chart, let map = value as? Heatmap,
      !map.cells.isEmpty
    else {
      if !drawing.panel.order.isEmpty { PanelView.note("no numbers", in: area, on: &canvas) }
      return
    }
    HeatmapPicture(map, in: area, drawing.panel.definition.options, canvas.glyphs)?.draw(
      on: &canvas)
  }
}

/// Which columns are the categories and the number.
private struct HeatmapRoles {
  enum Categories {
    /// The columns for the horizontal and the vertical direction.
    case columns(x: Int, y: Int)
    case week(time: Int, MomentForm)
  }

  let categories: Categories
  /// The column of the number; nil to count rows.
  let value: Int?

  init?(_ result: RowSet, _ summaries: [ColumnSummary], _ options: ViewOptions) {
    func index(_ name: String?) -> Int? {
      name.flatMap { RowKey.index(ofColumn: $0, in: result.columns) }
    }
    let (x, y) = (index(options.x), index(options.y.first))
    func number(except taken: [Int]) -> Int? {
      summaries.indices.last { summaries[$0].mayHaveNumbers && !taken.contains($0) }
    }
    if x == nil, y == nil, let (time, form) = Self.time(result), summaries.count <= 2 {
      value = number(except: [time])
      guard value != nil || summaries.count == 1 else { return nil }
      categories = .week(time: time, form)
      return
    }
    let free = summaries.indices.filter { $0 != x && $0 != y }
    // The last column of numbers is the value: the categories are before it.
    guard let value = free.last(where: { summaries[$0].mayHaveNumbers }) else { return nil }
    var rest = free.filter { $0 != value }[...]
    guard let vertical = y ?? rest.popFirst(), let horizontal = x ?? rest.popFirst() else {
      return nil
    }
    self.value = value
    categories = .columns(x: horizontal, y: vertical)
  }

  private static func time(_ result: RowSet) -> (column: Int, MomentForm)? {
    for (index, name) in result.columns.enumerated() {
      let values = result.rows.lazy.map { $0[index] }
      if let form = MomentForm(of: values, column: name) { return (index, form) }
    }
    return nil
  }
}

/// The numbers by category.
private struct Heatmap: ChartValue {
  struct Place: Hashable {
    var x: Int
    var y: Int
  }

  /// A screen has no room for more, and a user no use.
  private static let limit = 500

  /// The names from left to right, and from top to bottom.
  private(set) var columns: [String]
  private(set) var rows: [String]
  /// The sums of the rows in a cell; a missing cell has none.
  private(set) var cells: [Place: Double] = [:]
  /// Rows without a finite number, or of a category beyond the limit.
  private(set) var skipped = 0

  init(_ result: RowSet, _ summaries: [ColumnSummary], rows indexes: [Int], _ roles: HeatmapRoles) {
    switch roles.categories {
    case .week(let time, let form):
      columns = (0..<24).map { $0 < 10 ? "0\($0)" : String($0) }
      rows = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
      for index in indexes {
        guard let seconds = form.seconds(result.rows[index][time]), seconds.isFinite,
          seconds.magnitude < 1e15
        else {
          skipped += 1
          continue
        }
        let hours = Int((seconds / 3600).rounded(.down))
        let days = (hours >= 0 ? hours : hours - 23) / 24
        // The epoch was a Thursday.
        let place = Place(x: hours - days * 24, y: ((days + 3) % 7 + 7) % 7)
        add(roles.value.map { result.rows[index][$0] } ?? .integer(1), at: place)
      }
    case .columns(let x, let y):
      (columns, rows) = ([], [])
      var known: (x: [Value: Int], y: [Value: Int]) = ([:], [:])
      for index in indexes {
        let row = result.rows[index]
        guard let column = Self.index(of: row[x], summaries[x], &known.x, &columns),
          let line = Self.index(of: row[y], summaries[y], &known.y, &rows),
          let value = roles.value
        else {
          skipped += 1
          continue
        }
        add(row[value], at: Place(x: column, y: line))
      }
      sortColumns()
    }
  }

  /// Sorts the columns if they are numbers, years or dates: a query orders only the rows by itself.
  private mutating func sortColumns() {
    guard columns.allSatisfy({ $0.first?.isNumber == true }) else { return }
    let numbers = columns.map { Double($0.filter { !$0.isWhitespace }) }
    let areNumbers = numbers.allSatisfy { $0 != nil }
    let order = columns.indices.sorted { left, right in
      areNumbers
        ? (numbers[left] ?? 0) < (numbers[right] ?? 0) : columns[left] < columns[right]
    }
    var places = order
    for (place, former) in order.enumerated() { places[former] = place }
    columns = order.map { columns[$0] }
    cells = Dictionary(
      uniqueKeysWithValues: cells.map { (Place(x: places[$0.x], y: $0.y), $1) })
  }

  /// The place of a category, in the order in which they come; nil beyond the limit. Numbers that
  /// look the same when they are rounded are several.
  private static func index(
    of value: Value, _ summary: ColumnSummary, _ known: inout [Value: Int],
    _ names: inout [String]
  ) -> Int? {
    let category =
      if case .real(let number) = value, let whole = Int64(exactly: number) {
        Value.integer(whole)
      } else { value }
    if let index = known[category] { return index }
    guard names.count < limit else { return nil }
    known[category] = names.count
    names.append(ValueText(value, column: summary).text)
    return names.count - 1
  }

  private mutating func add(_ value: Value, at place: Place) {
    guard let number = ColumnSummary.number(value), number.isFinite else {
      skipped += value == .null ? 0 : 1
      return
    }
    let sum = cells[place, default: 0] + number
    let most = Double.greatestFiniteMagnitude
    cells[place] = min(max(sum, -most), most)
  }
}

/// A heat map at its size on the screen.
private struct HeatmapPicture {
  private let map: Heatmap
  private let area: Rect
  private let glyphs: GlyphSet
  private let lowest: Double
  private let highest: Double
  /// The cells for the names of the rows, and for each column.
  private let nameWidth: Int
  private let cellWidth: Int
  private let shownRows: Int
  private let shownColumns: Int
  private let hasNames: Bool
  private let hasLegend: Bool

  /// From nothing to the greatest number, with a character for each step, so that nothing is shown
  /// by colour alone.
  private static let unicode: [(Character, Style.Role)] = [
    ("\u{b7}", .muted), ("\u{2591}", .bar), ("\u{2592}", .bar), ("\u{2593}", .bar),
    ("\u{2588}", .accent),
  ]
  private static let ascii: [(Character, Style.Role)] = [
    (".", .muted), (":", .bar), ("+", .bar), ("#", .bar), ("@", .accent),
  ]

  init?(_ map: Heatmap, in area: Rect, _ options: ViewOptions, _ glyphs: GlyphSet) {
    self.map = map
    self.area = area
    self.glyphs = glyphs
    lowest = options.minimum ?? min(0, map.cells.values.min() ?? 0)
    highest = max(options.maximum ?? map.cells.values.max() ?? 0, lowest)
    hasNames = area.height >= 3
    hasLegend = area.height >= 5
    let widest = map.rows.map { DisplayText.width($0, limit: 40, glyphs: glyphs) }.max() ?? 0
    nameWidth = min(widest, area.width / 3)
    let room = area.width - nameWidth - 3
    guard room > 0, area.height > 0 else { return nil }
    let longest = map.columns.map { DisplayText.width($0, limit: 12, glyphs: glyphs) }.max() ?? 1
    cellWidth = max(1, min(room / map.columns.count, longest + 1))
    shownColumns = min(map.columns.count, room / cellWidth)
    shownRows = min(map.rows.count, area.height - (hasNames ? 1 : 0) - (hasLegend ? 1 : 0))
  }

  func draw(on canvas: inout Canvas) {
    let left = area.x + nameWidth + 2
    for line in 0..<shownRows {
      let y = area.y + line
      canvas.write(map.rows[line], x: area.x + 1, y: y, width: nameWidth, Style(.muted))
      for column in 0..<shownColumns {
        guard let number = map.cells[Heatmap.Place(x: column, y: line)] else { continue }
        let (character, role) = shade(number)
        for offset in 0..<cellWidth {
          canvas.put(character, x: left + column * cellWidth + offset, y: y, Style(role))
        }
      }
    }
    if shownColumns < map.columns.count, shownRows > 0 {
      canvas.put(
        canvas.symbols.more, x: area.x + area.width - 1, y: area.y, Style(.muted))
    }
    if hasNames { drawNames(left: left, y: area.y + shownRows, on: &canvas) }
    if hasLegend { drawLegend(left: left, y: area.y + shownRows + 1, on: &canvas) }
  }

  /// In fewer cells, a cut name would say nothing.
  private static let leastNameWidth = 5

  /// The names of the columns, and how many rows do not fit. Where columns are too narrow for
  /// names, as many as fit next to each other.
  private func drawNames(left: Int, y: Int, on canvas: inout Canvas) {
    if shownRows < map.rows.count {
      let count = map.rows.count - shownRows
      let text = "\(count) more"
      canvas.write(
        text.utf8.count <= nameWidth ? text : "+\(count)", x: area.x + 1, y: y, width: nameWidth,
        Style(.placeholder))
    }
    // Cut names that are the same would say nothing, as those of days may be.
    let isCut =
      cellWidth > Self.leastNameWidth
      && Set(map.columns.map { $0.prefix(cellWidth - 2) }).count == map.columns.count
    var end = left
    for column in 0..<shownColumns {
      let x = left + column * cellWidth
      let rest = area.x + area.width - x
      let room = isCut && column + 1 < shownColumns ? cellWidth - 1 : rest
      let whole = DisplayText.width(map.columns[column], limit: 40, glyphs: glyphs)
      let width = isCut ? min(whole, room) : whole
      guard x >= end, width <= rest else { continue }
      canvas.write(map.columns[column], x: x, y: y, width: width, Style(.muted))
      end = x + width + 1
    }
  }

  /// `0 ░▒▓█ 128`
  private func drawLegend(left: Int, y: Int, on canvas: inout Canvas) {
    let end = area.x + area.width
    var x = left
    x += canvas.write(text(lowest) + " ", x: x, y: y, width: end - x, Style(.muted))
    for (character, role) in scale where x < end {
      canvas.put(character, x: x, y: y, Style(role))
      x += 1
    }
    canvas.write(" " + text(highest), x: x, y: y, width: end - x, Style(.muted))
  }

  private func text(_ number: Double) -> String {
    NumberText.real(number, decimals: min(2, NumberText.decimals(of: number)))
  }

  private var scale: [(Character, Style.Role)] { glyphs == .ascii ? Self.ascii : Self.unicode }

  private func shade(_ number: Double) -> (Character, Style.Role) {
    guard highest > lowest else { return scale[scale.count - 1] }
    // By halves: the range of two finite numbers can be infinite.
    let share = (number / 2 - lowest / 2) / (highest / 2 - lowest / 2)
    let last = Double(scale.count - 1)
    // In this order NaN is 0.
    return scale[Int(min(last, max(0, share * Double(scale.count))))]
  }
}
