extension Connection {
  /// Whether the statement that was prepared just now gives other results as time goes by.
  ///
  /// The authorizer tells which functions it calls, through views too, but not with which arguments:
  /// these the texts tell.
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

  /// How the views of this name are declared, in whatever schema; the name of a common table
  /// expression has none, and stands in the statement itself.
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
