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
    let schema = """
      CREATE TABLE counter (id int PRIMARY KEY, value int); INSERT INTO counter VALUES (1, 0);
      CREATE ROLE reader LOGIN; GRANT pg_read_all_data TO reader;
      """
    let database = try await PostgresServer.shared().database(schema)
    let decoded = try await PostgresServer.sharedDecoding().database(schema)
    print(
      "commit acknowledged → line of --stream, \(count) commits at random times; idle processor time"
    )
    for (name, role, database) in [
      ("write-ahead log", "postgres", database), ("temporary slot", "postgres", decoded),
      ("polling", "reader", database),
    ] {
      try await measure(name, role, database, count)
    }
  }

  private static func measure(
    _ name: String, _ role: String, _ database: PostgresDatabase, _ count: Int
  ) async throws {
    let program = try RunningProgram([
      try BuiltProgram.path("livequery"), "--stream", database.address(as: role), "-c",
      "SELECT value FROM counter",
    ])
    guard let address = ServerAddress(database.address()) else { throw Unexpected("no address") }
    let writer = try Server(address, ServerSettings())
    while try await !program.line().contains("\"op\":\"end\"") {}
    try await reset(writer)
    let arrivals = Arrivals()
    let reading = Task {
      while true {
        let line = try await program.line()
        guard let value = value(in: line) else { continue }
        arrivals.note(value, at: SystemClock.monotonic())
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
    let idle = try await idleShare(of: program.identifier)
    let median = latencies[latencies.count / 2]
    let worst = latencies[latencies.count * 99 / 100]
    print("\(name): p50 \(rounded(median)) ms, p99 \(rounded(worst)) ms; idle \(rounded(idle)) %")
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
