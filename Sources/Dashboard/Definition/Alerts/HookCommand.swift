/// The command of `-- on-alert:` or `--exec`: a program and its arguments.
///
/// It is split into words here and run directly: no shell expands, pipes or redirects anything. For
/// a shell, write `sh -c '…'`. Single quotes protect everything, double quotes everything but `\"`
/// and `\\`, and a backslash protects the next character.
package struct HookCommand: Sendable, Hashable {
  /// The text as written.
  package let text: String
  /// The program, then its arguments; never empty.
  package let words: [String]
  /// Syntax in it that only a shell would understand, and its offset in UTF-8 bytes.
  package let shellSyntax: (text: String, offset: Int)?

  /// Splits a command.
  ///
  /// - Throws: ``HookSyntaxError`` for an unclosed quote, or no words.
  /// - Complexity: O(length).
  package init(_ text: String) throws(HookSyntaxError) {
    var splitter = CommandSplitter(text)
    try splitter.split()
    guard let program = splitter.words.first, !program.isEmpty else {
      throw HookSyntaxError(message: "there is no command here", offset: 0)
    }
    self.text = text
    words = splitter.words
    shellSyntax = splitter.shellSyntax
  }

  /// Its name where there is little room: the program without its folders.
  package var shortName: String {
    words[0].lastPathPart
  }

  package static func == (left: HookCommand, right: HookCommand) -> Bool {
    left.text == right.text
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

/// Why a command cannot be split.
package struct HookSyntaxError: Error, Sendable, Equatable {
  package let message: String
  /// In UTF-8 bytes.
  package let offset: Int
}

/// Splits a command into words.
private struct CommandSplitter {
  private let bytes: [UInt8]
  private(set) var words: [String] = []
  private(set) var shellSyntax: (text: String, offset: Int)?
  private var word: [UInt8] = []
  private var isInWord = false
  private var index = 0

  init(_ text: String) { bytes = Array(text.utf8) }

  mutating func split() throws(HookSyntaxError) {
    while index < bytes.count {
      let byte = bytes[index]
      switch byte {
      case UInt8(ascii: " "), UInt8(ascii: "\t"): endWord()
      case UInt8(ascii: "'"), UInt8(ascii: "\""): try takeQuoted(by: byte)
      case UInt8(ascii: "\\") where index + 1 < bytes.count:
        index += 1
        take(bytes[index])
      default:
        noteShellSyntax(byte)
        take(byte)
      }
      index += 1
    }
    endWord()
  }

  private mutating func take(_ byte: UInt8) {
    word.append(byte)
    isInWord = true
  }

  private mutating func endWord() {
    if isInWord { words.append(String(decoding: word, as: UTF8.self)) }
    word = []
    isInWord = false
  }

  private mutating func takeQuoted(by quote: UInt8) throws(HookSyntaxError) {
    let start = index
    isInWord = true
    index += 1
    while index < bytes.count, bytes[index] != quote {
      let isEscaped =
        quote == UInt8(ascii: "\"") && bytes[index] == UInt8(ascii: "\\") && index + 1 < bytes.count
        && (bytes[index + 1] == quote || bytes[index + 1] == UInt8(ascii: "\\"))
      if isEscaped { index += 1 }
      word.append(bytes[index])
      index += 1
    }
    guard index < bytes.count else {
      throw HookSyntaxError(message: "this quote is not closed", offset: start)
    }
  }

  /// Notes unquoted syntax that a shell would act upon; the first counts.
  private mutating func noteShellSyntax(_ byte: UInt8) {
    let isSign =
      "|&;<>`".utf8.contains(byte) || (byte == UInt8(ascii: "$") && index + 1 < bytes.count)
    let isHome = byte == UInt8(ascii: "~") && !isInWord
    guard shellSyntax == nil, isSign || isHome else { return }
    shellSyntax = (String(decoding: [byte], as: UTF8.self), index)
  }
}
