import Dashboard
import Glibc

/// `e`: the user edits a panel's query in their own editor.
///
/// A panel of the dashboard file is edited in that file, at its position, and the reload does the
/// rest. A panel without a file (`-c`, one per table, pinned) is edited in a temporary file, and
/// stays changed until the program ends.
@ScreenActor
struct PanelEditing {
  private let session: Session
  private let terminal: Terminal
  private let reloader: DashboardReloader?
  private let editor = Editor()

  init(_ session: Session, _ terminal: Terminal, _ reloader: DashboardReloader?) {
    self.session = session
    self.terminal = terminal
    self.reloader = reloader
  }

  func edit(panel index: Int) {
    guard session.definition.panels.indices.contains(index) else { return }
    let panel = session.definition.panels[index]
    if let reloader, !session.isAdded(panel), session.isOfFile(index) {
      // A faulty file is opened at the fault.
      let line = (reloader.trouble ?? panel.source.sql).line
      if let complaint = open(reloader.path, at: line) { say(complaint) }
      reloader.reload(isAsked: false)
    } else {
      editAlone(panel)
    }
  }

  /// - Returns: An error, if there was one.
  private func open(_ file: String, at line: Int) -> String? {
    let end = terminal.handOver {
      ForegroundChild.run(editor.words(file: file, line: line), input: terminal.inputDescriptor)
    }
    session.dispatch(.resized(terminal.size))
    return editor.complaint(about: end)
  }

  private func editAlone(_ panel: PanelDefinition) {
    // Below its name, directives can be added.
    let text = "-- name: \(panel.name)\n\(panel.directiveLines)\(panel.sql);\n"
    let file: String
    do {
      file = try TextFile.makeTemporary(text, suffix: ".sql")
    } catch {
      return say(error.message)
    }
    if let complaint = open(file, at: 1) {
      unlink(file)
      return say("\(complaint); the panel is as it was")
    }
    // A faulty query is still kept, so that the user's text isn't lost.
    let edited: String
    do { edited = try TextFile.readRegular(file) } catch { return say(error.message) }
    if edited == text {
      unlink(file)
      return session.dispatch(.message("\(panel.name) is as it was", .notice))
    }
    let parsed = DashboardParser.parse(edited, dialect: session.database.dialect)
    let error = parsed.diagnostics.first { $0.severity == .error }
    guard error == nil, parsed.definition.panels.count == 1 else {
      let reason =
        error.map { "line \($0.line): \($0.message)" }
        ?? "\(parsed.definition.panels.count) queries, but one is expected"
      return say("not used, but kept as \(file): \(reason)")
    }
    unlink(file)
    var changed = parsed.definition.panels[0]
    let isNamed = changed.source.name < changed.source.sql
    if !isNamed || changed.directives.isEmpty && panel.directives.isEmpty {
      // What the program chose for it stays.
      let sql = changed.sql
      changed = panel
      changed.sql = sql
    }
    changed.name = panel.name
    session.show(changed)
    session.dispatch(
      .message("Edited \"\(panel.name)\" for this session only (not saved to a file)", .notice))
  }

  private func say(_ text: String) { session.dispatch(.message(text, .error)) }
}
