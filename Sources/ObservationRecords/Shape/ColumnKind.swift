internal import FoundationEssentials
internal import ObservationEngine

/// How the values of one column are stored.
enum ColumnKind: Sendable, Equatable {
  case boolean, integer, real, text, blob, date, decimal, url, uuid
  /// JSON text.
  case json

  /// The kind of a type that is stored as a single value and not through its own coding.
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

  /// The type with which the column is declared.
  func declaration(_ dateFormat: DateFormat) -> String {
    switch self {
    // NUMERIC affinity: 0 and 1 stay integers, and a person who reads the schema learns more.
    case .boolean: "BOOLEAN"
    case .integer: "INTEGER"
    case .real: "REAL"
    // Any other affinity would make a binary number of a decimal.
    case .text, .decimal, .url, .uuid, .json: "TEXT"
    case .blob: "BLOB"
    case .date: dateFormat.columnType
    }
  }
}

/// A property of a record, as found by coding it.
struct RecordField: Sendable, Equatable {
  /// The string of its coding key.
  let key: String
  let kind: ColumnKind
  let isOptional: Bool
}
