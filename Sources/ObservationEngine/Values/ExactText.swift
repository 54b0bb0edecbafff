/// A text that equals another only if its bytes do, as SQLite compares SQL and names.
///
/// Swift compares by canonical equivalence (Unicode Standard Annex 15): `é` equals `e` with a combining accent, and the
/// sign of the kelvin equals `K`. To SQLite these are different texts, and names of different tables.
package struct ExactText: Sendable, Hashable {
  package let text: String

  package init(_ text: String) { self.text = text }

  // What is the same to SQLite is equal to Swift as well, so that the hash can remain Swift's.
  package static func == (left: ExactText, right: ExactText) -> Bool {
    left.text.isExactly(right.text)
  }
}

extension String {
  /// Whether both have the same bytes.
  package func isExactly(_ other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}

extension Collection<String> {
  /// Whether Swift takes two of the texts for equal, and SQLite doesn't.
  ///
  /// - Complexity: O(length).
  package var hasEquivalents: Bool {
    guard contains(where: { !$0.utf8.allSatisfy { $0 < 0x80 } }) else { return false }
    var known: Set<String> = []
    return contains { text in
      let (isNew, first) = known.insert(text)
      return !isNew && !first.isExactly(text)
    }
  }
}
