// Drops what is encoded. `Encodable` offers no way to refuse a container: a type that requests a
// wrong one gets these, and the error is thrown afterwards.

struct IgnoringKeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  var codingPath: [any CodingKey] { [] }

  func encodeNil(forKey key: Key) {}
  func encode<Input: Encodable>(_ value: Input, forKey key: Key) {}

  func nestedContainer<Inner: CodingKey>(
    keyedBy type: Inner.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Inner> {
    KeyedEncodingContainer(IgnoringKeyedContainer<Inner>())
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    IgnoringUnkeyedContainer()
  }

  func superEncoder() -> any Encoder { IgnoringEncoder() }
  func superEncoder(forKey key: Key) -> any Encoder { IgnoringEncoder() }
}

struct IgnoringUnkeyedContainer: UnkeyedEncodingContainer {
  var codingPath: [any CodingKey] { [] }
  private(set) var count = 0

  mutating func encodeNil() { count += 1 }
  mutating func encode<Input: Encodable>(_ value: Input) { count += 1 }

  mutating func nestedContainer<Key: CodingKey>(
    keyedBy type: Key.Type
  ) -> KeyedEncodingContainer<Key> {
    count += 1
    return KeyedEncodingContainer(IgnoringKeyedContainer<Key>())
  }

  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    count += 1
    return IgnoringUnkeyedContainer()
  }

  mutating func superEncoder() -> any Encoder {
    count += 1
    return IgnoringEncoder()
  }
}

private struct IgnoringEncoder: Encoder, SingleValueEncodingContainer {
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(IgnoringKeyedContainer<Key>())
  }
  func unkeyedContainer() -> any UnkeyedEncodingContainer { IgnoringUnkeyedContainer() }
  func singleValueContainer() -> any SingleValueEncodingContainer { self }
  func encodeNil() {}
  func encode<Input: Encodable>(_ value: Input) {}
}
