import Dashboard
import ObservationEngine

/// `--check`: the faults of a dashboard, one line each on standard output.
struct CheckRun {
  let arguments: Arguments
  let loaded: LoadedDashboard

  func run() throws -> Int32 {
    var diagnostics = loaded.diagnostics
    var others: [String] = []
    if arguments.database != nil, !loaded.hasErrors {
      let database = try arguments.openPanels(.check)
      defer { database.shutDown() }
      var parameters = arguments.parameters
      for parameter in loaded.definition.parameters { parameters[parameter.name] = .null }
      let check = PanelCheck(database: database, parameters: parameters)
      let chosen = check.findings(loaded.definition.parameters.map(\.panel))
      let findings = check.findings(loaded.definition.panels)
      // What a lock hides isn't known; what is wrong whatever it hides is said first.
      let all = chosen + findings
      if !all.contains(where: { $0.severity == .definite }),
        let busy = all.first(where: { $0.error.code.primary == .busy })
      {
        throw Failure(busy.error.message, status: busy.error.exitStatus)
      }
      diagnostics += chosen.map(\.diagnostic)
      for finding in findings {
        if finding.panel < loaded.filePanelCount {
          diagnostics.append(finding.diagnostic)
        } else {
          let panel = loaded.definition.panels[finding.panel]
          others.append("\(panel.name): error: \(finding.diagnostic.message)")
        }
      }
      diagnostics += check.diagnostics(ofDetails: loaded.definition)
    }
    diagnostics.sort { $0.position < $1.position }
    let output = Output(path: arguments.output)
    for diagnostic in diagnostics {
      output.write(diagnostic.rendered(file: loaded.file ?? "dashboard") + "\n")
    }
    for line in others { output.write(line + "\n") }
    try output.flushWaiting()
    let hasErrors = !others.isEmpty || diagnostics.contains { $0.severity == .error }
    if !hasErrors {
      let count = loaded.definition.panels.count
      StandardError.say("\(loaded.file ?? "-c"): \(count) panel\(count == 1 ? "" : "s"), no errors")
    }
    return hasErrors ? ExitStatus.usage : ExitStatus.done
  }
}
