/// What a dashboard is about, and what its user chose before it was shown.
struct Setting: Sendable, Equatable {
  var title: String?
  let databaseName: String
  let dashboardName: String?
  let readOnly: Bool
  let glyphs: GlyphSet
  /// The names of the themes that the driver has.
  let themes: [String]
  let utcOffsetSeconds: Int
  /// Which keys do what.
  let keyMap: KeyMap
}
