import Dashboard
import DatabaseConsole
import ObservationEngine

/// What the explorer of a session observes and reads next to its panel.
@ScreenActor
final class ExplorerWork {
  /// The tables that are counted, and what takes over their counts.
  private var counting: Task<Void, Never>?
  /// What summarizes columns.
  private var summarizing: Task<Void, Never>?
  /// Counts the sets of tables, so that an answer about an earlier one is recognised.
  private var generation = 0
  private(set) var isCounting = false

  func stop() {
    counting?.cancel()
    summarizing?.cancel()
  }

  /// Observes the number of rows of tables, in place of those before.
  func count(
    _ tables: [String], of database: any PanelDatabase,
    tell: @escaping @ScreenActor ([String: Int]) -> Void
  ) {
    generation += 1
    let generation = generation
    let former = counting
    guard !tables.isEmpty else {
      former?.cancel()
      counting = nil
      isCounting = false
      return
    }
    isCounting = true
    counting = Task { [weak self] in
      let updates = database.observation(
        of: tables.map { .rows(SQL(raw: "SELECT count(*) FROM \($0.quotedIdentifier)")) },
        windowed: [])
      // The former ones stay until these have begun: what both count is known then.
      var former = former
      for await update in updates {
        former?.cancel()
        former = nil
        guard let self, generation == self.generation, !Task.isCancelled else { return }
        isCounting = false
        var counts: [String: Int] = [:]
        for (index, result) in update.results {
          // Of a table that can't be counted, the list shows what the survey found.
          guard case .success(let rows) = result, case .integer(let count)? = rows.rows.first?.first
          else { continue }
          counts[tables[index]] = Int(count)
        }
        if !counts.isEmpty { tell(counts) }
      }
    }
  }

  /// Summarizes columns, in place of those before.
  func summarize(_ body: @escaping @ScreenActor () async -> Void) {
    summarizing?.cancel()
    summarizing = Task { await body() }
  }

  func stopSummarizing() { summarizing?.cancel() }
}

extension Session {
  /// Performs a request of the explorer.
  func perform(_ effect: ExplorerEffect) {
    switch effect {
    case .show(let panel): replacePanels(with: DashboardDefinition(panels: [panel]))
    case .open(let text):
      generated = DashboardParser.parse(text, dialect: database.dialect).definition
      reload(generated)
    case .count(let tables):
      explorerWork.count(tables, of: database) { [weak self] in
        self?.dispatch(.explorer(.counted($0)))
      }
    case .survey(let tables): survey(tables)
    case .measure:
      work { [self] in
        // Without `dbstat` there are no sizes.
        let sizes = try? await database.storageSizes()
        dispatch(.explorer(.measured(sizes)))
      }
    case .summarize(let table, let columns): summarize(columns, of: table)
    case .stopSummarizing: explorerWork.stopSummarizing()
    case .generate: generate()
    case .save(let text, let pinned, let file): save(text, with: pinned, to: file)
    }
  }

  /// As many rows as are counted to tell small tables apart.
  private static let surveyLimit: Int64 = 1_000

  private func survey(_ tables: [String]) {
    work { [self] in
      // A table that can't be read now says so when it is shown.
      let counts = try? await database.rowCounts(of: tables, limit: Self.surveyLimit)
      dispatch(.explorer(.surveyed(counts, asked: tables)))
    }
  }

  /// The time for the statistics of all columns of a table.
  private static let statisticsTime: Duration = .seconds(2)

  private func summarize(_ columns: [String], of table: String) {
    explorerWork.summarize { [weak self] in
      guard let self else { return }
      let start = MonotonicClock.now
      let statistics = try? await database.statistics(
        of: table, columns: columns, within: Self.statisticsTime)
      guard !Task.isCancelled else { return }
      dispatch(
        .explorer(
          .summarized(statistics ?? [:], table: table, cost: MonotonicClock.now - start)))
    }
  }

  private func generate() {
    work { [self] in
      do {
        let text = try await database.generatedDashboard(
          named: arguments.databaseName, busy: state.explorer?.busyTables ?? [],
          hasSizes: state.database.fileBytes.map { $0 <= 16 << 20 } ?? false)
        guard let text else {
          return dispatch(.message("no table has rows yet to make a dashboard of", .warning))
        }
        dispatch(.explorer(.generated(text)))
      } catch let error as DatabaseError {
        dispatch(.message("no dashboard: \(error.message)", .error))
      } catch {
        dispatch(.message("no dashboard: \(error)", .error))
      }
    }
  }

  private func save(_ text: String, with pinned: [PanelDefinition], to path: String) {
    do throws(NewFile.Refusal) {
      var file = try NewFile(path, home: Paths.home)
      file.append(text)
      for panel in pinned { file.append(SavedDashboard.text(of: panel, isBelow: true)) }
      switch file.finish(rows: 0) {
      case .written(let path, _, _):
        // A server's address may have a password.
        let name = state.database.server == nil ? arguments.database ?? "DATABASE" : "DATABASE"
        dispatch(.message("saved to \(path); open it with: livequery \(name) \(path)", .notice))
        dispatch(.console(.kept(pinned)))
      case .refused(let reason): dispatch(.message("not saved: \(reason)", .error))
      }
    } catch {
      dispatch(.message("not saved: \(error.reason)", .error))
    }
  }
}

extension PanelDatabase {
  /// The text of a dashboard for this database; nil when no table has rows.
  ///
  /// - Complexity: Reads the schema, and of each of the largest tables some newest rows.
  func generatedDashboard(
    named name: String, busy: Set<String>, hasSizes: Bool
  ) async throws -> String? {
    let schema = try await schema()
    let names = schema.tables.filter { $0.kind == .table }.map(\.name)
    let counts = try await rowCounts(of: names, limit: 10_000)
    let chosen = GeneratedDashboard.candidates(schema, counts, busy: busy)
    let results = try await results(
      of: chosen.map { .rows(SQL(raw: GeneratedDashboard.sampleQuery(of: $0))) }, limit: nil,
      lateness: nil)
    var samples: [String: RowSet] = [:]
    for (table, result) in zip(chosen, results) {
      // A table that can't be read now has no panel.
      if case .success(let rows) = result { samples[table.name] = rows }
    }
    return GeneratedDashboard(
      schema, counts, samples, named: name, busy: busy, hasSizes: hasSizes, dialect: dialect
    ).text
  }
}
