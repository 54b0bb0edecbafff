/// The lines that meet in a cell: from its middle to each side.
struct LineArms: Equatable {
  enum Weight: UInt8, Comparable {
    case none, light, heavy

    static func < (left: Weight, right: Weight) -> Bool { left.rawValue < right.rawValue }
  }

  var up = Weight.none
  var down = Weight.none
  var left = Weight.none
  var right = Weight.none

  /// Adds other lines; the heavier one of two is seen.
  mutating func join(_ other: LineArms) {
    up = max(up, other.up)
    down = max(down, other.down)
    left = max(left, other.left)
    right = max(right, other.right)
  }

  var isHorizontal: Bool { up == .none && down == .none && left == right && left != .none }
  var isVertical: Bool { left == .none && right == .none && up == down && up != .none }
  var isHeavy: Bool { max(max(up, down), max(left, right)) == .heavy }

  /// The character of Unicode; nil when fewer than two lines meet, or half a line is heavy.
  var character: Character? { Self.characters[place] }

  private var place: Int {
    func weight(_ arm: Weight) -> Int { Int(arm.rawValue) }
    return ((weight(up) * 3 + weight(down)) * 3 + weight(left)) * 3 + weight(right)
  }

  /// By their weights, in the order up, down, left, right: each border of a frame asks for many.
  private static let characters: [Character?] = {
    let table = """
      ─0011 ━0022 │1100 ┃2200 ╭0101 ┍0102 ┎0201 ┏0202 ╮0110 ┑0120 ┒0210 ┓0220 ╰1001 ┕1002 ┖2001
      ┗2002 ╯1010 ┙1020 ┚2010 ┛2020 ├1101 ┝1102 ┞2101 ┟1201 ┠2201 ┡2102 ┢1202 ┣2202 ┤1110 ┥1120
      ┦2110 ┧1210 ┨2210 ┩2120 ┪1220 ┫2220 ┬0111 ┭0121 ┮0112 ┯0122 ┰0211 ┱0221 ┲0212 ┳0222 ┴1011
      ┵1021 ┶1012 ┷1022 ┸2011 ┹2021 ┺2012 ┻2022 ┼1111 ┽1121 ┾1112 ┿1122 ╀2111 ╁1211 ╂2211 ╃2121
      ╄2112 ╅1221 ╆1212 ╇2122 ╈1222 ╉2221 ╊2212 ╋2222
      """
    var characters = [Character?](repeating: nil, count: 81)
    for entry in table.split(whereSeparator: \.isWhitespace) {
      let weights = entry.dropFirst().compactMap(\.wholeNumberValue).compactMap {
        Weight(rawValue: UInt8($0))
      }
      let arms = LineArms(up: weights[0], down: weights[1], left: weights[2], right: weights[3])
      characters[arms.place] = entry.first
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
