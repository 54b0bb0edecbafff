/// Why the result of a query can't be kept up to date from changed rows, so that the query runs again.
package struct NotMaintainable: Error, Sendable, Equatable {
  /// The reason, in words for the user: `joins several tables`.
  package let reason: String
  /// Whether a state that has the order in which SQLite visits rows could be maintained.
  let needsOrder: Bool
  /// Where in the SQL the reason stands; `nil` where it concerns all of it.
  private(set) var place: Place?

  /// A place in a query, or in a view that it reads.
  enum Place: Equatable {
    case bytes(Range<Int>)
    /// For the user: `line 2: name COLLATE NOCASE`.
    case text(String)
  }

  package init(_ reason: String) { self.init(reason, needsOrder: false) }

  init(_ reason: String, needsOrder: Bool) {
    self.reason = reason
    self.needsOrder = needsOrder
  }

  /// What has a query run because of an error.
  init(_ error: any Error) {
    self =
      switch error {
      case let refusal as NotMaintainable: refusal
      // By no user: for a writer, or because it took long.
      case let error as DatabaseError where error.code.primary == .interrupted:
        NotMaintainable("it was stopped before its end")
      case let error as DatabaseError: NotMaintainable(error.message)
      default: NotMaintainable("\(error)")
      }
  }

  /// Does what concerns one SELECT of a query. If it can't be maintained, the reason names it, unless it is the only one.
  ///
  /// - Parameter number: Its number, from 0.
  static func naming<Output>(
    _ number: Int, of count: Int, _ body: () throws -> Output
  ) throws -> Output {
    do {
      return try body()
    } catch let refusal as NotMaintainable where count > 1 {
      var named = NotMaintainable(
        "its \((number + 1).ordinal) SELECT: \(refusal.reason)", needsOrder: refusal.needsOrder)
      named.place = refusal.place
      throw named
    }
  }

  // MARK: Places

  /// Does what concerns a part of the SQL. That is the place of a reason against it, unless a smaller one is known.
  static func at<Output>(_ tokens: SelectText.Tokens, _ body: () throws -> Output) throws -> Output
  {
    do {
      return try body()
    } catch var refusal as NotMaintainable where refusal.place == nil {
      if let first = tokens.first, let last = tokens.last {
        refusal.place = .bytes(first.range.lowerBound..<last.range.upperBound)
      }
      throw refusal
    }
  }

  /// Does what concerns a view.
  static func inView<Output>(
    _ name: String, _ sql: [UInt8], _ body: () throws -> Output
  ) throws -> Output {
    do {
      return try body()
    } catch var refusal as NotMaintainable {
      switch refusal.place {
      case nil: refusal.place = .text("view \(name)")
      case .text: break
      case .bytes(let range)?:
        refusal.place = .text("view \(name): \(Self.excerpt(range, of: sql))")
      }
      throw refusal
    }
  }

  /// Where the reason stands, for the user.
  ///
  /// - Parameter sql: The query.
  func placeText(in sql: String) -> String? {
    switch place {
    case nil: return nil
    case .text(let text)?: return text
    case .bytes(let range)?:
      let bytes = Array(sql.utf8)
      let line = bytes[..<range.lowerBound].count { $0 == UInt8(ascii: "\n") } + 1
      return "line \(line): \(Self.excerpt(range, of: bytes))"
    }
  }

  private static let longestExcerpt = 60

  /// A part of some SQL in one line.
  private static func excerpt(_ range: Range<Int>, of sql: [UInt8]) -> String {
    let text = String(decoding: sql[range], as: UTF8.self)
    let line = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    return line.count > longestExcerpt ? line.prefix(longestExcerpt - 1) + "…" : line
  }
}

extension Int {
  /// `1st`, `2nd`, `3rd`, `4th`.
  var ordinal: String {
    let ending =
      switch (self % 100, self % 10) {
      case (11...13, _): "th"
      case (_, 1): "st"
      case (_, 2): "nd"
      case (_, 3): "rd"
      default: "th"
      }
    return "\(self)\(ending)"
  }
}
