/// The values of a statement's parameters: by position (`?`, `?3`) and by name (`:a`, `@a`, `$a`).
///
///     try db.execute("INSERT INTO player(name, score) VALUES (?, ?)", [name, score])
///     try db.execute("UPDATE player SET score = :score WHERE id = :id", ["score": nil, "id": id])
///     try db.execute("INSERT INTO player(name, score) VALUES (?, ?)", QueryArguments(fields))
///
/// SQLite can't store every value: an unsigned integer may exceed `Int64.max`. The statement that binds such
/// a value throws an error that names it.
public struct QueryArguments: Sendable, Hashable {
  // Within this type, `Value` is the value of a dictionary literal.

  /// Values by position, from the first parameter on.
  package private(set) var positional: [ObservationEngine.Value]
  /// Values by name, without the leading `:`, `@` or `$`.
  package var named: [String: ObservationEngine.Value]
  /// The values that can't be bound, and why.
  private var flaws: [Flaw] = []

  /// Arguments from an array, a dictionary, or both.
  ///
  /// - Parameters:
  ///   - positional: Values by position, from the first parameter on; `nil` is NULL.
  ///   - named: Values by name, without the leading `:`, `@` or `$`.
  public init(
    _ positional: [(any ValueConvertible)?] = [], named: [String: (any ValueConvertible)?] = [:]
  ) {
    self.init(converting: positional)
    for (name, value) in named { set(name, to: value) }
  }

  private init(converting elements: [(any ValueConvertible)?]) {
    var flaws: [Flaw] = []
    let values = elements.indices.map { index in
      do throws(DatabaseError) { return try elements[index]?.toValue() ?? .null } catch {
        flaws.append(Flaw(place: .position(index + 1), error: error))
        return .null
      }
    }
    self.init(values: values)
    self.flaws = flaws
  }

  /// Whether there is no value, and none that can't be bound.
  var isEmpty: Bool { positional.isEmpty && named.isEmpty && flaws.isEmpty }

  /// Arguments that are already converted.
  package init(
    // Not `[:]`, which makes a dictionary from a literal of no elements each time.
    values positional: [ObservationEngine.Value],
    named: [String: ObservationEngine.Value] = Dictionary()
  ) {
    self.positional = positional
    self.named = named
  }
}

extension QueryArguments: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
  /// Arguments by position.
  public init(arrayLiteral elements: (any ValueConvertible)?...) {
    self.init(converting: elements)
  }

  /// Arguments by name; of two with the same name, the last one wins.
  public init(dictionaryLiteral elements: (String, (any ValueConvertible)?)...) {
    self.init(values: [])
    for (name, value) in elements { set(name, to: value) }
  }
}

// MARK: - Composing

extension QueryArguments {
  /// Adds the next positional value.
  mutating func append(_ value: (any ValueConvertible)?) {
    do { positional.append(try value?.toValue() ?? .null) } catch {
      flaws.append(Flaw(place: .position(positional.count + 1), error: error))
      positional.append(.null)
    }
  }

  /// Appends the arguments of the SQL that follows in the same text.
  mutating func append(_ others: QueryArguments) {
    flaws += others.flaws.map { $0.moved(by: positional.count) }
    positional += others.positional
    named.merge(others.named) { $1 }
  }

  /// Adds, to these interpolated values, the arguments that the caller passes next to the text.
  func joined(with others: QueryArguments) -> QueryArguments {
    if others.isEmpty { return self }
    guard !positional.isEmpty || !named.isEmpty else { return others }
    var all = self
    if !positional.isEmpty, !others.positional.isEmpty { all.flaws.append(.mixed) }
    all.append(others)
    return all
  }

  private mutating func set(_ name: String, to value: (any ValueConvertible)?) {
    flaws.removeAll { $0.place == .name(name) }
    do { named[name] = try value?.toValue() ?? .null } catch {
      flaws.append(Flaw(place: .name(name), error: error))
      named[name] = .null
    }
  }
}

// MARK: - Binding

extension QueryArguments {
  /// The value of each parameter, in order: by its name, or else the next positional one.
  ///
  /// - Parameter names: The names of the parameters, with the leading sign; `nil` for one without a
  ///   name.
  /// - Throws: `DatabaseError`: for a value that can't be bound; with code `range` for a parameter
  ///   without a value, or surplus positional values.
  func values(ofParameters names: [String?], sql: String) throws(DatabaseError)
    -> [ObservationEngine.Value]
  {
    try check(sql)
    var values: [ObservationEngine.Value] = []
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
      let given = positional.count == 1 ? "1 value was" : "\(positional.count) values were"
      let parameters = "\(names.count) parameter\(names.count == 1 ? "" : "s")"
      throw DatabaseError(
        code: .range,
        message: "\(given) given for \(parameters)" + Self.hint(at: sql), sql: sql)
    }
    return values
  }

  /// The likely cause of surplus values, if the text reveals one.
  private static func hint(at sql: String) -> String {
    let isQuoted = SQLTokenizer.tokens(of: sql).contains {
      $0.kind == .string && $0.text.contains("?")
    }
    return isQuoted ? "; a ? within quotes is text: join texts with || instead" : ""
  }

  /// Checks that every value can be bound.
  ///
  /// - Throws: `DatabaseError` that names the first one that can't, and why.
  func check(_ sql: String) throws(DatabaseError) {
    guard let flaw = flaws.first else { return }
    throw DatabaseError(code: flaw.error.code, message: flaw.message, sql: sql)
  }
}

/// Why arguments can't be bound. A literal can't throw, so the statement throws the error.
private struct Flaw: Sendable, Hashable {
  enum Place: Hashable {
    case position(Int)
    case name(String)
  }

  /// Which value it is; `nil` when the flaw isn't in a single value.
  var place: Place?
  let error: DatabaseError

  static let mixed = Flaw(
    place: nil,
    error: DatabaseError(
      code: .misuse,
      message: """
        interpolated values and values by position (?) can't be mixed: interpolate all of them, or \
        name the others
        """))

  var message: String {
    switch place {
    case .position(let number): "value \(number) can't be bound: \(error.message)"
    case .name(let name): "the value of \(name) can't be bound: \(error.message)"
    case nil: error.message
    }
  }

  /// The same flaw, moved behind `count` further values.
  func moved(by count: Int) -> Flaw {
    guard case .position(let number) = place else { return self }
    return Flaw(place: .position(number + count), error: error)
  }
}
