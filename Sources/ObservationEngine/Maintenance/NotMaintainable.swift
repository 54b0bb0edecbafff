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
}
