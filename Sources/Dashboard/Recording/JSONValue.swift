/// A parsed JSON text.
enum JSONValue: Sendable, Equatable {
  case null
  case bool(Bool)
  /// As written, so that no digit is lost.
  case number(String)
  case string(String)
  case array([JSONValue])
  /// In the order of the text; if a name is repeated, the first counts.
  case object([Member])

  struct Member: Sendable, Equatable {
    let name: String
    let value: JSONValue
  }

  /// The member of that name; nil if there is none, if it is null, or for other values.
  subscript(name: String) -> JSONValue? {
    guard case .object(let members) = self, let member = members.first(where: { $0.name == name }),
      member.value != .null
    else { return nil }
    return member.value
  }

  var text: String? { if case .string(let text) = self { text } else { nil } }
  var elements: [JSONValue]? { if case .array(let elements) = self { elements } else { nil } }
  var members: [Member]? { if case .object(let members) = self { members } else { nil } }
  var integer: Int64? { if case .number(let text) = self { Int64(text) } else { nil } }
  var real: Double? { if case .number(let text) = self { Double(text) } else { nil } }
  var isTrue: Bool { self == .bool(true) }
}
