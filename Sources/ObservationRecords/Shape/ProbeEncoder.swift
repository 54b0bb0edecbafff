/// Notes how an example encodes itself.
struct ProbeEncoder: Encoder {
  let notes: ProbeNotes
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  init(_ notes: ProbeNotes) { self.notes = notes }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    notes.asked = .keyed
    return KeyedEncodingContainer(Keyed(notes: notes))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    notes.asked = .unkeyed
    return IgnoringUnkeyedContainer()
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { Single(notes: notes) }

  /// How a value is stored.
  static func kind(of value: some Encodable) throws -> ColumnKind {
    if let kind = ColumnKind(type(of: value)) { return kind }
    let notes = ProbeNotes()
    try value.encode(to: ProbeEncoder(notes))
    return notes.kind
  }

  private struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let notes: ProbeNotes
    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) { notes.note(key, .json, isOptional: true) }

    func encode<Input: Encodable>(_ value: Input, forKey key: Key) throws {
      // An optional that is encoded even if `nil`: its type reveals that.
      let isOptional = Input.self is any OptionalType.Type
      let kind =
        if let optional = Input.self as? any OptionalType.Type {
          try optional.make(variant: 0, depth: 1).kind
        } else {
          try ProbeEncoder.kind(of: value)
        }
      notes.note(key, kind, isOptional: isOptional)
    }

    func encodeIfPresent<Input: Encodable>(_ value: Input?, forKey key: Key) throws {
      notes.note(key, try kind(of: value, key), isOptional: true)
    }

    // The standard library's own overloads would omit a nil.
    func encodeIfPresent(_ value: Bool?, forKey key: Key) { note(key, .boolean) }
    func encodeIfPresent(_ value: String?, forKey key: Key) { note(key, .text) }
    func encodeIfPresent(_ value: Double?, forKey key: Key) { note(key, .real) }
    func encodeIfPresent(_ value: Float?, forKey key: Key) { note(key, .real) }
    func encodeIfPresent(_ value: Int?, forKey key: Key) { note(key, .integer) }
    func encodeIfPresent(_ value: Int8?, forKey key: Key) { note(key, .integer) }
    func encodeIfPresent(_ value: Int16?, forKey key: Key) { note(key, .integer) }
    func encodeIfPresent(_ value: Int32?, forKey key: Key) { note(key, .integer) }
    func encodeIfPresent(_ value: Int64?, forKey key: Key) { note(key, .integer) }
    func encodeIfPresent(_ value: UInt?, forKey key: Key) { note(key, .integer) }
    func encodeIfPresent(_ value: UInt8?, forKey key: Key) { note(key, .integer) }
    func encodeIfPresent(_ value: UInt16?, forKey key: Key) { note(key, .integer) }
    func encodeIfPresent(_ value: UInt32?, forKey key: Key) { note(key, .integer) }
    func encodeIfPresent(_ value: UInt64?, forKey key: Key) { note(key, .integer) }

    private func note(_ key: Key, _ kind: ColumnKind) { notes.note(key, kind, isOptional: true) }

    /// Without a value, notes what the type would decode from.
    private func kind<Input: Encodable>(of value: Input?, _ key: Key) throws -> ColumnKind {
      if let value { return try ProbeEncoder.kind(of: value) }
      if let kind = ColumnKind(Input.self) { return kind }
      func made<Output: Decodable>(_ type: Output.Type) throws -> ColumnKind {
        try MadeUpValue.make(type, variant: 0, depth: 1).kind
      }
      do {
        if let type = Input.self as? any Decodable.Type { return try made(type) }
      } catch var failure as MadeUpValue.Failure {
        failure.path.insert(key.stringValue, at: 0)
        throw failure
      }
      throw MadeUpValue.Failure(
        path: [key.stringValue], type: "\(Input.self)", reason: "the example has nil there")
    }

    func nestedContainer<Inner: CodingKey>(
      keyedBy type: Inner.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Inner> {
      notes.note(key, .json)
      return KeyedEncodingContainer(IgnoringKeyedContainer<Inner>())
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
      notes.note(key, .json)
      return IgnoringUnkeyedContainer()
    }

    func superEncoder() -> any Encoder { ProbeEncoder(ProbeNotes()) }
    func superEncoder(forKey key: Key) -> any Encoder {
      notes.note(key, .json)
      return ProbeEncoder(ProbeNotes())
    }
  }

  private struct Single: SingleValueEncodingContainer {
    let notes: ProbeNotes
    var codingPath: [any CodingKey] { [] }

    private func note(_ kind: ColumnKind) { notes.asked = .scalar(kind) }

    func encodeNil() { note(.text) }
    func encode(_ value: Bool) { note(.boolean) }
    func encode(_ value: String) { note(.text) }
    func encode(_ value: Double) { note(.real) }
    func encode(_ value: Float) { note(.real) }
    func encode(_ value: Int) { note(.integer) }
    func encode(_ value: Int8) { note(.integer) }
    func encode(_ value: Int16) { note(.integer) }
    func encode(_ value: Int32) { note(.integer) }
    func encode(_ value: Int64) { note(.integer) }
    func encode(_ value: UInt) { note(.integer) }
    func encode(_ value: UInt8) { note(.integer) }
    func encode(_ value: UInt16) { note(.integer) }
    func encode(_ value: UInt32) { note(.integer) }
    func encode(_ value: UInt64) { note(.integer) }

    func encode<Input: Encodable>(_ value: Input) throws {
      let kind = try ProbeEncoder.kind(of: value)
      notes.asked = kind == .json ? .keyed : .scalar(kind)
    }
  }
}
