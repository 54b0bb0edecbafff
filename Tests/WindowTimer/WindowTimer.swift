import CSQLite
import DatabaseConsole
import Glibc
import ObservationEngine

/// Times how a window moves through a result of many rows, against a loop over SQLite's own functions
/// that reads the same rows by LIMIT and OFFSET.
///
///     WindowTimer DATABASE
///
/// The database has a table `item` of five columns. Prints a line for each figure: its name, and
/// nanoseconds or bytes.
@main
struct WindowTimer {
  static func main() async {
    do {
      let words = CommandLine.arguments
      guard words.count == 2 else { throw TimerError("usage: WindowTimer DATABASE") }
      try await WindowTimer(path: words[1]).run()
    } catch {
      print("error \(error)")
      exit(1)
    }
  }

  private static let sql = "SELECT id, customer, product, price, pieces FROM item"
  private static let page = 1_000

  let path: String

  private func run() async throws {
    let database = try Database(path: path)
    let resting = try memory("VmRSS:")
    let start = now
    let group = database.observe(all: [.rows(SQL(raw: Self.sql))], windowed: [0])
    guard let part = try await rows(group).part else { throw TimerError("the result is short") }
    print("first \(now - start)")
    let last = part.total - Self.page
    let pages = Array(stride(from: Self.page, through: last, by: Self.page))
    let depths = (0..<1_000).map { _ in Int.random(in: 0...last) }
    try await time("page", pages.map { RowWindow(first: $0, count: Self.page) }, group)
    try await time("depth", depths.map { RowWindow(first: $0, count: Self.page) }, group)
    let sort = RowWindow.Sort(column: 3, isDescending: true)
    try await time(
      "sorted", depths.prefix(7).map { RowWindow(first: $0, count: Self.page, sort: sort) }, group)
    try await time(
      "filtered",
      depths.prefix(5).map { first in
        RowWindow(first: first, count: Self.page) { $0[4] != .integer(3) }
      }, group)
    print("peak \(try memory("VmHWM:"))")
    print("growth \(try memory("VmHWM:") - resting)")
    // Afterwards: what it takes does not count.
    try plain("plain-page", pages)
    try plain("plain-depth", depths)
    await database.close()
  }

  /// Prints the median and the 99th percentile of moves to these windows.
  private func time(
    _ name: String, _ windows: [RowWindow], _ group: WindowedObservation
  ) async throws {
    var times: [UInt64] = []
    for (index, var window) in windows.enumerated() {
      // Two places behind the end of what a filter leaves show the same rows.
      window.number = index + 1
      let start = now
      group.show(window, of: 0)
      let rows = try await rows(group)
      times.append(now - start)
      guard let part = rows.part, part.first == window.first || window.filter != nil,
        rows.rows.count == window.count || window.filter != nil
      else { throw TimerError("\(window) has \(String(describing: rows.part))") }
    }
    tell(name, times)
  }

  /// The next rows; equal ones are not delivered.
  private func rows(_ group: WindowedObservation) async throws -> RowSet {
    for await update in group {
      if let result = update.results[0] { return try result.get() }
    }
    throw TimerError("the observation has ended")
  }

  private func tell(_ name: String, _ times: [UInt64]) {
    let sorted = times.sorted()
    print("\(name)-p50 \(sorted[sorted.count / 2])")
    print("\(name)-p99 \(sorted[(sorted.count - 1) * 99 / 100])")
  }

  // MARK: - The plain loop

  private func plain(_ name: String, _ places: [Int]) throws {
    var handle: OpaquePointer?
    guard sqlite3_open_v2(path, &handle, SQLITE_OPEN_READONLY, nil) == SQLITE_OK else {
      throw TimerError("\(path) cannot be opened")
    }
    defer { sqlite3_close_v2(handle) }
    var statement: OpaquePointer?
    sqlite3_prepare_v2(handle, Self.sql + " LIMIT ?1 OFFSET ?2", -1, &statement, nil)
    defer { sqlite3_finalize(statement) }
    var times: [UInt64] = []
    for place in places {
      let start = now
      sqlite3_bind_int64(statement, 1, Int64(Self.page))
      sqlite3_bind_int64(statement, 2, Int64(place))
      var count = 0
      while sqlite3_step(statement) == SQLITE_ROW {
        for column in 0..<Int32(5) { _ = sqlite3_column_value(statement, column) }
        count += 1
      }
      sqlite3_reset(statement)
      times.append(now - start)
      guard count == Self.page else { throw TimerError("\(count) rows at \(place)") }
    }
    tell(name, times)
  }

  // MARK: - The system

  /// A figure of /proc/self/status, in bytes.
  private func memory(_ name: String) throws -> Int {
    guard let file = fopen("/proc/self/status", "r") else { throw TimerError("no /proc") }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    while fgets(&line, 256, file) != nil {
      let words = String(
        decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self
      )
      .split { $0 == " " || $0 == "\t" || $0 == "\n" }
      if words.first == name[...], words.count > 1, let kilobytes = Int(words[1]) {
        return kilobytes * 1_024
      }
    }
    throw TimerError("/proc/self/status has no \(name)")
  }

  private var now: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}

private struct TimerError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
