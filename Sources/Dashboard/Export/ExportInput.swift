/// The name of a file to export to, while it is being typed.
package struct ExportInput: Sendable, Equatable {
  /// The panel's name in the dashboard.
  let panel: String
  /// Whether it is the result shown in the console, not a panel.
  let isResult: Bool
  var name: TextBuffer
  /// Why the name was refused.
  var problem: String?
  /// How many of how many rows are written, during the export of a long result.
  var progress: Progress?

  struct Progress: Sendable, Equatable {
    var rows = 0
    var total: Int
  }

  init(panel: String, isResult: Bool = false) {
    self.panel = panel
    self.isResult = isResult
    // A panel may have any name, but a file may not.
    let safe = panel.map { $0 == "/" || $0.isNewline ? "_" : String($0) }.joined()
    name = TextBuffer((safe.hasPrefix(".") ? "_" + safe : safe) + ".csv")
  }

  /// Types a key into the name; not while rows are written.
  mutating func type(_ key: Key) {
    guard progress == nil, name.edit(key) else { return }
    problem = nil
  }

  /// Switches to the next format by changing the extension.
  mutating func nextFormat() {
    guard progress == nil else { return }
    problem = nil
    let formats = ExportFormat.allCases
    guard let format = ExportFormat(path: name.text), let index = formats.firstIndex(of: format)
    else {
      name = TextBuffer(name.text + ".csv")
      return
    }
    let stem = name.text.dropLast(name.text.split(separator: ".").last?.count ?? 0)
    name = TextBuffer(stem + formats[(index + 1) % formats.count].rawValue)
  }

  /// The file to write; nil when the name is invalid, which is reported.
  mutating func file() -> (path: String, format: ExportFormat)? {
    let path = name.text.filter { !$0.isNewline }
    guard let format = ExportFormat(path: path) else {
      problem = "a file is called \(ExportFormat.extensions)"
      return nil
    }
    return (path, format)
  }

  /// Nothing was written.
  mutating func refuse(_ reason: String) {
    problem = reason
    progress = nil
  }
}

extension ExportOutcome {
  /// What it says to the user, unless the name is still there to be corrected.
  var message: Message {
    switch self {
    case .written(let path, let rows, let bytes):
      let size = QuantityText.bytes(Int64(bytes))
      return Message("\(QuantityText.count(rows, "row")) written to \(path) (\(size))")
    case .refused(let reason): return Message("not exported: \(reason)", .warning)
    }
  }
}
