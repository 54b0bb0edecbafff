/// How much of a core the program takes while nothing happens.
struct IdleRows {
  let project: Project

  func run() throws -> [Row] {
    let lonely = try project.copyOfSample("idle.db")
    let shared = try project.copyOfSample("idle-shared.db")
    // With another process that has the file open, the program stays attached to it.
    let writer = try ServingWriter(project, shared)
    let screens = [
      try Screen(project, lonely, dashboard: project.arena),
      try Screen(project, shared, dashboard: project.arena),
    ]
    for screen in screens { try screen.wait(for: "slow matches") }
    // What the start leaves behind, the closing of idle connections after a second included.
    Clock.sleep(3_000_000_000)
    let before = try screens.map { screen throws(Failure) in try screen.figures.cpuTime() }
    let start = Clock.now
    Clock.sleep(10_000_000_000)
    let after = try screens.map { screen throws(Failure) in try screen.figures.cpuTime() }
    let elapsed = Double(Clock.now - start)
    let percent = zip(after, before).map { 100 * Double($0 - $1) / elapsed }
    for screen in screens { try screen.end() }
    return withExtendedLifetime(writer) {
      [
        Row("idle CPU, arena.sql", percent[0], .percent, target: .atMost(0.05)),
        Row(
          "idle CPU, another process has the file open", percent[1], .percent,
          target: .atMost(0.05)),
      ]
    }
  }
}
