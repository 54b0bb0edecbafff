import Dashboard
import TestSupport
import Testing

@testable import LiveQueryTUI

/// Configurations and histories that somebody damaged: whatever they say, they are read or refused.
@Suite struct HostileTextTests {
  private static let words = [
    "theme", "=", "on", "off", "\n", "#", "memory = ", "poll = ", "hook-timeout = ",
    "high-contrast",
    "\u{1b}[2J", "\u{0}", "\r\n", " ", "\\", "\\n", "99999999999999999999", "1e999", "-1",
    "\u{301}",
  ]

  private static func text(using random: inout SeededRandom) -> String {
    var bytes: [UInt8] = []
    for _ in 0..<Int.random(in: 0...40, using: &random) {
      if random.onceIn(4) {
        bytes.append(UInt8.random(in: 0...255, using: &random))
      } else {
        bytes += (words.randomElement(using: &random) ?? "").utf8
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test func `any configuration is read, and what is printed of it is one`() {
    let seed = UInt64.random(in: 0 ... .max)
    print("configurations from seed \(seed)")
    var random = SeededRandom(seed: seed)
    for _ in 0..<500 {
      let text = Self.text(using: &random)
      let (arguments, diagnostics) = ConfigurationFile.parse(text)
      for diagnostic in diagnostics { _ = diagnostic.rendered(file: "config") }
      let again = ConfigurationFile.parse(arguments.configurationText)
      #expect(again.diagnostics == [], "seed \(seed): \(text)")
      #expect(again.arguments == arguments, "seed \(seed): \(text)")
    }
  }

  @Test func `any history is read, and what is kept comes back`() {
    let seed = UInt64.random(in: 0 ... .max)
    print("histories from seed \(seed)")
    var random = SeededRandom(seed: seed)
    for _ in 0..<5_000 {
      let text = Self.text(using: &random)
      _ = HistoryFile.unescaped(text)
      let escaped = HistoryFile.escaped(text)
      #expect(!escaped.utf8.contains(0x0a), "seed \(seed)")
      // Line ends become those of Unix.
      let lines = text.utf8.split(separator: 0x0d, omittingEmptySubsequences: false)
      let plain = lines.enumerated().map { index, part in
        index == 0 || part.first == 0x0a ? Array(part) : [0x0d] + part
      }
      #expect(Array(HistoryFile.unescaped(escaped).utf8) == plain.flatMap { $0 }, "seed \(seed)")
    }
  }
}
