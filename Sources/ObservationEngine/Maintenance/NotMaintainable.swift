/// Why the result of a query can't be kept up to date from changed rows, so that the query runs again.
package struct NotMaintainable: Error, Sendable, Equatable {
  /// The reason, in words for the user: `joins several tables`.
  package let reason: String
  /// Whether a state that has the order in which SQLite visits rows could be maintained.
  let needsOrder: Bool

  package init(_ reason: String) { self.init(reason, needsOrder: false) }

  init(_ reason: String, needsOrder: Bool) {
    self.reason = reason
    self.needsOrder = needsOrder
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
      throw NotMaintainable(
        "its \((number + 1).ordinal) SELECT: \(refusal.reason)", needsOrder: refusal.needsOrder)
    }
  }
}

extension Int {
  /// `1st`, `2nd`, `3rd`, `4th`.
  fileprivate var ordinal: String {
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
