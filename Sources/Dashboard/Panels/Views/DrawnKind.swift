package import ObservationEngine

/// What a view draws, and where.
struct PanelDrawing {
  let panel: PanelState
  let result: RowSet
  let geometry: PanelGeometry
  let context: PanelContext
  /// The part of a chart's legend that doesn't fit in the title, and the border where it may go.
  let legend: Legend?
  let border: Legend.Border?
}

/// A kind of view that can be drawn.
protocol DrawnKind: PanelKind {
  /// - Complexity: O(cells): of a result, only the rows in view are read.
  static func draw(_ drawing: PanelDrawing, on canvas: inout Canvas)

  /// What the panel's frame says of the result; nil for nothing.
  static func facts(
    _ panel: PanelState, _ result: RowSet, visible: Int, _ symbols: Symbols
  ) -> String?
}

extension DrawnKind {
  static func facts(
    _ panel: PanelState, _ result: RowSet, visible: Int, _ symbols: Symbols
  ) -> String? { PanelView.rows(panel, visible) }
}

extension ViewKind {
  /// Every kind: a new one is its file and its line here.
  private static let kinds: [any DrawnKind.Type] = [
    TableKind.self,
    NumberKind.self,
    BarKind.self,
    LineKind.self,
    SparklineKind.self,
    GaugeKind.self,
    HistogramKind.self,
    LogKind.self,
    HeatmapKind.self,
  ]

  package static let allCases = kinds.map { ViewKind($0) }

  private static let drawnByKind = Dictionary(
    uniqueKeysWithValues: kinds.map { (ViewKind($0), $0) })

  /// How it is drawn.
  var drawn: any DrawnKind.Type {
    guard let drawn = Self.drawnByKind[self] else {
      preconditionFailure("the kind \(rawValue) is missing in ViewKind.kinds")
    }
    return drawn
  }
}

extension DashboardParser {
  /// Reads the text of a dashboard file, with every kind of view.
  package static func parse(
    _ text: String, dialect: SQLDialect = .sqlite
  ) -> (definition: DashboardDefinition, diagnostics: [Diagnostic]) {
    parse(text, views: ViewKind.allCases, dialect: dialect)
  }
}

extension RecordingReader {
  /// Reads the first line of a recording, with every kind of view.
  package init(_ bytes: [UInt8]) throws(Failure) {
    try self.init(bytes, views: ViewKind.allCases)
  }
}

// MARK: Kinds

extension TableKind: DrawnKind {
  static func draw(_ drawing: PanelDrawing, on canvas: inout Canvas) {
    TableView.draw(
      drawing.panel, drawing.result, drawing.geometry, drawing.context, on: &canvas)
  }
}

extension NumberKind: DrawnKind {
  static func draw(_ drawing: PanelDrawing, on canvas: inout Canvas) {
    NumberView.draw(drawing.panel, in: drawing.geometry.inner, drawing.context, on: &canvas)
  }

  static func facts(
    _ panel: PanelState, _ result: RowSet, visible: Int, _ symbols: Symbols
  ) -> String? { nil }
}

extension BarKind: DrawnKind {
  static func draw(_ drawing: PanelDrawing, on canvas: inout Canvas) {
    BarView.draw(
      drawing.panel, drawing.result, in: drawing.geometry.rows, drawing.context, on: &canvas)
  }
}

extension LineKind: DrawnKind {
  static func draw(_ drawing: PanelDrawing, on canvas: inout Canvas) {
    LineView.draw(
      drawing.panel, drawing.result, in: drawing.geometry.rows, legend: drawing.legend,
      border: drawing.border, now: drawing.context.moment.civil, on: &canvas)
  }

  static func facts(
    _ panel: PanelState, _ result: RowSet, visible: Int, _ symbols: Symbols
  ) -> String? {
    guard case .series(let set) = panel.chart, let span = set.span else { return nil }
    if let remark = panel.chartRemark { return "! " + remark }
    let isTime = set.axis == .time && span.lowerBound < span.upperBound
    let length =
      isTime
      ? QuantityText.roughSpan(seconds: span.upperBound - span.lowerBound)
      : QuantityText.count(set.rows.count, "point")
    return (symbols.isASCII ? "" : "braille" + symbols.dot) + length
  }
}

extension SparklineKind: DrawnKind {
  static func draw(_ drawing: PanelDrawing, on canvas: inout Canvas) {
    SparklineView.draw(drawing.panel, drawing.result, in: drawing.geometry.rows, on: &canvas)
  }

  static func facts(
    _ panel: PanelState, _ result: RowSet, visible: Int, _ symbols: Symbols
  ) -> String? { panel.chartRemark.map { "! " + $0 } }
}

extension GaugeKind: DrawnKind {
  static func draw(_ drawing: PanelDrawing, on canvas: inout Canvas) {
    GaugeView.draw(
      drawing.panel, drawing.result, in: drawing.geometry.rows, drawing.context, on: &canvas)
  }

  static func facts(
    _ panel: PanelState, _ result: RowSet, visible: Int, _ symbols: Symbols
  ) -> String? { result.rows.count == 1 ? nil : PanelView.rows(panel, visible) }
}

extension HistogramKind: DrawnKind {
  static func draw(_ drawing: PanelDrawing, on canvas: inout Canvas) {
    HistogramView.draw(
      drawing.panel, drawing.result, in: drawing.geometry.rows, drawing.context, on: &canvas)
  }

  static func facts(
    _ panel: PanelState, _ result: RowSet, visible: Int, _ symbols: Symbols
  ) -> String? {
    guard case .bins(let bins, _) = panel.chart else {
      return QuantityText.count(panel.order.count, "bar")
    }
    let skipped = bins.skipped
    return QuantityText.count(bins.total, "value")
      + (skipped == 0 ? "" : ", \(NumberText.grouped(skipped)) not finite or no number")
  }
}

extension LogKind: DrawnKind {
  static func draw(_ drawing: PanelDrawing, on canvas: inout Canvas) {
    LogView.draw(
      drawing.panel, drawing.result, in: drawing.geometry.rows, drawing.context, on: &canvas)
  }

  static func facts(
    _ panel: PanelState, _ result: RowSet, visible: Int, _ symbols: Symbols
  ) -> String? {
    panel.isPart
      ? PanelView.rows(panel, visible) : QuantityText.count(panel.order.count, "row")
  }
}
