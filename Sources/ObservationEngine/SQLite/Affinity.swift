/// The type that a column converts values to, if it can; see
/// https://www.sqlite.org/datatype3.html#determination_of_column_affinity
enum Affinity: String {
  case integer = "INTEGER"
  case text = "TEXT"
  case blob = "BLOB"
  case real = "REAL"
  case numeric = "NUMERIC"

  /// - Parameter declared: The type in the declaration of the column.
  init(declared: String) {
    let type = declared.asciiLowercased
    if type.includes("int") {
      self = .integer
    } else if ["char", "clob", "text"].contains(where: type.includes) {
      self = .text
    } else if type.isEmpty || type.includes("blob") {
      self = .blob
    } else if ["real", "floa", "doub"].contains(where: type.includes) {
      self = .real
    } else {
      self = .numeric
    }
  }
}
