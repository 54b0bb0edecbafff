/// The values of a statement's parameters: by position (`?`, `?3`) and by name (`:a`, `@a`, `$a`).
public struct QueryArguments: Sendable, Hashable {
  /// Values by position, from the first parameter on.
  public var positional: [Value]
  /// Values by name, without the leading `:`, `@` or `$`.
  public var named: [String: Value]

  /// Arguments made of their parts.
  public init(_ positional: [Value] = [], named: [String: Value] = [:]) {
    self.positional = positional
    self.named = named
  }
}

extension QueryArguments {
  /// The value of each parameter, in order: the one of its name, or else the next one by position.
  ///
  /// - Parameter names: Those of the parameters, with the leading sign; `nil` for one without a name.
  /// - Throws: `DatabaseError` with code `range` that names a parameter without a value, or for surplus values by
  ///   position.
  func values(ofParameters names: [String?], sql: String) throws(DatabaseError) -> [Value] {
    var values: [Value] = []
    values.reserveCapacity(names.count)
    var next = 0
    for (index, name) in names.enumerated() {
      if let name, let named = named[String(name.dropFirst())] {
        values.append(named)
      } else if next < positional.count {
        values.append(positional[next])
        next += 1
      } else {
        throw DatabaseError(
          code: .range, message: "parameter \(name ?? "?\(index + 1)") has no value", sql: sql)
      }
    }
    guard next == positional.count else {
      let parameters = "\(names.count) parameter\(names.count == 1 ? "" : "s")"
      throw DatabaseError(
        code: .range, message: "\(positional.count) values were given for \(parameters)", sql: sql)
    }
    return values
  }
}

extension QueryArguments: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
  /// Arguments by position.
  public init(arrayLiteral elements: Value...) { self.init(elements) }
  /// Arguments by name.
  public init(dictionaryLiteral elements: (String, Value)...) {
    self.init([], named: Dictionary(elements) { $1 })
  }
}
