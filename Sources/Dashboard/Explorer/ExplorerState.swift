package import DatabaseConsole
package import ObservationEngine

/// The explorer: a list of the tables, the rows of the one that is chosen, its columns, and the way
/// into it.
///
///     list ──Enter──▶ table ──f──▶ values of a column ──Enter──▶ rows with one of them
///      ▲                └────g──▶ groups by a column ──────────────────┘
///      └──────────────────────────── Esc: one step back ───────────────┘
///
/// It decides what is observed: the rows of one panel, and the counts of the tables in view. What
/// only a commit can change is read again after one, at most once a second.
package struct ExplorerState: Sendable, Equatable {
  /// The pane that has the focus.
  enum Pane: Sendable { case tables, rows, columns }

  /// The order of the list.
  enum Order: String, Sendable, CaseIterable {
    case recent = "recent first"
    case name = "by name"
    case rows = "by rows"
    case size = "by size"
  }

  /// Whether it is on the screen, and not a dashboard.
  private(set) var isShown = true
  private(set) var pane = Pane.tables
  /// The steps from the list to what is shown; empty while the list is.
  private(set) var path: [ExplorerSubject] = []
  private(set) var list = ExplorerList()
  /// The columns of the shown table: the chosen one, and those in view.
  private(set) var columns = ScrollingList(cursor: 0)
  private(set) var order = Order.recent
  private(set) var description: SchemaDescription?

  /// How many rows each table has, as far as that is cheap to know.
  private var estimates: [String: RowCount] = [:]
  /// How many rows the tables in view have.
  private var counts: [String: Int] = [:]
  /// How many rows a table had when it was found: the order of the list doesn't follow each commit.
  private var standings: [String: Int64] = [:]
  private(set) var pulses: [String: Pulse] = [:]
  /// The tables that were written while the program ran, the one that was so last in front.
  private var written: [String] = []
  /// Bytes by the name of a table or index.
  private(set) var sizes: [String: Int64] = [:]
  /// Tables that changed since.
  private var resized: Set<String> = []
  private(set) var statistics: [String: ColumnStatistics] = [:]
  /// Whether statistics are shown for each table that is chosen.
  private(set) var wantsStatistics = false
  /// The dashboard that was generated, as a file.
  package private(set) var generated: String?

  /// What the program was asked for.
  private var asked = Asked()

  /// What the program was asked for last, and what is to be asked for.
  private struct Asked: Sendable, Equatable {
    var panel: PanelDefinition?
    var counts: [String] = []
    var statistics: String?
    var isReadingStatistics = false
    /// Tables that must be surveyed.
    var unsurveyed: Set<String> = []
    var isSurveying = false
    /// Whether a survey was answered since there are tables.
    var isSurveyed = false
    var surveyedAt: UInt64?
    var wantsSizes = false
    var isMeasuring = false
    var measuredAt: UInt64?
    var areStatisticsOld = false
    var statisticsAt: UInt64?
    var statisticsCost: UInt64 = 0
  }

  /// When a table was changed last, and how often in the last minute.
  struct Pulse: Sendable, Equatable {
    private(set) var commits = CommitHistory.minute
    /// When the newest commit was observed.
    private(set) var time: Timestamp

    init(time: Timestamp) { self.time = time }

    mutating func note(_ commit: Commit, at now: UInt64) {
      commits.add(commit.count, at: now)
      time = commit.time
    }
  }

  /// Whose SQL the panels are.
  private let dialect: SQLDialect

  package init(dialect: SQLDialect = .sqlite) { self.dialect = dialect }

  /// What is shown; nil for nothing: the line under the cursor is a fold, or there is no table.
  var subject: ExplorerSubject? { path.last ?? list.chosenTable.map { .table($0) } }

  /// The table that it belongs to.
  var table: SchemaDescription.Table? { subject.flatMap { table(named: $0.table) } }

  /// Whether the schema has been read, and has no table or view.
  var isEmpty: Bool { description?.tables.isEmpty == true }

  /// The column under the cursor of the columns.
  var chosenColumn: String? {
    guard let table, let place = columns.cursor, table.columns.indices.contains(place) else {
      return nil
    }
    return table.columns[place].name
  }

  func table(named name: String) -> SchemaDescription.Table? {
    description?.tables.first { $0.name == name }
  }

  /// The tables that were written while the program ran.
  package var busyTables: Set<String> { Set(written) }

  /// How many rows a table has; nil while that is unknown, and for a view.
  func rows(of table: String) -> RowCount? {
    counts[table].map { .exact(Int64($0)) } ?? estimates[table]
  }

  /// How many bytes a table occupies with its indexes, and whether it may have changed since.
  func bytes(of table: String) -> (count: Int64, isOld: Bool)? {
    let names = [table] + (self.table(named: table)?.indexes.map(\.name) ?? [])
    let bytes = names.reduce(Int64(0)) { $0 + (sizes[$1] ?? 0) }
    return bytes > 0 ? (bytes, resized.contains(table)) : nil
  }

  /// Whether its sizes are known.
  var hasSizes: Bool { !sizes.isEmpty }

  /// Whether the statistics that are shown are still being read.
  var isReadingStatistics: Bool { asked.isReadingStatistics }

  /// Whether everything that it asked for has arrived.
  var isSettled: Bool {
    !asked.isSurveying && !asked.isMeasuring && !asked.isReadingStatistics
      && (description == nil || isEmpty || !list.lines.isEmpty || !list.filter.isEmpty)
      && asked.counts.allSatisfy { counts[$0] != nil || estimates[$0] == nil }
  }

  // MARK: What the user does

  mutating func focus(_ pane: Pane) { self.pane = pane }

  mutating func move(by step: Int, visible: Int) {
    switch pane {
    case .tables: moveList(to: list.cursor + step, visible: visible)
    case .columns:
      columns.choose(by: step, of: table?.columns.count ?? 0, visible: visible)
    case .rows: break
    }
  }

  mutating func moveList(to line: Int, visible: Int) {
    let former = list.chosenTable
    list.move(to: line, visible: visible)
    if list.chosenTable != former { columns.moveToStart() }
  }

  mutating func moveColumns(to line: Int, visible: Int) {
    columns.choose(line, of: table?.columns.count ?? 0, visible: visible)
  }

  /// Opens the fold under the cursor, or closes it; false when there is none.
  mutating func toggleFold(isOpen: Bool? = nil) -> Bool {
    guard case .fold(let fold, _)? = list.chosen else { return false }
    list.set(fold, isOpen: isOpen ?? !list.opened.contains(fold))
    arrange()
    return true
  }

  mutating func setFilter(_ text: String) {
    let former = list.chosenTable
    list.filter = text
    arrange()
    if list.chosenTable != former { columns.moveToStart() }
  }

  mutating func nextOrder() {
    let all = Order.allCases
    let place = all.firstIndex(of: order) ?? 0
    order = all[(place + 1) % all.count]
    arrange()
  }

  /// Goes a step further.
  mutating func push(_ subject: ExplorerSubject) {
    // The way starts at the table whose rows stand beside the list.
    if path.isEmpty, let shown = self.subject, shown != subject { path = [shown] }
    if path.last != subject { path.append(subject) }
    pane = .rows
  }

  /// Goes a step back; false at the list.
  mutating func pop() -> Bool {
    guard !path.isEmpty else { return false }
    path.removeLast()
    pane = path.isEmpty ? .tables : .rows
    return true
  }

  /// Shows a table, as if it had been opened from the list.
  mutating func open(_ table: String) {
    path = [.table(table)]
    pane = .rows
    columns.moveToStart()
    if let fold = fold(of: table) { list.set(fold, isOpen: true) }
    list.filter = ""
    arrange()
    list.choose(table, visible: 0)
  }

  mutating func toggleStatistics() { wantsStatistics.toggle() }

  /// Leaves the screen to a dashboard, or returns.
  mutating func show(_ isShown: Bool) {
    self.isShown = isShown
    asked.panel = nil
    if !isShown {
      asked.counts = []
      forgetStatistics()
    }
  }

  mutating func requestSizes() { asked.wantsSizes = true }

  // MARK: What comes in

  /// - Returns: What is shown no longer, because its table or column is gone.
  mutating func receive(_ new: SchemaDescription) -> ExplorerSubject? {
    let former = Dictionary(
      (description?.tables ?? []).map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    description = new
    let names = Set(new.tables.map(\.name))
    estimates = estimates.filter { names.contains($0.key) }
    counts = counts.filter { names.contains($0.key) }
    standings = standings.filter { names.contains($0.key) }
    pulses = pulses.filter { names.contains($0.key) }
    written.removeAll { !names.contains($0) }
    asked.unsurveyed.formIntersection(names)
    if names.isEmpty { asked.isSurveyed = false }
    for table in new.tables where table.kind != .view && former[table.name] != table {
      asked.unsurveyed.insert(table.name)
      // A new table need not wait for its turn.
      asked.surveyedAt = nil
    }
    let lost = path.first { subject in
      guard let table = new.tables.first(where: { $0.name == subject.table }) else { return true }
      return subject.column.map { column in !table.columns.contains { $0.name == column } } ?? false
    }
    if let lost, let place = path.firstIndex(of: lost) {
      path.removeSubrange(place...)
      pane = path.isEmpty ? .tables : .rows
    }
    arrange()
    return lost
  }

  mutating func receive(_ new: [String: RowCount]?, asked tables: [String]) {
    asked.isSurveying = false
    asked.isSurveyed = true
    if let new {
      for table in tables {
        estimates[table] = new[table]
        if standings[table] == nil || standings[table] == 0 {
          standings[table] = new[table].map(Self.number)
        }
      }
    } else {
      // A locked database is asked again after a while; until then, what was known is shown.
      asked.unsurveyed.formUnion(tables)
    }
    arrange()
  }

  mutating func receive(counts new: [String: Int]) {
    for (table, count) in new where asked.counts.contains(table) { counts[table] = count }
    arrange()
  }

  mutating func receive(sizes new: [String: Int64]?) {
    asked.isMeasuring = false
    guard let new else { return }
    sizes = new
    if order == .size { arrange() }
  }

  mutating func receive(
    _ new: [String: ColumnStatistics], of table: String, cost: UInt64
  ) {
    guard table == asked.statistics else { return }
    asked.isReadingStatistics = false
    asked.statisticsCost = cost
    statistics = new
  }

  mutating func receive(generated text: String) { generated = text }

  /// Records what a commit changed.
  mutating func note(_ commit: Commit, at now: UInt64) {
    let tables = description?.tables ?? []
    guard case .named(let names) = commit.tables else {
      asked.unsurveyed.formUnion(tables.lazy.filter { $0.kind != .view }.map(\.name))
      resized.formUnion(tables.map(\.name))
      asked.areStatisticsOld = true
      return
    }
    var changed = Set(names)
    // A virtual table is written through its shadow tables.
    for table in tables where table.kind == .virtual {
      if names.contains(where: { $0.asciiLowercased.hasPrefix(table.name.asciiLowercased + "_") }) {
        changed.insert(table.name)
      }
    }
    let folded = Set(changed.map(\.asciiLowercased))
    var isNewlyWritten = false
    for table in tables where table.kind != .view && folded.contains(table.name.asciiLowercased) {
      let name = table.name
      if pulses[name] == nil {
        written.insert(name, at: 0)
        isNewlyWritten = true
      }
      pulses[name, default: Pulse(time: commit.time)].note(commit, at: now)
      asked.unsurveyed.insert(name)
      resized.insert(name)
      if name == asked.statistics { asked.areStatisticsOld = true }
    }
    if isNewlyWritten { arrange() }
  }

  // MARK: What it asks for

  /// What the program must do now.
  ///
  /// - Parameters:
  ///   - visible: How many lines of the list are in view.
  ///   - showsColumns: Whether the columns are in view.
  ///   - database: The size of the file decides what is read without being asked for.
  ///   - separator: Between the steps of a title.
  mutating func wishes(
    visible: Int, showsColumns: Bool, database: DatabaseInfo, separator: String, at now: UInt64
  ) -> [ExplorerEffect] {
    var effects: [ExplorerEffect] = []
    if !asked.isSurveying, !asked.unsurveyed.isEmpty, surveyingMoment.map({ $0 <= now }) ?? true {
      asked.isSurveying = true
      asked.surveyedAt = now
      effects.append(.survey(asked.unsurveyed.sorted()))
      asked.unsurveyed = []
    }
    guard isShown, description != nil else { return effects }
    list.clamp(visible: visible)
    if let panel = wantedPanel(separator), panel != asked.panel {
      asked.panel = panel
      effects.append(.show(panel))
    }
    if path.isEmpty || asked.counts.isEmpty {
      let counted = wantedCounts(visible: visible, database)
      if counted != asked.counts {
        asked.counts = counted
        counts = counts.filter { counted.contains($0.key) }
        effects.append(.count(counted))
      }
    }
    effects += wantedSizes(database, at: now)
    return effects + wantedStatistics(showsColumns, at: now)
  }

  /// When ``wishes(visible:showsColumns:database:separator:at:)`` has further ones, or an activity
  /// looks different.
  func changesAt(after now: UInt64) -> UInt64? {
    var moments = pulses.values.compactMap { $0.commits.nextChange(after: now) }
    if !asked.unsurveyed.isEmpty, !asked.isSurveying, let moment = surveyingMoment {
      moments.append(moment)
    }
    if asked.wantsSizes, !asked.isMeasuring, let moment = measuringMoment {
      moments.append(moment)
    }
    if asked.areStatisticsOld, !asked.isReadingStatistics, let moment = statisticsMoment {
      moments.append(moment)
    }
    return moments.min()
  }

  /// A busy writer does not cause a survey after each commit.
  private var surveyingMoment: UInt64? { asked.surveyedAt.map { $0 + 1_000_000_000 } }
  private var measuringMoment: UInt64? { asked.measuredAt.map { $0 + 3_000_000_000 } }
  /// Reading the columns again takes a fifth of the time at most.
  private var statisticsMoment: UInt64? {
    asked.statisticsAt.map { $0 + max(1_000_000_000, asked.statisticsCost * 5) }
  }

  private func wantedPanel(_ separator: String) -> PanelDefinition? {
    guard let subject, let table else {
      return isEmpty ? ExplorerSubject.nothing(in: dialect) : nil
    }
    return subject.panel(of: table, title: title(separator), dialect: dialect)
  }

  /// The way to what is shown, for its title.
  func title(_ separator: String) -> String {
    guard !path.isEmpty else { return subject?.step ?? "" }
    var steps: [String] = []
    for (index, subject) in path.enumerated() {
      let former = index > 0 ? path[index - 1] : nil
      let isSameTable = former.map { $0.table == subject.table } ?? true
      // `ShipCountry = France` says both.
      if case .matches = subject, let former, isSameTable, former.column == subject.column {
        steps.removeLast()
      }
      // A foreign key leads to rows of another table.
      if !isSameTable, subject.column != nil { steps.append(subject.table) }
      steps.append(subject.step)
    }
    return steps.joined(separator: separator)
  }

  /// The tables in view whose count costs what a commit changed, or little.
  private func wantedCounts(visible: Int, _ database: DatabaseInfo) -> [String] {
    list.visible(max(1, visible)).compactMap { line in
      guard case .table(let name) = line, let table = table(named: name), table.kind == .table,
        let estimate = estimates[name].map(Self.number)
      else { return nil }
      // In WAL mode counts are kept up to date; otherwise each commit counts again.
      let limit: Int64 = database.journalMode == "wal" ? 50_000_000 : 100_000
      return estimate <= limit ? name : nil
    }.sorted()
  }

  /// Reading the sizes means reading the file: without being asked, only of a small one.
  private mutating func wantedSizes(_ database: DatabaseInfo, at now: UInt64) -> [ExplorerEffect] {
    // A server knows the sizes without reading the tables.
    let isSmall = database.server != nil || database.fileBytes.map { $0 <= 64 << 20 } ?? false
    if isSmall, !resized.isEmpty || asked.measuredAt == nil { asked.wantsSizes = true }
    guard asked.wantsSizes, !asked.isMeasuring, measuringMoment.map({ $0 <= now }) ?? true else {
      return []
    }
    asked.wantsSizes = false
    asked.isMeasuring = true
    asked.measuredAt = now
    resized = []
    return [.measure]
  }

  private mutating func wantedStatistics(_ showsColumns: Bool, at now: UInt64) -> [ExplorerEffect] {
    let wanted = wantsStatistics && showsColumns ? table : nil
    guard let wanted else {
      guard asked.statistics != nil else { return [] }
      forgetStatistics()
      return [.stopSummarizing]
    }
    if asked.statistics != wanted.name {
      forgetStatistics()
    } else if !asked.areStatisticsOld || asked.isReadingStatistics
      || statisticsMoment.map({ $0 > now }) ?? false
    {
      return []
    }
    asked.statistics = wanted.name
    asked.isReadingStatistics = true
    asked.areStatisticsOld = false
    asked.statisticsAt = now
    return [.summarize(table: wanted.name, columns: wanted.columns.map(\.name))]
  }

  private mutating func forgetStatistics() {
    statistics = [:]
    asked.statistics = nil
    asked.isReadingStatistics = false
    asked.areStatisticsOld = false
    asked.statisticsAt = nil
  }

  // MARK: The list

  private mutating func arrange() {
    let names = (description?.tables ?? []).map(\.name)
    // The first list waits until it is known which tables are empty. That is asked once: beside a
    // writer without a pause there is always a table to survey again.
    let isAwaited = asked.isSurveying || !asked.unsurveyed.isEmpty
    guard !list.lines.isEmpty || asked.isSurveyed || !isAwaited else { return }
    let folds = Dictionary(
      names.compactMap { name in fold(of: name).map { (name, $0) } },
      uniquingKeysWith: { first, _ in first })
    list.arrange(sorted(names)) { folds[$0] }
  }

  private func sorted(_ names: [String]) -> [String] {
    func byName(_ left: String, _ right: String) -> Bool {
      left.asciiLowercased < right.asciiLowercased
    }
    func number(_ name: String) -> Int64 {
      switch order {
      case .recent: standings[name] ?? 0
      case .rows: rows(of: name).map(Self.number) ?? 0
      case .size: bytes(of: name)?.count ?? 0
      case .name: 0
      }
    }
    let places = Dictionary(uniqueKeysWithValues: written.enumerated().map { ($1, $0) })
    return names.sorted { left, right in
      if order == .recent, places[left] != places[right] {
        return (places[left] ?? .max) < (places[right] ?? .max)
      }
      let (a, b) = (number(left), number(right))
      return a != b ? a > b : byName(left, right)
    }
  }

  /// The names of the tables under a fold, in their order.
  func folded(_ fold: ExplorerList.Fold) -> [String] {
    sorted((description?.tables ?? []).map(\.name).filter { self.fold(of: $0) == fold })
  }

  /// Where a table is folded.
  private func fold(of name: String) -> ExplorerList.Fold? {
    guard let table = table(named: name) else { return nil }
    switch table.kind {
    case .view: return .views
    case .shadow: return .internal
    case .table, .virtual:
      if Self.isBookkeeping(name) { return .internal }
      return rows(of: name) == .exact(0) ? .empty : nil
    }
  }

  /// Whether a table belongs to a tool, such as one that migrates the schema.
  static func isBookkeeping(_ name: String) -> Bool {
    name.hasPrefix("_") || tools.contains(name.asciiLowercased)
  }

  private static let tools: Set<String> = [
    "android_metadata", "room_master_table", "schema_migrations", "ar_internal_metadata",
    "django_migrations", "goose_db_version", "alembic_version", "knex_migrations",
    "knex_migrations_lock", "sequelizemeta", "flyway_schema_history", "grdb_migrations",
  ]

  static func number(_ count: RowCount) -> Int64 {
    switch count {
    case .exact(let number), .estimate(let number), .moreThan(let number): number
    }
  }
}

/// What the explorer asks the program for.
package enum ExplorerEffect: Sendable, Equatable {
  /// Observe this panel instead of the one before.
  case show(PanelDefinition)
  /// Observe the number of rows of these tables; answered by ``ExplorerAction/counted(_:)``.
  case count([String])
  /// Find out which of these tables are empty, and about how long the others are; answered by
  /// ``ExplorerAction/surveyed(_:asked:)``.
  case survey([String])
  /// Find out how many bytes each table occupies; answered by ``ExplorerAction/measured(_:)``.
  case measure
  /// Summarize these columns, in a limited time, instead of those before; answered by
  /// ``ExplorerAction/summarized(_:table:cost:)``.
  case summarize(table: String, columns: [String])
  case stopSummarizing
  /// Make a dashboard for the database; answered by ``ExplorerAction/generated(_:)``.
  case generate
  /// Observe the panels of this dashboard instead of the explorer's.
  case open(dashboard: String)
  /// Write the generated dashboard, with pinned panels, to a new file; answered by
  /// ``Action/message(_:_:)``, and ``ConsoleEvent/kept(_:)``.
  case save(text: String, pinned: [PanelDefinition], file: String)
}

/// The program's answers to the explorer.
package enum ExplorerAction: Sendable {
  /// The rows of these tables; missing ones could not be counted.
  case surveyed([String: RowCount]?, asked: [String])
  case counted([String: Int])
  /// Nil when SQLite can't tell.
  case measured([String: Int64]?)
  /// - Parameter cost: How long it took, in nanoseconds.
  case summarized([String: ColumnStatistics], table: String, cost: UInt64)
  /// The text of a dashboard file.
  case generated(String)
  /// A panel was added, so that a dashboard takes the screen.
  case left
}
