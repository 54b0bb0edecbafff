internal import ObservationEngine

/// Decodes one column: a single value, or JSON text for everything else.
///
/// Confined to its connection's thread of execution.
final class ColumnDecoder: Decoder, SingleValueDecodingContainer {
  private let cursor: RowCursor
  /// The current column.
  var column = 0 {
    didSet { isJSON = false }
  }
  /// Whether the column was read as JSON.
  private(set) var isJSON = false

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  init(cursor: RowCursor) { self.cursor = cursor }

  func singleValueContainer() -> any SingleValueDecodingContainer { self }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    try json().container(keyedBy: type)
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { try json().unkeyedContainer() }

  private func json() throws -> any Decoder {
    let text =
      if case .blob(let bytes) = try cursor.value(column) {
        String(decoding: bytes, as: UTF8.self)
      } else {
        try cursor.text(column, for: String.self)
      }
    isJSON = true
    return try JSONText.decoder(for: text)
  }
}

// MARK: - Single values

extension ColumnDecoder {
  // A column that can't be read isn't NULL; decoding the value itself reports why.
  func decodeNil() -> Bool { (try? cursor.isNull(column)) ?? false }

  func decode<Output: Decodable>(_ type: Output.Type) throws -> Output {
    try RowDecoder(cursor, type).decode(type, column: column)
  }

  func decode(_ type: Bool.Type) throws -> Bool { try cursor.integer(column, for: Bool.self) != 0 }
  func decode(_ type: String.Type) throws -> String { try cursor.text(column, for: String.self) }
  func decode(_ type: Double.Type) throws -> Double { try cursor.real(column, for: Double.self) }
  func decode(_ type: Float.Type) throws -> Float { try cursor.float(column) }
  func decode(_ type: Int.Type) throws -> Int { try cursor.narrow(column) }
  func decode(_ type: Int64.Type) throws -> Int64 { try cursor.integer(column, for: Int64.self) }
  func decode(_ type: Int8.Type) throws -> Int8 { try cursor.narrow(column) }
  func decode(_ type: Int16.Type) throws -> Int16 { try cursor.narrow(column) }
  func decode(_ type: Int32.Type) throws -> Int32 { try cursor.narrow(column) }
  func decode(_ type: UInt.Type) throws -> UInt { try cursor.narrow(column) }
  func decode(_ type: UInt8.Type) throws -> UInt8 { try cursor.narrow(column) }
  func decode(_ type: UInt16.Type) throws -> UInt16 { try cursor.narrow(column) }
  func decode(_ type: UInt32.Type) throws -> UInt32 { try cursor.narrow(column) }
  func decode(_ type: UInt64.Type) throws -> UInt64 { try cursor.narrow(column) }
}
