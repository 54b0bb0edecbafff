import ObservationEngine

/// The panels of a recording.
///
/// A panel's directives from a dashboard file are stored and parsed as in the file, so nothing is
/// lost; settings that the program made for its own panels are stored by name.
enum RecordedDefinition {
  /// The fault of a definition that is valid JSON.
  typealias Unfit = RecordingEntryReader.Unfit

  // MARK: Writing

  static func object(of definition: DashboardDefinition) -> JSONObject {
    var object = JSONObject()
    object.add("panels", definition.panels.map(panel))
    if !definition.layout.isEmpty { object.add("layout", json: rows(definition.layout)) }
    if !definition.presets.isEmpty { object.add("presets", definition.presets.map(preset)) }
    object.add("title", definition.title)
    return object
  }

  private static func panel(_ panel: PanelDefinition) -> JSONObject {
    var object = JSONObject()
    object.add("name", panel.name)
    object.add("sql", panel.sql)
    guard panel.directives.isEmpty else {
      object.add("directives", panel.directives)
      return object
    }
    object.add("title", panel.title)
    object.add("view", panel.view?.rawValue)
    if !panel.key.isEmpty { object.add("key", panel.key) }
    object.add("rank", panel.rank)
    object.add("limit", panel.rowLimit)
    return object
  }

  private static func preset(_ preset: PresetDefinition) -> JSONObject {
    var object = JSONObject()
    object.add("name", preset.name)
    object.add("panels", preset.panels)
    object.add("layout", json: rows(preset.layout))
    return object
  }

  private static func rows(_ rows: [[String]]) -> String {
    var text = "["
    for (index, row) in rows.enumerated() {
      if index > 0 { text += "," }
      JSONText().append(row.map(Value.text), to: &text)
    }
    return text + "]"
  }

  // MARK: Reading

  static func definition(
    _ value: JSONValue, views: [ViewKind]
  ) throws(Unfit) -> DashboardDefinition {
    guard let panels = value["panels"]?.elements, !panels.isEmpty else {
      throw Unfit(message: "there is no panel in it")
    }
    guard panels.count <= DashboardDefinition.maximumPanelCount else {
      throw Unfit(message: "more than \(DashboardDefinition.maximumPanelCount) panels")
    }
    var definition = DashboardDefinition(title: value["title"]?.text, panels: [])
    for panel in panels { definition.panels.append(try self.panel(panel, views)) }
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

  private static func panel(
    _ value: JSONValue, _ views: [ViewKind]
  ) throws(Unfit) -> PanelDefinition {
    guard let name = value["name"]?.text, let sql = value["sql"]?.text else {
      throw Unfit(message: "a panel needs \"name\" and \"sql\"")
    }
    let directives = texts(value["directives"]).filter { !$0.contains(where: \.isNewline) }
    guard !directives.isEmpty else {
      var panel = PanelDefinition(
        name: name, title: value["title"]?.text, sql: sql,
        view: views.first { $0.rawValue == value["view"]?.text }, key: texts(value["key"]),
        rank: value["rank"]?.text)
      panel.rowLimit = value["limit"]?.integer.flatMap { Int(exactly: $0) }
      return panel
    }
    // Parsed as from a file, with a query that doesn't matter.
    let text = (["name: recorded"] + directives).map { "-- \($0)\n" }.joined() + "SELECT 1"
    var panel =
      DashboardParser.parse(text, views: views).definition.panels.first
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
