internal import ObservationEngine

/// Finds the properties of a record type.
enum RecordFields {
  /// - Throws: `DatabaseError` with code `misuse` and what to do.
  static func of<Element: Record>(_ type: Element.Type) throws(DatabaseError) -> [RecordField] {
    let notes = ProbeNotes()
    do {
      if let example = type.declaredExample {
        try example.encode(to: ProbeEncoder(notes))
      } else {
        _ = try Element(from: ProbeDecoder(notes, variant: 0, candidate: 0, depth: 0))
      }
    } catch {
      // A type that requests single values or a list isn't a record, even if decoding failed.
      guard notes.asked == .keyed else { throw notARecord(type, notes) }
      throw unknown(type, error)
    }
    guard notes.asked == .keyed else { throw notARecord(type, notes) }
    guard !notes.fields.isEmpty else {
      throw DatabaseError(
        code: .misuse, message: "\(type) has no properties that could be columns; add one")
    }
    return notes.fields
  }

  private static func notARecord(_ type: Any.Type, _ notes: ProbeNotes) -> DatabaseError {
    let found = notes.asked == .unkeyed ? "a list" : "a single value"
    return DatabaseError(
      code: .misuse,
      message: """
        \(type) is coded as \(found), and a record needs named properties: make it a struct with \
        one stored property per column
        """)
  }

  private static func unknown(_ type: Any.Type, _ error: any Error) -> DatabaseError {
    var reason = "its initializer refuses placeholders (\(error))"
    if let failure = error as? MadeUpValue.Failure {
      let path = failure.path.joined(separator: ".")
      reason =
        "\(path.isEmpty ? "" : "property \(path) of type ")\(failure.type): \(failure.reason)"
    }
    return DatabaseError(
      code: .misuse,
      message: """
        cannot work out the columns of \(type): \(reason); make enumerations CaseIterable, or \
        declare `static var example: \(type)` with any value that has no nil in such places
        """)
  }
}
