import Dashboard
import DatabaseConsole
import ObservationEngine

extension Session {
  /// Keeps the panels of a database without a dashboard in line with its tables.
  func followTables() {
    onSchemaChange = { [weak self] in
      guard let self else { return }
      tables.isOutdated = true
      if tables.reader == nil { readTables() }
    }
  }

  /// Reads the tables until no later commit may have changed them.
  private func readTables() {
    tables.reader = Task { [weak self] in
      while let self, tables.isOutdated, !Task.isCancelled {
        tables.isOutdated = false
        do {
          let described = try await database.read { try $0.describedTables() }
          let renewed = LoadedDashboard.automatic(described).definition
          if renewed != tables.definition { reload(renewed) }
          tables.definition = renewed
        } catch {
          // The panels report why the database can't be read; this tries again.
          tables.isOutdated = true
        }
        // A busy writer is not followed commit by commit. Cancelling the wait ends the loop.
        try? await Task.sleep(for: .seconds(1))
      }
      self?.tables.reader = nil
    }
  }

  /// Reads what the schema's tree requests, independently of everything else.
  func perform(_ effect: SchemaEffect) {
    work { [self] in
      let event: SchemaEvent
      do {
        switch effect {
        case .countRows(let tables):
          event = .counted(try await database.rowCounts(of: tables), asked: tables)
        case .measureSizes: event = .measured(try await database.storageSizes())
        case .describe: event = .described(try await database.schema())
        }
      } catch let error as DatabaseError {
        event = .failed(effect.question, error.message)
      } catch {
        event = .failed(effect.question, "\(error)")
      }
      dispatch(.schema(event))
    }
  }
}

extension SchemaEffect {
  /// The part of the schema that it requests.
  fileprivate var question: SchemaQuestion {
    switch self {
    case .countRows(let tables): .counts(tables)
    case .measureSizes: .sizes
    case .describe: .description
    }
  }
}
