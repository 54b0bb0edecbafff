internal import ObservationEngine

/// The lines of one portion: in memory, or in the replica if they are many or must outlive the process.
///
///     append, append, … end ─▶ append, … end ─▶ close ─▶ commit of the replica ─▶ printed ─▶ emptied
struct Outbox {
  /// How much text is kept in memory, in bytes.
  static let chunk = 256 * 1024

  /// The lines, if they are all here; `nil` when they are in the replica alone.
  private(set) var text: String? = ""
  /// How many commits have an end.
  private(set) var commits = 0
  /// Whether the replica has lines.
  private(set) var isStored = false
  /// How many row lines the current commit has.
  private(set) var rows = 0
  /// Whether row lines are discarded: the start without a state.
  var isSilent = false

  private let lines: RowLines
  private let isDurable: Bool
  private var gathered = ""

  init(_ lines: RowLines, isDurable: Bool) { (self.lines, self.isDurable) = (lines, isDurable) }

  /// Whether another commit should go into another portion.
  var isFull: Bool { isStored || gathered.utf8.count > Self.chunk / 2 }

  mutating func append(_ line: @autoclosure () -> RowLine, _ replica: RowReplica) throws {
    if isSilent { return }
    rows += 1
    gathered += lines.row(line())
    if gathered.utf8.count > Self.chunk { try spill(replica) }
  }

  mutating func end(_ line: CommitLine) {
    gathered += lines.end(line)
    (commits, rows) = (commits + 1, 0)
  }

  /// Ends the portion, in the transaction that stores its rows.
  mutating func close(_ replica: RowReplica) throws {
    if commits == 0 { return }
    if isStored {
      try spill(replica)
    } else {
      text = gathered
      if isDurable {
        try replica.store(gathered)
        isStored = true
      }
    }
  }

  private mutating func spill(_ replica: RowReplica) throws {
    try replica.store(gathered)
    (gathered, text, isStored) = ("", nil, true)
  }
}
