internal import FoundationEssentials
internal import ObservationEngine

/// Encodes records as values, one for each column of their shape.
final class RecordEncoder: Encoder {
  private let shape: RecordShape
  private let dateFormat: DateFormat
  private var values: [Value]
  /// The index of the last key; the next key probably follows it.
  private var last = -1
  /// The first error from a method that can't throw.
  private var failure: DatabaseError?

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  private init(_ shape: RecordShape, _ dateFormat: DateFormat) {
    self.shape = shape
    self.dateFormat = dateFormat
    values = [Value](repeating: .null, count: shape.columns.count)
  }

  /// The values of a record's columns, in the order of the shape; an omitted property is NULL.
  static func values(
    of record: some Record, _ shape: RecordShape, _ dateFormat: DateFormat
  ) throws -> [Value] {
    let encoder = RecordEncoder(shape, dateFormat)
    try record.encode(to: encoder)
    if let failure = encoder.failure { throw failure }
    return encoder.values
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(RecordKeyedContainer<Key>(encoder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    refuse("\(shape.type) encodes itself as a list, and a record needs named properties")
    return IgnoringUnkeyedContainer()
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    refuse("\(shape.type) encodes itself as a single value, and a record needs named properties")
    return ValueEncoder(dateFormat: dateFormat)
  }

  func refuse(_ message: String) {
    failure = failure ?? DatabaseError(code: .misuse, message: message)
  }

  // MARK: - Columns

  func set(_ value: Value, _ key: String) throws { values[try index(key)] = value }

  func set(_ value: some Encodable, encoding key: String) throws {
    let index = try index(key)
    let column = shape.columns[index]
    do {
      values[index] = try ValueEncoder.value(of: value, dateFormat)
    } catch let error as EncodingError {
      guard case .invalidValue(_, let context) = error else { throw error }
      throw DatabaseError(
        code: .mismatch,
        message: "property \(column.key) of \(shape.type) has no JSON: \(context.debugDescription)")
    }
  }

  private func index(_ key: String) throws(DatabaseError) -> Int {
    let next = last + 1
    if next < shape.columns.count, shape.columns[next].key == key {
      last = next
    } else if let found = shape.columns.firstIndex(where: { $0.key == key }) {
      last = found
    } else {
      throw DatabaseError(
        code: .misuse,
        message: """
          \(shape.type) encodes \(key), which was not among its properties when its columns were \
          found; declare `static var example: \(shape.type)` with a value that has all of them
          """)
    }
    return last
  }
}

/// Encodes a property that is stored as a single value.
final class ValueEncoder: Encoder, SingleValueEncodingContainer {
  private let dateFormat: DateFormat
  private var value: Value?

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  init(dateFormat: DateFormat) { self.dateFormat = dateFormat }

  /// The stored form of `value`: a single value, or JSON text for anything else.
  static func value(of value: some Encodable, _ dateFormat: DateFormat) throws -> Value {
    switch value {
    case let date as Date: return try date.value(dateFormat)
    case let plain as any FoundationValue: return try plain.toValue()
    default: break
    }
    let encoder = ValueEncoder(dateFormat: dateFormat)
    try value.encode(to: encoder)
    return try encoder.value ?? .text(JSONText.encode(value))
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(IgnoringKeyedContainer<Key>())
  }
  func unkeyedContainer() -> any UnkeyedEncodingContainer { IgnoringUnkeyedContainer() }
  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  func encodeNil() { value = .null }
  func encode(_ source: Bool) { value = source.toValue() }
  func encode(_ source: String) { value = .text(source) }
  func encode(_ source: Double) { value = .real(source) }
  func encode(_ source: Float) { value = source.toValue() }
  func encode(_ source: Int) throws { value = try source.toValue() }
  func encode(_ source: Int8) throws { value = try source.toValue() }
  func encode(_ source: Int16) throws { value = try source.toValue() }
  func encode(_ source: Int32) throws { value = try source.toValue() }
  func encode(_ source: Int64) throws { value = try source.toValue() }
  func encode(_ source: UInt) throws { value = try source.toValue() }
  func encode(_ source: UInt8) throws { value = try source.toValue() }
  func encode(_ source: UInt16) throws { value = try source.toValue() }
  func encode(_ source: UInt32) throws { value = try source.toValue() }
  func encode(_ source: UInt64) throws { value = try source.toValue() }

  func encode<Input: Encodable>(_ source: Input) throws {
    value = try Self.value(of: source, dateFormat)
  }
}

/// A type that is stored as one value although its own coding differs.
protocol FoundationValue {
  func toValue() throws(DatabaseError) -> Value
}

extension Decimal: FoundationValue {}
extension Data: FoundationValue {}
extension URL: FoundationValue {}
extension UUID: FoundationValue {}
extension [UInt8]: FoundationValue {}
