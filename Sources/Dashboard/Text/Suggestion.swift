/// Suggests the intended word for a misspelled one.
package enum Suggestion {
  /// The candidate that takes the fewest typing errors to become `word`, or nil when none is close
  /// enough: about one error per three characters.
  ///
  /// - Complexity: O(length² · candidates); words beyond 64 characters have no suggestion.
  package static func closest(to word: String, among candidates: [String]) -> String? {
    let wanted = Array(word.lowercased())
    guard !wanted.isEmpty, wanted.count <= 64 else { return nil }
    var best: (candidate: String, distance: Int)?
    for candidate in candidates where candidate != word {
      let other = Array(candidate.lowercased().prefix(65))
      let limit = max(1, max(wanted.count, other.count) / 3)
      let distance = distance(wanted, other)
      // Two words with nothing in common aren't a typing error, however short they are.
      guard distance < max(wanted.count, other.count) else { continue }
      if distance <= limit, distance < best?.distance ?? .max { best = (candidate, distance) }
    }
    return best?.candidate
  }

  /// `did you mean "…"?` preceded by a comma and a blank, or nothing.
  ///
  /// - Parameter sign: The prefix of every candidate where it is written.
  package static func phrase(
    for word: String, among candidates: [String], sign: String = ""
  ) -> String {
    guard let closest = closest(to: word, among: candidates) else { return "" }
    return ", did you mean \"\(sign)\(closest)\"?"
  }

  /// ``phrase(for:among:sign:)``, or the candidates if none is close: `; there are a, b`.
  package static func remedy(for word: String, among candidates: [String]) -> String {
    let phrase = phrase(for: word, among: candidates)
    return phrase.isEmpty ? "; there are \(candidates.joined(separator: ", "))" : phrase
  }

  /// Insertions, deletions, substitutions and swaps of neighbours, at most one per place.
  private static func distance(_ a: [Character], _ b: [Character]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...b.count)
    for i in a.indices {
      var row = [i + 1]
      for j in b.indices {
        var cost = min(last[j] + (a[i] == b[j] ? 0 : 1), last[j + 1] + 1, row[j] + 1)
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
          cost = min(cost, beforeLast[j - 1] + 1)
        }
        row.append(cost)
      }
      beforeLast = last
      last = row
    }
    return last[b.count]
  }
}
