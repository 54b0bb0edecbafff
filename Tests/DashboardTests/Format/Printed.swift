import ObservationEngine

@testable import Dashboard

/// What a format writes, in one piece.
func printed(
  _ format: ResultFormat, _ panels: [(name: String, result: RowSet)], nullText: String = "",
  terminal: GlyphSet? = nil
) -> String {
  var text = ""
  format.write(panels, nullText: nullText, terminal: terminal) { text += $0 }
  return text
}
