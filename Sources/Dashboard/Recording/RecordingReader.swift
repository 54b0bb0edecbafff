import ObservationEngine

/// Reads a recording, line by line.
///
/// ## Guarantees
/// - Any bytes are either accepted, or refused with the faulty line; nothing traps.
/// - A truncated last line, after a full disk or a crash, ends the recording there.
package struct RecordingReader {
  /// Why a line cannot be read.
  package struct Failure: Error, Sendable, Equatable, CustomStringConvertible {
    /// From 1.
    package let line: Int
    /// From 1, in bytes; nil when the whole line is wrong.
    package let column: Int?
    package let message: String

    /// `3:17: expected ":"`
    package var description: String {
      (column.map { "\(line):\($0): " } ?? "\(line): ") + message
    }
  }

  package let header: RecordingFormat.Header
  /// The lines after the first, with their numbers.
  private var rest: ArraySlice<(number: Int, bytes: ArraySlice<UInt8>)>
  /// Whether the last line is unterminated.
  private let isCut: Bool
  /// Whether an incomplete last line was dropped.
  package private(set) var wasCutOff = false
  private var panelCount: Int
  private let views: [ViewKind]

  /// Reads the first line.
  ///
  /// - Parameters:
  ///   - bytes: The whole file.
  ///   - views: The kinds that a panel may name; one that names another shows what suits its
  ///     result.
  package init(_ bytes: [UInt8], views: [ViewKind]) throws(Failure) {
    self.views = views
    let lines = bytes.split(separator: 0x0a, omittingEmptySubsequences: false)
    isCut = bytes.last != 0x0a
    var numbered = lines.enumerated().map { (number: $0.offset + 1, bytes: $0.element) }
    numbered.removeAll { $0.bytes.allSatisfy { $0 == 0x20 || $0 == 0x0d } }
    guard let first = numbered.first else {
      throw Failure(line: 1, column: nil, message: "the file is empty; is it a recording?")
    }
    let value: JSONValue
    do throws(JSONReader.Failure) { value = try JSONReader.read(Array(first.bytes)) } catch {
      throw Failure(
        line: first.number, column: error.offset + 1,
        message: "\(error.message); a recording begins with {\"livequery\":\"recording\",…")
    }
    header = try Self.header(value, line: first.number, views)
    panelCount = header.definition.panels.count
    rest = numbered.dropFirst()
  }

  /// The next line, with its time in microseconds after the start; nil at the end.
  package mutating func next() throws(Failure) -> (time: UInt64, entry: RecordingFormat.Entry)? {
    guard let line = rest.popFirst() else { return nil }
    let value: JSONValue
    do throws(JSONReader.Failure) { value = try JSONReader.read(Array(line.bytes)) } catch {
      if rest.isEmpty, isCut {
        wasCutOff = true
        return nil
      }
      throw Failure(line: line.number, column: error.offset + 1, message: error.message)
    }
    // At most a year, in microseconds: a larger number isn't a time, and sums of it overflow.
    guard let time = value["t"]?.integer, (0...31_536_000_000_000).contains(time) else {
      throw Failure(line: line.number, column: nil, message: "the line has no time \"t\"")
    }
    do throws(RecordingEntryReader.Unfit) {
      let reader = RecordingEntryReader(panelCount: panelCount, views: views)
      let entry = try reader.entry(value)
      if case .panels(let definition) = entry { panelCount = definition.panels.count }
      return (UInt64(time), entry)
    } catch {
      throw Failure(line: line.number, column: nil, message: error.message)
    }
  }

  private static func header(
    _ value: JSONValue, line: Int, _ views: [ViewKind]
  ) throws(Failure) -> RecordingFormat.Header {
    func fail(_ message: String) -> Failure { Failure(line: line, column: nil, message: message) }
    guard value["livequery"]?.text == "recording" else {
      throw fail("this is not a recording: it does not begin with {\"livequery\":\"recording\",…")
    }
    guard let version = value["version"]?.integer else { throw fail("the version is missing") }
    guard version <= RecordingFormat.version, version >= 1 else {
      throw fail(
        "version \(version) of the format; this program reads version \(RecordingFormat.version): "
          + "a newer livequery plays it")
    }
    guard let started = value["started"]?.integer, let definition = value["definition"] else {
      throw fail("\"started\" or \"definition\" is missing")
    }
    do throws(RecordingEntryReader.Unfit) {
      return RecordingFormat.Header(
        program: value["program"]?.text ?? "", started: Timestamp(recorded: started),
        utcOffsetSeconds: Int(min(max(value["offset"]?.integer ?? 0, -86_400), 86_400)),
        databaseName: value["database"]?.text ?? "", isReadOnly: value["readonly"]?.isTrue == true,
        dashboardName: value["dashboard"]?.text, preset: value["preset"]?.text,
        definition: try RecordedDefinition.definition(definition, views: views))
    } catch {
      throw fail(error.message)
    }
  }
}
