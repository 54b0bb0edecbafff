import Dashboard
import ObservationEngine

extension PanelDefinition {
  /// The panel's query with the values of `--param`.
  func query(_ parameters: [String: Value]) -> Query<RowSet> {
    .rows(SQL(raw: sql), QueryArguments(named: parameters))
  }
}

extension RowSet {
  /// Whether the first value is true, as SQLite's WHERE sees it.
  var isTrue: Bool {
    switch rows.first?.first {
    case .integer(let number): number != 0
    case .real(let number): number != 0
    case .text(let text): Self.isTrue(text.utf8)
    case .blob(let bytes): Self.isTrue(bytes)
    case .null, .date, nil: false
    }
  }

  /// Whether the number with which a text begins isn't zero; a text without one is false.
  private static func isTrue(_ text: some Sequence<UInt8>) -> Bool {
    let isDigit = { (byte: UInt8) in (0x30...0x39).contains(byte) }
    var rest = Array(text.drop { $0 == 0x20 || (0x09...0x0D).contains($0) })[...]
    var number = ""
    func take(while isPart: (UInt8) -> Bool) {
      let part = rest.prefix(while: isPart)
      number += String(decoding: part, as: UTF8.self)
      rest = rest.dropFirst(part.count)
    }
    func takeOne(of bytes: String) {
      guard let byte = rest.first, bytes.utf8.contains(byte) else { return }
      number.append(Character(Unicode.Scalar(byte)))
      rest.removeFirst()
    }
    takeOne(of: "+-")
    take(while: isDigit)
    takeOne(of: ".")
    take(while: isDigit)
    guard number.utf8.contains(where: isDigit) else { return false }
    let exponent = rest.dropFirst()
    let isSigned = exponent.first.map("+-".utf8.contains) == true
    if let byte = rest.first, byte | 0x20 == UInt8(ascii: "e"),
      exponent.dropFirst(isSigned ? 1 : 0).first.map(isDigit) == true
    {
      takeOne(of: "eE")
      takeOne(of: "+-")
      take(while: isDigit)
    }
    return (Double(number) ?? 0) != 0
  }
}
