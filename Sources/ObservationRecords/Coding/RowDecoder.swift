internal import FoundationEssentials
internal import ObservationEngine

/// Decodes `Codable` types from the rows of a cursor, one after another.
///
/// A type requests the same properties in the same order each time. So the decoder remembers the
/// columns requested for the first row as a list of steps, and for later rows only compares one
/// string per property.
///
/// Confined to its connection's thread of execution.
final class RowDecoder: Decoder {
  let cursor: RowCursor
  private let naming: ColumnNaming
  private let type: Any.Type
  /// Whether the type is read from a column as a whole, without its own coding.
  private let isPlain: Bool
  private let steps: StepList
  /// Decodes properties that aren't plain values, one column at a time.
  let columnDecoder: ColumnDecoder
  /// The container for the type's own keys, which is the same for each row.
  private var container: (key: ObjectIdentifier, box: AnyObject)?

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  /// A decoder for `type` only, from the rows of `cursor`.
  init(_ cursor: RowCursor, _ type: Any.Type, naming: ColumnNaming = .verbatim) {
    self.cursor = cursor
    self.type = type
    self.naming = naming
    isPlain = ColumnKind(type) != nil
    columnDecoder = ColumnDecoder(cursor: cursor)
    steps = StepList(capacity: cursor.columns.count)
  }

  /// Ends a fetch: the container and the decoder refer to each other.
  func finish() { container = nil }

  /// Decodes the current row.
  func decode<Output: Decodable>(_ type: Output.Type) throws -> Output {
    steps.rewind()
    if isPlain { return try decode(type, column: 0) }
    return try Output(from: self)
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    // Another allocation per row would cost as much as two columns.
    if let container, container.key == ObjectIdentifier(type) {
      // Proof: `makeContainer` made the box for exactly this key type.
      return unsafeDowncast(container.box, to: Box<Key>.self).container
    }
    return makeContainer()
  }

  @inline(never)
  private func makeContainer<Key: CodingKey>() -> KeyedDecodingContainer<Key> {
    let made = KeyedDecodingContainer(RowKeyedContainer<Key>(decoder: self))
    container = (ObjectIdentifier(Key.self), Box(made))
    return made
  }

  /// A list of all columns would reveal nothing of their names.
  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    throw DatabaseError(
      code: .mismatch,
      message: """
        \(type) is decoded from a list, and a row has named columns: use fetchAll with a closure
        """,
      sql: cursor.sql)
  }

  /// The first column, for a type that is a single value.
  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    columnDecoder.column = 0
    return columnDecoder
  }

  private final class Box<Key: CodingKey> {
    let container: KeyedDecodingContainer<Key>
    init(_ container: KeyedDecodingContainer<Key>) { self.container = container }
  }
}

// MARK: - Columns by key

extension RowDecoder {
  /// The column of a key; `nil` when the result has none.
  @inline(__always)
  func column(ifPresent key: String) -> Int? {
    steps.take(key) ?? search(key)
  }

  /// The column of a key.
  @inline(__always)
  func column(_ key: String) throws -> Int {
    guard let column = column(ifPresent: key) else { throw missing(key) }
    return column
  }

  @inline(never)
  private func search(_ key: String) -> Int? {
    if let known = steps.find(key) { return known }
    let name = naming.column(key)
    let folded = name.asciiLowercased
    let column =
      cursor.columns.firstIndex(of: name)
      ?? cursor.columns.firstIndex { $0.asciiLowercased == folded }
    steps.append(key, column: column)
    return column
  }

  private func missing(_ key: String) -> DatabaseError {
    DatabaseError(
      code: .mismatch,
      message: """
        the result has no column \(naming.column(key)), which \(type) needs; it has \
        \(cursor.columns.joined(separator: ", ")): select it, or make the property optional
        """,
      sql: cursor.sql)
  }

  /// Decodes a type that isn't one of the standard library's plain types.
  func decode<Output: Decodable>(_ type: Output.Type, column: Int) throws -> Output {
    switch ColumnKind(type) {
    case .date: if let value = try cursor.date(column) as? Output { return value }
    case .decimal: if let value = try cursor.decimal(column) as? Output { return value }
    case .uuid: if let value = try cursor.uuid(column) as? Output { return value }
    case .url: if let value = try cursor.url(column) as? Output { return value }
    case .blob:
      let data = try cursor.data(column)
      if let value = data as? Output ?? [UInt8](data) as? Output { return value }
    default: break
    }
    // It may be in use. A property that decodes another row meanwhile uses another decoder, and one
    // within a property reads the same column.
    columnDecoder.column = column
    do {
      return try Output(from: columnDecoder)
    } catch let error as DecodingError {
      throw misfit(error, column, type)
    }
  }

  private func misfit(_ error: DecodingError, _ column: Int, _ type: Any.Type) -> DatabaseError {
    let plain = cursor.misfit(column, type)
    guard columnDecoder.isJSON else { return plain }
    // The description may contain parts of the text, so the error only gives the path.
    let path: [any CodingKey] =
      switch error {
      case .typeMismatch(_, let context), .valueNotFound(_, let context),
        .dataCorrupted(let context):
        context.codingPath
      case .keyNotFound(let key, let context): context.codingPath + [key]
      @unknown default: []
      }
    let place =
      path.isEmpty ? "" : ", at \(path.map(\.stringValue).joined(separator: "."))"
    return DatabaseError(
      code: .mismatch,
      message: "column \(column) (\(cursor.columns[column])) holds no JSON of \(type)\(place)",
      sql: cursor.sql)
  }
}
