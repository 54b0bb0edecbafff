/// One panel as its author wrote it: a query, and what the directives above the query say.
package struct PanelDefinition: Sendable, Equatable {
  /// Where the parts of a panel stand in the dashboard file.
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
    /// What else names a column, and where.
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
    /// The word of the directive.
    package var directive: String
    package var column: String
    package var position: SourcePosition
  }

  /// What `--panel`, the layout and the records of `--stream` call it; unique in its dashboard.
  package var name: String
  /// What its frame shows instead of the name.
  package var title: String?
  /// One statement, without the semicolon.
  package var sql: String
  /// How it shall be shown; nil leaves the choice to the shape of the result.
  package var view: ViewKind?
  /// The columns that tell which row is which; empty: the whole row does.
  package var key: [String]
  /// The column by which rows are ranked.
  package var rank: String?
  /// When the panel alerts.
  package var alert: AlertRule?
  /// What runs when it does.
  package var onAlert: HookCommand?
  /// What the directive says about the view beside its name.
  package var options = ViewOptions()
  /// How many rows the query returns at most, where its LIMIT was not the person's own; nil otherwise.
  package var rowLimit: Int?
  /// How columns are written that are not written as usual.
  package var formats: [ColumnFormatting] = []
  /// The column whose history each row shows.
  package var spark: String?
  /// What the file says of the panel beside its name, as `key: value`; empty for panels of no file.
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

  /// What the panel's frame shows: the title, or else the name.
  package var displayTitle: String { title ?? name }

  /// Whether its rows are only shown, so that of many rows those around the view are enough: a chart and
  /// an alert look at all of them.
  package var isWindowed: Bool {
    alert == nil && (view == nil || view == .table || view == .log)
  }

  /// The place in the dashboard file of a byte of ``sql``: where SQLite says that an error is.
  ///
  /// - Parameter offset: In UTF-8 bytes; a place outside the query counts as its nearest end.
  package func position(ofByteOffset offset: Int) -> SourcePosition {
    let head = sql.utf8.prefix(max(0, offset))
    return source.sql.advanced(over: sql[..<head.endIndex])
  }
}
