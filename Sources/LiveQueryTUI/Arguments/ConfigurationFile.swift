import Dashboard
import Glibc
import ObservationEngine

/// `$XDG_CONFIG_HOME/livequery/config`: options that apply without being typed each time.
///
///     # a comment
///     theme = light
///     mouse = off
///     busy-timeout = 2000
///     key.export = "x F6"
///
/// The keys are the options' names; switches take `on` and `off`. `key.NAME` sets what is pressed
/// for one of ``KeyMap/names``. The command line takes precedence over the file. The program reads
/// the file and never changes it.
struct ConfigurationFile {
  /// One of its keys: an option that it can set.
  struct Key {
    let option: Option
    let setting: Option.Setting

    var rawValue: String { setting.key ?? option.rawValue }
    /// What it does, for a reader of the file.
    var summary: String { setting.summary ?? option.summary }

    /// All of them, in the order in which they are printed.
    static let allCases = Option.allCases
      .compactMap { option in option.setting.map { Key(option: option, setting: $0) } }
      .sorted { $0.setting.place < $1.setting.place }
  }

  /// Where the file is; nil without a home.
  static var usualPath: String? { Paths.configuration("config") }

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
    // Scripts name it for no file at all.
    if path == "/dev/null" { return (Arguments(), nil) }
    do throws(Failure) { text = try TextFile.readRegular(path) } catch {
      return (Arguments(), error)
    }
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
    var settings: [(name: String, keys: String)] = []
    var places: [String: SourcePosition] = [:]
    for line in SettingLine.lines(of: text) {
      func complain(at place: Substring, _ message: String) {
        diagnostics.append(line.error(at: place, message))
      }
      guard let (word, value) = line.setting else {
        complain(at: line.content, "expected \"key = value\"")
        continue
      }
      if word.hasPrefix("key.") {
        if let first = seen.updateValue(line.number, forKey: String(word)) {
          diagnostics.append(line.repeats(word, of: first))
          continue
        }
        let name = String(word.dropFirst(4))
        settings.append((name, value.unquoted))
        places[name] = line.position(of: KeyMap.names.contains(name) ? value : word)
        continue
      }
      let known = Key.allCases.map(\.rawValue)
      guard let key = Key.allCases.first(where: { $0.rawValue == word }) else {
        diagnostics.append(line.hasUnknown(word, among: known))
        continue
      }
      if let first = seen.updateValue(line.number, forKey: key.rawValue) {
        diagnostics.append(line.repeats(word, of: first))
        continue
      }
      do throws(ArgumentError) {
        try arguments.apply(key, String(value))
      } catch {
        complain(at: value, error.message)
      }
    }
    let (map, conflicts) = KeyMap.choosing(settings)
    arguments.keyMap = map
    for conflict in conflicts {
      let position = places[conflict.name] ?? SourcePosition(line: 1, column: 1)
      diagnostics.append(Diagnostic(.error, at: position, conflict.message))
    }
    return (arguments, diagnostics.sorted { $0.position < $1.position })
  }
}

extension Arguments {
  fileprivate mutating func apply(
    _ key: ConfigurationFile.Key, _ value: String
  ) throws(ArgumentError) {
    let option = key.option
    guard option.valueName == nil else { return try option.apply(&self, value, key.rawValue) }
    guard let isOn = SettingLine.isOn(value[...]) else {
      throw ArgumentError(message: SettingLine.expectedSwitch(key.rawValue, value))
    }
    if isOn != key.setting.isInverse { try option.apply(&self, "", key.rawValue) }
  }

  /// The effective configuration, as the text of an equivalent file.
  var configurationText: String {
    let place = configuration ?? ConfigurationFile.usualPath
    var text =
      "# Settings of livequery, where the command line has no others.\n"
    text += "# livequery reads this file and never changes it"
    text += place.map { ": \(DisplayText.sanitize($0))\n" } ?? ". --config names it.\n"
    for key in ConfigurationFile.Key.allCases {
      let words = key.option.valueName.map { $0.split(separator: "|").joined(separator: ", ") }
      let values = words.map { $0.contains(",") ? ": \($0)" : "" } ?? ": on, off"
      text += "\n# \(key.summary)\(values)\n"
      if let value = key.setting.text(self) {
        text += "\(key.rawValue) = \(DisplayText.sanitize(value))\n"
      } else {
        text += "# \(key.rawValue) = \(words ?? "")\n"
      }
    }
    text += "\n# What is pressed: keys separated by blanks, or none\n"
    for name in KeyMap.names {
      let keys = keyMap.keys(named: name).map(\.label).joined(separator: " ")
      let isChosen = keyMap.choices[name] != nil
      text += "\(isChosen ? "" : "# ")key.\(name) = \"\(keys.isEmpty ? "none" : keys)\"\n"
    }
    return text
  }
}

extension Substring {
  /// Without quotes around it.
  fileprivate var unquoted: String {
    guard count >= 2, first == "\"", last == "\"" else { return String(self) }
    return String(dropFirst().dropLast())
  }
}
