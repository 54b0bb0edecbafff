/// Why the result of a query can't be kept up to date from changed rows, so that the query runs again.
package struct NotMaintainable: Error, Sendable, Equatable {
  /// The reason, in words for the user: `joins several tables`.
  package let reason: String

  package init(_ reason: String) { self.reason = reason }
}
