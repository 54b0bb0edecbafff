/// Whether to use colours: `--color`.
enum ColorChoice: String, Sendable, CaseIterable {
  /// As many as the terminal has, none with NO_COLOR.
  case auto
  /// Even with NO_COLOR.
  case always
  case never
}
