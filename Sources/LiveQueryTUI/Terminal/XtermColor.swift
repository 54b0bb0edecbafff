/// The 240 colours of xterm that are the same everywhere: a cube, and greys.
enum XtermColor {
  private static let levels: [Int32] = [0, 0x5f, 0x87, 0xaf, 0xd7, 0xff]

  /// - Precondition: `index` is from 16 to 255.
  static func rgb(_ index: Int32) -> Int32 {
    if index >= 232 { return (8 + (index - 232) * 10) * 0x010101 }
    let place = Int(index) - 16
    return levels[place / 36] << 16 | levels[place / 6 % 6] << 8 | levels[place % 6]
  }

  /// The closest of them, the first if several are.
  static func nearest(to rgb: Int32) -> Int32 {
    func distance(_ index: Int32) -> Int32 {
      let other = Self.rgb(index)
      return [16, 8, 0].reduce(0) { sum, shift in
        let difference = (rgb >> shift & 0xff) - (other >> shift & 0xff)
        return sum + difference * difference
      }
    }
    return (16...255).min { distance($0) < distance($1) } ?? 16
  }
}
