internal import Glibc

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
  ///
  /// - Complexity: O(length). `elementsEqual` goes byte by byte: for a statement it takes forty times as long.
  package func isExactly(_ other: String) -> Bool {
    let count = utf8.count
    guard count == other.utf8.count else { return false }
    let isSame = utf8.withContiguousStorageIfAvailable { bytes in
      other.utf8.withContiguousStorageIfAvailable { others in
        guard let first = bytes.baseAddress, let second = others.baseAddress else { return true }
        // Both are there until the closure returns, and have as many bytes.
        return memcmp(first, second, count) == 0
      }
    }
    return (isSame ?? nil) ?? utf8.elementsEqual(other.utf8)
  }
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
