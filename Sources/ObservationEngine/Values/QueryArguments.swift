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

extension QueryArguments: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
  /// Arguments by position.
  public init(arrayLiteral elements: Value...) { self.init(elements) }
  /// Arguments by name.
  public init(dictionaryLiteral elements: (String, Value)...) {
    self.init([], named: Dictionary(elements) { $1 })
  }
}
