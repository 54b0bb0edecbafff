extension ColumnFormat {
  /// Reads the words after a column: `money € share-bar`, `fixed 2 suffix " kg"`.
  init(_ words: ArraySlice<ColumnWords.Word>) throws(ColumnWords.Fault) {
    self.init()
    var rest = words
    func twice(_ word: ColumnWords.Word, _ other: String) -> ColumnWords.Fault {
      ColumnWords.Fault(
        message: "\"\(word.text)\" and \"\(other)\" exclude each other", offset: word.offset)
    }
    while let word = rest.popFirst() {
      if let form = Form(rawValue: word.text), !word.isQuoted {
        if let other = self.form { throw twice(word, other.rawValue) }
        self.form = form
      } else if let bar = Bar(rawValue: word.text), !word.isQuoted {
        if let other = self.bar { throw twice(word, other.rawValue) }
        self.bar = bar
      } else if let key = Word(rawValue: word.text), !word.isQuoted {
        try take(key, word, &rest)
      } else {
        throw ColumnWords.Fault(
          message: "no format is called \"\(word.text)\""
            + Suggestion.remedy(for: word.text, among: Self.words), offset: word.offset)
      }
    }
    try check(words)
  }

  private mutating func take(
    _ key: Word, _ word: ColumnWords.Word, _ rest: inout ArraySlice<ColumnWords.Word>
  ) throws(ColumnWords.Fault) {
    if key == .hidden {
      isHidden = true
      return
    }
    let example = switch key {
      case .fixed: "fixed 2"
      case .money: "money €"
      case .prefix: "prefix \"v\""
      default: "suffix \"/s\""
      }
    guard let value = rest.popFirst(), value.isQuoted || !Self.words.contains(value.text) else {
      throw ColumnWords.Fault(
        message: "\"\(key.rawValue)\" needs a value, as in \"\(example)\"", offset: word.offset)
    }
    switch key {
    case .fixed:
      guard let count = Int(value.text), (0...Self.maximumDecimals).contains(count) else {
        throw ColumnWords.Fault(
          message: "\"fixed\" needs a number of decimals from 0 to \(Self.maximumDecimals), not "
            + "\"\(value.text)\"", offset: value.offset)
      }
      decimals = count
    case .money: currency = value.text
    case .prefix: prefix = value.text
    case .suffix: suffix = value.text
    case .hidden: break
    }
  }

  /// Refuses words that have no meaning together.
  private func check(_ words: ArraySlice<ColumnWords.Word>) throws(ColumnWords.Fault) {
    let offset = words.first?.offset ?? 0
    let isNumber =
      switch form {
      case nil, .plain, .thousands, .compact, .percent: true
      default: false
      }
    if decimals != nil, !isNumber, let form {
      throw ColumnWords.Fault(
        message: "\"fixed\" has no meaning with \"\(form.rawValue)\"", offset: offset)
    }
    if currency != nil, !isNumber || form == .percent, let form {
      throw ColumnWords.Fault(
        message: "\"money\" has no meaning with \"\(form.rawValue)\"", offset: offset)
    }
    if bar != nil, isTime, let form {
      throw ColumnWords.Fault(
        message: "a bar has no meaning with \"\(form.rawValue)\"", offset: offset)
    }
  }
}
