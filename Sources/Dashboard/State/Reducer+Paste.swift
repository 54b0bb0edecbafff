extension DashboardState {
  /// As many bytes are pasted into a line that stays one line, and takes no more.
  private static let oneLinePasteLimit = CommandLine.limit

  /// Says that a paste is longer than the line takes that is typed into, if it is: nothing is taken of it,
  /// since half of it would mean something else.
  ///
  /// - Returns: Whether it is.
  /// - Complexity: O(1).
  mutating func refuseLongPaste(_ key: Key) -> Bool {
    let bytes: Int
    switch key {
    case .paste(let text): bytes = text.utf8.count
    case .longPaste(let count): bytes = count
    default: return false
    }
    let isOneLine = commandLine != nil || filterInput != nil || exportInput != nil
    let limit = isOneLine ? Self.oneLinePasteLimit : Key.pasteLimit
    guard bytes > limit else { return false }
    let isStatement = focus == .console && console.browser == nil && console.parameters == nil
    // Where nothing is typed, nothing is pasted either.
    guard isOneLine || focus == .console && console.browser == nil, overlay == nil else {
      return true
    }
    let sizes = [bytes, limit].map { QuantityText.bytes(Int64($0)) }
    // A few bytes too many do not show in megabytes.
    let (size, most) =
      sizes[0] == sizes[1]
      ? (QuantityText.count(bytes, "byte"), NumberText.grouped(limit)) : (sizes[0], sizes[1])
    let remedy = isStatement && !isOneLine ? "; :read FILE runs a file" : ""
    tellBesideInput("nothing is pasted: \(size), and \(most) at most are taken\(remedy)")
    return true
  }

  /// Says something to what is typed, where that can be seen.
  private mutating func tellBesideInput(_ text: String) {
    if exportInput != nil, commandLine == nil, filterInput == nil {
      exportInput?.problem = text
    } else {
      message = Message(text, .warning)
    }
  }
}
