extension DashboardState {
  /// The maximum bytes of a paste into a single-line input.
  private static let oneLinePasteLimit = CommandLine.limit

  /// Refuses a paste that is longer than the input accepts: none of it is taken, since half of it
  /// would have another meaning.
  ///
  /// - Returns: Whether it was refused.
  /// - Complexity: O(1).
  mutating func refuseLongPaste(_ key: Key) -> Bool {
    let bytes: Int
    switch key {
    case .paste(let text): bytes = text.utf8.count
    case .longPaste(let count): bytes = count
    default: return false
    }
    let context = contexts.last
    let isOneLine = context == .command || context == .filter || context == .export
    let limit = isOneLine ? Self.oneLinePasteLimit : Key.pasteLimit
    guard bytes > limit else { return false }
    let isStatement = context == .editor
    // Without an input, nothing is pasted either.
    guard isOneLine || isStatement || context == .parameters else { return true }
    let sizes = [bytes, limit].map { QuantityText.bytes(Int64($0)) }
    // A few bytes too many would not show in megabytes.
    let (size, most) =
      sizes[0] == sizes[1]
      ? (QuantityText.count(bytes, "byte"), NumberText.grouped(limit)) : (sizes[0], sizes[1])
    let remedy = isStatement ? "; :read FILE runs a file" : ""
    tellBesideInput("nothing is pasted: \(size), and \(most) at most are taken\(remedy)")
    return true
  }

  /// Shows a message next to the typed text, where it is visible.
  private mutating func tellBesideInput(_ text: String) {
    if contexts.last == .export {
      modes.export?.problem = text
    } else {
      message = Message(text, .warning)
    }
  }
}
