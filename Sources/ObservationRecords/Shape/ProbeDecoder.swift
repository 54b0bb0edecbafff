/// What a type requested from its decoder.
final class ProbeNotes {
  enum Asked: Equatable {
    case nothing, keyed, unkeyed
    case scalar(ColumnKind)
  }

  var asked = Asked.nothing
  var fields: [RecordField] = []

  /// How a property of the type would be stored.
  var kind: ColumnKind {
    if case .scalar(let kind) = asked { kind } else { .json }
  }

  func note(_ key: any CodingKey, _ kind: ColumnKind, isOptional: Bool = false) {
    let name = key.stringValue
    if let index = fields.firstIndex(where: { $0.key == name }) {
      // Requested twice: once whether it exists, then the value.
      let known = fields[index]
      fields[index] = RecordField(
        key: name, kind: kind, isOptional: isOptional || known.isOptional)
    } else {
      fields.append(RecordField(key: name, kind: kind, isOptional: isOptional))
    }
  }
}

/// Decodes a type from made-up values, and notes what it requests.
struct ProbeDecoder: Decoder {
  let notes: ProbeNotes
  let variant: Int
  /// The integer to supply.
  let candidate: Int
  let depth: Int
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  init(_ notes: ProbeNotes, variant: Int, candidate: Int, depth: Int) {
    self.notes = notes
    self.variant = variant
    self.candidate = candidate
    self.depth = depth
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    notes.asked = .keyed
    return KeyedDecodingContainer(ProbeKeyedContainer(decoder: self))
  }

  func unkeyedContainer() -> any UnkeyedDecodingContainer {
    notes.asked = .unkeyed
    return ProbeUnkeyedContainer(decoder: self)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer {
    ProbeSingleContainer(decoder: self)
  }

  /// The decoder for a value within this one, whose notes are discarded.
  var inner: ProbeDecoder {
    ProbeDecoder(ProbeNotes(), variant: variant, candidate: candidate, depth: depth + 1)
  }

  var truth: Bool { candidate % 2 == 1 }
  var text: String { candidate == 0 ? "" : "a" }
  var real: Double { Double(candidate) }

  func integer<Output: FixedWidthInteger>() throws -> Output {
    guard let number = Output(exactly: candidate) else {
      throw MadeUpValue.Failure(
        path: [], type: "\(Output.self)", reason: "\(candidate) is out of its range")
    }
    return number
  }
}

private struct ProbeSingleContainer: SingleValueDecodingContainer {
  let decoder: ProbeDecoder
  var codingPath: [any CodingKey] { [] }

  private func note(_ kind: ColumnKind) { decoder.notes.asked = .scalar(kind) }

  private func integer<Output: FixedWidthInteger>() throws -> Output {
    note(.integer)
    return try decoder.integer()
  }

  func decodeNil() -> Bool { false }
  func decode(_ type: Bool.Type) -> Bool {
    note(.boolean)
    return decoder.truth
  }
  func decode(_ type: String.Type) -> String {
    note(.text)
    return decoder.text
  }
  func decode(_ type: Double.Type) -> Double {
    note(.real)
    return decoder.real
  }
  func decode(_ type: Float.Type) -> Float {
    note(.real)
    return Float(decoder.real)
  }
  func decode(_ type: Int.Type) throws -> Int { try integer() }
  func decode(_ type: Int8.Type) throws -> Int8 { try integer() }
  func decode(_ type: Int16.Type) throws -> Int16 { try integer() }
  func decode(_ type: Int32.Type) throws -> Int32 { try integer() }
  func decode(_ type: Int64.Type) throws -> Int64 { try integer() }
  func decode(_ type: UInt.Type) throws -> UInt { try integer() }
  func decode(_ type: UInt8.Type) throws -> UInt8 { try integer() }
  func decode(_ type: UInt16.Type) throws -> UInt16 { try integer() }
  func decode(_ type: UInt32.Type) throws -> UInt32 { try integer() }
  func decode(_ type: UInt64.Type) throws -> UInt64 { try integer() }

  func decode<Output: Decodable>(_ type: Output.Type) throws -> Output {
    let made = try MadeUpValue.make(type, variant: decoder.variant, depth: decoder.depth + 1)
    decoder.notes.asked = made.kind == .json ? .keyed : .scalar(made.kind)
    return made.value
  }
}
