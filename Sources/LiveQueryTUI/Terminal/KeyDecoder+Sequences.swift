import Dashboard

/// The sequences that terminals of the xterm family share, with their modifiers.
extension KeyDecoder {
  /// `ESC [ parameters final`.
  static func controlSequence(_ bytes: ArraySlice<UInt8>) -> Step {
    let body = bytes.dropFirst(2)
    // The Linux console's F1 to F5: ESC [ [ A.
    if body.first == UInt8(ascii: "[") {
      guard let letter = body.dropFirst().first else { return .needsMore }
      let number = Int(letter) - Int(UInt8(ascii: "A")) + 1
      return .keys((1...5).contains(number) ? [.function(number)] : [], length: 4)
    }
    guard let end = body.firstIndex(where: { !(0x20...0x3f).contains($0) }) else {
      return .needsMore
    }
    let length = end - bytes.startIndex + 1
    let final = bytes[end]
    // A control character inside starts something else.
    guard (0x40...0x7e).contains(final) else { return .keys([], length: length - 1) }
    let text = String(decoding: bytes[body.startIndex..<end], as: UTF8.self)
    let numbers = text.split(separator: ";", omittingEmptySubsequences: false).map {
      number($0.prefix { $0 != ":" }) ?? 1
    }
    if text.hasPrefix("<"), final == UInt8(ascii: "M") || final == UInt8(ascii: "m") {
      let event = mouse(text.dropFirst(), isRelease: final == UInt8(ascii: "m"))
      return .keys(event.map { [.mouse($0)] } ?? [], length: length)
    }
    if final == UInt8(ascii: "~"), numbers.first == 200 { return .pasteBegins(length: length) }
    let key = key(final: final, numbers: numbers, isPrivate: text.first.map { "<=>?".contains($0) })
    return .keys(key.map { [$0] } ?? [], length: length)
  }

  /// `ESC ] number …`, ended by BEL or `ESC \`: an answer that is no longer awaited.
  static func operatingSystemCommand(_ bytes: ArraySlice<UInt8>) -> Step {
    let body = bytes.dropFirst(2)
    guard let first = body.first else { return .needsMore }
    guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else {
      return .keys([.alt("]")], length: 2)
    }
    guard let end = body.firstIndex(where: { $0 < 0x20 }) else { return .needsMore }
    let length = end - bytes.startIndex + 1
    switch bytes[end] {
    case 0x07: return .keys([], length: length)
    case 0x1b where end + 1 == bytes.endIndex: return .needsMore
    case 0x1b where bytes[end + 1] == UInt8(ascii: "\\"): return .keys([], length: length + 1)
    // A control character inside starts something else.
    default: return .keys([], length: length - 1)
    }
  }

  /// A parameter; nil if it isn't a number that a terminal would send.
  private static func number(_ text: Substring) -> Int? {
    guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
      return nil
    }
    return Int(text).flatMap { $0 <= 0x10_ffff ? $0 : nil }
  }

  /// `button;column;line` of a mouse report (SGR 1006); nil for a report without meaning here.
  private static func mouse(_ text: Substring, isRelease: Bool) -> MouseEvent? {
    let numbers = text.split(separator: ";").compactMap { number($0) }
    guard numbers.count == 3 else { return nil }
    // Shift, Alt and Ctrl do not matter.
    let button = numbers[0] & ~0b11100
    let kind: MouseEvent.Kind
    switch button {
    case 0: kind = isRelease ? .release : .press
    case 32: kind = .drag
    case 64: kind = .wheelUp
    case 65: kind = .wheelDown
    case 66: kind = .wheelLeft
    case 67: kind = .wheelRight
    default: return nil
    }
    return MouseEvent(kind, x: numbers[1] - 1, y: numbers[2] - 1)
  }

  /// `ESC O final`: keys in application mode, F1 to F4, the keypad.
  static func singleShift(_ bytes: ArraySlice<UInt8>) -> Step {
    guard let final = bytes.dropFirst(2).first else { return .needsMore }
    let key: Key? =
      switch final {
      case UInt8(ascii: "M"): .enter
      // rxvt: Ctrl with an arrow.
      case UInt8(ascii: "c"): .wordRight
      case UInt8(ascii: "d"): .wordLeft
      case UInt8(ascii: "j")...UInt8(ascii: "y"):
        .character(Character(Unicode.Scalar(final - 0x40)))
      default: cursorKey(final, modifiers: 0)
      }
    return .keys(key.map { [$0] } ?? [], length: 3)
  }

  private static func key(final: UInt8, numbers: [Int], isPrivate: Bool?) -> Key? {
    // Answers to questions that were not asked.
    if isPrivate == true { return nil }
    // 1 + the sum of Shift 1, Alt 2, Ctrl 4.
    let modifiers = max(0, (numbers.count > 1 ? numbers[1] : 1) - 1)
    switch final {
    case UInt8(ascii: "~") where numbers.first == 27 && numbers.count > 2:
      return character(code: numbers[2], modifiers: modifiers)
    case UInt8(ascii: "~"): return numbered(numbers.first ?? 0)
    case UInt8(ascii: "u"): return character(code: numbers.first ?? 0, modifiers: modifiers)
    case UInt8(ascii: "Z"): return .backTab
    default: return cursorKey(final, modifiers: modifiers)
    }
  }

  private static func cursorKey(_ final: UInt8, modifiers: Int) -> Key? {
    let byWord = modifiers & 0b110 != 0
    return switch final {
    case UInt8(ascii: "A"): .up
    case UInt8(ascii: "B"): .down
    case UInt8(ascii: "C"): byWord ? .wordRight : .right
    case UInt8(ascii: "D"): byWord ? .wordLeft : .left
    case UInt8(ascii: "F"): .end
    case UInt8(ascii: "H"): .home
    case UInt8(ascii: "P")...UInt8(ascii: "S"): .function(Int(final) - 0x4f)
    default: nil
    }
  }

  private static func numbered(_ number: Int) -> Key? {
    switch number {
    case 1, 7: .home
    case 2: .insert
    case 3: .delete
    case 4, 8: .end
    case 5: .pageUp
    case 6: .pageDown
    case 11...15: .function(number - 10)
    case 17...21: .function(number - 11)
    case 23, 24: .function(number - 12)
    default: nil
    }
  }

  /// A key that a terminal reports by its code, because no byte of its own exists for it with these
  /// modifiers: Alt-Enter, Ctrl-Tab.
  private static func character(code: Int, modifiers: Int) -> Key? {
    let shift = modifiers & 1 != 0
    let alt = modifiers & 2 != 0
    let control = modifiers & 4 != 0
    switch code {
    case 9: return shift ? .backTab : .tab
    case 13: return alt || shift || control ? .altEnter : .enter
    case 27: return .escape
    case 127, 8: return .backspace
    default:
      guard code >= 0x20, let scalar = Unicode.Scalar(UInt32(clamping: code)) else { return nil }
      let character = Character(scalar)
      return control ? .control(character) : alt ? .alt(character) : .character(character)
    }
  }
}
