/// A pane other than a panel that a layout can place. A panel of the same name hides it.
package enum LayoutPane: String, Sendable, CaseIterable {
  case console
  case transactions
  case schema

  static let names = Set(allCases.map(\.rawValue))
}
