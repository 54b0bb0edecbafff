import Dashboard
import ObservationEngine

extension Session {
  /// Reads what the schema's tree asks for, beside everything else.
  func ask(_ effect: Effect) {
    underWay += 1
    Task { [weak self, database] in
      let event: SchemaEvent
      do {
        switch effect {
        case .countRows(let tables):
          event = .counted(try await database.rowCounts(of: tables), asked: tables)
        case .measureSizes: event = .measured(try await database.storageSizes())
        default: event = .described(try await database.schema())
        }
      } catch let error as DatabaseError {
        event = .failed(error.message)
      } catch {
        event = .failed("\(error)")
      }
      self?.underWay -= 1
      self?.dispatch(.schema(event))
    }
  }
}
