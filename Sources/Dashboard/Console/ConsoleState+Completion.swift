import DatabaseConsole
import ObservationEngine

extension ConsoleState {
  /// The offered words, and the one that Tab accepts.
  struct Completion: Sendable, Equatable {
    var offer: Completer.Offer
    var selected = 0
  }

  /// Which part of the vocabulary is outdated.
  enum VocabularyNeed: Sendable, Comparable {
    case nothing
    /// The numbers of rows.
    case counts
    /// The names.
    case names
  }

  /// Shorter words get offers only on request.
  private static let shortest = 2

  /// Offers completions at the cursor.
  ///
  /// - Parameter isAsked: Whether the user pressed a key for it.
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

  /// Replaces the typed part of the word by the selected one.
  mutating func acceptCompletion() {
    guard let completion, completion.offer.candidates.indices.contains(completion.selected) else {
      return
    }
    let chosen = completion.offer.candidates[completion.selected]
    editor.replace(completion.offer.range, with: chosen.text)
    self.completion = nil
    // A word that was just accepted is not offered again.
    dismissedWord = completion.offer.range.lowerBound
  }

  /// Hides the words until another one is started.
  mutating func dismissCompletion() {
    dismissedWord = completion?.offer.range.lowerBound
    completion = nil
  }

  /// Moves the selection; false at its upper end, or without one.
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

  /// Whether the vocabulary must be read now; if so, records that it is.
  ///
  /// - Parameter isTyping: Whether a user is typing: only users need the numbers of rows.
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
