/// A terminal's answer to a question about itself, among the keys.
///
/// OSC 11 asks for the background; a terminal that does not know it doesn't answer. Every terminal
/// answers a question for its primary device attributes, and answers arrive in the order of the
/// questions: when this one arrives, no other will.
enum TerminalReport: Equatable {
  /// `ESC ] 11 ; rgb:RRRR/GGGG/BBBB`, ended by BEL or `ESC \`; nil for a colour in another form.
  case background(TerminalColor?)
  /// `ESC [ ? … c`.
  case deviceAttributes

  /// The two questions.
  static let questions = "\u{1b}]11;?\u{1b}\\\u{1b}[c"

  /// Longer than any answer.
  private static let longest = 64
  private static let backgroundPrefix = Array("\u{1b}]11;".utf8)
  private static let attributesPrefix = Array("\u{1b}[?".utf8)

  /// How some bytes start.
  enum Match: Equatable {
    case report(TerminalReport, length: Int)
    /// They may be the start of a report.
    case begun
    case none
  }

  static func match(_ bytes: ArraySlice<UInt8>) -> Match {
    if bytes.starts(with: backgroundPrefix) { return background(bytes) }
    if bytes.starts(with: attributesPrefix) { return attributes(bytes) }
    let isBegun = backgroundPrefix.starts(with: bytes) || attributesPrefix.starts(with: bytes)
    return isBegun && !bytes.isEmpty ? .begun : .none
  }

  private static func background(_ bytes: ArraySlice<UInt8>) -> Match {
    let body = bytes.dropFirst(backgroundPrefix.count)
    guard let end = body.firstIndex(where: { !(0x20..<0x7f).contains($0) }) else {
      return bytes.count > longest ? .none : .begun
    }
    let color = TerminalColor(specification: String(decoding: body[..<end], as: UTF8.self))
    let length = end - bytes.startIndex + 1
    if bytes[end] == 0x07 { return .report(.background(color), length: length) }
    guard bytes[end] == 0x1b else { return .none }
    guard end + 1 < bytes.endIndex else { return .begun }
    return bytes[end + 1] == UInt8(ascii: "\\")
      ? .report(.background(color), length: length + 1) : .none
  }

  private static func attributes(_ bytes: ArraySlice<UInt8>) -> Match {
    let parameters: Set<UInt8> = Set("0123456789;".utf8)
    let body = bytes.dropFirst(attributesPrefix.count)
    guard let end = body.firstIndex(where: { !parameters.contains($0) }) else {
      return bytes.count > longest ? .none : .begun
    }
    guard bytes[end] == UInt8(ascii: "c") else { return .none }
    return .report(.deviceAttributes, length: end - bytes.startIndex + 1)
  }
}
