/// How a `Database` is opened and observed.
public struct Configuration: Sendable {
  /// Refuses all writes, through SQLite itself.
  public var isReadOnly = false
  /// Creates the file when there is none.
  public var createsFile = true
  /// How long a statement waits for another connection's lock.
  public var busyTimeout: Duration = .seconds(5)
  /// How many connections may read at the same time, in `read`.
  public var maximumReaders = 4
  /// Makes the one connection that writes do all reading and observing too: a read then waits for
  /// writes, and sees temporary tables and what is not committed yet by the same closure.
  public var usesSingleConnection = false
  /// The journal mode that the file is given when it is opened. `nil` leaves an existing file as it is, and
  /// makes a new one, or an empty one, a WAL database where the file system allows that; but not if
  /// ``createsFile`` is false. In WAL mode reads and writes do not wait for each other.
  public var journalMode: JournalMode?
  /// Whether foreign keys are enforced; SQLite itself does not by default.
  public var enforcesForeignKeys = true
  /// Whether views and triggers of the file may call functions with side effects; leave it off for
  /// files of unknown origin.
  public var trustsSchema = false
  /// Further database files by the schema name under which SQL reaches them, as in
  /// `archive.player`.
  ///
  ///     configuration.attachments = ["archive": "/var/lib/game/archive.db"]
  ///
  /// Every connection has them, so that reads and observations see them; only `write` writes to
  /// them. Missing files are created if ``createsFile`` is true. Commits of other processes to
  /// them are not noticed. SQLite allows ten.
  public var attachments: [String: String] = [:]
  /// SQL functions written in Swift, on every connection.
  public var functions: [CustomFunction] = []
  /// Collations written in Swift, on every connection.
  public var collations: [CustomCollation] = []
  /// Called for each connection that is opened, before its first use and before a reader is
  /// restricted to reading: for `PRAGMA cache_size`, `PRAGMA synchronous` and the like.
  ///
  /// It runs on the connection's thread, and must not use the `Database`.
  public var prepareConnection: (@Sendable (Connection) throws -> Void)?
  /// The least time between the starts of two refreshes. The first commit after a rest is never
  /// delayed; under a steady writer this bounds the cost. Unless it is zero, refreshes that take
  /// long start at most every fourfold of that time, up to half a second.
  public var minimumRefreshInterval: Duration = .zero
  /// How long to wait after a commit for further ones before refreshing.
  package var debounce: Duration = .zero
  /// How often observations are refreshed whose SQL depends on the time, on chance or on the state of
  /// its connection: `date('now')`, `CURRENT_TIMESTAMP`, `random()`, `changes()` and the like. Each is
  /// fetched again this long after its last fetch or so, and delivered when its value differs; commits
  /// refresh it as ever. `nil` leaves it at commits. When nothing of the kind is observed, no timer
  /// runs.
  ///
  /// ## Limits
  /// Not recognised are functions that an application defined, and dates made of a column that holds
  /// the text `now`.
  public var timeDependentRefreshInterval: Duration? = .seconds(1)
  /// Calls back after that interval; a test has a clock of its own.
  package var refreshTimer = RefreshTimer.system
  /// How long one observation may run in the shared snapshot; beyond, it is cancelled there and
  /// runs alone, in a snapshot of its own, so that it holds up nobody.
  public var refreshBudget: Duration = .milliseconds(250)
  /// How long one observation may hold a snapshot of its own; beyond, its query is cancelled, it
  /// keeps its last value, marked as stale with the reason, or has the reason as its error when it
  /// never had a value. `nil` sets no bound.
  ///
  /// While a snapshot is held, the log of a WAL database cannot be reset, and in a rollback journal
  /// nobody can commit. Those who write are made way for long before this (see below); the bound is for
  /// those who are not seen to wait: a change of the journal mode, or a checkpoint that truncates. Where
  /// these must not be refused, set less than the time for which they wait.
  ///
  /// ## Guarantees
  /// - What was cancelled runs again after any commit, but not before four times as long has passed as
  ///   it ran, and a second at least; at once when it is asked to.
  /// - With a bound, a query is cancelled earlier that somebody else waits for: in WAL mode when the
  ///   log grows beyond 1,500 pages meanwhile, which is half as much again as the limit at which
  ///   SQLite's automatic checkpoint begins the log anew, or sooner under a fast writer; in a rollback journal when another process
  ///   begins to write. It runs again without a further commit then.
  ///
  /// ## Limits
  /// - SQLite looks between its steps: a single one that takes long, such as the sort of a million
  ///   rows, ends first.
  public var snapshotBudget: Duration? = .seconds(30)
  /// What a reason says of ``snapshotBudget``, which has another name on a command line.
  package var snapshotBudgetRemedy = "Configuration.snapshotBudget allows more"
  /// What the SQL of readers may use: set it for files and queries of unknown origin.
  public var limits = ResourceLimits()
  /// What an error says of ``limits``, which have another name on a command line.
  package var limitRemedy = "Configuration.limits allows more"
  /// Keeps connections open while nothing happens. Otherwise those to a WAL database are closed after
  /// about a second without commits, or ten while other processes have it open, and opened again on
  /// the next event, so that other programs may switch the journal mode, lock the file exclusively or
  /// move another into its place.
  public var keepsConnectionsOpen = false
  /// How long nothing must happen before connections are closed; a test has less time.
  package var idleTimeout: Duration = .seconds(1)
  /// How long nothing must have been committed before connections are closed while other processes
  /// have the database open.
  package var patienceWithOthers: Duration = .seconds(10)
  /// How the system tells of changes to files; a test has its own.
  package var fileEvents = FileEvents.system
  /// How dates are stored: those of records, in arguments, keys and dictionaries.
  public var dateFormat = DateFormat.iso8601
  /// Looks for foreign commits this often, besides listening for them; `nil` where listening works
  /// means the once-a-second heartbeat alone.
  public var pollInterval: Duration?

  /// The defaults.
  public init() {}
}
