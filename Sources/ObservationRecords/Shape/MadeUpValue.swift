internal import FoundationEssentials

/// Makes up values of decodable types, and determines how each would be stored.
enum MadeUpValue {
  /// Why a type accepts no made-up value.
  struct Failure: Error {
    /// The property, starting at the outermost type.
    var path: [String]
    let type: String
    let reason: String
  }

  /// How deep nested properties are followed: a type that contains itself has no end.
  private static let depthLimit = 16
  /// The raw values to try for integer enumerations.
  private static let rawValues = Array(0..<300) + [-1]

  /// A value of `type`.
  ///
  /// - Parameter variant: 0 or 1; the two differ in every property that can have two values.
  static func make<Output: Decodable>(
    _ type: Output.Type, variant: Int, depth: Int = 0
  ) throws -> (value: Output, kind: ColumnKind) {
    if let kind = ColumnKind(type), let value = stored(type, variant) as? Output {
      return (value, kind)
    }
    if let optional = type as? any OptionalType.Type {
      let made = try optional.make(variant: variant, depth: depth)
      if let value = made.value as? Output { return (value, made.kind) }
    }
    guard depth < depthLimit else {
      throw Failure(path: [], type: "\(type)", reason: "it contains itself")
    }
    let notes = ProbeNotes()
    let first = Result {
      try Output(from: ProbeDecoder(notes, variant: variant, candidate: variant, depth: depth))
    }
    // Cases take precedence over the decoded value: the first and the second certainly differ.
    if let value = caseValue(type, variant) as? Output { return (value, notes.kind) }
    switch first {
    case .success(let value): return (value, notes.kind)
    case .failure(let error):
      if notes.asked == .scalar(.integer), let value = integerCase(type, variant, depth) {
        return (value, .integer)
      }
      throw error as? Failure
        ?? Failure(path: [], type: "\(type)", reason: "it could not be decoded from a placeholder")
    }
  }

  private static func stored(_ type: Any.Type, _ variant: Int) -> Any? {
    switch ColumnKind(type) {
    case .date: return Date(timeIntervalSince1970: Double(variant) * 86_400)
    case .decimal: return Decimal(variant)
    case .url: return URL(string: variant == 0 ? "about:blank" : "about:example")
    case .uuid:
      let byte = UInt8(variant)
      return UUID(
        uuid: (byte, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    case .blob:
      let bytes = [UInt8](repeating: 1, count: variant)
      return type == Data.self ? Data(bytes) : bytes
    default: return nil
    }
  }

  private static func caseValue(_ type: Any.Type, _ variant: Int) -> Any? {
    func value<Cases: CaseIterable>(_ type: Cases.Type) -> Any? {
      let cases = Array(type.allCases.prefix(2))
      return cases.isEmpty ? nil : cases[variant % cases.count]
    }
    return (type as? any CaseIterable.Type).flatMap { value($0) }
  }

  /// The first or second case of an integer enumeration, among the raw values tried.
  private static func integerCase<Output: Decodable>(
    _ type: Output.Type, _ variant: Int, _ depth: Int
  ) -> Output? {
    var found: Output?
    var rank = -1
    for candidate in rawValues where rank < variant {
      // Most numbers aren't a case: that is a result, not an error.
      let decoder = ProbeDecoder(
        ProbeNotes(), variant: variant, candidate: candidate, depth: depth)
      if let value = try? Output(from: decoder) {
        found = value
        rank += 1
      }
    }
    return found
  }
}

/// `Optional`, identified at run time.
protocol OptionalType {
  /// An optional value: `nil` for the first variant or at a depth, a wrapped value for the second.
  static func make(variant: Int, depth: Int) throws -> (value: Any, kind: ColumnKind)
}

extension Optional: OptionalType where Wrapped: Decodable {
  static func make(variant: Int, depth: Int) throws -> (value: Any, kind: ColumnKind) {
    let made = try MadeUpValue.make(Wrapped.self, variant: variant, depth: depth + 1)
    let value: Wrapped? = variant == 0 ? nil : made.value
    return (value as Any, made.kind)
  }
}
