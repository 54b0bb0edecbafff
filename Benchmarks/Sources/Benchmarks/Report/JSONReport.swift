/// The report as programs read it: an array of objects.
enum JSONReport {
  static func text(_ rows: [Row]) -> String {
    let objects = rows.map { row in
      "{\"row\":\"\(row.name)\",\"value\":\(row.value),\"unit\":\"\(row.unit.rawValue)\","
        + "\"target\":\(row.target.map { "\($0.limit)" } ?? "null"),"
        + "\"met\":\(row.isMet.map { "\($0)" } ?? "null")}"
    }
    return "[" + objects.joined(separator: ",\n ") + "]\n"
  }

  static func write(_ rows: [Row], to path: String) throws(Failure) {
    try TextFile.write(text(rows), to: path)
  }
}
