import ObservationEngine

/// Where the last statement of a text starts; one in the body of a trigger is a statement of its
/// own.
struct StatementStart {
  /// The first of its tokens.
  private(set) var index = 0
  /// The head of the trigger whose body contains it; nil elsewhere.
  private(set) var trigger: Range<Int>?

  /// - Complexity: O(tokens).
  init(_ tokens: [SQLToken]) {
    for (place, token) in tokens.enumerated() {
      if token.isSymbol(";") {
        // Only the end of the body starts with END.
        if tokens[index].isWord("end") { trigger = nil }
        index = place + 1
      } else if trigger == nil, token.isWord("begin"),
        TriggerHead.keyword(in: tokens, from: index) != nil
      {
        trigger = index..<place
        index = place + 1
      }
    }
  }
}
