/// What a terminal shows in one cell.
struct TerminalCell: Hashable, CustomStringConvertible {
  /// Colours and attributes, as a terminal is told them.
  struct Look: Hashable {
    /// The parameters that chose it, such as `31` or `38;5;240`; nil for the terminal's own.
    var foreground: String?
    var background: String?
    var attributes: Set<Int> = []

    static let underline = 4
    static let reverse = 7
  }

  /// A character with its marks; empty in the second half of a wide one.
  var text: String
  var look: Look

  static let blank = TerminalCell(text: " ", look: Look())

  /// The cell as it meets the eye: nobody sees in which colour a blank is written.
  var visible: TerminalCell {
    guard text == " ", !look.attributes.contains(Look.reverse) else { return self }
    var visible = self
    visible.look.foreground = nil
    visible.look.attributes.formIntersection([Look.underline])
    return visible
  }

  var description: String {
    "\"\(text)\" \(look.foreground ?? "-")/\(look.background ?? "-")\(look.attributes.sorted())"
  }
}

extension TerminalCell.Look {
  /// Takes over what a sequence sets.
  ///
  /// - Returns: A parameter that is not known.
  mutating func apply(_ parameters: [String]) -> String? {
    var rest = parameters.isEmpty ? ["0"] : parameters[...]
    while let text = rest.popFirst() {
      let number = Int(text) ?? 0
      switch number {
      case 0: self = Self()
      // 10 and 11 choose a font of the Linux console.
      case 10, 11: break
      case 1...8: attributes.insert(number)
      case 22: attributes.subtract([1, 2])
      case 23...28: attributes.remove(number - 20)
      case 30...37, 90...97: foreground = text
      case 40...47, 100...107: background = text
      case 39: foreground = nil
      case 49: background = nil
      case 38, 48:
        let count = rest.first == "5" ? 2 : 4
        let color = ([text] + rest.prefix(count)).joined(separator: ";")
        rest = rest.dropFirst(count)
        if number == 38 { foreground = color } else { background = color }
      default: return text
      }
    }
    return nil
  }
}

extension TerminalCell {
  /// The columns of a scalar: 0 for one that joins the character before it.
  ///
  /// Of a table of its own, not the program's: the ranges that the tests draw.
  static func columns(_ scalar: Unicode.Scalar) -> Int {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    let wide: [ClosedRange<UInt32>] = [
      0x1100...0x115f, 0x2e80...0x303e, 0x3041...0xa4cf, 0xac00...0xd7a3, 0xf900...0xfaff,
      0xfe30...0xfe6f, 0xff00...0xff60, 0xffe0...0xffe6, 0x1f300...0x1f64f, 0x1f900...0x1f9ff,
      0x20000...0x3fffd,
    ]
    return wide.contains { $0.contains(scalar.value) } ? 2 : 1
  }
}
