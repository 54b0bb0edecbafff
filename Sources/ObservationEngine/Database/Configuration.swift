/// How a `Database` is opened and observed.
public struct Configuration: Sendable {
  /// Makes SQLite refuse all writes. No file is created.
  public var isReadOnly = false
  /// Creates the file if there is none, unless the database is read-only.
  public var createsFile = true
  /// How long a statement waits for another connection's lock. A transaction of ``Database/write(_:)``
  /// always waits for this process to empty the WAL, which takes about a tenth of a millisecond.
  public var busyTimeout: Duration = .seconds(5)
  /// How many connections may read at the same time, in `read`.
  public var maximumReaders = 4
  /// Uses one connection for writing, reading and observing. A read then waits for writes, and sees
  /// temporary tables and uncommitted changes of its own closure.
  public var usesSingleConnection = false
  /// The journal mode to give the file when it is opened. With `nil`, an existing file keeps its
  /// mode. A new or empty file becomes a WAL database if the file system allows that and
  /// ``createsFile`` is true. In WAL mode reads and writes don't wait for each other.
  public var journalMode: JournalMode?
  /// Whether foreign keys are enforced. SQLite's own default is not to.
  public var enforcesForeignKeys = true
  /// Whether views, triggers and columns of the file may call functions of ``functions`` that don't say so themselves
  /// (``CustomFunction/SchemaUse``). Leave it off for files of unknown origin.
  public var trustsSchema = false
  /// Further database files by the schema name under which SQL reaches them, as in
  /// `archive.player`.
  ///
  ///     configuration.attachments = ["archive": "/var/lib/game/archive.db"]
  ///
  /// Every connection attaches them, so reads and observations see them; only `write` writes to
  /// them. Missing files are created if ``createsFile`` is true. Commits to them by other processes
  /// are not detected. SQLite allows ten.
  public var attachments: [String: String] = [:]
  /// SQL functions written in Swift, on every connection.
  public var functions: [CustomFunction] = []
  /// Collations written in Swift, on every connection.
  public var collations: [CustomCollation] = []
  /// Runs for each new connection, before its first use and before a reader is restricted to
  /// reading: for `PRAGMA cache_size`, `PRAGMA synchronous` and the like.
  ///
  /// It runs on the connection's thread and must not use the `Database`.
  public var prepareConnection: (@Sendable (Connection) throws -> Void)?
  /// Whether expressions in the schema can call ``functions``, or compare by ``collations``.
  var schemaCallsApplication: Bool {
    !collations.isEmpty
      || functions.contains { function in
        switch function.schemaUse {
        case .never: false
        case .whenTrusted: trustsSchema
        case .always: true
        }
      }
  }
  /// The minimum time between the starts of two refreshes. The first commit after an idle period is
  /// never delayed, nor is the first fetch of an observation, by more than a thirtieth of a second;
  /// under a steady writer this bounds the cost. Unless it is zero, a refresh that takes long also
  /// delays the next: starts are at least four times its duration apart, up to half a second.
  public var minimumRefreshInterval: Duration = .zero
  /// How long to wait for further commits before refreshing.
  package var debounce: Duration = .zero
  /// How long a commit of another process that concerns no observation waits for further ones before it is reported.
  package var eventDelay: Duration = .zero
  /// How often to refresh observations whose SQL depends on time, chance or the state of its
  /// connection: `date('now')`, `CURRENT_TIMESTAMP`, `random()`, `changes()` and the like. Each is
  /// fetched again about this long after its last fetch, and delivered if its value differs;
  /// commits refresh it as usual. With `nil`, only commits do. No timer runs unless such a query is
  /// observed.
  ///
  /// ## Limits
  /// Functions that an application defined, and dates from a column that holds the text `now`, are
  /// not recognised.
  public var timeDependentRefreshInterval: Duration? = .seconds(1)
  /// Calls back after that interval; tests inject their own clock.
  package var refreshTimer = RefreshTimer.system
  /// How long one observation may run in the shared snapshot. A longer query is cancelled there and
  /// runs alone in its own snapshot, where it delays no other observation.
  public var refreshBudget: Duration = .milliseconds(250)
  /// How many bytes the states of maintained queries may have in memory; 0 maintains none.
  ///
  /// The engine keeps the result of a query up to date from the rows that commits changed, where that is certain to
  /// give what the query would, and takes less time. What it needs for that is its state: the rows or groups of the
  /// result, and a few more. A query whose state doesn't fit runs again after each commit.
  public var maintenanceMemory = 64_000_000
  /// Whether each maintained result is compared with that of the query, which then runs as well. A difference ends
  /// maintaining the query; in a debug build it stops the program.
  package var auditsMaintenance = Self.auditsByDefault
  /// Whether queries are maintained whatever they cost; for tests.
  package var maintainsEagerly = false
  private static var auditsByDefault: Bool {
    #if DEBUG
    true
    #else
    false
    #endif
  }
  /// How long one observation may hold its own snapshot. A longer query is cancelled: the
  /// observation keeps its last value, marked as stale with the reason, or reports the reason as
  /// its error if it never had a value. `nil` sets no bound.
  ///
  /// While a snapshot is open, SQLite cannot reset the WAL, and with a rollback journal no process
  /// can commit. The engine yields to writers much sooner (see below). This bound is for waiters
  /// that SQLite does not reveal: a change of the journal mode, or a checkpoint that truncates. If
  /// these must succeed, set less than the time for which they wait.
  ///
  /// ## Guarantees
  /// - A cancelled query runs again after any commit, but not before four times its duration, and
  ///   at least a second, has passed. A requested refresh runs immediately.
  /// - With a bound, the engine cancels a query earlier if a writer waits for it. In WAL mode that
  ///   is when the WAL grows beyond 1,500 pages meanwhile, or sooner under a fast writer; SQLite's
  ///   automatic checkpoint, which restarts the WAL, begins at 1,000 pages. With a rollback journal
  ///   it is when another process begins to write. The query then runs again without a further
  ///   commit.
  ///
  /// ## Limits
  /// - SQLite checks between its steps: a single long step, such as sorting a million rows, ends
  ///   first.
  public var snapshotBudget: Duration? = .seconds(30)
  /// How a reason refers to ``snapshotBudget``, which has another name on the command line.
  package var snapshotBudgetRemedy = "Configuration.snapshotBudget allows more"
  /// Limits for the SQL of readers; set them for files and queries of unknown origin.
  public var limits = ResourceLimits()
  /// How an error refers to ``limits``, which have other names on the command line.
  package var limitRemedy = "Configuration.limits allows more"
  /// Keeps connections open while the database is idle. Otherwise the engine closes connections to
  /// a WAL database after about a second without commits, or ten while other processes have it
  /// open, and opens them again on the next event. So other programs can switch the journal mode,
  /// lock the file exclusively, or replace it. Maintained results end with the connections: if their
  /// queries take long, it waits for 50 times as long before it closes, up to half a minute.
  public var keepsConnectionsOpen = false
  /// How long the database must be idle before connections are closed; tests set less.
  package var idleTimeout: Duration = .seconds(1)
  /// How long no commit must have happened before connections are closed while other processes have
  /// the database open.
  package var patienceWithOthers: Duration = .seconds(10)
  /// How the system reports changes to files; tests inject their own.
  package var fileEvents = FileEvents.system
  /// How dates are stored: in records, arguments, keys and dictionaries.
  public var dateFormat = DateFormat.iso8601
  /// How often to check for foreign commits, in addition to waiting for file events. With `nil`,
  /// only a check once a second is added, if file events work.
  public var pollInterval: Duration?

  /// The defaults.
  public init() {}
}
