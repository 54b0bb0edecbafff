/// What one of the programs told that time what only the package sees: lines of a name and a number.
struct TimerFigures {
  private let program: String
  private var figures: [String: Double] = [:]

  /// Runs the program to its end.
  init(_ program: String, _ arguments: [String]) throws {
    self.program = String(program.split(separator: "/").last ?? "")
    let timer = try ChildProcess(program, arguments)
    guard let output = timer.output else { throw Failure("\(self.program) has no output") }
    let end = Clock.now + 300_000_000_000
    while !output.hasEnded, ByteSource.wait([output], until: end) { output.read() }
    guard timer.waitForEnd() == 0 else {
      throw Failure("\(self.program) failed: \(output.takeLine() ?? "")")
    }
    while let line = output.takeLine() {
      let words = line.split(separator: " ")
      if words.count == 2, let figure = Double(words[1]) { figures[String(words[0])] = figure }
    }
  }

  subscript(name: String) -> Double {
    get throws(Failure) {
      guard let figure = figures[name] else { throw Failure("\(program) told no \(name)") }
      return figure
    }
  }
}
