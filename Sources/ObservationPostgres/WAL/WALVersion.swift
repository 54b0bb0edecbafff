/// A layout of PostgreSQL's write-ahead log, by the number that begins each page.
///
/// A server writes no other than its own. For an unknown one nothing is guessed: the stream isn't used.
enum WALVersion: UInt16, Sendable {
  case v15 = 0xD110
  case v16 = 0xD113
  case v17 = 0xD116
  case v18 = 0xD118

  /// The bytes of one entry of the statistics that a commit drops.
  var droppedStatisticBytes: Int { self == .v18 ? 16 : 12 }
}
