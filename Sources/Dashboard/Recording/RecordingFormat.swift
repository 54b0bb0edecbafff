package import ObservationEngine

/// A session of refreshes as lines of JSON, for `--record` and `--replay`.
///
/// The first line says what is played and by which version of this format; each later one is a
/// refresh, or what became known of the file, `t` microseconds after the start:
///
///     {"livequery":"recording","version":1,"program":"livequery 0.1.0","started":1795176271204000,
///      "offset":3600,"database":"app.db","readonly":false,
///      "dashboard":{"file":"arena.sql","text":"-- name: …"},"panels":[…],"layout":[…]}
///     {"t":0,"tx":0,"ms":1.25,"panels":{"0":{"columns":["n"],"rows":[[1]],"ms":0.5}},"events":[…]}
///     {"t":1000,"info":{"mode":"wal","file":4096,"wal":0,"watch":"inotify"}}
///
/// Values are as in `--json`: integers exact, a BLOB is `{"$blob":"<base64>"}`. What is typed is not
/// recorded, but the rows of the panels are: whoever hands a recording on hands them on.
package enum RecordingFormat {
  package static let version: Int64 = 1

  /// What the first line says.
  package struct Header: Sendable, Equatable {
    /// Which program wrote it.
    package var program: String
    package var started: Timestamp
    package var utcOffsetSeconds: Int
    package var databaseName: String
    package var isReadOnly: Bool
    /// The dashboard file's name and text; nil without one.
    package var file: (name: String, text: String)?
    /// Panels that do not come from the file.
    package var panels: [PanelDefinition]
    /// The layout of panels without a file.
    package var layout: [[String]]
    /// The one panel of `--panel`, by name.
    package var onlyPanel: String?
    package var title: String?

    package init(
      program: String, started: Timestamp, utcOffsetSeconds: Int, databaseName: String,
      isReadOnly: Bool, file: (name: String, text: String)? = nil, panels: [PanelDefinition] = [],
      layout: [[String]] = [], onlyPanel: String? = nil, title: String? = nil
    ) {
      self.program = program
      self.started = started
      self.utcOffsetSeconds = utcOffsetSeconds
      self.databaseName = databaseName
      self.isReadOnly = isReadOnly
      self.file = file
      self.panels = panels
      self.layout = layout
      self.onlyPanel = onlyPanel
      self.title = title
    }

    package static func == (left: Header, right: Header) -> Bool {
      left.program == right.program && left.started == right.started
        && left.utcOffsetSeconds == right.utcOffsetSeconds
        && left.databaseName == right.databaseName && left.isReadOnly == right.isReadOnly
        && left.file?.name == right.file?.name && left.file?.text == right.file?.text
        && left.panels == right.panels && left.layout == right.layout
        && left.onlyPanel == right.onlyPanel && left.title == right.title
    }
  }

  /// What a later line says.
  package enum Entry: Sendable {
    case refresh(Refresh)
    case info(DatabaseInfo)
  }
}

extension RecordingFormat.Header {
  /// The dashboard that was shown.
  package var definition: DashboardDefinition {
    var definition = DashboardDefinition(title: title, panels: [], layout: layout)
    if let file {
      definition = DashboardParser.parse(file.text).definition
      // A layout that knows only the file's panels would hide the others.
      if !panels.isEmpty { definition.layout = [] }
    }
    definition.panels += panels
    if let onlyPanel {
      definition.panels.removeAll { $0.name != onlyPanel }
      definition.layout = []
    }
    return definition
  }
}
