/// The `-- preset:` lines of a dashboard file and the `-- layout:` lines below each, before they
/// are checked.
///
///     -- layout: fame fame players          of all panels
///     -- preset: ops fame errors
///     -- preset: perf
///     -- layout: latency latency slow       of the panels of perf
struct PresetDirectives {
  private struct Preset {
    var name: (text: String, offset: Int)
    var panels: [(text: String, offset: Int)]
    var layout = LayoutMatrix()
  }

  /// From the lines above the first preset.
  private var layout = LayoutMatrix()
  private var presets: [Preset] = []

  mutating func appendLayout(_ directive: Directive) {
    if presets.isEmpty {
      layout.append(directive)
    } else {
      presets[presets.count - 1].layout.append(directive)
    }
  }

  mutating func appendPreset(_ directive: Directive) {
    let words = directive.words
    guard let name = words.first else { return }
    presets.append(Preset(name: name, panels: Array(words.dropFirst())))
  }

  /// Gives the definition its layout and its presets; invalid ones are omitted and logged.
  ///
  /// Presets, if any, include the one of all panels: first, unless it has a line of its own.
  ///
  /// - Parameter below: Panels in rows of their own below each layout.
  func complete(
    _ definition: inout DashboardDefinition, below: [String], log: inout DiagnosticLog
  ) {
    let names = definition.panels.map(\.name)
    definition.layout = layout.checked(for: definition, log: &log)
    var firstOffsets: [String: Int] = [:]
    for preset in presets {
      if let line = firstOffsets[preset.name.text].map(log.source.line) {
        log.note(
          .error, at: preset.name.offset,
          "a preset is called \"\(preset.name.text)\" already, on line \(line)")
        continue
      }
      firstOffsets[preset.name.text] = preset.name.offset
      definition.presets.append(checked(preset, in: definition, names, &log))
    }
    if !presets.isEmpty, firstOffsets[PresetDefinition.everything] == nil {
      definition.presets.insert(
        PresetDefinition(
          name: PresetDefinition.everything, panels: names, layout: definition.layout), at: 0)
    }
    for name in below where names.contains(name) { definition.placeBelow(name) }
    warn(aboutUnshown: definition, &log)
  }

  private func checked(
    _ preset: Preset, in definition: DashboardDefinition, _ names: [String],
    _ log: inout DiagnosticLog
  ) -> PresetDefinition {
    let known = Set(names)
    var panels: [String] = []
    for word in preset.panels {
      guard known.contains(word.text) else {
        log.note(
          .error, at: word.offset,
          "the preset \"\(preset.name.text)\" names \"\(word.text)\", but no panel is called so"
            + Suggestion.phrase(for: word.text, among: names))
        continue
      }
      if !panels.contains(word.text) { panels.append(word.text) }
    }
    let isEverything = preset.name.text == PresetDefinition.everything
    var layout = preset.layout.checked(for: definition, log: &log)
    if layout.isEmpty, preset.layout.isEmpty, isEverything, panels.isEmpty {
      layout = definition.layout
    }
    if preset.panels.isEmpty, preset.layout.isEmpty, !isEverything {
      log.note(
        .error, at: preset.name.offset,
        "the preset \"\(preset.name.text)\" names no panel; write them behind it, as in "
          + "\"preset: \(preset.name.text) \(names.first ?? "fame")\", or in \"layout:\" lines below it"
      )
    }
    if panels.isEmpty, layout.isEmpty { panels = names }
    let placed = Set(layout.joined())
    for word in preset.panels where !layout.isEmpty && known.contains(word.text) {
      if placed.contains(word.text) { continue }
      log.note(
        .warning, at: word.offset,
        "\"\(word.text)\" is not in the layout of the preset \"\(preset.name.text)\", so it is not shown"
      )
    }
    if !layout.isEmpty {
      panels = panels.filter(placed.contains)
      for name in layout.joined() where known.contains(name) && !panels.contains(name) {
        panels.append(name)
      }
    }
    return PresetDefinition(name: preset.name.text, panels: panels, layout: layout)
  }

  /// A panel that is in no layout and no preset is usually a mistake.
  private func warn(aboutUnshown definition: DashboardDefinition, _ log: inout DiagnosticLog) {
    guard !definition.layout.isEmpty else { return }
    var shown = Set(definition.layout.joined())
    for preset in definition.presets where preset.name != PresetDefinition.everything {
      shown.formUnion(preset.panels)
    }
    for panel in definition.panels where !shown.contains(panel.name) {
      log.note(
        Diagnostic(
          .warning, at: panel.source.name,
          "\"\(panel.name)\" is not in the layout, so it is not shown"))
    }
  }
}
