/// How a panel shows its result: a word of `-- view:`.
///
/// What belongs to a kind is in its ``PanelKind``; `ViewKind.allCases` has all of them.
package struct ViewKind: Sendable, Hashable {
  let type: any PanelKind.Type

  init(_ type: any PanelKind.Type) { self.type = type }

  /// The word.
  package var rawValue: String { type.name }

  /// The options that may follow the word, as in `gauge min=0 max=0.1`.
  package var options: [ViewOptions.Key] { type.options }

  func has(_ trait: ViewTraits) -> Bool { type.traits.contains(trait) }

  package static func == (left: ViewKind, right: ViewKind) -> Bool { left.type == right.type }

  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(type)) }

  package static let table = ViewKind(TableKind.self)
  package static let number = ViewKind(NumberKind.self)
  package static let bar = ViewKind(BarKind.self)
  package static let line = ViewKind(LineKind.self)
  package static let sparkline = ViewKind(SparklineKind.self)
  package static let gauge = ViewKind(GaugeKind.self)
  package static let histogram = ViewKind(HistogramKind.self)
  package static let log = ViewKind(LogKind.self)
}
