import Glibc
import ObservationEngine

/// Times how long it takes to find which tables, and which rows, a commit changed.
///
///     TableTimer DATABASE WALK|PTRMAP MEGABYTES
///
/// Makes the database, commits to it, and prints a line for each figure: its name and nanoseconds.
@main
struct TableTimer {
  static func main() {
    do {
      let words = CommandLine.arguments
      guard words.count == 4, let megabytes = Int(words[3]), ["WALK", "PTRMAP"].contains(words[2])
      else { throw TimerError("usage: TableTimer DATABASE WALK|PTRMAP MEGABYTES") }
      let file = try BigFile(words[1], isAutoVacuum: words[2] == "PTRMAP", megabytes: megabytes)
      try TableTimer(file: file, path: words[1]).run()
    } catch {
      print("error \(error)")
      exit(1)
    }
  }

  let file: BigFile
  let path: String

  private func run() throws {
    let tracked = try TrackedFile(path: path)
    var info = stat()
    guard stat(path, &info) == 0 else { throw TimerError("\(path) is gone") }
    print("bytes \(info.st_size)")
    try time("build", count: 5) {
    } measured: {
      try tracked.build()
    }
    let span = 10_000
    try time("row", count: 2_000) {
      let id = Int.random(in: 1...file.rows)
      try file.run("UPDATE big SET amount = amount + 1 WHERE id = \(id)")
    } measured: {
      try expectBig(tracked)
    }
    try time("contiguous", count: 100) {
      let first = Int.random(in: 1...file.rows - span)
      try file.run(
        "UPDATE big SET amount = amount + 1 WHERE id BETWEEN \(first) AND \(first + span - 1)")
    } measured: {
      try expectBig(tracked)
    }
    try time("changed-row", count: 2_000) {
      let id = Int.random(in: 1...file.rows)
      try file.run("UPDATE big SET amount = amount + 1 WHERE id = \(id)")
    } measured: {
      try expectRows(1, tracked)
    }
    try time("changed-rows", count: 100) {
      let first = Int.random(in: 1...file.rows - span)
      try file.run(
        "UPDATE big SET amount = amount + 1 WHERE id BETWEEN \(first) AND \(first + span - 1)")
    } measured: {
      try expectRows(span, tracked)
    }
    try time("random", count: 7) {
      let ids = (0..<span).map { _ in "\(Int.random(in: 1...file.rows))" }.joined(separator: ",")
      try file.run("UPDATE big SET amount = amount + 1 WHERE id IN (\(ids))")
    } measured: {
      try expectBig(tracked)
    }
  }

  private func expectBig(_ tracked: TrackedFile) throws {
    guard let tables = tracked.changedTables() else {
      // The log began anew in between: that, too, happens now and then.
      return try tracked.build()
    }
    guard tables == ["big"] else { throw TimerError("the tables are \(tables)") }
  }

  private func expectRows(_ count: Int, _ tracked: TrackedFile) throws {
    // A checkpoint may have come in between.
    guard let rows = tracked.changedRows() else { return try tracked.build() }
    guard rows == Commit.RowCounts(updated: count) else { throw TimerError("the rows are \(rows)") }
  }

  /// Prints the median of what `measured` takes, each time after `prepare`.
  private func time(
    _ name: String, count: Int, prepare: () throws -> Void, measured: () throws -> Void
  ) throws {
    var times: [UInt64] = []
    for _ in 0..<count {
      try prepare()
      let start = now
      try measured()
      times.append(now - start)
    }
    print("\(name) \(times.sorted()[count / 2])")
  }

  private var now: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
