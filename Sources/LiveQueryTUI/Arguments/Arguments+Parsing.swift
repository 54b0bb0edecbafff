import Dashboard
import ObservationEngine

extension Arguments {
  /// Parses a command line, without the name of the program.
  ///
  /// Options and operands may be mixed; `--` ends the options. A value follows its option (`-o x`,
  /// `-ox`, `--output x`, `--output=x`). An option given again replaces its earlier value; `-c` and
  /// `--param` add up.
  ///
  /// - Parameter configured: The values from the configuration file, for options that the command
  ///   line doesn't set.
  /// - Throws: ``ArgumentError``. No file is checked yet: it may turn out not to exist.
  init(
    parsing words: [String], over configured: Arguments = Arguments()
  ) throws(ArgumentError) {
    self = configured
    var operands: [String] = []
    var rest = words[...]
    while let word = rest.popFirst() {
      if word == "--" {
        operands += rest
        break
      } else if word.hasPrefix("--") {
        try takeLong(word.dropFirst(2), &rest)
      } else if word.hasPrefix("-"), word != "-" {
        try takeLetters(word.dropFirst(), &rest)
      } else {
        operands.append(word)
      }
      // Nothing else matters then, not even errors in the rest.
      if request != .run, request != .printConfiguration { return }
    }
    try take(operands: operands)
    if request != .run { return }
    // The server infers the types, and so reads what was written.
    if server != nil {
      for case (let name, .real) in parameters {
        if let text = parameterTexts[name] { parameters[name] = .text(text) }
      }
    }
    try checkCombination()
  }

  private mutating func takeLong(
    _ text: Substring, _ rest: inout ArraySlice<String>
  ) throws(ArgumentError) {
    let name = text.prefix { $0 != "=" }
    let attached = name.endIndex < text.endIndex ? text[name.endIndex...].dropFirst() : nil
    guard let option = Option(rawValue: String(name)) else {
      let known = Option.allCases.map { "--\($0.rawValue)" }
      throw ArgumentError(
        message: "unknown option --\(name)" + Suggestion.phrase(for: "--\(name)", among: known))
    }
    guard option.valueName != nil else {
      if attached != nil { throw ArgumentError(message: "--\(name) takes no value") }
      return try option.apply(&self, "", "--\(name)")
    }
    if let attached { return try option.apply(&self, String(attached), "--\(name)") }
    try option.apply(&self, try Self.next(&rest, for: "--\(name)", option), "--\(name)")
  }

  private mutating func takeLetters(
    _ text: Substring, _ rest: inout ArraySlice<String>
  ) throws(ArgumentError) {
    var letters = text
    while let letter = letters.popFirst() {
      guard let option = Option(letter: letter) else {
        // The user may have meant the long option: -csv.
        let isLong = Option(rawValue: String(text)) != nil
        let remedy = isLong ? ", did you mean \"--\(text)\"?" : ""
        throw ArgumentError(message: "unknown option -\(letter)\(remedy)")
      }
      guard option.valueName != nil else {
        try option.apply(&self, "", "-\(letter)")
        continue
      }
      if !letters.isEmpty { return try option.apply(&self, String(letters), "-\(letter)") }
      return try option.apply(
        &self, try Self.next(&rest, for: "-\(letter)", option), "-\(letter)")
    }
  }

  private static func next(
    _ rest: inout ArraySlice<String>, for name: String, _ option: Option
  ) throws(ArgumentError) -> String {
    guard let value = rest.popFirst() else {
      throw ArgumentError(message: "\(name) needs a value: \(name) \(option.valueName ?? "")")
    }
    return value
  }

  /// - Parameter second: What the operands after the database name.
  static func refuseEmpty(_ operands: [String], second: String) throws(ArgumentError) {
    guard let empty = operands.firstIndex(of: "") else { return }
    throw ArgumentError(message: "the name of the \(empty == 0 ? "database" : second) is empty")
  }

  private mutating func take(operands: [String]) throws(ArgumentError) {
    if requestedMode == .rows { return try take(tables: operands) }
    if operands.count > 2 {
      throw ArgumentError(
        message: "too many operands: \(operands[2]) — an SQL query is given with -c")
    }
    try Self.refuseEmpty(operands, second: "dashboard")
    if operands.count == 2, dashboard != nil {
      throw ArgumentError(message: "two dashboards: -f and \(operands[1])")
    }
    dashboard = dashboard ?? operands.dropFirst().first
    database = operands.first
    // A check of the dashboard alone needs no database: livequery --check arena.sql
    if requestedMode == .check, operands.count == 1, operands[0].hasSuffix(".sql"),
      dashboard == nil
    {
      (database, dashboard) = (nil, operands[0])
    }
  }
}
