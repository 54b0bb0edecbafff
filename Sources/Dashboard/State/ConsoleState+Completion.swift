import DatabaseConsole
import ObservationEngine

extension ConsoleState {
  /// Words that are offered, and the one that Tab takes.
  struct Completion: Sendable, Equatable {
    var offer: Completer.Offer
    var selected = 0
  }

  /// What of the vocabulary is out of date.
  enum VocabularyNeed: Sendable, Comparable {
    case nothing
    /// How many rows tables have.
    case counts
    /// Which names there are.
    case names
  }

  /// Words of fewer letters are offered nothing unasked.
  private static let shortest = 2

  /// Offers what goes on from the cursor.
  ///
  /// - Parameter isAsked: Whether a key asked for it.
  mutating func complete(isAsked: Bool = false) {
    let command = ConsoleCommand.complete(
      editor.characters, at: editor.cursor, pinned: pinned.map(\.name), vocabulary)
    var offer: Completer.Offer?
    switch command {
    case .sql:
      offer = Completer(vocabulary).offer(
        in: editor.characters, at: editor.cursor, isAsked: isAsked)
    case .words(let words): offer = words
    }
    guard let offer, parameters == nil else {
      completion = nil
      return
    }
    let isLong = offer.range.count >= Self.shortest
    let followsDot =
      offer.range.lowerBound > 0 && editor.characters[offer.range.lowerBound - 1] == "."
    let isOffered = isLong || followsDot || offer.isImmediate
    guard isAsked || isOffered && dismissedWord != offer.range.lowerBound else {
      completion = nil
      return
    }
    completion = Completion(offer: offer)
  }

  /// Puts the selected word in the place of what was typed of it.
  mutating func acceptCompletion() {
    guard let completion, completion.offer.candidates.indices.contains(completion.selected) else {
      return
    }
    let chosen = completion.offer.candidates[completion.selected]
    editor.replace(completion.offer.range, with: chosen.text)
    self.completion = nil
    // What was just taken is not offered again.
    dismissedWord = completion.offer.range.lowerBound
  }

  /// Hides the words until another one is begun.
  mutating func dismissCompletion() {
    dismissedWord = completion?.offer.range.lowerBound
    completion = nil
  }

  /// Moves the selection; false when it is at its upper end, or there is none.
  mutating func moveSelection(by step: Int) -> Bool {
    guard let current = completion else { return false }
    let next = current.selected + step
    guard next >= 0 else { return false }
    completion?.selected = min(next, current.offer.candidates.count - 1)
    return true
  }

  mutating func take(_ vocabulary: SQLVocabulary, at moment: UInt64) {
    self.vocabulary = vocabulary
    vocabularyReadAt = moment
    isReadingVocabulary = false
    if completion != nil || !editor.isEmpty { complete() }
  }

  /// Whether the vocabulary must be read now; notes that it is, then.
  ///
  /// - Parameter isTyping: Whether a person is at it: numbers of rows are for them alone.
  mutating func wantsVocabulary(isTyping: Bool, at moment: UInt64) -> Bool {
    guard !isReadingVocabulary else { return false }
    let isOld = vocabularyReadAt.map { moment >= $0 + 2_000_000_000 } ?? true
    guard vocabularyNeed == .names || vocabularyNeed == .counts && isTyping && isOld else {
      return false
    }
    vocabularyNeed = .nothing
    isReadingVocabulary = true
    return true
  }
}
