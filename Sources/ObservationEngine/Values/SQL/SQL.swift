/// SQL whose interpolated values become parameters.
///
///     try db.execute("UPDATE player SET score = \(score) WHERE name = \(name)")
///
/// SQLite gets `UPDATE player SET score = ? WHERE name = ?` and both values. A value never becomes a part
/// of the text, whatever it contains. Other parts of a statement have forms of their own:
///
///     let chosen: SQL = "SELECT name, score FROM player WHERE id IN (\(values: ids))"
///     let best: SQL = "\(chosen) ORDER BY \(identifier: column) DESC LIMIT \(limit)"
///     try db.execute("PRAGMA cache_size = \(raw: "-2000")")
///
/// `SQL` takes any literal, but no `String`, so no text runs as SQL by accident. ``init(raw:)`` turns a
/// text that comes from elsewhere into SQL.
///
/// ## Guarantees
/// - An interpolated value is bound. Only `identifier:` and `raw:` change the text, and a name is quoted.
/// - Equal literals give equal texts, whatever their values, so that a statement is prepared once.
///
/// ## Limits
/// - A parameter within quotes is text to SQLite: instead of `'%\(part)%'` write `'%' || \(part) || '%'`.
/// - A value isn't a name: `ORDER BY \(column)` sorts by a constant, `ORDER BY \(identifier: column)` by the
///   column.
/// - Interpolated values don't mix with values by position (`?`); they mix with values by name (`:name`).
public struct SQL: Sendable, Hashable {
  /// What SQLite gets: a `?` stands for each interpolated value.
  package private(set) var text: String
  /// The values of its parameters.
  package private(set) var arguments: QueryArguments

  /// SQL from a text, as it is.
  ///
  ///     try db.execute(SQL(raw: statement), ["id": id])
  ///
  /// - Parameter text: SQL from a source that you trust. Pass what a user typed as a value instead.
  public init(raw text: String) { self.init(raw: text, QueryArguments(values: [])) }

  /// SQL from a text with the values of its parameters.
  package init(raw text: String, _ arguments: QueryArguments) {
    self.text = text
    self.arguments = arguments
  }

  /// Whether both have the same bytes and the same values.
  public static func == (left: SQL, right: SQL) -> Bool {
    left.text.isExactly(right.text) && left.arguments == right.arguments
  }

  /// The same SQL with further values, which the caller passes next to it.
  @usableFromInline
  package func with(_ others: QueryArguments) -> SQL {
    SQL(raw: text, arguments.joined(with: others))
  }

  /// ` WHERE (…)`, or nothing. The newline ends a comment in the condition, which would swallow the
  /// rest.
  package static func whereClause(_ condition: SQL?) -> SQL {
    condition.map { " WHERE (\($0)\n)" } ?? ""
  }
}

extension SQL: ExpressibleByStringInterpolation {
  /// SQL as it stands in the source.
  public init(stringLiteral text: String) { self.init(raw: text) }

  /// SQL with its interpolated values.
  public init(stringInterpolation: StringInterpolation) { self = stringInterpolation.sql }

  /// What may be interpolated into SQL.
  public struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var sql: SQL

    /// An empty text.
    public init(literalCapacity: Int, interpolationCount: Int) {
      sql = SQL(raw: "")
      sql.text.reserveCapacity(literalCapacity + interpolationCount)
    }

    /// Adds SQL as it stands in the source.
    public mutating func appendLiteral(_ text: String) { sql.text += text }

    /// Adds a parameter with this value: `WHERE id = \(id)`.
    ///
    /// A value that SQLite can't store makes the statement fail when it is run.
    public mutating func appendInterpolation(_ value: (any ValueConvertible)?) {
      sql.text += "?"
      sql.arguments.append(value)
    }

    /// Adds a piece of SQL with its own values.
    public mutating func appendInterpolation(_ piece: SQL) {
      sql.text += piece.text
      sql.arguments.append(piece.arguments)
    }

    /// Adds a parameter for each value, with commas between them: `WHERE id IN (\(values: ids))`.
    ///
    /// Without values it adds nothing. SQLite reads `IN ()` as an empty list.
    public mutating func appendInterpolation(values: some Sequence<some ValueConvertible>) {
      for (index, value) in values.enumerated() {
        sql.text += index == 0 ? "?" : ", ?"
        sql.arguments.append(value)
      }
    }

    /// Adds the name of a table or column, in quotes.
    public mutating func appendInterpolation(identifier name: String) {
      sql.text += name.quotedIdentifier
    }

    /// Adds a text as it is, from a source that you trust.
    public mutating func appendInterpolation(raw text: String) { sql.text += text }
  }
}
