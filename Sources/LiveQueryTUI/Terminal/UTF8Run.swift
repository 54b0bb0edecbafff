/// Reads scalars from bytes up to the first control character, or a truncated scalar.
struct UTF8Run {
  private let bytes: ArraySlice<UInt8>
  private var position: Int

  init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    position = bytes.startIndex
  }

  /// The next scalar, nil in place of invalid UTF-8, and how many bytes were read so far.
  mutating func next() -> (scalar: Unicode.Scalar?, end: Int)? {
    guard position < bytes.endIndex, bytes[position] >= 0x20, bytes[position] != 0x7f else {
      return nil
    }
    let length = Self.length(startingWith: bytes[position])
    let available = bytes[position...].prefix(length)
    var decoder = UTF8()
    var iterator = available.makeIterator()
    switch decoder.decode(&iterator) {
    case .scalarValue(let scalar):
      position += UTF8.width(scalar)
      return (scalar, position - bytes.startIndex)
    case .error, .emptyInput:
      let isCutOff = available.count < length
      if isCutOff, available.dropFirst().allSatisfy({ $0 & 0xc0 == 0x80 }) { return nil }
      position += 1
      return (nil, position - bytes.startIndex)
    }
  }

  private static func length(startingWith byte: UInt8) -> Int {
    switch byte {
    case 0xc2...0xdf: 2
    case 0xe0...0xef: 3
    case 0xf0...0xf4: 4
    default: 1
    }
  }
}
