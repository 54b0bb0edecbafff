/// A `Codable` type whose values are rows of a table.
///
///     struct Player: Record {
///       var id: Int64?
///       var name: String
///       var score: Int
///     }
///
/// Create its table, then insert and fetch:
///
///     let best = try await database.write { db in
///       try db.create(Player.self, ifNotExists: true)
///       try db.insert(Player(id: nil, name: "ada", score: 41))
///       return try db.fetchAll(Player.self, where: "score > ?", [40], orderBy: "score DESC")
///     }
///
/// Each stored property is a column, named by its coding key. `Bool`, integers, `Float`, `Double`,
/// `Decimal`, `String`, `Date`, `Data`, `[UInt8]`, `URL`, `UUID` and enumerations with raw values are
/// stored as single values, optionals of them as NULL or a value, and everything else as JSON text.
///
/// ## Guarantees
/// - A value that is read equals the one written, except for dates, which `DateFormat` rounds to
///   the millisecond, `Double.nan`, which SQLite stores as NULL, and a `URL` with a base, which is
///   read as the absolute one.
/// - A value that does not fit is an error: nothing is rounded, truncated or wrapped silently.
/// - All identifiers are quoted: any name works, even `order` and `group`.
///
/// ## Limits
/// - The columns are found once per type, by decoding it from made-up values. A type that refuses
///   those must declare an ``example``.
/// - Writing an equal value may change a column of JSON text if a part of the value is a `Set`, or a
///   dictionary whose keys are neither strings nor integers: these are written in any order. An
///   observation of rows (``changes(_:where:_:untracked:in:)``) then delivers an update whose records
///   are equal.
public protocol Record: Codable, Sendable {
  /// The table: by default the name of the type, starting with small letters (`player`,
  /// `httpRequest`).
  static var tableName: String { get }

  /// The columns of the primary key, in its order: by default `id`; empty for a table without a
  /// key, whose rows can be inserted and read, but not updated or deleted individually.
  ///
  /// A single integer is the rowid of the table. If it is optional, inserting a record without one
  /// assigns the next number, and no number is ever reused (AUTOINCREMENT).
  static var primaryKey: [String] { get }

  /// How columns are named after coding keys; by default identically.
  static var columnNaming: ColumnNaming { get }

  /// Any value of the type. Declare one if the type can't be decoded from made-up values (0, `""`,
  /// the first case, …): because its initializer checks them, or an enumeration is not
  /// `CaseIterable`.
  ///
  ///     static var example: Reading { Reading(at: .now, values: [0]) }
  ///
  /// With an example, no values are made up for the type. The example's optional properties need a
  /// value if their types can't be decoded from made-up values.
  static var example: DeclaredExample { get }

  /// The type of ``example``: the record type, or an optional of it.
  associatedtype DeclaredExample = Self?
}

extension Record {
  /// The name of the type, starting with small letters.
  public static var tableName: String { defaultTableName(String(describing: Self.self)) }
  /// The column `id`.
  public static var primaryKey: [String] { ["id"] }
  /// Columns have the names of the coding keys.
  public static var columnNaming: ColumnNaming { .verbatim }
}

extension Record where DeclaredExample == Self? {
  /// `nil`: most types need no example.
  public static var example: Self? { nil }
}

extension Record {
  /// The example, if the type declares one.
  static var declaredExample: Self? { example as Any as? Self }
}

/// How the columns of a record are named after its coding keys.
///
///     static var columnNaming: ColumnNaming { .snakeCase }   // highScore is high_score
public enum ColumnNaming: Sendable {
  /// `highScore` is `highScore`.
  case verbatim
  /// `highScore` is `high_score`, `imageURL` is `image_url`.
  case snakeCase
  /// Named by the function, which must give different keys different names.
  case custom(@Sendable (String) -> String)

  func column(_ key: String) -> String {
    switch self {
    case .verbatim: key
    case .snakeCase: snakeCased(key)
    case .custom(let name): name(key)
    }
  }
}

/// `Player` → `player`, `HTTPRequest` → `httpRequest`, `URL` → `url`.
func defaultTableName(_ type: String) -> String {
  let letters = Array(type)
  let capitals = letters.prefix(while: \.isUppercase).count
  // The last of several capitals starts the next word.
  let lowered = capitals > 1 && capitals < letters.count ? capitals - 1 : capitals
  return String(letters[..<lowered]).lowercased() + String(letters[lowered...])
}

func snakeCased(_ key: String) -> String {
  let letters = Array(key)
  var result = ""
  for (index, letter) in letters.enumerated() {
    if letter.isUppercase, index > 0, letters[index - 1] != "_" {
      let followsSmall = !letters[index - 1].isUppercase
      let precedesSmall = index + 1 < letters.count && letters[index + 1].isLowercase
      if followsSmall || precedesSmall { result += "_" }
    }
    result += letter.lowercased()
  }
  return result
}
