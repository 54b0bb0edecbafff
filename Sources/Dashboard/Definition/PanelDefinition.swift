/// One panel as its author wrote it: a query, and the directives above it.
package struct PanelDefinition: Sendable, Equatable {
  /// The positions of a panel's parts in the dashboard file.
  package struct Source: Sendable, Equatable {
    /// Of the value of `-- name:`, or of the query when it has no name.
    package var name: SourcePosition
    /// Of the first character of ``PanelDefinition/sql``.
    package var sql: SourcePosition
    /// Of each column that `-- key:` names.
    package var key: [SourcePosition]
    /// Of the column that `-- rank:` names.
    package var rank: SourcePosition?
    /// Of the rule of `-- alert:`.
    package var alert: SourcePosition?
    /// The other columns that directives name, and where.
    package var columns: [NamedColumn] = []

    package init(
      name: SourcePosition = .start, sql: SourcePosition = .start, key: [SourcePosition] = [],
      rank: SourcePosition? = nil, columns: [NamedColumn] = []
    ) {
      self.name = name
      self.sql = sql
      self.key = key
      self.rank = rank
      self.columns = columns
    }
  }

  /// A column that a directive names.
  package struct NamedColumn: Sendable, Equatable {
    /// The directive's key.
    package var directive: String
    package var column: String
    package var position: SourcePosition
  }

  /// Its name for `--panel`, the layout and the records of `--stream`; unique in its dashboard.
  package var name: String
  /// The title in its frame, instead of the name.
  package var title: String?
  /// Whether a row opened it: then its title names the way to it, in steps.
  package var isDetail = false
  static let step = " > "
  /// One statement, without the semicolon.
  package var sql: String
  /// How to show it; nil leaves the choice to the shape of the result.
  package var view: ViewKind?
  /// The columns that identify a row; empty: all columns do.
  package var key: [String]
  /// The column by which rows are ranked.
  package var rank: String?
  /// When the panel alerts.
  package var alert: AlertRule?
  /// The command to run when it does.
  package var onAlert: HookCommand?
  /// The options after the view's name.
  package var options = ViewOptions()
  /// The maximum number of rows, if its LIMIT was not written by the user; nil otherwise.
  package var rowLimit: Int?
  /// Columns with a format other than the default.
  package var formats: [ColumnFormatting] = []
  /// Columns whose values have colours.
  package var colors: [ColumnColoring] = []
  /// The column whose history each row shows.
  package var spark: String?
  /// What Enter opens on a row; nil when it shows the row.
  package var drill: Drill?
  /// The file's directives for the panel except its name, as `key: value`; empty for panels without
  /// a file.
  package var directives: [String] = []
  package var source: Source

  package init(
    name: String, title: String? = nil, sql: String, view: ViewKind? = nil, key: [String] = [],
    rank: String? = nil, options: ViewOptions = ViewOptions(), formats: [ColumnFormatting] = [],
    spark: String? = nil, source: Source = Source()
  ) {
    self.name = name
    self.title = title
    self.sql = sql
    self.view = view
    self.key = key
    self.rank = rank
    self.options = options
    self.formats = formats
    self.spark = spark
    self.source = source
  }

  /// The title in the panel's frame: the title, or else the name.
  package var displayTitle: String { title ?? name }

  /// Its directives but the name, as they stand above its query in a file.
  package var directiveLines: String { directives.map { "-- \($0)\n" }.joined() }

  /// Whether its rows are only displayed, so that of many rows those around the view suffice: a
  /// chart and an alert evaluate all of them.
  package var isWindowed: Bool {
    alert == nil && view.map { $0.has(.partial) } ?? true
  }

  /// The position in the dashboard file of a byte of ``sql``, where SQLite reports an error.
  ///
  /// - Parameter offset: In UTF-8 bytes; a position outside the query counts as its nearest end.
  package func position(ofByteOffset offset: Int) -> SourcePosition {
    let head = sql.utf8.prefix(max(0, offset))
    return source.sql.advanced(over: sql[..<head.endIndex])
  }
}
