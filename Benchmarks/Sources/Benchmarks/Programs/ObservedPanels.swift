import Glibc

/// A process that observes panels of a dashboard, and says when they are as a commit has left them; see
/// Tests/PanelTimer.
final class ObservedPanels {
  /// One refresh of a panel.
  struct Refresh {
    let isMaintained: Bool
    /// In nanoseconds.
    let duration: Double
  }

  /// What a commit led to.
  struct Answer {
    /// When every panel was up to date.
    let time: UInt64
    /// Of the panels that the commit concerned.
    let refreshes: [String: Refresh]
  }

  /// What is known of a panel.
  struct State {
    var bytes = 0
    var lines = 0
    /// As `:why` says it.
    var why = ""
  }

  private let process: ChildProcess
  private let output: ByteSource

  /// Starts it, and waits for the first values.
  init(
    _ project: Project, _ database: String, _ dashboard: String, _ panels: [String],
    audits: Bool = false
  ) throws(Failure) {
    process = try ChildProcess(
      project.panelTimer, [database, dashboard] + (audits ? ["--audit"] : []) + panels)
    guard let output = process.output else { throw Failure("PanelTimer has no output") }
    self.output = output
    _ = try answer(to: nil, within: 300)
  }

  var pid: pid_t { process.pid }

  /// Reads until the panels are as the commit with this number has left them; `nil` for any.
  ///
  /// - Throws: Also when an audit found a fault.
  func answer(to number: Int?, within seconds: UInt64 = 120) throws(Failure) -> Answer {
    var refreshes: [String: Refresh] = [:]
    let end = Clock.now + seconds * 1_000_000_000
    while true {
      while let line = output.takeLine() {
        let words = line.split(separator: " ")
        switch words.first {
        case "panel" where words.count == 4:
          refreshes[String(words[1])] = Refresh(
            isMaintained: words[2] == "maintained", duration: Double(words[3]) ?? 0)
        case "fence" where words.count == 3:
          guard let seen = Int(words[1]), let time = UInt64(words[2]) else { continue }
          guard number.map({ seen >= $0 }) ?? true else { continue }
          return Answer(time: time, refreshes: refreshes)
        default: throw Failure("PanelTimer said: \(line)")
        }
      }
      guard !output.hasEnded, ByteSource.wait([output], until: end) else {
        throw Failure("the commit \(number ?? 0) led to no value")
      }
      output.read()
    }
  }

  /// Asks what is known of each panel.
  func states() throws(Failure) -> [String: State] {
    try process.write("\n")
    var states: [String: State] = [:]
    _ = try output.read(within: 60_000_000_000) { $0.contains("end\n") }
    while let line = output.takeLine(), line != "end" {
      let words = line.split(separator: " ", maxSplits: 2).map(String.init)
      guard words.count == 3 else { continue }
      if words[0] == "why" { states[words[1], default: State()].why = words[2] }
      if words[0] == "state" {
        let numbers = words[2].split(separator: " ").compactMap { Int($0) }
        if numbers.count == 2 {
          states[words[1], default: State()].bytes = numbers[0]
          states[words[1], default: State()].lines = numbers[1]
        }
      }
    }
    return states
  }

  func end() {
    process.closeInput()
    process.waitForEnd()
  }
}
