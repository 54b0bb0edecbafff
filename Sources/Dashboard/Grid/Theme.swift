/// Which colours the roles of ``Style`` have; a terminal driver knows them.
package enum Theme: String, Sendable, CaseIterable {
  /// Dark or light, as far as the terminal tells; dark otherwise.
  case auto
  case dark
  case light
  /// Few strong colours, nothing dim.
  case highContrast = "high-contrast"
  /// No colours: bold, dim, underlined and reversed alone.
  case mono
}
