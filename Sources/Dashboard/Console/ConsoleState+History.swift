extension ConsoleState {
  /// A search backwards through the history, like `^r` in a shell.
  struct HistorySearch: Sendable, Equatable {
    var pattern = ""
    /// Where the search continues; the match is before it.
    var match: Int?
  }

  /// Puts the previous or next entry of the history into the editor.
  mutating func walkHistory(back: Bool) {
    let index = historyIndex ?? history.count
    let next = back ? index - 1 : index + 1
    guard next >= 0, next <= history.count else { return }
    if historyIndex == nil { draft = editor.text }
    historyIndex = next == history.count ? nil : next
    editor = TextBuffer(historyIndex.map { history[$0] } ?? draft)
    completion = nil
  }

  /// Continues the search from the current match (`older`), or restarts it after the pattern
  /// changed.
  mutating func searchHistory(older: Bool) {
    guard var search else { return }
    let end = older ? (search.match ?? history.count) : history.count
    let match = history[..<end].lastIndex { TextSearch(search.pattern).matches($0) }
    if match != nil || !older { search.match = match }
    self.search = search
  }

  /// Ends the search; its match goes into the editor.
  mutating func endSearch(accept: Bool) {
    if accept, let match = search?.match { editor = TextBuffer(history[match]) }
    search = nil
    completion = nil
  }
}
