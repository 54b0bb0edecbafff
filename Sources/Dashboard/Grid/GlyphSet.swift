/// Which characters the program itself may draw with; text from the database is not affected.
package enum GlyphSet: Sendable, Hashable {
  /// Box drawing, blocks, arrows.
  case unicode
  /// Nothing beyond ASCII, for terminals and fonts without the rest.
  case ascii
}
