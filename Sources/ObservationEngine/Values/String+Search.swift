extension StringProtocol {
  /// Where a text occurs first, its characters compared as Swift does; nil if it doesn't.
  ///
  /// The standard library has its search in the library of regular expressions, which takes nearly
  /// a megabyte of a static program, and of its memory.
  ///
  /// - Complexity: O(length · length of the text).
  package func place(of text: String) -> Range<Index>? {
    for start in indices where self[start...].hasPrefix(text) {
      return start..<index(start, offsetBy: text.count)
    }
    return text.isEmpty ? startIndex..<startIndex : nil
  }

  /// Whether a text occurs in it; see ``place(of:)``.
  package func includes(_ text: String) -> Bool { place(of: text) != nil }

  /// A copy in which another text stands in each place of a text.
  package func substituting(_ new: String, for text: String) -> String {
    var rest = self[...]
    var result = ""
    while let place = rest.place(of: text), !place.isEmpty {
      result += rest[..<place.lowerBound] + new
      rest = rest[place.upperBound...]
    }
    return result + rest
  }
}
