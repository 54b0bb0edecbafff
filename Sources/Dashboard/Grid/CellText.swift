/// What stands in a cell: a base scalar with at most four combining marks, as many as ncurses keeps
/// in one (`CCHARW_MAX`).
///
/// It holds no reference, as a `Character` may: a screen of cells is filled, copied and compared
/// as numbers are.
package struct CellText: Sendable, Hashable {
  /// The base and its first two marks, of 21 bits each from the lowest on; no mark is U+0000.
  private var first: UInt64
  /// The other two.
  private var last: UInt64 = 0

  private static let bits: UInt64 = 21
  private static let scalar: UInt64 = 0x1f_ffff

  package init(_ scalar: Unicode.Scalar) { first = UInt64(scalar.value) }

  /// A character; what it has beyond its fourth mark is left out.
  package init(_ character: Character) {
    var scalars = character.unicodeScalars.makeIterator()
    first = UInt64(scalars.next()?.value ?? 0x20)
    guard let mark = scalars.next() else { return }
    first |= UInt64(mark.value) << Self.bits
    first |= UInt64(scalars.next()?.value ?? 0) << (2 * Self.bits)
    last = UInt64(scalars.next()?.value ?? 0)
    last |= UInt64(scalars.next()?.value ?? 0) << Self.bits
  }

  package static let blank: CellText = " "

  package var base: Unicode.Scalar { Self.unpacked(first) }

  /// The marks, in their order.
  package var marks: [Unicode.Scalar] {
    guard first > Self.scalar else { return [] }
    return [first >> Self.bits, first >> (2 * Self.bits), last, last >> Self.bits]
      .map(Self.unpacked).filter { $0 != "\0" }
  }

  package var character: Character {
    guard first > Self.scalar else { return Character(base) }
    var text = String(Character(base))
    text.unicodeScalars.append(contentsOf: marks)
    return Character(text)
  }

  private static func unpacked(_ bits: UInt64) -> Unicode.Scalar {
    Unicode.Scalar(UInt32(bits & scalar)) ?? "\u{fffd}"
  }
}

extension CellText: ExpressibleByUnicodeScalarLiteral {
  package init(unicodeScalarLiteral scalar: Unicode.Scalar) { self.init(scalar) }
}
