import Dashboard
import Glibc
import ObservationEngine

/// `$XDG_CONFIG_HOME/livequery/config`: options that apply without being typed each time.
///
///     # a comment
///     theme = light
///     mouse = off
///     busy-timeout = 2000
///
/// The keys are the options' names; switches take `on` and `off`. The command line takes precedence
/// over the file. The program reads the file and never writes it.
struct ConfigurationFile {
  /// The keys, in the order in which they are printed.
  enum Key: String, CaseIterable {
    case theme, color, ascii, mouse, bell
    case readOnly = "read-only"
    case poll, debounce
    case busyTimeout = "busy-timeout"
    case queryTimeout = "query-timeout"
    case memory
    case hookTimeout = "hook-timeout"

    /// The corresponding option of the command line.
    var option: Option {
      switch self {
      case .theme: .theme
      case .color: .color
      case .ascii: .ascii
      case .mouse: .noMouse
      case .bell: .bell
      case .readOnly: .readOnly
      case .poll: .poll
      case .debounce: .debounce
      case .busyTimeout: .busyTimeout
      case .queryTimeout: .queryTimeout
      case .memory: .memory
      case .hookTimeout: .hookTimeout
      }
    }

    /// What it does, for a reader of the file.
    var summary: String {
      self == .mouse ? "whether clicks and the wheel are for the program" : option.summary
    }
  }

  /// Where the file is; nil without a home.
  static func usualPath(environment: (String) -> String?) -> String? {
    if let folder = environment("XDG_CONFIG_HOME"), folder.hasPrefix("/") {
      return folder + "/livequery/config"
    }
    guard let home = environment("HOME"), !home.isEmpty else { return nil }
    return home + "/.config/livequery/config"
  }

  static var usualPath: String? {
    usualPath { name in getenv(name).map { String(cString: $0) } }
  }

  /// Reads the configuration file, and finds its faults, each with its position.
  ///
  /// Lines without faults apply even if others have one: a caller that continues must report those.
  ///
  /// - Parameter name: The requested file; without one, the default file is read if it exists.
  static func arguments(named name: String?) -> (arguments: Arguments, failure: Failure?) {
    guard let path = name ?? usualPath else { return (Arguments(), nil) }
    // The file is optional.
    if name == nil, access(path, F_OK) != 0 { return (Arguments(), nil) }
    let text: String
    do throws(Failure) { text = try TextFile.read(path) } catch { return (Arguments(), error) }
    let (arguments, diagnostics) = parse(text)
    guard !diagnostics.isEmpty else { return (arguments, nil) }
    for diagnostic in diagnostics { StandardError.write(diagnostic.rendered(file: path)) }
    return (arguments, Failure("", status: ExitStatus.usage))
  }

  /// Reads the text of a configuration file.
  static func parse(_ text: String) -> (arguments: Arguments, diagnostics: [Diagnostic]) {
    var arguments = Arguments()
    var diagnostics: [Diagnostic] = []
    var seen: [String: Int] = [:]
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (index, line) in lines.enumerated() {
      func complain(at place: Substring, _ message: String) {
        let column = line.distance(from: line.startIndex, to: place.startIndex) + 1
        diagnostics.append(
          Diagnostic(.error, at: SourcePosition(line: index + 1, column: column), message))
      }
      let content = line.trimmed
      if content.isEmpty || content.hasPrefix("#") { continue }
      guard let equals = content.firstIndex(of: "=") else {
        complain(at: content, "expected \"key = value\"")
        continue
      }
      let word = content[..<equals].trimmed
      let value = content[content.index(after: equals)...].trimmed
      let known = Key.allCases.map(\.rawValue)
      guard let key = Key(rawValue: String(word)) else {
        let phrase = Suggestion.phrase(for: String(word), among: known)
        complain(
          at: word,
          "unknown key \"\(word)\""
            + (phrase.isEmpty ? "; there are \(known.joined(separator: ", "))" : phrase))
        continue
      }
      if let first = seen.updateValue(index + 1, forKey: key.rawValue) {
        complain(at: word, "\"\(word)\" is given already on line \(first)")
        continue
      }
      do throws(ArgumentError) {
        try arguments.apply(key, String(value))
      } catch {
        complain(at: value, error.message)
      }
    }
    return (arguments, diagnostics)
  }
}

extension Arguments {
  fileprivate mutating func apply(
    _ key: ConfigurationFile.Key, _ value: String
  ) throws(ArgumentError) {
    guard key.option.valueName == nil else {
      return try apply(key.option, value, as: key.rawValue)
    }
    switch (key, value.lowercased()) {
    case (.mouse, "on"), (.mouse, "yes"), (.mouse, "true"): usesMouse = true
    case (.mouse, "off"), (.mouse, "no"), (.mouse, "false"): usesMouse = false
    case (_, "on"), (_, "yes"), (_, "true"): try apply(key.option, "", as: key.rawValue)
    case (_, "off"), (_, "no"), (_, "false"): break
    default:
      throw ArgumentError(message: "\(key.rawValue) \(value): expected on or off")
    }
  }

  /// The effective configuration, as the text of an equivalent file.
  var configurationText: String {
    let place = configuration ?? ConfigurationFile.usualPath
    var text =
      "# livequery: what holds without options on the command line. The program reads this\n"
    text +=
      "# from \(DisplayText.sanitize(place ?? "the file that --config names")), and never writes it.\n"
    for key in ConfigurationFile.Key.allCases {
      let words = key.option.valueName.map { $0.split(separator: "|").joined(separator: ", ") }
      let values = words.map { $0.contains(",") ? ": \($0)" : "" } ?? ": on, off"
      text += "\n# \(key.summary)\(values)\n"
      if let value = value(of: key) {
        text += "\(key.rawValue) = \(DisplayText.sanitize(value))\n"
      } else {
        text += "# \(key.rawValue) = \(words ?? "")\n"
      }
    }
    return text
  }

  private func value(of key: ConfigurationFile.Key) -> String? {
    func milliseconds(_ duration: Duration?) -> String? {
      duration.map { String($0.nanoseconds / 1_000_000) }
    }
    return switch key {
    case .theme: theme.rawValue
    case .color: color.rawValue
    case .ascii: isASCII ? "on" : "off"
    case .mouse: usesMouse ? "on" : "off"
    case .bell: ringsBell ? "on" : "off"
    case .readOnly: isReadOnly ? "on" : "off"
    case .poll: milliseconds(pollInterval)
    case .debounce: milliseconds(debounce)
    case .busyTimeout: milliseconds(busyTimeout)
    case .queryTimeout: milliseconds(queryTimeout)
    case .memory: memory.map(String.init)
    case .hookTimeout:
      hookLimit.map { seconds in
        let number = Double(seconds.nanoseconds) / 1e9
        return number == number.rounded() ? String(Int(number)) : number.description
      }
    }
  }
}

extension Substring {
  /// Without surrounding blanks, but still part of the same text.
  fileprivate var trimmed: Substring {
    var rest = drop { $0.isWhitespace }
    while rest.last?.isWhitespace == true { rest.removeLast() }
    return rest
  }
}
