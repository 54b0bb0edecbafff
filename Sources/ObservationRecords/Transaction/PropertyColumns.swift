internal import ObservationEngine

/// Finds the columns that store a property, given its key path.
///
/// Key paths have no names. So the property is set on several values of the type, and the columns
/// that change are its columns. Two made-up values differ in every property that can have two
/// values, so at least one of them changes. For a type that declares an example, none are made up
/// if the example suffices.
struct PropertyColumns {
  private let shape: RecordShape
  private let dateFormat: DateFormat

  init(_ shape: RecordShape, _ dateFormat: DateFormat) {
    self.shape = shape
    self.dateFormat = dateFormat
  }

  /// The columns of `record` that store `property`, with their values after it is set.
  func values<Element: Record, Property>(
    setting property: WritableKeyPath<Element, Property>, to value: Property, on record: Element
  ) throws -> [(String, Value)] {
    let columns = try columns(of: property, to: value, also: record)
    let after = try row(record, setting: property, to: value)
    return columns.map { (shape.columns[$0].name, after[$0]) }
  }

  /// The column that stores `property` in any record, with its value after it is set.
  ///
  /// - Throws: `DatabaseError` with code `misuse` when that depends on the record.
  func values<Element: Record, Property: Encodable>(
    setting property: WritableKeyPath<Element, Property>, to value: Property
  ) throws -> [(String, Value)] {
    let columns = try columns(of: property, to: value, also: nil)
    let example = Element.declaredExample
    let samples = example.map { [$0] } ?? Self.madeUpValues(Element.self)
    let alone = try ValueEncoder.value(of: value, dateFormat)
    for sample in samples {
      let after = try row(sample, setting: property, to: value)
      guard columns.count == 1, columns.allSatisfy({ after[$0] == alone }) else {
        throw DatabaseError(
          code: .misuse,
          message: """
            \(property) is not all that its column holds, so it cannot be set for many rows; \
            update the records one by one: Transaction.update(record) { … }
            """)
      }
    }
    return columns.map { (shape.columns[$0].name, alone) }
  }

  private func columns<Element: Record, Property>(
    of property: WritableKeyPath<Element, Property>, to value: Property, also record: Element?
  ) throws -> [Int] {
    var found: Set<Int> = []
    func compare(_ samples: [Element]) throws {
      for sample in samples {
        let before = try RecordEncoder.values(of: sample, shape, dateFormat)
        let after = try row(sample, setting: property, to: value)
        found.formUnion(before.indices.filter { before[$0] != after[$0] })
      }
    }
    let example = Element.declaredExample
    try compare([record, example].compactMap(\.self))
    // The initializer of a type that declares an example may trap on a meaningless value.
    if example == nil || found.isEmpty { try compare(Self.madeUpValues(Element.self)) }
    guard !found.isEmpty else {
      throw DatabaseError(
        code: .misuse,
        message: """
          no column of \(shape.type) holds \(property), as far as can be found out; use \
          Transaction.update(record) { … }, or updateAll with the column's name
          """)
    }
    return found.sorted()
  }

  private func row<Element: Record, Property>(
    _ record: Element, setting property: WritableKeyPath<Element, Property>, to value: Property
  ) throws -> [Value] {
    var changed = record
    changed[keyPath: property] = value
    return try RecordEncoder.values(of: changed, shape, dateFormat)
  }

  /// Values of the type that differ from each other, as far as it accepts any.
  private static func madeUpValues<Element: Record>(_ type: Element.Type) -> [Element] {
    (0...1).compactMap { variant in
      // A type that accepts none has an example.
      try? Element(
        from: ProbeDecoder(ProbeNotes(), variant: variant, candidate: variant, depth: 0))
    }
  }
}
