/// An SQL function written in Swift.
///
///     let reverse = CustomFunction(
///       "reverse", argumentCount: 1, isDeterministic: true
///     ) { arguments in
///       guard case .text(let text) = arguments[0] else { return .null }
///       return .text(String(text.reversed()))
///     }
///     var configuration = Configuration()
///     configuration.functions = [reverse]
///     // SELECT reverse(name) FROM player
///
/// Declare it in ``Configuration/functions``, so that every connection has it: a query that one
/// connection can prepare, all can.
///
/// ## Guarantees
/// - When the closure throws a `DatabaseError`, the statement throws it, with the statement's SQL;
///   any other error becomes a `DatabaseError` that names the function.
///
/// ## Limits
/// - It runs concurrently on the threads of all connections: the closure is `@Sendable`, and must
///   not use a `Database`.
/// - Observations don't know what it reads other than its arguments: it should depend on them
///   alone.
public struct CustomFunction: Sendable {
  /// Where it may be called other than in the application's SQL.
  public enum SchemaUse: Sendable {
    /// Never in views, triggers, indexes, defaults or generated columns of the file: for functions
    /// with side effects, or that reveal secrets (SQLITE_DIRECTONLY).
    case never
    /// There too if ``Configuration/trustsSchema`` allows it: SQLite's default.
    case whenTrusted
    /// Always: any caller may use it without harm (SQLITE_INNOCUOUS).
    case always
  }

  /// Runs the groups of an aggregate, for any type of state.
  enum Body: Sendable {
    case scalar(@Sendable ([Value]) throws -> Value)
    case aggregate(@Sendable () -> any AggregateGroup)
  }

  let name: String
  let argumentCount: Int?
  let isDeterministic: Bool
  let schemaUse: SchemaUse
  let body: Body

  /// A function of the values of one row.
  ///
  /// - Parameters:
  ///   - name: The name in SQL, in any letter case; at most 255 bytes.
  ///   - argumentCount: How many arguments it takes, 0 to 127; `nil` for any number. Functions of the same
  ///     name with different numbers may coexist.
  ///   - isDeterministic: Whether equal arguments always give an equal result. Then indexes may use it, and
  ///     SQLite calls it less often.
  ///   - schemaUse: Where it may be called other than in the application's SQL.
  ///   - body: Receives the arguments of a call and returns its result.
  public init(
    _ name: String, argumentCount: Int? = nil, isDeterministic: Bool = false,
    schemaUse: SchemaUse = .whenTrusted, _ body: @escaping @Sendable ([Value]) throws -> Value
  ) {
    self.init(name, argumentCount, isDeterministic, schemaUse, .scalar(body))
  }

  /// A function of the rows of a group, such as `sum`.
  ///
  ///     let product = CustomFunction.aggregate("product", argumentCount: 1, initial: 1.0) {
  ///       state, arguments in
  ///       if let factor = Double.fromValue(arguments[0]) { state *= factor }
  ///     } result: {
  ///       .real($0)
  ///     }
  ///
  /// - Parameters:
  ///   - name: As for a function of the values of one row.
  ///   - argumentCount: As there.
  ///   - isDeterministic: As there.
  ///   - schemaUse: As there.
  ///   - initial: The state before the first row of a group. A group without rows makes its result
  ///     from it.
  ///   - step: Adds a row.
  ///   - result: Makes the result once all rows have been added.
  public static func aggregate<State: Sendable>(
    _ name: String, argumentCount: Int? = nil, isDeterministic: Bool = false,
    schemaUse: SchemaUse = .whenTrusted, initial: State,
    step: @escaping @Sendable (inout State, [Value]) throws -> Void,
    result: @escaping @Sendable (State) throws -> Value
  ) -> CustomFunction {
    CustomFunction(
      name, argumentCount, isDeterministic, schemaUse,
      .aggregate { StatefulGroup(state: initial, add: step, end: result) })
  }

  private init(
    _ name: String, _ argumentCount: Int?, _ isDeterministic: Bool, _ schemaUse: SchemaUse,
    _ body: Body
  ) {
    self.name = name
    self.argumentCount = argumentCount
    self.isDeterministic = isDeterministic
    self.schemaUse = schemaUse
    self.body = body
  }
}

/// One group of rows that an aggregate function processes, on its connection's thread.
protocol AggregateGroup: AnyObject {
  func step(_ arguments: [Value]) throws
  func result() throws -> Value
}

private final class StatefulGroup<State>: AggregateGroup {
  private var state: State
  private let add: @Sendable (inout State, [Value]) throws -> Void
  private let end: @Sendable (State) throws -> Value

  init(
    state: State, add: @escaping @Sendable (inout State, [Value]) throws -> Void,
    end: @escaping @Sendable (State) throws -> Value
  ) {
    self.state = state
    self.add = add
    self.end = end
  }

  func step(_ arguments: [Value]) throws { try add(&state, arguments) }
  func result() throws -> Value { try end(state) }
}
