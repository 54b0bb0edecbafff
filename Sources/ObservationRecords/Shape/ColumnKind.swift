internal import FoundationEssentials
internal import ObservationEngine

/// How the values of one column are stored.
enum ColumnKind: Sendable, Equatable {
  case boolean, integer, real, text, blob, date, decimal, url, uuid
  /// JSON text.
  case json

  /// The kind for a type that is stored as a single value, bypassing its own coding.
  init?(_ type: Any.Type) {
    if type == Date.self {
      self = .date
    } else if type == Data.self || type == [UInt8].self {
      self = .blob
    } else if type == Decimal.self {
      self = .decimal
    } else if type == URL.self {
      self = .url
    } else if type == UUID.self {
      self = .uuid
    } else {
      return nil
    }
  }

  /// The declared type of the column.
  func declaration(_ dateFormat: DateFormat) -> String {
    switch self {
    // NUMERIC affinity: 0 and 1 stay integers, and the schema says what the column means.
    case .boolean: "BOOLEAN"
    case .integer: "INTEGER"
    case .real: "REAL"
    // Any other affinity would turn a decimal into a binary number.
    case .text, .decimal, .url, .uuid, .json: "TEXT"
    case .blob: "BLOB"
    case .date: dateFormat.columnType
    }
  }
}

/// A property of a record, as its coding reveals it.
struct RecordField: Sendable, Equatable {
  /// The string of its coding key.
  let key: String
  let kind: ColumnKind
  let isOptional: Bool
}
