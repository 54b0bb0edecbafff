/// Text being edited, with a cursor between its characters.
package struct TextBuffer: Sendable, Equatable {
  private(set) var characters: [Character]
  /// The index of the character right of the cursor.
  private(set) var cursor: Int
  /// How often the text was changed: comparing long texts would be slow.
  private(set) var revision = 0

  init(_ text: String = "") {
    characters = Array(text)
    cursor = characters.count
  }

  package static func == (left: Self, right: Self) -> Bool {
    left.cursor == right.cursor && left.characters == right.characters
  }

  package var text: String { String(characters) }
  var isEmpty: Bool { characters.isEmpty }

  mutating func insert(_ text: String) {
    revision += 1
    guard text.utf8.contains(UInt8(ascii: "\r")) else {
      let new = Array(text)
      characters.insert(contentsOf: new, at: cursor)
      cursor += new.count
      return
    }
    // Pasted newlines come in three kinds; one is enough for editing.
    let inserted = text.unicodeScalars.reduce(into: (text: "", wasReturn: false)) { state, scalar in
      if scalar == "\r" {
        state.text.append("\n")
      } else if !(scalar == "\n" && state.wasReturn) {
        state.text.unicodeScalars.append(scalar)
      }
      state.wasReturn = scalar == "\r"
    }
    let new = Array(inserted.text)
    characters.insert(contentsOf: new, at: cursor)
    cursor += new.count
  }

  /// Applies `key` to the text; false for a key that doesn't edit.
  ///
  /// It does not handle Enter and the vertical arrows: their meaning depends on where the text is.
  mutating func edit(_ key: Key) -> Bool {
    switch key {
    case .character(let character): insert(String(character))
    case .paste(let text): insert(text)
    case .backspace, .control("h"): delete(cursor - 1..<cursor)
    case .delete, .control("d"): delete(cursor..<cursor + 1)
    case .left, .control("b"): cursor = max(0, cursor - 1)
    case .right, .control("f"): cursor = min(characters.count, cursor + 1)
    case .home, .control("a"): cursor = lineStart
    case .end, .control("e"): cursor = lineEnd
    case .wordLeft, .alt("b"): cursor = wordStart
    case .wordRight, .alt("f"): cursor = wordEnd
    default: return cut(key) != nil
    }
    return true
  }

  /// Applies `key` if it cuts words or lines; nil otherwise.
  ///
  /// - Returns: The cut text, and whether it was before the cursor.
  mutating func cut(_ key: Key) -> (text: String, isBackward: Bool)? {
    let range: Range<Int>
    switch key {
    case .control("w"), .alt("\u{7f}"): range = wordStart..<cursor
    case .control("u"): range = lineStart..<cursor
    case .alt("d"): range = cursor..<wordEnd
    // At the end of a line, the newline itself.
    case .control("k"): range = cursor..<(lineEnd > cursor ? lineEnd : cursor + 1)
    default: return nil
    }
    let isBackward = range.upperBound == cursor && range.lowerBound < cursor
    let text = String(characters[range.clamped(to: 0..<characters.count)])
    delete(range)
    return (text, isBackward)
  }

  /// Replaces text; the cursor is after the new text.
  mutating func replace(_ range: Range<Int>, with text: String) {
    delete(range)
    insert(text)
  }

  /// Moves the cursor to the line above or below, in the same column; false when there is none.
  mutating func moveLine(down: Bool) -> Bool {
    let column = cursor - lineStart
    if down {
      let end = lineEnd
      guard end < characters.count else { return false }
      cursor = end + 1
    } else {
      let start = lineStart
      guard start > 0 else { return false }
      cursor = start - 1
      cursor = lineStart
    }
    cursor = min(cursor + column, lineEnd)
    return true
  }

  mutating func moveToEnd() { cursor = characters.count }

  private mutating func delete(_ range: Range<Int>) {
    let range = range.clamped(to: 0..<characters.count)
    if !range.isEmpty { revision += 1 }
    characters.removeSubrange(range)
    cursor = min(range.lowerBound, characters.count)
  }

  /// A part of the text around the cursor, and the cursor's position in it.
  ///
  /// - Parameters:
  ///   - lines: The maximum newlines on either side of the cursor.
  ///   - length: The maximum characters on either side.
  /// - Complexity: O(length).
  func excerpt(lines: Int, length: Int) -> (characters: ArraySlice<Character>, cursor: Int) {
    var start = cursor
    var left = lines
    while start > max(0, cursor - length) {
      if characters[start - 1] == "\n" {
        guard left > 0 else { break }
        left -= 1
      }
      start -= 1
    }
    var end = cursor
    left = lines
    while end < min(characters.count, cursor + length) {
      if characters[end] == "\n" {
        guard left > 0 else { break }
        left -= 1
      }
      end += 1
    }
    return (characters[start..<end], cursor - start)
  }

  private var lineStart: Int {
    characters[..<cursor].lastIndex(of: "\n").map { $0 + 1 } ?? 0
  }

  private var lineEnd: Int { characters[cursor...].firstIndex(of: "\n") ?? characters.count }

  private var wordStart: Int {
    var index = cursor
    while index > 0, !isWord(characters[index - 1]) { index -= 1 }
    while index > 0, isWord(characters[index - 1]) { index -= 1 }
    return index
  }

  private var wordEnd: Int {
    var index = cursor
    while index < characters.count, !isWord(characters[index]) { index += 1 }
    while index < characters.count, isWord(characters[index]) { index += 1 }
    return index
  }

  private func isWord(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || character == "_"
  }
}

/// The text last cut, to be inserted elsewhere.
struct KillRing: Sendable, Equatable {
  private(set) var text = ""
  /// Whether the last key also cut: then the next cut adds to it.
  private var isContinuing = false

  /// Stores the cut text.
  ///
  /// - Parameter isBackward: Whether it was before the cursor.
  mutating func keep(_ cut: String, isBackward: Bool) {
    if !isContinuing {
      text = cut
    } else if isBackward {
      text = cut + text
    } else {
      text += cut
    }
    isContinuing = true
  }

  /// Another key was pressed: the next cut starts a new text.
  mutating func pause() { isContinuing = false }
}
