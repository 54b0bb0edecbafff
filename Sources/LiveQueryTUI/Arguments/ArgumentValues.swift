import Dashboard
import ObservationEngine

/// The values of options, read strictly: a number is a number to its last character.
extension Arguments {
  static func integer(
    _ text: String, _ name: String, in range: ClosedRange<Int>
  ) throws(ArgumentError) -> Int {
    guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(text),
      range.contains(number)
    else {
      let limit = range.upperBound == .max ? "" : " to \(range.upperBound)"
      throw ArgumentError(
        message: "\(name) \(text): expected a whole number from \(range.lowerBound)\(limit)")
    }
    return number
  }

  /// At most a day: more is a mistake.
  static func milliseconds(
    _ text: String, _ name: String, from least: Int
  ) throws(ArgumentError) -> Duration {
    .milliseconds(try integer(text, name, in: least...86_400_000))
  }

  static func seconds(_ text: String, _ name: String) throws(ArgumentError) -> Duration {
    let isPlain = text.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }
    guard isPlain, let seconds = Double(text), seconds > 0, seconds <= 1_000_000_000 else {
      throw ArgumentError(message: "\(name) \(text): expected seconds, such as 10 or 0.5")
    }
    // A Double of 1.2 is less than that.
    return .nanoseconds(Int64((seconds * 1_000_000_000).rounded()))
  }

  static func size(_ text: String, _ name: String) throws(ArgumentError) -> Size {
    let parts = text.split(separator: "x", omittingEmptySubsequences: false)
    guard parts.count == 2,
      let width = try? integer(String(parts[0]), name, in: 1...1000),
      let height = try? integer(String(parts[1]), name, in: 1...1000)
    else {
      // The dropped reason would mention one number where two are expected.
      throw ArgumentError(
        message: "\(name) \(text): expected WIDTHxHEIGHT, such as 80x24, each from 1 to 1000")
    }
    return Size(width: width, height: height)
  }

  /// `console,feed`, or `none`.
  static func panes(_ text: String, _ name: String) throws(ArgumentError) -> PaneChoices {
    let words = text.split { $0 == "," || $0 == " " }.map(String.init)
    // What isn't named is hidden, even if it was shown last.
    var choices = PaneChoices(
      panes: Dictionary(uniqueKeysWithValues: LayoutPane.allCases.map { ($0, false) }))
    guard words != ["none"] else { return choices }
    for word in words {
      guard let pane = LayoutPane(word: word) else {
        throw unknown(word, name, among: LayoutPane.allCases.map(\.rawValue) + ["none"])
      }
      choices.panes[pane] = true
    }
    guard !words.isEmpty else {
      throw ArgumentError(message: "\(name): expected names of panes, such as console,feed")
    }
    return choices
  }

  /// One of the words of a type.
  static func word<Choice: RawRepresentable<String> & CaseIterable>(
    _ text: String, _ name: String
  ) throws(ArgumentError) -> Choice {
    if let choice = Choice(rawValue: text) { return choice }
    throw unknown(text, name, among: Choice.allCases.map(\.rawValue))
  }

  /// One of these words.
  static func choice(
    _ text: String, _ name: String, among known: [String]
  ) throws(ArgumentError) -> String {
    guard known.contains(text) else { throw unknown(text, name, among: known) }
    return text
  }

  private static func unknown(
    _ text: String, _ name: String, among known: [String]
  ) -> ArgumentError {
    let suggestion = Suggestion.phrase(for: text, among: known)
    return ArgumentError(
      message: "\(name) \(text): expected \(known.joined(separator: ", "))\(suggestion)")
  }

  /// The path of a socket: `unix:PATH`.
  static func socket(_ text: String, _ name: String) throws(ArgumentError) -> String {
    guard text.hasPrefix("unix:"), text.utf8.count > 5 else {
      throw ArgumentError(message: "\(name) \(text): expected a socket, such as unix:/tmp/app.sock")
    }
    return String(text.dropFirst(5))
  }

  static func file(_ text: String, _ name: String) throws(ArgumentError) -> String {
    if text.isEmpty { throw ArgumentError(message: "\(name): the name of the file is empty") }
    return text
  }
}

extension Value {
  /// The value of `--param NAME=text`: an integer or a real number if it is written like one,
  /// otherwise text. `007` is text: as a number it would lose its zeros.
  init(parameter text: String) {
    if let number = Int64(text), String(number) == text {
      self = .integer(number)
    } else if Self.isReal(text), let number = Double(text), number.isFinite {
      self = .real(number)
    } else {
      self = .text(text)
    }
  }

  /// Whether a text is written like a real number of SQL: `1.5`, `.5`, `-2.`, `1e6`.
  private static func isReal(_ text: String) -> Bool {
    var rest = text.utf8[...]
    func takeDigits() -> Int {
      let digits = rest.prefix { (0x30...0x39).contains($0) }
      rest = rest.dropFirst(digits.count)
      return digits.count
    }
    if rest.first == UInt8(ascii: "-") { rest.removeFirst() }
    let startsWithZero = rest.first == UInt8(ascii: "0")
    let whole = takeDigits()
    var (fraction, isReal) = (0, false)
    if rest.first == UInt8(ascii: ".") {
      rest.removeFirst()
      (fraction, isReal) = (takeDigits(), true)
    }
    guard whole + fraction > 0, whole < 2 || !startsWithZero else { return false }
    if let byte = rest.first, byte | 0x20 == UInt8(ascii: "e") {
      rest.removeFirst()
      if let sign = rest.first, "+-".utf8.contains(sign) { rest.removeFirst() }
      guard takeDigits() > 0 else { return false }
      isReal = true
    }
    return isReal && rest.isEmpty
  }
}

/// A command line that cannot be understood: the program says why and exits with status 2.
struct ArgumentError: Error, Equatable, CustomStringConvertible {
  /// What is wrong, and the remedy if it is known.
  let message: String

  /// As printed to standard error, without a newline. Text from the command line may contain
  /// anything, and standard error is usually a terminal.
  var description: String {
    "livequery: \(DisplayText.sanitize(message))\nTry \"livequery --help\"."
  }
}
