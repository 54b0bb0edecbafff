package import ObservationEngine

extension Commit.Origin {
  /// The word for it on the screen, in records and in recordings.
  package var word: String {
    switch self {
    case .own: "me"
    case .external: "ext"
    }
  }

  /// - Returns: nil for any other word.
  package init?(word: String) {
    switch word {
    case Self.own.word: self = .own
    case Self.external.word: self = .external
    default: return nil
    }
  }
}
