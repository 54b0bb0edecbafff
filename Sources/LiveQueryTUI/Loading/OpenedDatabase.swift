import ObservationEngine

extension Arguments {
  /// Opens the database as the command line requests; never creates it.
  func openDatabase(_ mode: Mode) throws(Failure) -> Database {
    guard let path = database else { preconditionFailure("a database is named") }
    var configuration = Configuration()
    configuration.createsFile = false
    // The file belongs to another program: the console must be able to do what that program can.
    configuration.enforcesForeignKeys = false
    configuration.isReadOnly = isReadOnly
    configuration.pollInterval = pollInterval
    configuration.debounce = debounce ?? .zero
    if audits { configuration.auditsMaintenance = true }
    if let timeout = busyTimeout { configuration.busyTimeout = timeout }
    configuration.snapshotBudget = queryLimit(mode)
    let memory = self.memory ?? QueryLimits.memory
    SQLiteMemory.limit = memory == 0 ? nil : Int64(memory) * 1_000_000
    configuration.limits = QueryLimits.resources(megabytes: memory)
    // Rows are copied as they are; no panel's SQL runs.
    if mode == .rows { configuration.limits = ResourceLimits() }
    configuration.limitRemedy = QueryLimits.memoryRemedy
    configuration.snapshotBudgetRemedy = QueryLimits.timeRemedy
    // No user can follow more than thirty frames a second, and hardly any reader more than two
    // hundred records; the writer gets the time instead.
    configuration.minimumRefreshInterval = mode == .screen ? .seconds(1) / 30 : .milliseconds(5)
    // A run that waits for a condition does nothing else, and ends right after it.
    if until != nil { configuration.minimumRefreshInterval = .zero }
    do {
      return try Database(path: path, configuration: configuration)
    } catch {
      throw Failure(opening: path, error)
    }
  }
}
