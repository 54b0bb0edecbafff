/// What a transaction of a million rows pays for ten panels that are kept up to date from changed rows.
///
/// Each run is a process of its own, since the most memory that a process ever had (VmHWM) never falls.
struct MillionRowTransactionRows {
  let project: Project
  private let repetitions = 3
  private let panels = 10

  func run() throws -> [Row] {
    var (ratios, growth, peaks, after): ([Double], [Double], [Double], [Double]) = ([], [], [], [])
    for _ in 0..<repetitions {
      let none = try work(panels: 0)
      let maintained = try work(panels: panels)
      ratios.append(maintained.time / none.time)
      growth.append(maintained.peak - none.peak)
      peaks.append(maintained.peak)
      after.append(maintained.after)
    }
    return [
      Row(
        "a million rows in one transaction, \(panels) maintained panels / none", ratios.median,
        .ratio, target: .atMost(1.3)),
      Row("  from its end to the panels", after.median / 1e6, .milliseconds),
      Row("  more memory", growth.median, .megabytes),
      Row("  peak memory", peaks.median, .megabytes),
    ]
  }

  private func work(
    panels: Int
  ) throws -> (time: Double, after: Double, peak: Double) {
    let path = project.newDatabase("million-transaction.db")
    try ItemTable.make(path, count: MillionRowWork.before)
    let child = try ChildProcess(
      try Project.program(), MillionRowWork(path: path, panels: panels).arguments)
    let status = child.waitForEnd()
    let figures = child.output?.takeLine()?.split(separator: " ").compactMap { Double($0) } ?? []
    guard status == 0, figures.count == 3 else {
      throw Failure("the process with the transaction failed")
    }
    return (figures[0], figures[1], figures[2] / 1_048_576)
  }
}
