/// Makes the column names of a result unique, so that a row can be an object.
package enum ColumnNames {
  /// `x`, `x`, `x` become `x`, `x:1`, `x:2`, as SQLite names the columns of a view.
  ///
  /// Like SQLite's (sqlite3ColumnsFromExprList), this ignores case, and replaces a number that a
  /// repeated name already has.
  package static func unique(_ columns: [String]) -> [String] {
    var taken: Set<String> = []
    return columns.map { column in
      var name = column
      var number = 0
      while !taken.insert(name.lowercased()).inserted {
        number += 1
        name = "\(withoutNumber(name)):\(number)"
      }
      return name
    }
  }

  /// `x:1` without `:1`.
  private static func withoutNumber(_ name: String) -> Substring {
    let digits = name.utf8.reversed().prefix {
      (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
    }
    let end = name.utf8.index(name.endIndex, offsetBy: -digits.count)
    guard end > name.startIndex else { return name[...] }
    let colon = name.utf8.index(before: end)
    guard colon > name.startIndex, name.utf8[colon] == UInt8(ascii: ":") else { return name[...] }
    return name[..<colon]
  }
}
