internal import Glibc
internal import Synchronization
package import Testing

/// A PostgreSQL server of the tests' own: in a temporary folder, on a local socket, as a user of its own.
///
/// It ends, and its folder goes, when this process does, however that happens.
package final class PostgresServer: Sendable {
  /// The folder of its socket, and its port.
  package let folder: String
  package let port: Int
  // Holds the server's life line; kept as long as the server.
  private let lifeLine: Int32

  /// Where Debian has the programs of a server; nil when none is installed.
  package static let programs: String? = {
    for version in ["18", "17", "16", "15"] {
      let path = "/usr/lib/postgresql/\(version)/bin"
      if access("\(path)/initdb", X_OK) == 0 { return path }
    }
    return nil
  }()

  /// A server that decodes its log, and refuses access to the log itself.
  package static func sharedDecoding() async throws -> PostgresServer {
    try await common.decoding()
  }

  /// The server that tests share; each makes a database of its own.
  package static func shared() async throws -> PostgresServer { try await common.server() }

  /// A standby of ``shared()``.
  package static func sharedStandby() async throws -> PostgresServer { try await common.standby() }

  private static let common = Common()

  private actor Common {
    private var starting: Task<PostgresServer, any Error>?
    private var startingStandby: Task<PostgresServer, any Error>?
    private var startingDecoding: Task<PostgresServer, any Error>?

    func decoding() async throws -> PostgresServer {
      if startingDecoding == nil {
        startingDecoding = Task {
          try await PostgresServer(
            settings: ["wal_level = logical", "max_replication_slots = 20"],
            access: "local all all trust")
        }
      }
      return try await startingDecoding!.value
    }

    func server() async throws -> PostgresServer {
      if starting == nil { starting = Task { try await PostgresServer() } }
      return try await starting!.value
    }

    func standby() async throws -> PostgresServer {
      let primary = try await server()
      if startingStandby == nil {
        startingStandby = Task { try await PostgresServer(standbyOf: primary) }
      }
      return try await startingStandby!.value
    }
  }

  /// Starts a server.
  ///
  /// - Parameters:
  ///   - settings: Lines of its configuration.
  ///   - access: The lines of its `pg_hba.conf`; nil for those that admit everything.
  ///   - primary: The server that it replicates, if it is a standby.
  package init(
    settings: [String] = [], access: String? = nil, standbyOf primary: PostgresServer? = nil
  ) async throws {
    guard let programs = Self.programs else {
      throw Unexpected("no PostgreSQL server is installed")
    }
    port = 5432
    var template = Array("/tmp/livequery-pg-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw Unexpected("mkdtemp in /tmp") }
    folder = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    // A server refuses to run as root.
    let user = geteuid() == 0 ? "runuser -u postgres --" : ""
    let lines =
      settings.map { "echo \"\($0)\" >> \"$1/data/postgresql.conf\"" }
      + (access.map { ["echo \"\($0)\" > \"$1/data/pg_hba.conf\""] } ?? [])
    let initialization =
      primary.map {
        "pg_basebackup -h \($0.folder) -U postgres -D \"$1/data\" -R --checkpoint=fast --no-sync --no-slot"
      } ?? "initdb -D \"$1/data\" -A trust -U postgres -E UTF8 --locale C.UTF-8 --no-sync"
    // It lives as long as the other end of its standard input. The outer shell ends at once and is waited for, so that
    // nothing here is left to reap: Swift Testing waits for any child of this process, and as long as there is one
    // that has ended and isn't its own, it sees the end of no exit test.
    //
    // It keeps its log, so that a late standby finds what it needs whatever checkpoints others make meanwhile.
    let script = """
      exec 3<&0
      (
      set -e
      if [ -n "\(user)" ]; then chown postgres "$1"; fi
      cd "$1"
      \(user) \(programs)/\(initialization) >"$1/log" 2>&1
      \(lines.joined(separator: "\n"))
      \(user) \(programs)/postgres -D "$1/data" -c fsync=off -c listen_addresses= \
        -c unix_socket_directories="$1" -c port=5432 -c max_connections=60 -c max_prepared_transactions=20 -c max_wal_senders=40 -c wal_keep_size=1GB >>"$1/log" 2>&1 </dev/null &
      server=$!
      read -r _ || true
      until kill -QUIT $(head -n 1 "$1/data/postmaster.pid") 2>/dev/null; do
        kill -0 $server 2>/dev/null || break
        sleep 0.1
      done
      wait $server || true
      rm -rf "$1"
      ) <&3 3<&- &
      """
    lifeLine = try Self.spawn(["/bin/sh", "-c", script, "sh", folder])
    try await wait(for: "the PostgreSQL server in \(folder)") {
      let ready = try await RunningProgram.run([
        "psql", "-h", folder, "-U", "postgres", "-qAtc", "SELECT 1",
      ])
      return ready.output == "1\n"
    }
  }

  deinit { close(lifeLine) }

  private static func spawn(_ words: [String]) throws -> Int32 {
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0, &ends) == 0 else {
      throw Unexpected("socketpair: \(String(cString: strerror(errno)))")
    }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[1], 0)
    // What it prints is in its log; an inherited pipe would keep others waiting for its end.
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    var variables: [UnsafeMutablePointer<CChar>?] = [
      strdup("PATH=/usr/sbin:/usr/bin:/sbin:/bin"), strdup("LC_ALL=C.UTF-8"), nil,
    ]
    defer { for word in arguments + variables { free(word) } }
    var child: pid_t = 0
    let result = posix_spawn(&child, words[0], &actions, nil, &arguments, &variables)
    close(ends[1])
    guard result == 0 else {
      close(ends[0])
      throw Unexpected("a shell cannot be started: \(String(cString: strerror(result)))")
    }
    while waitpid(child, nil, 0) < 0, errno == EINTR {}
    return ends[0]
  }

  // MARK: - Failover

  /// Ends it at once, as a crash does.
  package func crash() throws {
    let text = try textOfProcessFile("\(folder)/data/postmaster.pid")
    guard let line = text.split(separator: "\n").first, let process = pid_t(line) else {
      throw Unexpected("no process in \(text)")
    }
    kill(process, SIGQUIT)
  }

  /// Makes a standby a primary, and waits until it is.
  package func promote() async throws {
    try await ownDatabase.run("SELECT pg_promote(true, 30)")
  }

  // MARK: - Databases

  private static let count = Atomic(0)

  /// The one that each server has.
  package var ownDatabase: PostgresDatabase { PostgresDatabase(server: self, name: "postgres") }

  /// Creates a database of its own for a test.
  package func database(_ sql: String = "") async throws -> PostgresDatabase {
    let name = "test\(Self.count.wrappingAdd(1, ordering: .relaxed).newValue)"
    let database = PostgresDatabase(server: self, name: name)
    try await ownDatabase.run("CREATE DATABASE \(name)")
    if !sql.isEmpty { try await database.run(sql) }
    return database
  }
}

/// A database of a test, used by `psql`.
package struct PostgresDatabase: Sendable {
  package let server: PostgresServer
  package let name: String

  /// What the program is started with.
  package func address(as role: String = "postgres") -> String {
    "postgres://\(role)@/\(name)?host=\(server.folder)"
  }

  /// The same database on a standby, once it has it.
  package func replica(on standby: PostgresServer) async throws -> PostgresDatabase {
    let position = try await run("SELECT pg_current_wal_flush_lsn()").dropLast()
    let replica = PostgresDatabase(server: standby, name: name)
    let common = PostgresDatabase(server: standby, name: "postgres")
    do {
      try await wait(for: "the standby to have \(name)") {
        try await common.run("SELECT pg_last_wal_replay_lsn() >= '\(position)'") == "t\n"
      }
    } catch let error as Unexpected {
      let log = try await RunningProgram.run(["tail", "-n", "20", standby.folder + "/log"])
      throw Unexpected("\(error)\n\(log.output)")
    }
    return replica
  }

  /// Runs statements by psql.
  ///
  /// - Returns: What it printed: a line for each row, the columns separated by `|`.
  @discardableResult
  package func run(_ sql: String) async throws -> String {
    let result = try await RunningProgram.run(
      ["psql", "-h", server.folder, "-U", "postgres", "-d", name, "-qAt", "-v", "ON_ERROR_STOP=1"],
      input: .text(sql))
    guard result.status == 0 else { throw Unexpected("psql: \(result.errors)") }
    return result.output
  }
}

extension Trait where Self == ConditionTrait {
  /// Skips a test, visibly, where no PostgreSQL server is installed.
  package static var needsPostgres: ConditionTrait {
    .enabled(
      if: PostgresServer.programs != nil,
      "no PostgreSQL server is installed: apt-get install postgresql-15")
  }
}
