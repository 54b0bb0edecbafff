/// How the result of an observed query was brought up to date.
package enum RefreshMethod: Sendable, Equatable {
  /// From the rows that commits changed: the query did not run.
  case maintained
  /// The query ran; and why it had to, where that is known.
  case recomputed(reason: String?)
}

/// One refresh of one member of a group.
package struct MemberRefresh: Sendable, Equatable {
  package var duration: Duration
  package var method: RefreshMethod
}
