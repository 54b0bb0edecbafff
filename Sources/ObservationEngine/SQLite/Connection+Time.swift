extension Connection {
  /// Whether the result of the statement that was just prepared changes with time.
  ///
  /// The authorizer reports which functions it calls, even through views, but not their arguments:
  /// the SQL texts show these.
  func timeDependence(ofPrepared sql: String) -> TimeDependence {
    let functions = authorizer.functions
    guard !isRunningEngineSQL, QueryShape.areRestless(functions) else { return .none }
    let callers = authorizer.callers
    do {
      return QueryShape.timeDependence(
        try [sql] + callers.flatMap(viewDefinitions), functions: functions)
    } catch {
      return .always(reason: "a view whose text cannot be read")
    }
  }

  /// The declarations of the views of this name, in any schema. A common table expression has none:
  /// the statement contains it.
  private func viewDefinitions(_ name: String) throws(DatabaseError) -> [String] {
    var texts: [String] = []
    for row in try fetch(engine: "PRAGMA database_list") {
      guard case .text(let schema) = row[1] else { continue }
      let rows = try fetch(
        engine: """
          SELECT sql FROM \(schema.quotedIdentifier).sqlite_schema
          WHERE type = 'view' AND name = ?1 COLLATE NOCASE
          """, [.text(name)])
      for case .text(let text)? in rows.map(\.first) { texts.append(text) }
    }
    return texts
  }
}
