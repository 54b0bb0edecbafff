internal import CSQLite

/// An order of texts written in Swift, for `ORDER BY name COLLATE …` and indexes.
///
///     let byLength = CustomCollation("by_length") { left, right in
///       left.count < right.count ? .before : left.count > right.count ? .after : .same
///     }
///     var configuration = Configuration()
///     configuration.collations = [byLength]
///
/// Declare it in ``Configuration/collations``, so that every connection has it.
///
/// ## Limits
/// - It must be a total order, and stay the same as long as an index uses it: SQLite can't find
///   rows that were indexed in another order. After a change, run `REINDEX`.
/// - It runs concurrently on the threads of all connections, and cannot throw.
public struct CustomCollation: Sendable {
  /// The order of two texts.
  public enum Order: Int32, Sendable {
    /// The first comes before the second.
    case before = -1
    /// They are equal.
    case same = 0
    /// The first comes after the second.
    case after = 1
  }

  /// The name in SQL, in any letter case.
  let name: String
  let compare: @Sendable (String, String) -> Order

  /// A collation of this name in SQL; letter case does not matter.
  public init(_ name: String, _ compare: @escaping @Sendable (String, String) -> Order) {
    self.name = name
    self.compare = compare
  }
}

/// SQLite's context of a collation. SQLite holds the only reference until it calls the destructor,
/// and compares only until then.
private final class InstalledCollation {
  let collation: CustomCollation
  init(_ collation: CustomCollation) { self.collation = collation }
}

extension Connection {
  /// Declares a collation on this connection.
  func install(_ collation: CustomCollation) throws(DatabaseError) {
    guard !collation.name.isEmpty else {
      throw DatabaseError(code: .misuse, message: "a collation needs a name")
    }
    let context = Unmanaged.passRetained(InstalledCollation(collation))
    let result = sqlite3_create_collation_v2(
      handle, collation.name, SQLITE_UTF8, context.toOpaque(),
      { context, leftCount, left, rightCount, right in
        let installed = Unmanaged<InstalledCollation>.fromOpaque(context!).takeUnretainedValue()
        let first = UnsafeRawBufferPointer(start: left, count: Int(leftCount))
        let second = UnsafeRawBufferPointer(start: right, count: Int(rightCount))
        return installed.collation.compare(
          String(decoding: first, as: UTF8.self), String(decoding: second, as: UTF8.self)
        ).rawValue
      },
      { Unmanaged<InstalledCollation>.fromOpaque($0!).release() })
    guard result == SQLITE_OK else {
      // Unlike with functions, SQLite doesn't call the destructor here.
      context.release()
      throw error(result, sql: nil)
    }
  }
}
