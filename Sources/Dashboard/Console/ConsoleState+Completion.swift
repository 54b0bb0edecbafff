import DatabaseConsole
import ObservationEngine

extension ConsoleState {
  /// The offered words, and the one that Tab accepts.
  struct Completion: Sendable, Equatable {
    var offer: Completer.Offer
    var selected = 0
  }

  /// Shorter words get offers only on request.
  private static let shortest = 2

  /// Offers completions at the cursor.
  ///
  /// - Parameter isAsked: Whether the user pressed a key for it.
  mutating func complete(isAsked: Bool = false) {
    let command = ConsoleCommand.complete(
      editor.characters, at: editor.cursor, pinned: pinned.map(\.name), vocabulary.names)
    var offer: Completer.Offer?
    switch command {
    case .sql:
      offer = Completer(vocabulary.names).offer(
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
    guard isAsked || isOffered && typed.dismissedWord != offer.range.lowerBound else {
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
    typed.dismissedWord = completion.offer.range.lowerBound
  }

  /// Hides the words until another one is started.
  mutating func dismissCompletion() {
    typed.dismissedWord = completion?.offer.range.lowerBound
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

  mutating func receive(_ names: SQLVocabulary, at moment: UInt64) {
    vocabulary.receive(names, at: moment)
    if completion != nil || !editor.isEmpty { complete() }
  }
}
