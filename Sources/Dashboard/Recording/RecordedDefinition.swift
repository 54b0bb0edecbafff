import ObservationEngine

/// The panels of a recording.
///
/// A panel's directives from a dashboard file are stored and parsed as in the file, so nothing is
/// lost; settings that the program made for its own panels are stored by name.
enum RecordedDefinition {
  /// The fault of a definition that is valid JSON.
  typealias Unfit = RecordingEntryReader.Unfit

  // MARK: Writing

  static func text(of definition: DashboardDefinition) -> String {
    var text = "{\"panels\":[" + definition.panels.map(panel).joined(separator: ",") + "]"
    if !definition.layout.isEmpty { text += ",\"layout\":" + rows(definition.layout) }
    if !definition.presets.isEmpty {
      text += ",\"presets\":[" + definition.presets.map(preset).joined(separator: ",") + "]"
    }
    append("title", definition.title, to: &text)
    return text + "}"
  }

  private static func panel(_ panel: PanelDefinition) -> String {
    var text = "{\"name\":" + string(panel.name)
    append("sql", panel.sql, to: &text)
    if panel.directives.isEmpty {
      append("title", panel.title, to: &text)
      append("view", panel.view?.rawValue, to: &text)
      if !panel.key.isEmpty { text += ",\"key\":" + names(panel.key) }
      append("rank", panel.rank, to: &text)
      if let limit = panel.rowLimit { text += ",\"limit\":\(limit)" }
    } else {
      text += ",\"directives\":" + names(panel.directives)
    }
    return text + "}"
  }

  private static func preset(_ preset: PresetDefinition) -> String {
    "{\"name\":\(string(preset.name)),\"panels\":\(names(preset.panels)),"
      + "\"layout\":\(rows(preset.layout))}"
  }

  private static func rows(_ rows: [[String]]) -> String {
    "[" + rows.map(names).joined(separator: ",") + "]"
  }

  private static func names(_ names: [String]) -> String {
    var text = ""
    JSONText().append(names.map(Value.text), to: &text)
    return text
  }

  private static func string(_ string: String) -> String {
    var text = ""
    JSONText().append(string, to: &text)
    return text
  }

  private static func append(_ name: String, _ value: String?, to text: inout String) {
    if let value { text += ",\"\(name)\":" + string(value) }
  }

  // MARK: Reading

  static func definition(_ value: JSONValue) throws(Unfit) -> DashboardDefinition {
    guard let panels = value["panels"]?.elements, !panels.isEmpty else {
      throw Unfit(message: "there is no panel in it")
    }
    guard panels.count <= DashboardDefinition.maximumPanelCount else {
      throw Unfit(message: "more than \(DashboardDefinition.maximumPanelCount) panels")
    }
    var definition = DashboardDefinition(title: value["title"]?.text, panels: [])
    for panel in panels { definition.panels.append(try self.panel(panel)) }
    let names = definition.panels.map(\.name)
    guard Set(names).count == names.count else {
      throw Unfit(message: "two panels have the same name")
    }
    definition.layout = rows(value["layout"], of: names)
    definition.presets = (value["presets"]?.elements ?? []).compactMap { preset in
      guard let name = preset["name"]?.text else { return nil }
      let panels = texts(preset["panels"]).filter(names.contains)
      return PresetDefinition(
        name: name, panels: panels, layout: rows(preset["layout"], of: names))
    }
    return definition
  }

  private static func panel(_ value: JSONValue) throws(Unfit) -> PanelDefinition {
    guard let name = value["name"]?.text, let sql = value["sql"]?.text else {
      throw Unfit(message: "a panel needs \"name\" and \"sql\"")
    }
    let directives = texts(value["directives"]).filter { !$0.contains(where: \.isNewline) }
    guard !directives.isEmpty else {
      var panel = PanelDefinition(
        name: name, title: value["title"]?.text, sql: sql,
        view: value["view"]?.text.flatMap(ViewKind.init), key: texts(value["key"]),
        rank: value["rank"]?.text)
      panel.rowLimit = value["limit"]?.integer.flatMap { Int(exactly: $0) }
      return panel
    }
    // Parsed as from a file, with a query that doesn't matter.
    let text = (["name: recorded"] + directives).map { "-- \($0)\n" }.joined() + "SELECT 1"
    var panel =
      DashboardParser.parse(text).definition.panels.first
      ?? PanelDefinition(name: name, sql: sql)
    panel.name = name
    panel.sql = sql
    return panel
  }

  private static func texts(_ value: JSONValue?) -> [String] {
    value?.elements?.compactMap(\.text) ?? []
  }

  /// A valid layout: its rows have the same length, and each cell names a panel, a pane, or
  /// nothing. Otherwise empty.
  private static func rows(_ value: JSONValue?, of names: [String]) -> [[String]] {
    let rows = (value?.elements ?? []).map { texts($0) }
    let known = LayoutPane.names.union(names).union([LayoutMatrix.free])
    let isSound = rows.allSatisfy { $0.count == rows[0].count && $0.allSatisfy(known.contains) }
    return isSound ? rows : []
  }
}
