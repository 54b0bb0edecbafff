internal import ObservationEngine

/// What a server is, and what it lets this role do: asked once for each connection.
struct ServerProbe: Equatable {
  var version = 0
  var isReplica = false
  /// Between it and this program is a pooler, which hands one connection to many clients.
  var isPooled = false
  var mayReplicate = false
  var sendersLeft = 0
  /// How many replication slots are left, as `max_replication_slots` has it.
  var slotsLeft = 0
  /// The standbys that commits may wait for.
  var synchronousStandbys = ""
  /// `wal_level`.
  var level = ""
  var senders = 0
  var role = ""
  var databaseNumber: UInt32 = 0
  /// The history of the primary that this is: a new one begins when a standby takes over. nil on a standby.
  var timeline: String?
  /// When the server's process started: no other has the same. nil where it doesn't say.
  var startedAt: String?
  /// Whether tables of the database have triggers that report what is written to them.
  var hasTriggers = false
  /// Whether snapshots can be compared.
  var hasSnapshots = true
  /// How long a statement may take for this role, by `statement_timeout`; nil without a limit.
  var statementLimit: Duration?

  /// What differs after each commit: the snapshot; on a standby the replay position, which is NULL once it has become a
  /// primary.
  static let primaryMark = "SELECT pg_current_snapshot()::text"
  static let replicaMark = """
    SELECT CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn()::text END
    """

  private static let query = """
    SELECT pg_is_in_recovery(), pg_backend_pid(), current_setting('wal_level'), \
    current_setting('max_wal_senders')::int, (SELECT count(*) FROM pg_stat_replication), \
    coalesce((SELECT rolreplication OR rolsuper FROM pg_roles WHERE rolname = current_user), false), \
    (SELECT oid FROM pg_database WHERE datname = current_database()), current_user::text, \
    current_setting('max_replication_slots')::int - (SELECT count(*) FROM pg_replication_slots), \
    current_setting('synchronous_standby_names'), \(ReportingTriggers.exist), \
    current_setting('statement_timeout')
    """
  // Some services refuse this.
  private static let timelineQuery = """
    SELECT CASE WHEN NOT pg_is_in_recovery() THEN substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) END
    """

  static let startQuery = "SELECT extract(epoch FROM pg_postmaster_start_time())::text"

  /// - Throws: ``ServerFault`` when the connection is lost. A server that refuses a question only can less.
  init(_ connection: ServerConnection, deadline: UInt64) throws(ServerFault) {
    version = connection.serverVersion
    do throws(ServerFault) {
      let row = try connection.run(Self.query, deadline: deadline).rows.first ?? []
      guard row.count == 12 else { return }
      isReplica = row[0] == 1
      isPooled = row[1] != .integer(Int64(connection.backendPID))
      if case .text(let level) = row[2] { self.level = level }
      if case .integer(let count) = row[3], case .integer(let used) = row[4] {
        (senders, sendersLeft) = (Int(count), Int(count - used))
      }
      mayReplicate = row[5] == 1
      if case .integer(let number) = row[6] { databaseNumber = UInt32(truncatingIfNeeded: number) }
      if case .text(let role) = row[7] { self.role = role }
      if case .integer(let left) = row[8] { slotsLeft = Int(left) }
      if case .text(let names) = row[9] { synchronousStandbys = names }
      hasTriggers = row[10] == 1
      if case .text(let limit) = row[11] { statementLimit = Self.duration(limit) }
    } catch {
      if error.isLoss { throw error }
    }
    timeline = try Self.answer(to: Self.timelineQuery, connection, deadline)
    startedAt = try Self.answer(to: Self.startQuery, connection, deadline)
    do throws(ServerFault) {
      _ = try connection.run(
        isReplica ? Self.replicaMark : Self.primaryMark, deadline: deadline)
    } catch {
      if error.isLoss { throw error }
      hasSnapshots = false
    }
  }

  /// A duration as the server writes it, a whole number of the largest unit: `1500ms`, `30s`, `5min`.
  ///
  /// - Returns: nil for 0, which stands for none.
  static func duration(_ setting: String) -> Duration? {
    let digits = setting.prefix(while: \.isNumber)
    let units = ["": 1, "ms": 1, "s": 1_000, "min": 60_000, "h": 3_600_000, "d": 86_400_000]
    // More than the server can say would be no limit either.
    guard let number = Int32(digits).map(Int.init), number > 0,
      let unit = units[String(setting[digits.endIndex...])]
    else { return nil }
    return .milliseconds(number * unit)
  }

  /// - Returns: nil when the server refuses the question.
  private static func answer(
    to query: String, _ connection: ServerConnection, _ deadline: UInt64
  ) throws(ServerFault) -> String? {
    do throws(ServerFault) {
      return try connection.run(query, deadline: deadline).text(0)
    } catch {
      if error.isLoss { throw error }
      return nil
    }
  }

  /// Whether this role may have a slot on this server.
  var mayDecode: Bool { !isPooled && !isReplica && mayReplicate }

  /// Whether to listen to triggers. A standby has no notifications, and a pooler delivers none.
  var mayListen: Bool { !isPooled && !isReplica && hasTriggers }

  /// Why there is no slot, although this role may have one; nil when it may be tried.
  var refusalOfSlot: String? {
    if level != "logical" { return "wal_level is not logical" }
    if let refusalOfSender { return refusalOfSender }
    if slotsLeft <= 3 { return "\(slotsLeft) replication slots are left" }
    // It acknowledges what it has taken, and so would be one that commits wait for.
    let names = synchronousStandbys.lowercased()
    if names.contains("*") || names.includes("livequery") {
      return "all commits would wait for it (synchronous_standby_names is \(synchronousStandbys))"
    }
    return nil
  }

  /// Why the log can't be streamed from this server; nil when it may be tried.
  var refusalOfStream: String? {
    if isPooled { return "the connection goes through a pooler" }
    guard (150_000..<190_000).contains(version) else {
      return "the log of PostgreSQL \(version / 10_000) is not known here"
    }
    if level == "minimal" { return "wal_level is minimal on this server" }
    if !mayReplicate { return "role \(role) has no REPLICATION (ALTER ROLE \(role) REPLICATION)" }
    return refusalOfSender
  }

  /// A stream of either kind has a sender of its own. Those that remain are for standbys and backups.
  private var refusalOfSender: String? {
    guard sendersLeft <= 3 else { return nil }
    return "\(sendersLeft) of \(senders) WAL senders are left, which are for standbys"
  }
}

/// How the commits of a server are noticed.
package enum NoticingMeans: Sendable, Equatable {
  /// From the write-ahead log: each commit with its tables. `lag` is how much later a commit is reported than made, when
  /// the server commits without waiting for the disk.
  case wal(lag: Duration?, isReplica: Bool)
  /// From the log as the server decodes it, through a temporary slot: each commit with its tables.
  case decoding
  /// From triggers that the user made: each commit to a table that has one.
  case notifications(tables: Int, of: Int)
  /// By asking for the snapshot; on a standby for the replay position.
  case polling(every: Duration, isReplica: Bool)
  /// The server reports no commits: all panels run.
  case timer(every: Duration)
}

/// What a connected server is, for the screen.
package struct ServerFacts: Sendable, Equatable {
  package var databaseName: String
  /// `15.18`
  package var version: String
  package var isReplica: Bool
  package var means: NoticingMeans
  /// Why no better means is used; nil for the best.
  package var reason: String?
  /// The reason where the user chose the means.
  package static let isAskedFor = "--poll asks for this interval"
  /// Why there is no connection; nil while there is one.
  package var loss: String?
}

extension NoticingMeans {
  /// In the header: `LIVE via WAL`, `every 10 ms`.
  package var headline: String {
    switch self {
    case .wal(nil, let isReplica): "LIVE via WAL" + (isReplica ? " (replica)" : "")
    case .wal(let lag?, _): "LIVE via WAL, log \(Self.milliseconds(lag)) ms late"
    case .decoding: "LIVE via logical decoding"
    case .notifications(let tables, let all) where tables == all: "LIVE via NOTIFY"
    case .notifications(let tables, let all): "LIVE via NOTIFY (\(tables) of \(all) tables)"
    case .polling(let interval, let isReplica):
      "every \(Self.milliseconds(interval)) ms" + (isReplica ? " (replica)" : "")
    case .timer(let interval): "every \(Self.milliseconds(interval)) ms"
    }
  }

  /// In the help: what that means.
  package var explanation: String {
    switch self {
    case .wal(nil, false): "commits and tables from the server's log; no slot, nothing retained"
    case .wal(nil, true): "commits and tables from the log that this standby receives"
    case .wal: "the log reports commits late: the snapshot is polled too"
    case .decoding:
      "a temporary slot; the server keeps its log for at most 5 s after this program stalls"
    case .notifications(let tables, let all) where tables == all:
      "triggers report which tables were written to; commits wait for each other"
    case .notifications:
      "triggers report which tables were written to; those without one are polled"
    case .polling(_, false): "each commit is noticed, not which tables: all panels run"
    case .polling(_, true): "the replay position; it moves for vacuum and checkpoints as well"
    case .timer: "this server reports no commits: all panels run"
    }
  }

  /// In the last line: the channel.
  package var channel: String {
    switch self {
    case .wal, .decoding: "WAL"
    case .notifications: "NOTIFY"
    case .polling, .timer: "poll"
    }
  }

  /// Whether commits come by themselves.
  package var isPushed: Bool {
    switch self {
    case .wal, .decoding, .notifications: true
    case .polling, .timer: false
    }
  }

  private static func milliseconds(_ duration: Duration) -> Int { Int(duration / .milliseconds(1)) }
}
