import Dashboard
import DatabaseConsole
import ObservationEngine

extension Session {
  /// Keeps the panels of a database without a dashboard in line with its tables.
  func followTables() {
    onSchemaChange = { [weak self] in
      guard let self else { return }
      tablesAreOutdated = true
      if tableReader == nil { readTables() }
    }
  }

  /// Reads the tables until no later commit may have changed them.
  private func readTables() {
    tableReader = Task { [weak self] in
      while let self, tablesAreOutdated, !Task.isCancelled {
        tablesAreOutdated = false
        do {
          let tables = try await database.inBackground { [database] in try database.tables() }
          let renewed = LoadedDashboard.automatic(tables, dialect: database.dialect).definition
          if renewed != automatic { reload(renewed) }
          automatic = renewed
        } catch {
          // The panels report why the database can't be read; this tries again.
          tablesAreOutdated = true
        }
        // A busy writer is not followed commit by commit. Cancelling the wait ends the loop.
        try? await Task.sleep(for: .seconds(1))
      }
      self?.tableReader = nil
    }
  }

  /// Reads what the schema's tree requests, independently of everything else.
  func ask(_ effect: Effect) {
    work { [self] in
      let event: SchemaEvent
      do {
        switch effect {
        case .countRows(let tables):
          event = .counted(try await database.rowCounts(of: tables), asked: tables)
        case .measureSizes: event = .measured(try await database.storageSizes())
        default: event = .described(try await database.schema())
        }
      } catch let error as DatabaseError {
        event = .failed(effect.schemaQuestion, error.message)
      } catch {
        event = .failed(effect.schemaQuestion, "\(error)")
      }
      dispatch(.schema(event))
    }
  }
}

extension Effect {
  /// The part of the schema that it requests.
  fileprivate var schemaQuestion: SchemaQuestion {
    switch self {
    case .countRows(let tables): .counts(tables)
    case .measureSizes: .sizes
    default: .description
    }
  }
}
