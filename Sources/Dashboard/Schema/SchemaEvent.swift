package import DatabaseConsole
import ObservationEngine

/// The program's answers about the schema.
package enum SchemaEvent: Sendable {
  case described(SchemaDescription)
  /// The row counts of these tables; missing ones could not be counted.
  case counted([String: RowCount], asked: [String])
  case measured([String: Int64])
  /// A request failed, and why.
  case failed(SchemaQuestion, String)
}

/// The requests of the tree.
package enum SchemaQuestion: Sendable, Hashable {
  case description
  case counts([String])
  case sizes
}

/// What the tree of the schema asks of the database.
package enum SchemaEffect: Sendable, Equatable {
  /// Read the schema; answered by ``SchemaEvent/described(_:)``.
  case describe
  /// Count the rows of these tables; answered by ``SchemaEvent/counted(_:asked:)``.
  case countRows([String])
  /// Determine how much of the file each table and index occupies; answered by
  /// ``SchemaEvent/measured(_:)``.
  case measureSizes
}

extension SchemaBrowser {
  private static let measuring = Message("reading the whole file for the sizes")

  /// Handles an answer.
  ///
  /// - Parameter visible: How many lines are in view.
  mutating func receive(_ event: SchemaEvent, _ news: inout News, visible: Int) {
    switch event {
    case .described(let description): receive(description)
    case .counted(let counts, let asked): receive(counts, asked: asked)
    case .measured(let sizes):
      receive(sizes: sizes)
      if news.message == Self.measuring { news.message = nil }
    case .failed(let question, let error):
      fail(question, error, at: news.now.monotonic)
      switch question {
      case .description: break
      case .counts: news.message = Message("rows cannot be counted: \(error)", .warning)
      case .sizes: news.message = Message("sizes cannot be read: \(error)", .error)
      }
    }
    move(by: 0, visible: visible)
  }

  /// Asks for the sizes of tables and indexes, which are read from the whole file.
  mutating func measure(_ news: inout News) -> [SchemaEffect] {
    guard !isMeasuring else { return [] }
    isMeasuring = true
    news.message = Self.measuring
    return [.measureSizes]
  }
}

extension SchemaBrowser {
  /// Where opening a line leads, beyond the tree.
  enum Opening {
    case rows(SchemaDescription.Table)
    case statement(name: String, sql: String)
  }

  /// Opens the line under the cursor: a group, the rows of a table, the table that a key refers to.
  ///
  /// - Parameter visible: How many lines are in view.
  mutating func openChosen(_ news: inout News, visible: Int) -> Opening? {
    guard let node = chosen?.node else { return nil }
    switch node {
    case .group: toggle()
    case .table(let name):
      guard let table = self.table(name), table.trouble == nil else { return nil }
      return .rows(table)
    case .foreignKey(let table, let index):
      guard let keys = self.table(table)?.foreignKeys, keys.indices.contains(index) else {
        return nil
      }
      jump(to: keys[index].table, &news, visible: visible)
    case .column(let table, let name):
      // A column with a foreign key leads to the other table.
      let keys = self.table(table)?.foreignKeys ?? []
      guard let key = keys.first(where: { $0.columns.contains(name) }) else {
        return statementOfChosen
      }
      jump(to: key.table, &news, visible: visible)
    case .index, .trigger, .listed: return statementOfChosen
    }
    return nil
  }

  /// The statement that created the object under the cursor.
  var statementOfChosen: Opening? {
    chosen.flatMap { statement(of: $0.node) }.map { .statement(name: $0.name, sql: $0.sql) }
  }

  private mutating func jump(to table: String, _ news: inout News, visible: Int) {
    if !jump(to: table, visible: visible) {
      news.message = Message("there is no table \(table)", .error)
    }
  }

  /// Handles a click on a line.
  ///
  /// - Returns: Whether it opens the line that was chosen already.
  mutating func click(line: Int, visible: Int, isFocused: Bool) -> Bool {
    guard lines.indices.contains(line) else { return false }
    if isFocused, cursor == line { return true }
    move(to: line, visible: visible)
    return false
  }
}

extension SchemaBrowser {
  /// The name of a line's object, and the statement that created it.
  func statement(of node: Node) -> (name: String, sql: String)? {
    let automatic = "-- made by SQLite for a constraint of its table"
    switch node {
    case .group: return nil
    case .table(let name), .column(let name, _), .foreignKey(let name, _):
      return (name, table(name)?.sql ?? automatic)
    case .index(let table, let name):
      let index = self.table(table)?.indexes.first { $0.name == name }
      return (name, index?.sql ?? automatic)
    case .trigger(let table, let name):
      let trigger = self.table(table)?.triggers.first { $0.name == name }
      return (name, trigger?.sql ?? "")
    case .listed(_, let name):
      for table in description?.tables ?? [] {
        if let index = table.indexes.first(where: { $0.name == name }) {
          return (name, index.sql ?? automatic)
        }
        if let trigger = table.triggers.first(where: { $0.name == name }) {
          return (name, trigger.sql ?? "")
        }
      }
      return nil
    }
  }
}
