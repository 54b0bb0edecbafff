/// Pinned panels, and the lines that make them panels of the open dashboard.
package struct PanelAddition: Sendable, Equatable {
  /// The file's name, for messages.
  package var file: String
  package var panels: [PanelDefinition]
  /// What will be appended to the file.
  package var text: String

  package init(file: String, panels: [PanelDefinition], text: String) {
    (self.file, self.panels, self.text) = (file, panels, text)
  }

  /// The lines without the empty ones around them.
  var lines: String {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false)[...]
    while lines.first?.isEmpty == true { lines.removeFirst() }
    while lines.last?.isEmpty == true { lines.removeLast() }
    return lines.joined(separator: "\n")
  }

  var question: String {
    let count = QuantityText.count(lines.count { $0 == "\n" } + 1, "line")
    return "append \(count) to \(file)?"
  }
}
