/// Notes each requested property, and makes up its value.
struct ProbeKeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let decoder: ProbeDecoder
  var codingPath: [any CodingKey] { [] }

  /// A dictionary requests the existing keys; keys that are cases of an enumeration can't be made
  /// up.
  var allKeys: [Key] {
    guard decoder.variant > 0, Key(stringValue: "a") != nil, Key(stringValue: "b") != nil else {
      return []
    }
    return [Key(stringValue: "a")].compactMap(\.self)
  }

  func contains(_ key: Key) -> Bool { true }

  func decodeNil(forKey key: Key) -> Bool {
    decoder.notes.note(key, .json, isOptional: true)
    return false
  }

  func decode<Output: Decodable>(_ type: Output.Type, forKey key: Key) throws -> Output {
    try make(type, key, isOptional: type is any OptionalType.Type)
  }

  func decodeIfPresent<Output: Decodable>(_ type: Output.Type, forKey key: Key) throws -> Output? {
    // Within a property nothing depends on it, and a type that contains itself would never end.
    if decoder.depth > 0 { return nil }
    let value = try make(type, key, isOptional: true)
    return decoder.variant == 0 ? nil : value
  }

  private func make<Output: Decodable>(
    _ type: Output.Type, _ key: Key, isOptional: Bool
  ) throws -> Output {
    do {
      let made = try MadeUpValue.make(type, variant: decoder.variant, depth: decoder.depth + 1)
      decoder.notes.note(key, made.kind, isOptional: isOptional)
      return made.value
    } catch var failure as MadeUpValue.Failure {
      failure.path.insert(key.stringValue, at: 0)
      throw failure
    }
  }

  func nestedContainer<Inner: CodingKey>(
    keyedBy type: Inner.Type, forKey key: Key
  ) -> KeyedDecodingContainer<Inner> {
    decoder.notes.note(key, .json)
    return decoder.inner.container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedDecodingContainer {
    decoder.notes.note(key, .json)
    return decoder.inner.unkeyedContainer()
  }

  func superDecoder() -> any Decoder { decoder.inner }

  func superDecoder(forKey key: Key) -> any Decoder {
    decoder.notes.note(key, .json)
    return decoder.inner
  }
}

// The standard library's overloads for each scalar would otherwise query whether a key exists.
extension ProbeKeyedContainer {
  private func scalar<Output: Decodable>(_ key: Key) throws -> Output? {
    try decodeIfPresent(Output.self, forKey: key)
  }
  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try scalar(key) }
  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { try scalar(key) }
  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { try scalar(key) }
  func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? { try scalar(key) }
  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try scalar(key) }
  func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? { try scalar(key) }
  func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? { try scalar(key) }
  func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? { try scalar(key) }
  func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { try scalar(key) }
  func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? { try scalar(key) }
  func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? { try scalar(key) }
  func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? { try scalar(key) }
  func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? { try scalar(key) }
  func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? { try scalar(key) }
}

/// An empty list for the first variant, a list of one for the second.
struct ProbeUnkeyedContainer: UnkeyedDecodingContainer {
  let decoder: ProbeDecoder
  var codingPath: [any CodingKey] { [] }
  var currentIndex = 0
  var count: Int? { decoder.variant }
  var isAtEnd: Bool { currentIndex >= decoder.variant }

  init(decoder: ProbeDecoder) { self.decoder = decoder }

  func decodeNil() -> Bool { false }

  mutating func decode<Output: Decodable>(_ type: Output.Type) throws -> Output {
    currentIndex += 1
    return try MadeUpValue.make(type, variant: decoder.variant, depth: decoder.depth + 1).value
  }

  mutating func nestedContainer<Key: CodingKey>(
    keyedBy type: Key.Type
  ) -> KeyedDecodingContainer<Key> {
    currentIndex += 1
    return decoder.inner.container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer() -> any UnkeyedDecodingContainer {
    currentIndex += 1
    return decoder.inner.unkeyedContainer()
  }

  mutating func superDecoder() -> any Decoder {
    currentIndex += 1
    return decoder.inner
  }
}
