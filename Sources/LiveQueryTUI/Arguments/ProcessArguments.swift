import Glibc

/// The words of this process's command line.
enum ProcessArguments {
  /// The words after the name of the program.
  ///
  /// `CommandLine.arguments` repairs invalid UTF-8, and a repaired file name names another file.
  ///
  /// - Throws: ``ArgumentError`` when a word isn't UTF-8.
  static func words() throws(ArgumentError) -> [String] {
    var words: [String] = []
    for index in 1..<max(1, Int(CommandLine.argc)) {
      guard let word = CommandLine.unsafeArgv[index] else { break }
      words.append(try decode(UnsafeBufferPointer(start: word, count: strlen(word)), index))
    }
    return words
  }

  /// - Parameter index: The position of the word, from 1, for the message.
  static func decode(
    _ bytes: some Collection<CChar>, _ index: Int
  ) throws(ArgumentError) -> String {
    let units = bytes.lazy.map { UInt8(bitPattern: $0) }
    guard let word = String(validating: units, as: UTF8.self) else {
      let shown = String(decoding: units, as: UTF8.self)
      throw ArgumentError(
        message: "argument \(index), \"\(shown)\", is not valid UTF-8; rename the file, or quote "
          + "the text in UTF-8")
    }
    return word
  }
}
