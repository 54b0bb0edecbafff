/// One row of a result.
public struct Row: Sendable, Equatable {
  /// Column names as SQLite gives them; they may repeat.
  public let columns: [String]
  /// The values, as many as ``columns``.
  public let values: [Value]

  /// A row made of its parts.
  public init(columns: [String], values: [Value]) {
    self.columns = columns
    self.values = values
  }

  /// The value of the first column of this name, compared as SQLite compares names.
  public subscript(name: String) -> Value? {
    let folded = name.asciiLowercased
    return columns.firstIndex { $0.asciiLowercased == folded }.map { values[$0] }
  }

  /// The value at a position, as a Swift type.
  ///
  /// - Throws: `DatabaseError` with code `mismatch` when it does not fit.
  public func decode<Output: ValueConvertible>(
    _ index: Int, as type: Output.Type = Output.self
  ) throws(DatabaseError) -> Output {
    guard values.indices.contains(index) else {
      throw .noColumn(index, of: values.count)
    }
    guard let output = Output.fromValue(values[index]) else {
      throw .misfit(values[index], in: "column \(index) (\(columns[index]))", type: Output.self)
    }
    return output
  }
}
