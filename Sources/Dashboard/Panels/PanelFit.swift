/// How a panel's result is drawn.
struct PanelFit: Sendable, Equatable {
  /// The intended view; fixed by the first result with rows, so that the screen does not jump.
  var wanted: ViewKind
  /// The drawn one: a table when the intended one cannot show the result.
  private(set) var kind: ViewKind
  /// Why the result is shown as a table instead of the intended view; nil when it isn't.
  private(set) var misfit: String?
  /// The data of a chart; nil for other views.
  var chart: ChartData?

  init(_ definition: PanelDefinition) {
    wanted = definition.view ?? .table
    kind = wanted
  }

  /// Intends a view, and draws it until a result proves that unfit.
  mutating func intend(_ kind: ViewKind) {
    wanted = kind
    self.kind = kind
  }

  /// Draws the intended view, or a table if there is an obstacle.
  mutating func settle(obstacle: String?) {
    misfit = obstacle
    kind = obstacle == nil ? wanted : .table
  }

  /// Whether the drawn view is not the intended one.
  var isSubstitute: Bool { kind != wanted }
}
