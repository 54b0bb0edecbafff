import Dashboard
import DatabaseConsole
import ObservationEngine

extension Session {
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
