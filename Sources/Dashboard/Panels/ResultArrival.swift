/// What is known of a result that arrives, before it is compared with the one before.
///
/// A long result is loaded in parts: what arrives may be a commit, other rows after a scroll, or
/// the rows of another filter or order. Only commits are changes.
struct ResultArrival: Sendable, Equatable {
  /// Whether only a part of the former result was loaded.
  var wasPart: Bool
  /// Whether they are the first rows of another filter or order.
  var isNewLook: Bool
  /// Whether filter and order are those of the rows shown before.
  var hasSameLook: Bool
  /// Whether it reflects a commit that the former one doesn't: rows that arrive without a commit
  /// existed before.
  var isNewer: Bool
  /// Whether it is another part of a result with the same number of rows.
  var isOtherPart: Bool

  /// Whether the user moved through the result: its rows are others, but none has changed.
  var isMove: Bool { wasPart && (isNewLook || !isNewer) }

  /// Whether a row that is not among them was removed, and a row that was not, inserted.
  var isSameView: Bool { !isMove && hasSameLook }

  /// Whether nothing changed, so that marks and histories stay.
  ///
  /// A commit that concerns other panels may have been reported since: for it, another part changes
  /// nothing either.
  func isQuiet(isSame: Bool, isReset: Bool) -> Bool {
    (isMove || isOtherPart && isSame && hasSameLook) && !isReset
  }

  /// Whether frames from now on show something else than those before: the rows of another filter
  /// may be of another state, and earlier frames keep theirs.
  func isChange(isQuiet: Bool) -> Bool { !isQuiet || isNewLook && isNewer }
}
