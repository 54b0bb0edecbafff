import ObservationEngine

/// Reads the text of an ``AlertRule`` by recursive descent.
struct AlertParser {
  private typealias Node = AlertCondition.Node

  private static let reserved = ["and", "or", "not", "until", "is", "null", "any", "all"]
  /// Deeper than any real rule, and far from a stack overflow.
  private static let maximumDepth = 64

  private let text: String
  private let tokens: [AlertToken]
  private var index = 0
  private var depth = 0

  init(_ rule: String) throws(AlertSyntaxError) {
    text = rule
    tokens = try AlertToken.tokens(of: rule)
  }

  mutating func rule() throws(AlertSyntaxError) -> (AlertCondition, AlertCondition?) {
    let raise = try rows(otherwise: .any)
    guard take("until") else {
      if let token = current { throw unexpected(token) }
      return (raise, nil)
    }
    let clear = try rows(otherwise: raise.quantifier == .any ? .all : .any)
    if let token = current {
      throw token.isWord("until")
        ? AlertSyntaxError("\"until\" stands twice", at: token.range.lowerBound) : unexpected(token)
    }
    return (raise, clear)
  }

  private mutating func rows(
    otherwise quantifier: AlertCondition.Quantifier
  ) throws(AlertSyntaxError) -> AlertCondition {
    var quantifier = quantifier
    let start = current?.range.lowerBound ?? text.utf8.count
    if take("any") { quantifier = .any } else if take("all") { quantifier = .all }
    let node = try either()
    let end = tokens[index - 1].range.upperBound
    let bytes = Array(text.utf8)[start..<end]
    return AlertCondition(
      quantifier: quantifier, node: node, text: String(decoding: bytes, as: UTF8.self))
  }

  private mutating func either() throws(AlertSyntaxError) -> AlertCondition.Node {
    var node = try both()
    while take("or") { node = .or(node, try both()) }
    return node
  }

  private mutating func both() throws(AlertSyntaxError) -> AlertCondition.Node {
    var node = try one()
    while take("and") { node = .and(node, try one()) }
    return node
  }

  private mutating func one() throws(AlertSyntaxError) -> AlertCondition.Node {
    depth += 1
    defer { depth -= 1 }
    if depth > Self.maximumDepth {
      throw AlertSyntaxError("more than \(Self.maximumDepth) levels of parentheses", at: here)
    }
    if take("not") { return .not(try one()) }
    if let open = current, open.isSign("(") {
      index += 1
      let node = try either()
      guard let close = current, close.isSign(")") else {
        if let token = current { throw unexpected(token) }
        throw AlertSyntaxError("this parenthesis is not closed", at: open.range.lowerBound)
      }
      index += 1
      return node
    }
    return try test()
  }

  private mutating func test() throws(AlertSyntaxError) -> AlertCondition.Node {
    let left = try operand(what: "a column")
    if take("is") {
      let isNegated = take("not")
      guard take("null") else {
        throw AlertSyntaxError("\"is\" is followed by \"null\" or \"not null\"", at: here)
      }
      return isNegated ? .not(.isNull(left)) : .isNull(left)
    }
    let comparison = try comparison()
    return .compare(left, comparison, try operand(what: "a number, a 'text' or a column"))
  }

  private mutating func comparison() throws(AlertSyntaxError) -> Comparison {
    let all = Comparison.allCases.map(\.rawValue).joined(separator: " ")
    let previous = tokens[index - 1]
    guard let token = current else {
      throw AlertSyntaxError(
        "\"\(previous.text)\" needs a comparison after it: \(all)", at: here)
    }
    if token.isSign("("), previous.kind == .word {
      throw AlertSyntaxError(
        "a column with such a name stands in quotes: \"\(previous.text)(…)\"",
        at: previous.range.lowerBound)
    }
    guard token.kind == .sign else {
      throw AlertSyntaxError(
        "expected a comparison before \"\(token.text)\": \(all)", at: token.range.lowerBound)
    }
    let spelled = ["==": "=", "!=": "<>"][token.text] ?? token.text
    guard let comparison = Comparison(rawValue: spelled) else {
      let meant = ["=>": ">=", "=<": "<=", "><": "<>", "===": "=", "!": "not"][token.text]
      throw AlertSyntaxError(
        "\"\(token.text)\" is not a comparison"
          + (meant.map { ", did you mean \"\($0)\"?" } ?? "; there are \(all)"),
        at: token.range.lowerBound)
    }
    index += 1
    return comparison
  }

  private mutating func operand(what: String) throws(AlertSyntaxError) -> AlertCondition.Operand {
    guard let token = current else {
      throw AlertSyntaxError("expected \(what) at the end", at: here)
    }
    let offset = token.range.lowerBound
    switch token.kind {
    case .word:
      let word = token.text.lowercased()
      guard !Self.reserved.contains(word) else {
        let remedy = word == "null" ? "; NULL is tested by \"is null\"" : ""
        throw AlertSyntaxError("expected \(what) before \"\(token.text)\"\(remedy)", at: offset)
      }
      index += 1
      return .column(.init(name: token.text, offset: offset, isQuoted: false))
    case .quotedName:
      index += 1
      return .column(.init(name: token.text, offset: offset, isQuoted: true))
    case .text:
      index += 1
      return .literal(.text(token.text))
    case .number:
      index += 1
      let isPercent = current?.isSign("%") == true
      if isPercent { index += 1 }
      return .literal(try Self.number(token, isPercent: isPercent))
    case .sign:
      throw AlertSyntaxError("expected \(what) before \"\(token.text)\"", at: offset)
    }
  }

  /// A number with an optional percent sign: `5 %` is 0.05.
  private static func number(
    _ token: AlertToken, isPercent: Bool
  ) throws(AlertSyntaxError) -> Value {
    let isPercent = isPercent || token.text.hasSuffix("%")
    let digits = token.text.hasSuffix("%") ? String(token.text.dropLast()) : token.text
    if !isPercent, let integer = Int64(digits) { return .integer(integer) }
    guard let number = Double(digits), number.isFinite, !digits.lowercased().contains("x") else {
      throw AlertSyntaxError(
        "\"\(token.text)\" is not a number; write it like 250, 0.05, 5% or 1e6",
        at: token.range.lowerBound)
    }
    return .real(isPercent ? number / 100 : number)
  }

  // MARK: Tokens

  private var current: AlertToken? { index < tokens.count ? tokens[index] : nil }
  private var here: Int { current?.range.lowerBound ?? text.utf8.count }

  private mutating func take(_ word: String) -> Bool {
    guard let token = current, token.isWord(word) else { return false }
    index += 1
    return true
  }

  private func unexpected(_ token: AlertToken) -> AlertSyntaxError {
    let offset = token.range.lowerBound
    if let meant = ["&&": "and", "&": "and", "||": "or", "|": "or", ",": "and"][token.text] {
      return AlertSyntaxError(
        "unexpected \"\(token.text)\", did you mean \"\(meant)\"?", at: offset)
    }
    let hint =
      token.kind == .word ? Suggestion.phrase(for: token.text, among: ["and", "or", "until"]) : ""
    return AlertSyntaxError(
      "unexpected \"\(token.text)\""
        + (hint.isEmpty ? "; conditions are joined by and, or, until" : hint), at: offset)
  }
}

extension AlertToken {
  /// Whether it is this word of the language, in any case.
  func isWord(_ word: String) -> Bool { kind == .word && text.lowercased() == word }

  func isSign(_ sign: String) -> Bool { kind == .sign && text == sign }
}
