/// Takes what a program writes to a terminal apart: text, control characters, sequences.
struct SequenceParser {
  /// `ESC [ prefix parameters final`.
  struct Sequence: CustomStringConvertible {
    var prefix: Character?
    var parameters: [String]
    var final: Character

    /// A parameter; without it, or as 0, `unless`, which is 1 nearly everywhere.
    func number(_ index: Int, unless: Int = 1) -> Int {
      let number = index < parameters.count ? Int(parameters[index]) ?? 0 : 0
      return number == 0 ? unless : number
    }

    var description: String {
      "ESC [\(prefix.map(String.init) ?? "")\(parameters.joined(separator: ";"))\(final)"
    }
  }

  enum Step {
    /// Something goes on.
    case none
    case scalar(Unicode.Scalar)
    case control(UInt8)
    /// Escape and one byte.
    case escape(UInt8)
    case sequence(Sequence)
    case unknown(String)
  }

  private enum State {
    case text, escape, sequence, command, commandEnd, characterSet
  }

  private var state = State.text
  private var pending: [UInt8] = []

  /// Whether nothing is begun: what is on the screen is all that was meant.
  var isComplete: Bool { state == .text && pending.isEmpty }

  mutating func take(_ byte: UInt8) -> Step {
    switch state {
    case .text: return text(byte)
    case .escape:
      switch byte {
      case UInt8(ascii: "["): return go(to: .sequence)
      case UInt8(ascii: "]"): return go(to: .command)
      case UInt8(ascii: "("), UInt8(ascii: ")"): return go(to: .characterSet)
      default:
        state = .text
        return .escape(byte)
      }
    case .characterSet:
      state = .text
      return byte == UInt8(ascii: "B") || byte == UInt8(ascii: "0")
        ? .none : .unknown("character set \(byte)")
    case .command:
      // A title, the clipboard: of no concern to what is shown.
      if byte == 0x07 { state = .text } else if byte == 0x1b { state = .commandEnd }
      return .none
    case .commandEnd:
      state = .text
      return byte == UInt8(ascii: "\\") ? .none : .unknown("a command without an end")
    case .sequence:
      pending.append(byte)
      guard (0x40...0x7e).contains(byte) else {
        guard (0x20...0x3f).contains(byte) else {
          state = .text
          defer { pending = [] }
          return .unknown("control character \(byte) in a sequence")
        }
        return .none
      }
      return sequence()
    }
  }

  private mutating func go(to state: State) -> Step {
    self.state = state
    return .none
  }

  private mutating func sequence() -> Step {
    defer { pending = [] }
    state = .text
    var body = String(decoding: pending, as: UTF8.self)[...]
    guard let final = body.popLast() else { return .none }
    let prefix = body.first.flatMap { "<=>?!".contains($0) ? $0 : nil }
    if prefix != nil { body.removeFirst() }
    guard body.allSatisfy({ $0.isNumber || $0 == ";" }) else {
      return .unknown("ESC [\(body)\(final)")
    }
    let parameters =
      body.isEmpty
      ? [] : body.split(separator: ";", omittingEmptySubsequences: false).map(String.init)
    return .sequence(Sequence(prefix: prefix, parameters: parameters, final: final))
  }

  private mutating func text(_ byte: UInt8) -> Step {
    if pending.isEmpty {
      if byte == 0x1b { return go(to: .escape) }
      if byte < 0x20 || byte == 0x7f { return .control(byte) }
      if byte < 0x80 { return .scalar(Unicode.Scalar(byte)) }
    }
    pending.append(byte)
    let length = pending[0] >= 0xf0 ? 4 : pending[0] >= 0xe0 ? 3 : 2
    guard pending.count == length else { return .none }
    defer { pending = [] }
    let text = String(decoding: pending, as: UTF8.self).unicodeScalars
    guard text.count == 1, let scalar = text.first,
      scalar != "\u{fffd}" || pending == [0xef, 0xbf, 0xbd]
    else { return .unknown("bytes that are no UTF-8: \(pending)") }
    return .scalar(scalar)
  }
}
