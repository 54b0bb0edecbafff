/// The words of a directive about columns, part by part: `revenue money € share-bar, "unit price" fixed 2`.
///
/// Quotes keep blanks and commas together; a part starts with its column.
struct ColumnWords {
  struct Word {
    let text: String
    /// Where it starts in the file, with its quote.
    let offset: Int
    let isQuoted: Bool
  }

  /// A fault, and where it is.
  struct Fault: Error, Equatable {
    let message: String
    let offset: Int
  }

  /// The words between commas.
  let parts: [[Word]]

  /// - Complexity: O(length).
  init(_ directive: Directive) throws(Fault) {
    var parts: [[Word]] = [[]]
    let bytes = Array(directive.valueWithoutRemark.utf8)
    var index = 0
    while index < bytes.count {
      let start = index
      let byte = bytes[index]
      if Self.isBlank(byte) {
        index += 1
      } else if byte == UInt8(ascii: ",") {
        parts.append([])
        index += 1
      } else {
        var text: [UInt8] = []
        let isQuoted = Self.isQuote(byte)
        // A quote may also follow a sign, as in red="in work".
        while index < bytes.count, !Self.isBlank(bytes[index]), bytes[index] != UInt8(ascii: ",") {
          guard Self.isQuote(bytes[index]) else {
            text.append(bytes[index])
            index += 1
            continue
          }
          guard let end = bytes[(index + 1)...].firstIndex(of: bytes[index]) else {
            throw Fault(
              message: "this quote has no end", offset: directive.valueOffset + index)
          }
          text += bytes[(index + 1)..<end]
          index = end + 1
        }
        parts[parts.count - 1].append(
          Word(
            text: String(decoding: text, as: UTF8.self), offset: directive.valueOffset + start,
            isQuoted: isQuoted))
      }
    }
    self.parts = parts.filter { !$0.isEmpty }
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
  }

  private static func isQuote(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'")
  }
}

extension [ColumnWords.Word] {
  /// Reads one part as a column and what follows its name.
  ///
  /// A name may have several words: it ends where all that follows can be read. So a column that is
  /// called like a format needs no quotes.
  ///
  /// - Parameters:
  ///   - isKnown: Whether a word belongs to those after a column.
  ///   - needed: The directive, for a message.
  ///   - example: What may follow a column.
  ///   - read: Reads the words after a column's name.
  /// - Throws: The fault in what follows the shortest name before a known word.
  func column<Value>(
    isKnown: (ColumnWords.Word) -> Bool, needed directive: String, example: String,
    read: (ArraySlice<ColumnWords.Word>) throws(ColumnWords.Fault) -> Value
  ) throws(ColumnWords.Fault) -> (name: String, value: Value) {
    guard count > 1 else {
      throw ColumnWords.Fault(
        message: "\(directive) takes a column and words about it, as in "
          + "\"\(self[0].text) \(example)\"", offset: self[0].offset)
    }
    var fault: ColumnWords.Fault?
    // A name in quotes is complete.
    for end in 1..<(self[0].isQuoted ? 2 : count) {
      do throws(ColumnWords.Fault) {
        let value = try read(self[end...])
        return (self[..<end].map(\.text).joined(separator: " "), value)
      } catch {
        if fault == nil, end == count - 1 || isKnown(self[end]) || self[0].isQuoted {
          fault = error
        }
      }
    }
    throw fault ?? ColumnWords.Fault(message: "", offset: self[0].offset)
  }
}
