internal import CPostgres
internal import ObservationEngine

/// libpq, PostgreSQL's client library.
enum PostgresLibrary {
  /// Loads it, when the first server is opened: a user of SQLite files doesn't need it.
  static func load() throws(DatabaseError) {
    guard let reason = lq_pq_load() else { return }
    throw DatabaseError(
      code: .cannotOpen,
      message: """
        PostgreSQL's client library can't be loaded: install it with "apt-get install libpq5" \
        (\(String(cString: reason)))
        """)
  }
}
