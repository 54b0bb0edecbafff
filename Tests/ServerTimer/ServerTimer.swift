import Glibc
import ObservationEngine
import ObservationPostgres
import Synchronization
import TestSupport

/// Measures how long after a commit to a PostgreSQL server `livequery --stream` prints its line, for each means of
/// noticing commits, and what an idle stream costs: `Scripts/measure-postgres`.
@main struct ServerTimer {
  static func main() async throws {
    let count = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 300
    let table =
      "CREATE TABLE counter (id int PRIMARY KEY, value int); INSERT INTO counter VALUES (1, 0);"
    let role = "CREATE ROLE reader LOGIN; GRANT pg_read_all_data TO reader;"
    let server = try await PostgresServer.shared()
    let database = try await server.database(table + role)
    let decoded = try await PostgresServer.sharedDecoding().database(table)
    let notifying = try await server.database(table + ReportingTriggers.statements)
    print(
      "commit acknowledged → line of --stream, \(count) commits at random times; idle processor time"
    )
    for (name, role, database) in [
      ("write-ahead log", "postgres", database), ("temporary slot", "postgres", decoded),
      ("triggers", "reader", notifying), ("polling", "reader", database),
    ] {
      let program = try RunningProgram([
        try BuiltProgram.path("livequery"), "--stream", database.address(as: role), "-c", query,
      ])
      while try await !program.line().contains("\"op\":\"end\"") {}
      let latencies = try await latencies(database, count) {
        let line = try await program.timedLine()
        return value(in: line.text).map { ($0, line.readAt) }
      }
      if CommandLine.arguments.contains("--latency-only") {
        print("\(name): \(latencies)"); continue
      }
      let idle = try await idleShare(of: program.identifier)
      print("\(name): \(latencies); idle \(rounded(idle)) %")
    }
    let listener = try PlainListener(notifying.address())
    let plain = try await latencies(notifying, count) {
      try listener.next(query).map { ($0, SystemClock.monotonic()) }
    }
    print("a plain loop over libpq that triggers wake, and that asks for the value: \(plain)")
  }

  private static let query = "SELECT value FROM counter"

  /// How long after the acknowledgement of a commit its value has arrived.
  ///
  /// - Parameter next: Waits for the next value, if there is one in what comes next.
  private static func latencies(
    _ database: PostgresDatabase, _ count: Int,
    _ next: @escaping @Sendable () async throws -> (value: Int, time: UInt64)?
  ) async throws -> String {
    guard let address = ServerAddress(database.address()) else { throw Unexpected("no address") }
    let writer = try Server(address, ServerSettings())
    try await reset(writer)
    let arrivals = Arrivals()
    let reading = Task {
      while true {
        guard let (value, time) = try await next() else { continue }
        arrivals.note(value, at: time)
        if value == count { return }
      }
    }
    var latencies: [Double] = []
    var acknowledged: [UInt64] = []
    for _ in 0..<count {
      try await Task.sleep(for: .microseconds(Int.random(in: 2_000...25_000)))
      _ = try await writer.run(
        ServerStatement("UPDATE counter SET value = value + 1"), [], rowLimit: 1, byteLimit: 1_000
      ) { _ in }
      acknowledged.append(SystemClock.monotonic())
    }
    try await reading.value
    for (index, time) in acknowledged.enumerated() {
      // Commits in quick succession may be printed as one.
      guard let arrival = arrivals.time(of: index + 1) else { continue }
      latencies.append((Double(arrival) - Double(time)) / 1_000_000)
    }
    writer.shutDown()
    latencies.sort()
    let median = latencies[latencies.count / 2]
    let worst = latencies[latencies.count * 99 / 100]
    return "p50 \(rounded(median)) ms, p99 \(rounded(worst)) ms"
  }

  private static func reset(_ writer: Server) async throws {
    _ = try await writer.run(
      ServerStatement("UPDATE counter SET value = 0"), [], rowLimit: 1, byteLimit: 1_000
    ) { _ in }
  }

  private static func value(in line: String) -> Int? {
    guard let start = line.firstRange(of: "\"new\":{\"value\":")?.upperBound else { return nil }
    return Int(line[start...].prefix { $0.isNumber })
  }

  /// The share of a processor that a process uses when nothing happens, in percent: after a minute, from which on
  /// a server is asked no more seldom.
  private static func idleShare(of process: Int32) async throws -> Double {
    try await Task.sleep(for: .seconds(62))
    let before = try processorTime(of: process)
    try await Task.sleep(for: .seconds(20))
    return Double(try processorTime(of: process) - before) / 1_000_000_000 / 20 * 100
  }

  /// In nanoseconds. The ticks of `stat` count a program too often that wakes with them.
  private static func processorTime(of process: Int32) throws -> Int {
    let folder = "/proc/\(process)/task"
    return try TemporaryFolder.names(in: folder).reduce(0) { sum, thread in
      let text = try textOfProcessFile("\(folder)/\(thread)/schedstat")
      return sum + (text.split(separator: " ").first.flatMap { Int($0) } ?? 0)
    }
  }

  private static func rounded(_ number: Double) -> Double { (number * 100).rounded() / 100 }

  /// When each value was printed.
  private final class Arrivals: Sendable {
    private let times = Mutex<[Int: UInt64]>([:])

    func note(_ value: Int, at time: UInt64) { times.withLock { $0[value] = $0[value] ?? time } }
    func time(of value: Int) -> UInt64? { times.withLock { $0[value] } }
  }
}
