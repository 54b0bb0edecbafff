/// Which rows of a long result are loaded, and where the user was in it.
struct LongResultWindow: Sendable, Equatable {
  /// Which part of a long result is loaded, and which was requested.
  var lens = RowLens()
  /// Where the user was before a long result was filtered or sorted.
  var home: ScrollingList?
  /// The cursor of a log whose recorded rows are not the newest, while the user has chosen no row.
  var ledCursor: Int?
  /// Whether a log reverses the rows, once that is known; a part does not always show it.
  var isLogTurned: Bool?
}
