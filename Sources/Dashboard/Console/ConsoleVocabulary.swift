import DatabaseConsole
import ObservationEngine

/// The names that can be completed, and when they are read again.
struct ConsoleVocabulary: Sendable, Equatable {
  /// Which part of it is outdated.
  enum Need: Sendable, Comparable {
    case nothing
    /// The numbers of rows.
    case counts
    /// The names.
    case names
  }

  /// As last read.
  private(set) var names = SQLVocabulary()
  private var readAt: UInt64?
  private var need = Need.names
  private var isReading = false

  /// Records what a commit by anyone changed.
  mutating func note(_ commit: Commit) {
    need = max(need, commit.kind == .data ? .counts : .names)
  }

  mutating func receive(_ names: SQLVocabulary, at moment: UInt64) {
    self.names = names
    readAt = moment
    isReading = false
  }

  /// Whether it must be read now; if so, records that it is.
  ///
  /// - Parameter isTyping: Whether a user is typing: only users need the numbers of rows.
  mutating func mustBeRead(isTyping: Bool, at moment: UInt64) -> Bool {
    guard !isReading else { return false }
    let isOld = readAt.map { moment >= $0 + 2_000_000_000 } ?? true
    guard need == .names || need == .counts && isTyping && isOld else { return false }
    need = .nothing
    isReading = true
    return true
  }
}
