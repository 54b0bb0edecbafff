internal import ObservationEngine

/// The columns of a record under the keys of its type.
struct RecordKeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: RecordEncoder
  var codingPath: [any CodingKey] { [] }

  func encodeNil(forKey key: Key) throws { try encoder.set(.null, key.stringValue) }

  func encode<Input: Encodable>(_ value: Input, forKey key: Key) throws {
    try encoder.set(value, encoding: key.stringValue)
  }

  func nestedContainer<Inner: CodingKey>(
    keyedBy type: Inner.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Inner> {
    refuse(key)
    return KeyedEncodingContainer(IgnoringKeyedContainer<Inner>())
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    refuse(key)
    return IgnoringUnkeyedContainer()
  }

  func superEncoder() -> any Encoder { encoder }

  func superEncoder(forKey key: Key) -> any Encoder {
    refuse(key)
    return ValueEncoder(dateFormat: .iso8601)
  }

  private func refuse(_ key: Key) {
    encoder.refuse(
      """
      property \(key.stringValue) encodes its parts by hand; give it a type of its own, which becomes JSON
      """)
  }
}

// MARK: - Plain values

extension RecordKeyedContainer {
  func encode(_ value: Bool, forKey key: Key) throws {
    try encoder.set(value.toValue(), key.stringValue)
  }
  func encode(_ value: String, forKey key: Key) throws {
    try encoder.set(value.toValue(), key.stringValue)
  }
  func encode(_ value: Double, forKey key: Key) throws {
    try encoder.set(value.toValue(), key.stringValue)
  }
  func encode(_ value: Float, forKey key: Key) throws {
    try encoder.set(value.toValue(), key.stringValue)
  }
  func encode(_ value: Int, forKey key: Key) throws {
    try encoder.set(value.toValue(), key.stringValue)
  }
  func encode(_ value: Int8, forKey key: Key) throws {
    try encoder.set(value.toValue(), key.stringValue)
  }
  func encode(_ value: Int16, forKey key: Key) throws {
    try encoder.set(value.toValue(), key.stringValue)
  }
  func encode(_ value: Int32, forKey key: Key) throws {
    try encoder.set(value.toValue(), key.stringValue)
  }
  func encode(_ value: Int64, forKey key: Key) throws {
    try encoder.set(value.toValue(), key.stringValue)
  }
  func encode(_ value: UInt, forKey key: Key) throws {
    try encoder.set(value.toValue(), key.stringValue)
  }
  func encode(_ value: UInt8, forKey key: Key) throws {
    try encoder.set(value.toValue(), key.stringValue)
  }
  func encode(_ value: UInt16, forKey key: Key) throws {
    try encoder.set(value.toValue(), key.stringValue)
  }
  func encode(_ value: UInt32, forKey key: Key) throws {
    try encoder.set(value.toValue(), key.stringValue)
  }
  func encode(_ value: UInt64, forKey key: Key) throws {
    try encoder.set(value.toValue(), key.stringValue)
  }
}
