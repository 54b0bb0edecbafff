import ObservationEngine

extension ColumnColoring {
  /// How comparisons are written; those of two characters first.
  private static let signs: KeyValuePairs<String, Comparison> = [
    "<=": .lessOrEqual, ">=": .greaterOrEqual, "!=": .unequal, "<": .less, ">": .greater,
    "=": .equal,
  ]
  private static let example = "as in \"stock red<10 amber<25\" or \"load gradient\""

  /// Reads the words after a column, whose name is set later: `red<10 amber<25 row`,
  /// `gradient=down`.
  init(_ words: ArraySlice<ColumnWords.Word>) throws(ColumnWords.Fault) {
    self.init(column: "")
    for word in words {
      if word.text == "row" {
        isForRow = true
      } else if word.text == "gradient" || word.text.hasPrefix("gradient=") {
        let direction = word.text == "gradient" ? "up" : String(word.text.dropFirst(9))
        guard let direction = Gradient(rawValue: direction) else {
          throw ColumnWords.Fault(
            message: "\"gradient=\" is either \"up\", with red for great values, or \"down\"",
            offset: word.offset)
        }
        gradient = direction
      } else {
        rules.append(try Self.rule(word))
      }
    }
    if rules.isEmpty, gradient == nil {
      throw ColumnWords.Fault(
        message: "\"row\" needs a rule, as in \"stock red<10 row\"",
        offset: words.first?.offset ?? 0)
    }
  }

  /// The columns that values are compared with. A word after `=` can also be a text.
  var comparedColumns: [String] {
    rules.compactMap { rule in
      guard case .column(let name) = rule.operand, rule.comparison != .equal,
        rule.comparison != .unequal
      else { return nil }
      return name
    }
  }

  /// Whether a word is meant as one of those after a column.
  static func isKnown(_ word: ColumnWords.Word) -> Bool {
    word.text == "row" || word.text.hasPrefix("gradient")
      || signs.contains { word.text.includes($0.key) }
  }

  /// Reads `red<10`, `red>=5%`, `red<reorder_level`, `red="in work"`.
  private static func rule(_ word: ColumnWords.Word) throws(ColumnWords.Fault) -> Rule {
    guard let start = word.text.firstIndex(where: { "<>=!".contains($0) }) else {
      throw ColumnWords.Fault(
        message: "\"color:\" takes columns with rules, \(example), not \"\(word.text)\"",
        offset: word.offset)
    }
    let name = String(word.text[..<start])
    let rest = word.text[start...]
    guard let hue = Hue(rawValue: name) else {
      throw ColumnWords.Fault(
        message: "no colour is called \"\(name)\""
          + Suggestion.remedy(for: name, among: Hue.allCases.map(\.rawValue)),
        offset: word.offset)
    }
    guard let (sign, comparison) = signs.first(where: { rest.hasPrefix($0.key) }),
      rest.count > sign.count
    else {
      throw ColumnWords.Fault(
        message: "\"\(name)\" needs a comparison, as in \"\(name)<10\"", offset: word.offset)
    }
    let text = String(rest.dropFirst(sign.count))
    if let number = ViewOptions.number(text) { return Rule(hue, comparison, .number(number)) }
    return Rule(hue, comparison, .column(text))
  }
}
