import Dashboard
import Glibc
import ObservationEngine

/// Keeps a session up to date with its dashboard file, each time the file is saved.
///
/// A file that can't be used only changes the line that reports it, with the position if there is
/// one. If its queries merely don't fit the schema, it is tried again when the schema changes.
@ScreenActor
final class DashboardReloader {
  /// The file, as it was named.
  let path: String
  private let session: Session
  private let arguments: Arguments
  private let file: String
  /// The text read last, usable or not.
  private var text: String?
  private var follower: FileFollower?
  /// Counts the readings, so that of two checks the later text wins.
  private var readings = 0
  /// A dashboard that waits for another schema.
  private var waiting: LoadedDashboard?
  /// Where the current file is wrong; nil when it is in use, or can't be read.
  private(set) var trouble: SourcePosition?

  /// - Returns: nil when the panels don't come from a file that can be read twice.
  init?(_ session: Session, _ dashboard: LoadedDashboard, _ arguments: Arguments) {
    guard let path = dashboard.editablePath, let file = dashboard.file else {
      return nil
    }
    self.session = session
    self.path = path
    // The line on the screen is short, and there is only one dashboard.
    self.file = file.lastPathPart
    self.arguments = arguments
    text = dashboard.text
  }

  /// Reads the file again each time it is saved, from now on.
  func follow(in loop: MainLoop) {
    follower = FileFollower(path: path, in: loop) { [weak self] in self?.reload(isAsked: false) }
    session.onSchemaChange = { [weak self] in
      if let self, let waiting { check(waiting, readings) }
    }
    // It may have been saved between the reading and the first check.
    reload(isAsked: false)
  }

  /// Reads the file and shows what it says.
  ///
  /// - Parameter isAsked: Whether the user requested it, and so expects an answer in any case.
  func reload(isAsked: Bool) {
    let text: String
    do {
      text = try TextFile.readRegular(path)
    } catch {
      if isAsked { tell(error) } else { tellIfItLasts() }
      return
    }
    guard isAsked || self.text?.isExactly(text) != true else { return }
    self.text = text
    readings += 1
    waiting = nil
    var loaded = LoadedDashboard(
      reading: text, named: file, dialect: session.database.dialect)
    loaded.add(commands: arguments.commands)
    if let first = loaded.diagnostics.first(where: { $0.severity == .error }) {
      return reject(first)
    }
    check(loaded, readings)
  }

  private func tell(_ error: Failure) {
    // When it is back with the same text, that is shown again, and this message goes.
    (text, trouble) = (nil, nil)
    let message = "\(error.message); the panels stay"
    // A file that is there stays wrong until it is fixed; one that is gone may not be needed.
    session.dispatch(
      access(path, F_OK) == 0 ? .dashboardRejected(message) : .message(message, .error))
  }

  /// An editor that saves by renaming briefly leaves no file.
  private func tellIfItLasts() {
    Task { [weak self] in
      // This task is never cancelled.
      try? await Task.sleep(for: .seconds(1))
      guard let self else { return }
      do throws(Failure) { _ = try TextFile.readRegular(path) } catch { tell(error) }
    }
  }

  /// Checks with the database whether the panels work; off the main thread, as a lock may delay it.
  ///
  /// A panel that is already shown with the same query keeps waiting for its table.
  private func check(_ loaded: LoadedDashboard, _ reading: Int) {
    let definitions = loaded.definition.parameters
    let given = session.parameters(of: loaded.definition)
    let panels = loaded.definition.panels
    let database = session.database
    let shown = Set(session.definition.panels.map(\.sql))
    session.work { [self] in
      // If the database can't be read, the panels themselves will report why.
      let read = try? await database.inBackground {
        let parameters = ParameterChoices.read(definitions, given: given, database)
        let check = PanelCheck(
          database: database, parameters: given.merging(parameters.values) { given, _ in given })
        let others =
          check.findings(definitions.map(\.panel)).map(\.diagnostic)
          + check.diagnostics(ofDetails: loaded.definition)
        return (findings: check.findings(panels), others: others, parameters: parameters)
      }
      let findings = read?.findings
      guard reading == readings else { return }
      let worst = findings?.filter {
        $0.severity == .definite || !shown.contains(panels[$0.panel].sql)
      }
      if let first = worst?.first(where: { $0.severity == .definite }) ?? worst?.first {
        waiting = first.severity == .present ? loaded : nil
        return reject(first.diagnostic)
      }
      waiting = nil
      var loaded = loaded
      loaded.parameters = read?.parameters ?? []
      // What isn't shown yet may work when it is asked for.
      loaded.diagnostics += read?.others ?? []
      accept(loaded)
    }
  }

  private func accept(_ loaded: LoadedDashboard) {
    trouble = nil
    session.reload(
      loaded.definition, filePanelCount: loaded.filePanelCount, parameters: loaded.parameters)
    session.dispatch(.dashboardRejected(nil))
    let count = loaded.definition.panels.count
    if let warning = loaded.diagnostics.first {
      session.dispatch(.message(warning.rendered(file: file), .warning))
    } else {
      session.dispatch(
        .message("Reloaded \(file) (\(count) panel\(count == 1 ? "" : "s"))", .notice))
    }
  }

  private func reject(_ diagnostic: Diagnostic) {
    trouble = diagnostic.position
    session.dispatch(.dashboardRejected(diagnostic.rendered(file: file)))
  }
}
