package import ObservationEngine

/// A session of refreshes as lines of JSON, for `--record` and `--replay`.
///
/// The first line says what is recorded and in which version of this format; each later one is a
/// refresh, other panels, or new information about the file, `t` microseconds after the start:
///
///     {"livequery":"recording","version":2,"program":"livequery 0.1.0","started":1795176271204000,
///      "offset":3600,"database":"app.db","readonly":false,"dashboard":"arena.sql",
///      "definition":{"panels":[{"name":"fame","sql":"SELECT …","directives":["key: player"]}]}}
///     {"t":0,"tx":0,"ms":1.25,"panels":{"0":{"columns":["n"],"rows":[[1]]}},"events":[…]}
///     {"t":1000,"info":{"mode":"wal","file":4096,"wal":0,"watch":"inotify"}}
///     {"t":2000,"definition":{"panels":[…],"layout":[["fame","fame"]]}}
///
/// A result that is too long to load has only the rows that were viewed, and their position among
/// those that pass the filter:
///
///     {"columns":["n"],"rows":[[512]],"part":{"first":511,"total":1000000,"all":1000000}}
///
/// Rows that were filtered or sorted say by what; columns are numbered from 0:
///
///     "part":{"first":0,"total":4000,"all":12000,"filter":"buy","sort":1,"descending":true}
///
/// Version 1 has no parts; its recordings play as before. Parts without a filter or an order are
/// the query's own rows.
///
/// Values are as in `--json`: integers exact, a BLOB is `{"$blob":"<base64>"}`. Typed text is not
/// recorded, except for the filter of a long result; the rows of the panels are: passing a
/// recording on passes them on.
package enum RecordingFormat {
  package static let version: Int64 = 2

  /// The content of the first line.
  package struct Header: Sendable, Equatable {
    /// The program that wrote it.
    package var program: String
    package var started: Timestamp
    package var utcOffsetSeconds: Int
    package var databaseName: String
    package var isReadOnly: Bool
    /// The dashboard file's name; nil without one.
    package var dashboardName: String?
    /// The preset that was shown at the start.
    package var preset: String?
    package var definition: DashboardDefinition

    package init(
      program: String, started: Timestamp, utcOffsetSeconds: Int, databaseName: String,
      isReadOnly: Bool, dashboardName: String? = nil, preset: String? = nil,
      definition: DashboardDefinition
    ) {
      self.program = program
      self.started = started
      self.utcOffsetSeconds = utcOffsetSeconds
      self.databaseName = databaseName
      self.isReadOnly = isReadOnly
      self.dashboardName = dashboardName
      self.preset = preset
      self.definition = definition
    }
  }

  /// The content of a later line.
  package enum Entry: Sendable {
    /// Results, and by panel the parameters of windows of long ones; none for the query's own rows.
    case refresh(Refresh, looks: [Int: RowRequest.Look] = [:])
    case info(DatabaseInfo)
    /// The panels were replaced; later results are numbered by these.
    case panels(DashboardDefinition)
  }
}
