import Dashboard
import DatabaseConsole
import ObservationEngine

extension Session {
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
