/// How much more memory 500,000 rows inserted in a savepoint take when somebody observes the table.
///
/// Each run is a process of its own, since the most memory that a process ever had (VmHWM) never
/// falls. What remains the same in both, SQLite's own page cache above all, is subtracted.
struct SavepointRows {
  let project: Project
  private let repetitions = 5

  func run() throws -> [Row] {
    var without: [Double] = []
    var growth: [Double] = []
    for _ in 0..<repetitions {
      let alone = try peak(observers: 0)
      without.append(alone)
      growth.append(try peak(observers: 1) - alone)
    }
    return [
      Row(
        "500k rows in a savepoint, one observer: more memory", growth.median, .megabytes,
        target: .atMost(10)),
      Row("  peak memory without observers", without.median, .megabytes),
    ]
  }

  /// In megabytes.
  private func peak(observers: Int) throws -> Double {
    let path = project.newDatabase("savepoint.db")
    try ItemTable.make(path)
    let child = try ChildProcess(
      try Project.program(), SavepointWork(path: path, observers: observers).arguments)
    guard child.waitForEnd() == 0, let line = child.output?.takeLine(), let bytes = Int(line) else {
      throw Failure("the process with the savepoint failed")
    }
    return Double(bytes) / 1_048_576
  }
}
