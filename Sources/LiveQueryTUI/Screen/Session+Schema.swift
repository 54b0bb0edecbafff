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

extension Session {
  /// Reads what can be chosen for the parameters.
  func readChoices() {
    let definitions = definition.parameters
    work { [self] in
      let given = arguments.parameters
      // The list keeps its values when they can't be read.
      let read = try? await database.inBackground { [database] in
        ParameterChoices.read(definitions, given: given, database)
      }
      if let read { dispatch(.parameters(read)) }
    }
  }

  /// Reports the values that the panels have now.
  func tellParameters() {
    dispatch(
      .parameters(
        state.parameters.map { parameter in
          ChosenParameter(
            name: parameter.name, value: arguments.parameters[parameter.name] ?? parameter.value,
            choices: parameter.choices)
        }))
  }

  /// Finds the row that a value refers to.
  func findReference(_ cell: FollowedCell) {
    work { [self] in
      do {
        let reference = try await database.reference(ofColumn: cell.column, in: cell.sql)
        dispatch(.referenceFound(reference, of: cell))
      } catch {
        dispatch(.message("not followed: \(error)", .error))
      }
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
