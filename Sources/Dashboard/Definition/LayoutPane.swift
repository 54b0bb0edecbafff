/// What a layout can place beside panels. A panel of the same name hides it.
package enum LayoutPane: String, Sendable, CaseIterable {
  case console
  case transactions
  case schema

  static let names = Set(allCases.map(\.rawValue))
}
