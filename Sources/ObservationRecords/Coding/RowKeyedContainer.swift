internal import ObservationEngine

/// The columns of a row under the keys of a type.
struct RowKeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let decoder: RowDecoder
  var codingPath: [any CodingKey] { [] }

  var allKeys: [Key] { decoder.cursor.columns.compactMap { Key(stringValue: $0) } }

  func contains(_ key: Key) -> Bool { decoder.column(ifPresent: key.stringValue) != nil }

  func decodeNil(forKey key: Key) throws -> Bool {
    try decoder.cursor.isNull(try decoder.column(key.stringValue))
  }

  func decode<Output: Decodable>(_ type: Output.Type, forKey key: Key) throws -> Output {
    try decoder.decode(type, column: try decoder.column(key.stringValue))
  }

  func decodeIfPresent<Output: Decodable>(_ type: Output.Type, forKey key: Key) throws -> Output? {
    guard let column = try present(key) else { return nil }
    return try decoder.decode(type, column: column)
  }

  /// The column, unless it is absent or NULL.
  @inline(__always)
  private func present(_ key: Key) throws -> Int? {
    guard let column = decoder.column(ifPresent: key.stringValue) else { return nil }
    return try decoder.cursor.isNull(column) ? nil : column
  }

  func nestedContainer<Inner: CodingKey>(
    keyedBy type: Inner.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Inner> {
    try superDecoder(forKey: key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try superDecoder(forKey: key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder { decoder }

  func superDecoder(forKey key: Key) throws -> any Decoder {
    let column = ColumnDecoder(cursor: decoder.cursor)
    column.column = try decoder.column(key.stringValue)
    return column
  }
}

// MARK: - Plain values

extension RowKeyedContainer {
  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
    try decoder.cursor.integer(try decoder.column(key.stringValue), for: Bool.self) != 0
  }
  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
    guard let column = try present(key) else { return nil }
    return try decoder.cursor.integer(column, for: Bool.self) != 0
  }
  func decode(_ type: String.Type, forKey key: Key) throws -> String {
    try decoder.cursor.text(try decoder.column(key.stringValue), for: String.self)
  }
  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
    guard let column = try present(key) else { return nil }
    return try decoder.cursor.text(column, for: String.self)
  }
  func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
    try decoder.cursor.real(try decoder.column(key.stringValue), for: Double.self)
  }
  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
    guard let column = try present(key) else { return nil }
    return try decoder.cursor.real(column, for: Double.self)
  }
  func decode(_ type: Float.Type, forKey key: Key) throws -> Float {
    try decoder.cursor.float(try decoder.column(key.stringValue))
  }
  func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? {
    guard let column = try present(key) else { return nil }
    return try decoder.cursor.float(column)
  }
  func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
    try decoder.cursor.narrow(try decoder.column(key.stringValue))
  }
  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
    guard let column = try present(key) else { return nil }
    return try decoder.cursor.narrow(column)
  }
  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 {
    try decoder.cursor.integer(try decoder.column(key.stringValue), for: Int64.self)
  }
  func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
    guard let column = try present(key) else { return nil }
    return try decoder.cursor.integer(column, for: Int64.self)
  }
  func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 {
    try decoder.cursor.narrow(try decoder.column(key.stringValue))
  }
  func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? {
    guard let column = try present(key) else { return nil }
    return try decoder.cursor.narrow(column)
  }
  func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 {
    try decoder.cursor.narrow(try decoder.column(key.stringValue))
  }
  func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? {
    guard let column = try present(key) else { return nil }
    return try decoder.cursor.narrow(column)
  }
  func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 {
    try decoder.cursor.narrow(try decoder.column(key.stringValue))
  }
  func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? {
    guard let column = try present(key) else { return nil }
    return try decoder.cursor.narrow(column)
  }
  func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt {
    try decoder.cursor.narrow(try decoder.column(key.stringValue))
  }
  func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? {
    guard let column = try present(key) else { return nil }
    return try decoder.cursor.narrow(column)
  }
  func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 {
    try decoder.cursor.narrow(try decoder.column(key.stringValue))
  }
  func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? {
    guard let column = try present(key) else { return nil }
    return try decoder.cursor.narrow(column)
  }
  func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 {
    try decoder.cursor.narrow(try decoder.column(key.stringValue))
  }
  func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? {
    guard let column = try present(key) else { return nil }
    return try decoder.cursor.narrow(column)
  }
  func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 {
    try decoder.cursor.narrow(try decoder.column(key.stringValue))
  }
  func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? {
    guard let column = try present(key) else { return nil }
    return try decoder.cursor.narrow(column)
  }
  func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 {
    try decoder.cursor.narrow(try decoder.column(key.stringValue))
  }
  func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? {
    guard let column = try present(key) else { return nil }
    return try decoder.cursor.narrow(column)
  }
}
