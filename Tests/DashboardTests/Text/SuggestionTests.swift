import Testing

@testable import Dashboard

@Suite struct SuggestionTests {
  @Test(arguments: [
    ("titel", "title"), ("viwe", "view"), ("tabel", "table"), ("TABLE", "table"),
    ("histgram", "histogram"), ("x", nil), ("t", nil), ("frobnicate", nil), ("", nil),
    (String(repeating: "a", count: 5000), nil),
  ])
  func `the closest word is suggested, if any is close`(_ word: String, _ expected: String?) {
    let words = ["title", "view", "table", "histogram"]
    #expect(Suggestion.closest(to: word, among: words) == expected)
  }

  @Test func `the nearer of two wins, and the first of equals`() {
    #expect(Suggestion.closest(to: "player", among: ["plant", "players", "player1"]) == "players")
  }
}
