/// How a `Database` is opened and observed.
public struct Configuration: Sendable {
  /// Refuses all writes, through SQLite itself.
  public var isReadOnly = false
  /// Creates the file when there is none.
  public var createsFile = true
  /// How long a statement waits for another connection's lock, in milliseconds.
  public var busyTimeout: Int32 = 5_000
  /// How many connections may read at the same time, in `read`.
  public var maximumReaders = 4
  /// Whether views and triggers of the file may call functions with side effects; leave it off for
  /// files of unknown origin.
  public var trustsSchema = false
  /// The least time between the starts of two refreshes. The first commit after a rest is never
  /// delayed; under a steady writer this bounds the cost. Unless it is zero, refreshes that take long
  /// start at most every fourfold of that time, up to half a second.
  public var minimumRefreshInterval: Duration = .zero
  /// How long to wait after a commit for further ones before refreshing.
  public var debounce: Duration = .zero
  /// How long one observation may run in the shared snapshot; beyond, it is cancelled there and runs
  /// alone, in a snapshot of its own, so that it holds up nobody.
  public var refreshBudget: Duration = .milliseconds(250)
  /// Keeps connections open while nothing happens. Otherwise, when no other process has a WAL database
  /// open, they are closed after about a second and opened again on the next event, so that other
  /// programs may switch the journal mode, lock the file exclusively or move another into its place.
  public var keepsConnectionsOpen = false
  /// Looks for foreign commits this often, besides listening for them; `nil` where listening works
  /// means the once-a-second heartbeat alone.
  public var pollInterval: Duration?

  /// The defaults.
  public init() {}
}
