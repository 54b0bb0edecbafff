package import DatabaseConsole
import ObservationEngine

/// The lines of `--rows`: changed rows as NDJSON, and an object that ends each commit.
package enum RowsFormat {
  /// Lines for a file or a pipe; for a terminal, characters that it would not show are escaped.
  package static func lines(isForTerminal: Bool) -> RowLines {
    let json = JSONText(isForTerminal: isForTerminal)
    return RowLines(row: { row($0, json) }, end: { end($0, json) })
  }

  private static func row(_ line: RowLine, _ json: JSONText) -> String {
    var text = "{\"commit\":\(line.commit),\"table\":"
    json.append(line.table, to: &text)
    text += ",\"op\":\"\(line.kind.rawValue)\""
    append("key", line.key, json, to: &text)
    if let old = line.old { append("old", old, json, to: &text) }
    if let new = line.new { append("new", new, json, to: &text) }
    return text + "}\n"
  }

  private static func append(_ name: String, _ row: Row, _ json: JSONText, to text: inout String) {
    text += ",\"\(name)\":"
    json.append(row.values, names: row.columns, to: &text)
  }

  private static func end(_ line: CommitLine, _ json: JSONText) -> String {
    let origin =
      switch line.source {
      case .open: "open"
      case .commit(let origin): origin.word
      }
    var text = "{\"commit\":\(line.commit),\"time\":\"\(CivilTime(line.time).iso8601)\""
    text += ",\"origin\":\"\(origin)\",\"rows\":\(line.rows)"
    if line.count > 1 { text += ",\"commits\":\(line.count)" }
    if let reason = line.compared {
      text += ",\"compared\":"
      json.append(reason, to: &text)
    }
    return text + "}\n"
  }
}
