/// Changes bytes as damage does, or somebody who knows the format.
enum Mutation {
  /// Numbers at which arithmetic and comparisons go wrong.
  private static let words: [UInt32] = [
    0, 1, 2, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0x8000, 0xffff, 0x7fff_ffff, 0x8000_0000, 0xffff_fffe,
    0xffff_ffff,
  ]

  /// Changes some bytes, at places that are random or where fields begin.
  static func damage(
    _ bytes: inout [UInt8], unit: Int = 1, using random: inout SeededRandom
  ) {
    for _ in 0..<Int.random(in: 1...6, using: &random) {
      guard !bytes.isEmpty else { return }
      // Pages and frames have their counts and links at the beginning.
      var place = random.index(bytes.count)
      if unit > 1, !random.onceIn(3) { place = place / unit * unit + random.index(min(unit, 40)) }
      place = min(place, bytes.count - 1)
      switch Int.random(in: 0..<8, using: &random) {
      case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
      case 1: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      case 2, 3: put(words.randomElement(using: &random) ?? 0, in: &bytes, at: place)
      case 4: put(UInt32(truncatingIfNeeded: random.index(200)), in: &bytes, at: place)
      case 5:
        // A unit in the place of another: links that make circles and trees that share leaves.
        let size = min(unit > 1 ? unit : 1 + random.index(64), bytes.count)
        let from = random.index(bytes.count / size) * size
        let to =
          unit > 1 ? random.index(bytes.count / size) * size : random.index(bytes.count - size + 1)
        let part = Array(bytes[from..<from + size])
        bytes.replaceSubrange(to..<to + size, with: part)
      case 6 where random.onceIn(4): bytes.removeLast(random.index(bytes.count))
      default:
        let size = min(bytes.count - place, 1 + random.index(16))
        let byte = [0, 0xff, 0x80].randomElement(using: &random) ?? 0
        for index in place..<place + size { bytes[index] = UInt8(byte) }
      }
    }
  }

  /// Changes a text: bytes, words of its kind, parts that come again, and nesting without end.
  static func damageText(
    _ bytes: inout [UInt8], words: [String], using random: inout SeededRandom
  ) {
    for _ in 0..<Int.random(in: 1...5, using: &random) {
      let place = random.index(bytes.count + 1)
      switch Int.random(in: 0..<7, using: &random) {
      case 0: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
      case 1: bytes.removeSubrange(place..<min(bytes.count, place + 1 + random.index(20)))
      case 2: bytes.insert(contentsOf: (words.randomElement(using: &random) ?? "").utf8, at: place)
      case 3:
        let end = min(bytes.count, place + random.index(200))
        bytes.insert(contentsOf: Array(bytes[place..<end]), at: random.index(bytes.count + 1))
      case 4:
        let word = Array((words.randomElement(using: &random) ?? "(").utf8)
        let count = random.onceIn(20) ? 20_000 : 1 + random.index(40)
        for _ in 0..<count { bytes.insert(contentsOf: word, at: min(place, bytes.count)) }
      case 5:
        let numbers = [
          "-1", "0", "9223372036854775807", "-9223372036854775808", "1e999", "NaN", "1e-400",
        ]
        bytes.insert(contentsOf: (numbers.randomElement(using: &random) ?? "").utf8, at: place)
      default: if !bytes.isEmpty { damage(&bytes, using: &random) }
      }
    }
  }

  static func put(_ word: UInt32, in bytes: inout [UInt8], at place: Int) {
    for index in 0..<4 where place + index < bytes.count {
      bytes[place + index] = UInt8(truncatingIfNeeded: word >> UInt32(24 - 8 * index))
    }
  }

  static func word(of bytes: [UInt8], at place: Int) -> UInt32 {
    (0..<4).reduce(0) { $0 << 8 | UInt32(place + $1 < bytes.count ? bytes[place + $1] : 0) }
  }

  /// Makes the checksums of a log right, so that SQLite takes what was changed in it.
  static func sign(log bytes: inout [UInt8]) {
    guard bytes.count > 32 else { return }
    let isBig = word(of: bytes, at: 0) & 1 == 1
    let size = Int(word(of: bytes, at: 8))
    guard (512...65_536).contains(size) else { return }
    var sums: (UInt32, UInt32) = (0, 0)
    func add(_ range: Range<Int>) {
      for place in stride(from: range.lowerBound, to: range.upperBound, by: 8) {
        let first = word(of: bytes, at: place)
        let second = word(of: bytes, at: place + 4)
        sums.0 &+= (isBig ? first : first.byteSwapped) &+ sums.1
        sums.1 &+= (isBig ? second : second.byteSwapped) &+ sums.0
      }
    }
    add(0..<24)
    put(sums.0, in: &bytes, at: 24)
    put(sums.1, in: &bytes, at: 28)
    var frame = 32
    while frame + 24 + size <= bytes.count {
      // Of this log, whatever was changed.
      for index in 0..<8 { bytes[frame + 8 + index] = bytes[16 + index] }
      add(frame..<frame + 8)
      add(frame + 24..<frame + 24 + size)
      put(sums.0, in: &bytes, at: frame + 16)
      put(sums.1, in: &bytes, at: frame + 20)
      frame += 24 + size
    }
  }
}
