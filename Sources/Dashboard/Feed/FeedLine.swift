import ObservationEngine

/// The text of one event.
struct FeedLine {
  var time: Timestamp
  var ordinal = "-"
  var origin: Commit.Origin? = .own
  /// The description, from the full wording to the few cells of a narrow feed.
  let texts: [String]
  /// The names at the end of the description.
  var tables: [String] = []
  /// The panels that followed; nil for an event that concerns none.
  var panels: String?
  let duration: String
  var role = Style.Role.text

  init(_ entry: Feed.Entry) {
    duration = entry.duration.map { QuantityText.duration($0) } ?? ""
    switch entry.event {
    case .commit(let commit):
      time = commit.time
      texts = Self.texts(commit, entry.burst)
      ordinal = String(commit.ordinal)
      origin = commit.origin
      if commit.kind == .data, case .named(let names) = commit.tables { tables = names }
      if commit.kind != .data { role = .warning }
    case .rollback(let time):
      self.time = time
      texts = ["rolled back"]
      role = .muted
    case .fileMissing(let time):
      self.time = time
      origin = .external
      texts = ["FILE MISSING, last rows stay", "FILE MISSING"]
      role = .error
    case .notice(let text, let time):
      self.time = time
      origin = nil
      texts = [text]
      role = .muted
    }
  }

  /// Where in a text the names of tables start, with the cells that each takes.
  func tablePlaces(in text: String, glyphs: GlyphSet) -> [(table: String, cells: Range<Int>)] {
    let names = tables.joined(separator: " ")
    guard !names.isEmpty, text.hasSuffix(names) else { return [] }
    var x = DisplayText.width(String(text.dropLast(names.count)), glyphs: glyphs)
    return tables.map { table in
      let width = DisplayText.width(table, glyphs: glyphs)
      defer { x += width + 1 }
      return (table, x..<x + width)
    }
  }

  /// The fullest wording that fits, or one to be cut.
  func text(width: Int) -> String {
    let fitting = texts.firstIndex { DisplayText.width($0, limit: width + 1) <= width }
    let least = texts.count - 1
    // A few letters of a table are better than none.
    guard fitting ?? least == least, least > 1, width >= texts[least].utf8.count + 4 else {
      return texts[fitting ?? least]
    }
    return texts[least - 1]
  }

  private static func texts(_ commit: Commit, _ burst: Feed.Entry.Burst?) -> [String] {
    switch commit.kind {
    case .schema: return ["SCHEMA changed", "SCHEMA"]
    case .fileReplaced: return ["FILE REPLACED, reopened", "REPLACED"]
    case .data: break
    }
    var counts: [String] = []
    if let rows = commit.rows {
      counts = self.counts(rows)
    } else if commit.count > 1 {
      counts.append("\(NumberText.grouped(commit.count))x")
    }
    let what =
      switch commit.tables {
      case .named([]): commit.rows == nil || counts.isEmpty ? "no table" : ""
      case .named(let tables): tables.joined(separator: " ")
      case .all(let reason): "any table: \(reason)"
      }
    func line(_ parts: [String]) -> String {
      parts.filter { !$0.isEmpty }.joined(separator: " ")
    }
    let full = line(counts + [what])
    var texts = [full]
    if let burst {
      let length = commit.time.microseconds - burst.since.microseconds
      texts = [line(["burst \(seconds(length))", full]), line(["burst", full]), full]
    }
    // The signs separate the counts.
    return texts + [line([counts.joined(), what]), counts.joined()]
  }

  /// `+3`, `~1`, `-2`, as far as there are any.
  static func counts(_ rows: Commit.RowCounts) -> [String] {
    [("+", rows.inserted), ("~", rows.updated), ("-", rows.deleted)]
      .filter { $0.1 > 0 }.map { "\($0.0)\($0.1)" }
  }

  /// `1.0 s`, whatever the size, so that bursts are easy to compare.
  private static func seconds(_ microseconds: Int64) -> String {
    let tenths = (max(0, microseconds) + 50_000) / 100_000
    return "\(NumberText.grouped(tenths / 10)).\(tenths % 10) s"
  }
}
