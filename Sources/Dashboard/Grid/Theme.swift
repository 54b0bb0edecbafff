/// Which colours the roles of ``Style`` have; the terminal driver defines them.
package enum Theme: String, Sendable, CaseIterable {
  /// Dark or light, if the terminal reports it; otherwise dark.
  case auto
  case dark
  case light
  /// Few strong colours, nothing dim.
  case highContrast = "high-contrast"
  /// No colours: only bold, dim, underlined and reversed.
  case mono
}
