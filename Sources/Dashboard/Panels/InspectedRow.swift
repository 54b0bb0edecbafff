import ObservationEngine

/// The lines of one row in full: every column, text wrapped, bytes as a hex dump.
enum InspectedRow {
  struct Line {
    var name = ""
    var text: String
    var role = Style.Role.text
  }

  /// The maximum lines for one value; more would not be worth scrolling.
  private static let maximumLines = 500
  private static let dumpedBytes = 512

  /// How many lines the overlay has, so that it can't be scrolled past its end.
  static func lineCount(_ panel: PanelState?, width: Int, glyphs: GlyphSet) -> Int {
    guard let panel, let row = panel.chosenRow else { return 0 }
    return lines(panel, row, width: max(0, width - 4), glyphs: glyphs).count
  }

  /// The width of the names before the values.
  static func nameWidth(_ panel: PanelState, width: Int) -> Int {
    let widest = panel.columns.map { DisplayText.width($0.name, limit: 24) }.max() ?? 0
    return min(widest, max(4, width / 3))
  }

  /// - Complexity: O(length of the values).
  static func lines(
    _ panel: PanelState, _ row: [Value], width: Int, glyphs: GlyphSet
  ) -> [Line] {
    let textWidth = width - 2 - nameWidth(panel, width: width) - 4
    guard textWidth > 0 else { return [] }
    var lines: [Line] = []
    for (column, value) in zip(panel.columns, row) {
      var own: [Line]
      switch value {
      case .null: own = [Line(text: "NULL", role: .placeholder)]
      case .integer(let number):
        // The exact number, followed by a grouped form if that is easier to read.
        let plain = String(number)
        let grouped = NumberText.grouped(number)
        own = [Line(text: plain == grouped ? plain : "\(plain)   (\(grouped))")]
      case .real(let number): own = [Line(text: number.sqliteText)]
      case .date(let date): own = [Line(text: "\(date)")]
      case .text(let text):
        own = TextWrap.lines(text, width: textWidth, limit: maximumLines + 1, glyphs: glyphs)
          .map { Line(text: $0) }
        if own.count > maximumLines {
          own[maximumLines] = Line(
            text:
              "and more: \(QuantityText.bytes(Int64(text.utf8.count))) in all; :export writes them",
            role: .muted)
        }
      case .blob(let bytes):
        own = [Line(text: "BLOB, \(QuantityText.count(bytes.count, "byte"))", role: .placeholder)]
        own += HexDump.lines(bytes.prefix(dumpedBytes), width: textWidth).map { Line(text: $0) }
        if bytes.count > dumpedBytes {
          let rest = NumberText.grouped(bytes.count - dumpedBytes)
          own.append(Line(text: "and \(rest) more", role: .muted))
        }
      }
      own[0].name = column.name
      lines += own
    }
    return lines
  }
}

/// Bytes as `00000010  53 51 4c 69  SQLi`.
enum HexDump {
  static func lines(_ bytes: ArraySlice<UInt8>, width: Int) -> [String] {
    // An address, three cells per byte in hex, and one as text.
    let perLine = max(1, min(16, (width - 12) / 4))
    return stride(from: bytes.startIndex, to: bytes.endIndex, by: perLine).map { start in
      let part = bytes[start..<min(start + perLine, bytes.endIndex)]
      let hex = part.map { twoDigits($0) }.joined(separator: " ")
      let padding = String(repeating: " ", count: (perLine - part.count) * 3)
      let text = String(
        part.map { $0 >= 0x20 && $0 < 0x7f ? Character(Unicode.Scalar($0)) : "." })
      let address = String(start, radix: 16)
      return String(repeating: "0", count: max(0, 8 - address.count)) + address
        + "  " + hex + padding + "  " + text
    }
  }

  private static func twoDigits(_ byte: UInt8) -> String {
    (byte < 16 ? "0" : "") + String(byte, radix: 16)
  }
}
