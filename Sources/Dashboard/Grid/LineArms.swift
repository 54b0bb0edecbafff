/// The lines that meet in a cell: from its middle to each side.
struct LineArms: Equatable {
  /// A heavy line has the bit of a light one, so that lines are joined by their bits.
  enum Weight: UInt8 {
    case none = 0b00
    case light = 0b01
    case heavy = 0b11
  }

  /// Two bits for each side.
  private var bits: UInt8

  init(
    up: Weight = .none, down: Weight = .none, left: Weight = .none, right: Weight = .none
  ) {
    bits = up.rawValue << 6 | down.rawValue << 4 | left.rawValue << 2 | right.rawValue
  }

  /// Adds other lines; the heavier one of two is seen.
  mutating func join(_ other: LineArms) { bits |= other.bits }

  var isHorizontal: Bool { bits == 0b0101 || bits == 0b1111 }
  var isVertical: Bool { bits == 0b0101_0000 || bits == 0b1111_0000 }
  var isHeavy: Bool { bits & 0b1010_1010 != 0 }

  /// The character of Unicode; nil when fewer than two lines meet, or half a line is heavy.
  var character: Character? { Self.characters[Int(bits)] }

  /// By their weights, in the order up, down, left, right: each border of a frame asks for many.
  private static let characters: [Character?] = {
    let table = """
      ─0011 ━0022 │1100 ┃2200 ╭0101 ┍0102 ┎0201 ┏0202 ╮0110 ┑0120 ┒0210 ┓0220 ╰1001 ┕1002 ┖2001
      ┗2002 ╯1010 ┙1020 ┚2010 ┛2020 ├1101 ┝1102 ┞2101 ┟1201 ┠2201 ┡2102 ┢1202 ┣2202 ┤1110 ┥1120
      ┦2110 ┧1210 ┨2210 ┩2120 ┪1220 ┫2220 ┬0111 ┭0121 ┮0112 ┯0122 ┰0211 ┱0221 ┲0212 ┳0222 ┴1011
      ┵1021 ┶1012 ┷1022 ┸2011 ┹2021 ┺2012 ┻2022 ┼1111 ┽1121 ┾1112 ┿1122 ╀2111 ╁1211 ╂2211 ╃2121
      ╄2112 ╅1221 ╆1212 ╇2122 ╈1222 ╉2221 ╊2212 ╋2222
      """
    var characters = [Character?](repeating: nil, count: 256)
    for entry in table.split(whereSeparator: \.isWhitespace) {
      let weights = entry.dropFirst().map { weight -> Weight in
        weight == "0" ? .none : weight == "1" ? .light : .heavy
      }
      let arms = LineArms(up: weights[0], down: weights[1], left: weights[2], right: weights[3])
      characters[Int(arms.bits)] = entry.first
    }
    return characters
  }()
}

extension Symbols {
  /// The character for lines that meet.
  func line(_ arms: LineArms) -> Character {
    if !isASCII, let character = arms.character { return character }
    let plain = arms.isHeavy ? focusedFrame : frame
    return arms.isHorizontal
      ? plain.horizontal : arms.isVertical ? plain.vertical : plain.topLeft
  }
}
