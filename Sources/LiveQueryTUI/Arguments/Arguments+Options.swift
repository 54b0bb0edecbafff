import Dashboard
import ObservationEngine

/// What each option does, and which ones exclude each other.
extension Arguments {
  /// - Parameter name: The option as it was written, for messages.
  mutating func apply(
    _ option: Option, _ value: String, as name: String
  ) throws(ArgumentError) {
    switch option {
    case .help: request = .help
    case .version: request = .version
    case .command: commands.append(value)
    case .file: dashboard = try Self.file(value, name)
    case .preset: preset = value
    case .readOnly: isReadOnly = true
    case .param: try takeParameter(value)
    case .once: try take(mode: .once, name)
    case .stream: try take(mode: .stream, name)
    case .check: try take(mode: .check, name)
    case .table: try take(format: .table)
    case .csv: try take(format: .csv)
    case .json: try take(format: .json)
    case .ndjson: try take(format: .ndjson)
    case .output: output = try Self.file(value, name)
    case .panel: if !panels.contains(value) { panels.append(value) }
    case .null: null = value
    case .count: count = try Self.integer(value, name, in: 1...Int.max)
    case .until: until = value
    case .timeout: timeout = try Self.seconds(value, name)
    case .exec: exec = try Self.hook(value, name)
    case .hookTimeout: hookLimit = try Self.seconds(value, name)
    case .trustHooks: trustsHooks = true
    case .failOnAlert: failsOnAlert = true
    case .bell: ringsBell = true
    case .record: recording = try Self.file(value, name)
    case .replay: replay = try Self.file(value, name)
    case .speed: speed = try Self.speed(value, name)
    case .poll: pollInterval = try Self.milliseconds(value, name, from: 1)
    case .debounce: debounce = try Self.milliseconds(value, name, from: 0)
    case .busyTimeout: busyTimeout = try Self.milliseconds(value, name, from: 0)
    case .queryTimeout: queryTimeout = try Self.milliseconds(value, name, from: 0)
    case .memory: memory = try Self.integer(value, name, in: 0...1_000_000)
    case .keys:
      keys = try Self.file(value, name)
      try take(mode: .frame, name)
    case .frame:
      frame = try Self.size(value, name)
      try take(mode: .frame, name)
    case .color: color = try Self.word(value, name)
    case .theme: theme = try Self.word(value, name)
    case .ascii: isASCII = true
    case .noMouse: usesMouse = false
    case .config: configuration = try Self.file(value, name)
    case .printConfig: request = .printConfiguration
    case .completions: request = .completions(try Self.word(value, name))
    }
  }

  /// Refuses contradictions, and derives what follows from the options.
  mutating func checkCombination() throws(ArgumentError) {
    try checkSession()
    if database == nil, requestedMode != .check, replay == nil {
      throw ArgumentError(message: "no database is named")
    }
    if requestedMode == .check, dashboard == nil, commands.isEmpty {
      throw ArgumentError(message: "--check needs a dashboard")
    }
    if dashboard == "-", keys == "-" {
      throw ArgumentError(message: "dashboard and keys cannot both come from standard input")
    }
    if requestedMode == .stream, let format, format != .ndjson {
      throw ArgumentError(message: "--stream writes NDJSON; --\(format.rawValue) is for --once")
    }
    // A run that only waits has no rows to print.
    waitsOnly =
      until != nil && dashboard == nil && commands.isEmpty && requestedMode == nil && format == nil
      && output == nil && panels.isEmpty && preset == nil && null == nil
    // An option about printing requests printing, even on a terminal.
    let forPrinting: [(name: String, isGiven: Bool)] = [
      (format.map { "--\($0.rawValue)" } ?? "", format != nil), ("-o", output != nil),
      ("--panel", !panels.isEmpty), ("--null", null != nil), ("--until", until != nil),
      ("--timeout", timeout != nil),
    ]
    if let given = forPrinting.first(where: \.isGiven) {
      switch requestedMode {
      case nil where count == nil: requestedMode = .once
      case .check: throw ArgumentError(message: "\(given.name) has no meaning with --check")
      case .frame where given.name != "-o":
        throw ArgumentError(message: "\(given.name) has no meaning with --keys and --frame")
      default: break
      }
    }
    if count != nil, requestedMode != .stream {
      throw ArgumentError(message: "--count is for --stream")
    }
  }

  private mutating func take(mode: Mode, _ name: String) throws(ArgumentError) {
    if let requestedMode, requestedMode != mode {
      let other =
        switch requestedMode {
        case .screen, .once: "--once"
        case .stream: "--stream"
        case .frame: keys == nil ? "--frame" : "--keys"
        case .check: "--check"
        }
      throw ArgumentError(message: "\(other) and \(name) exclude each other")
    }
    requestedMode = mode
  }

  private mutating func take(format: Format) throws(ArgumentError) {
    if let other = self.format, other != format {
      throw ArgumentError(
        message: "--\(other.rawValue) and --\(format.rawValue) exclude each other")
    }
    self.format = format
  }

  private mutating func takeParameter(_ text: String) throws(ArgumentError) {
    guard let equals = text.firstIndex(of: "=") else {
      throw ArgumentError(message: "--param \(text): the form is NAME=VALUE")
    }
    var name = text[..<equals]
    if let sigil = name.first, ":@$".contains(sigil) { name.removeFirst() }
    let isName = name.unicodeScalars.allSatisfy {
      $0 == "_" || $0.properties.isAlphabetic || $0.properties.numericType == .decimal
    }
    guard !name.isEmpty, isName else {
      throw ArgumentError(message: "--param \(text): \"\(name)\" is not a parameter name")
    }
    parameters[String(name)] = Value(parameter: String(text[equals...].dropFirst()))
  }
}
