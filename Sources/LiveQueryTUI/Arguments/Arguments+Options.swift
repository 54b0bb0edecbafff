import Dashboard
import ObservationEngine

/// Which options exclude each other.
extension Arguments {
  /// Refuses contradictions, and derives what follows from the options.
  mutating func checkCombination() throws(ArgumentError) {
    try checkRows()
    try checkSession()
    if database == nil, requestedMode != .check, replay == nil {
      throw ArgumentError(message: "which database? usage: livequery DATABASE [DASHBOARD.sql]")
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
    if count != nil, requestedMode != .stream, requestedMode != .rows {
      throw ArgumentError(message: "--count is for --stream and --rows")
    }
  }

  mutating func take(mode: Mode, _ name: String) throws(ArgumentError) {
    if let requestedMode, requestedMode != mode {
      let other =
        switch requestedMode {
        case .screen, .once: "--once"
        case .stream: "--stream"
        case .rows: "--rows"
        case .frame: keys == nil ? "--frame" : "--keys"
        case .check: "--check"
        }
      throw ArgumentError(message: "\(other) and \(name) exclude each other")
    }
    requestedMode = mode
  }

  mutating func take(format: Format) throws(ArgumentError) {
    if let other = self.format, other != format {
      throw ArgumentError(
        message: "--\(other.rawValue) and --\(format.rawValue) exclude each other")
    }
    self.format = format
  }

  mutating func takeParameter(_ text: String) throws(ArgumentError) {
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
    let value = String(text[equals...].dropFirst())
    parameters[String(name)] = Value(parameter: value)
    parameterTexts[String(name)] = value
  }
}
