import ObservationEngine
import ObservationPostgres

extension Arguments {
  /// Opens what the panels show: a file, or a server.
  func openPanels(_ mode: Mode) throws(Failure) -> any PanelDatabase {
    guard let server else { return try openDatabase(mode) }
    do throws(DatabaseError) {
      return try Server(server, serverSettings(mode))
    } catch {
      throw Failure("\(server.name): \(error.message)", status: ExitStatus.cannotOpen)
    }
  }

  /// What identifies a database: the path of a file, without links; the name of a server.
  func identity(of database: any PanelDatabase) -> String? {
    (database as? Database)?.file?.realPath ?? server?.name
  }

  private func serverSettings(_ mode: Mode) -> ServerSettings {
    var settings = ServerSettings()
    settings.isReadOnly = isReadOnly
    settings.minimumInterval = minimumInterval(mode)
    settings.debounce = debounce ?? .zero
    settings.queryLimit = queryLimit(mode)
    settings.queryLimitRemedy = QueryLimits.timeRemedy
    if let timeout = busyTimeout { settings.lockLimit = timeout }
    let memory = self.memory ?? QueryLimits.memory
    if memory > 0 { settings.resultBytes = memory * 500_000 }
    settings.resultBytesRemedy = QueryLimits.memoryRemedy
    settings.pollInterval = pollInterval
    if let timeout, timeout < settings.connectLimit { settings.connectLimit = timeout }
    return settings
  }

  /// The least time between two refreshes; with a server, the average while commits keep coming.
  ///
  /// No user can follow more than thirty frames a second, and hardly any reader more than two
  /// hundred records; the writer gets the time instead.
  private func minimumInterval(_ mode: Mode) -> Duration {
    // A run that waits for a condition does nothing else, and ends right after it.
    if until != nil { return .zero }
    return mode == .screen ? .seconds(1) / 30 : .milliseconds(5)
  }

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
    configuration.minimumRefreshInterval = minimumInterval(mode)
    // What comes of it is a line of the feed.
    if mode == .screen, until == nil { configuration.eventDelay = .milliseconds(200) }
    do {
      return try Database(path: path, configuration: configuration)
    } catch {
      throw Failure(opening: path, error)
    }
  }
}
