import Glibc
import Testing

@testable import Dashboard

@Suite struct DisplayTextTests {
  @Test(arguments: [
    ("plain", "plain"),
    ("a\u{1b}[31mred", "a␛[31mred"),
    ("one\ntwo\tthree\r\n", "one⏎two⇥three␍⏎"),
    ("\u{0}\u{7f}", "␀␡"),
    ("\u{85}", "⟨U+0085⟩"),
    ("\u{9b}31m", "⟨U+009B⟩31m"),
    ("abc\u{202e}fed", "abc⟨U+202E⟩fed"),
    ("a\u{200b}b", "a⟨U+200B⟩b"),
    ("a\u{ad}b", "a⟨U+00AD⟩b"),
    ("\u{feff}x", "⟨U+FEFF⟩x"),
    ("\u{2028}", "⟨U+2028⟩"),
    ("e\u{301}", "e\u{301}"),
    ("\u{301}e", "◌\u{301}e"),
    ("👩\u{200d}👧", "👩👧"),
    ("❤\u{fe0f}", "❤"),
    ("a\u{200d}b", "a⟨U+200D⟩b"), ("👩\u{200d}", "👩⟨U+200D⟩"), ("\u{200d}👩", "⟨U+200D⟩👩"),
    ("❤\u{fe0f}\u{200d}🔥", "❤🔥"), ("👩\u{1f3fd}\u{200d}🚀", "👩\u{1f3fd}🚀"),
    ("🏃\u{200d}♂\u{fe0f}", "🏃♂"), ("1\u{fe0f}\u{20e3}", "1\u{20e3}"),
    ("a\u{fe0f}b", "a⟨U+FE0F⟩b"), ("1\u{fe0f}2", "1⟨U+FE0F⟩2"), ("\u{fe0f}", "⟨U+FE0F⟩"),
    // Sinhala joins letters with it; a symbol may be drawn as text.
    ("\u{0dc1}\u{0dca}\u{200d}\u{0dbb}", "\u{0dc1}\u{0dca}\u{0dbb}"), ("✓\u{fe0e}", "✓"),
    ("\n\u{fe00}", "⏎⟨U+FE00⟩"), ("葛\u{e0100}", "葛"),
    ("a\u{34f}b", "a⟨U+034F⟩b"), ("a\u{3164}", "a⟨U+3164⟩"),
    ("\u{115f}\u{1160}", "⟨U+115F⟩⟨U+1160⟩"),
    ("가\u{1160}", "가⟨U+1160⟩"), ("\u{ffa0}", "⟨U+FFA0⟩"), ("⣿\u{2800}⣿", "⣿⟨U+2800⟩⣿"),
    ("\u{378}", "\u{fffd}"),
    ("\u{fffd}", "\u{fffd}"),
    ("", ""),
  ])
  func `what is invisible or dangerous becomes visible`(_ raw: String, _ shown: String) {
    #expect(DisplayText.sanitize(raw) == shown)
  }

  @Test(arguments: [
    ("\u{1b}[31m", "^[[31m"), ("a\nb", "a^Jb"), ("\u{7f}", "^?"), ("\u{202e}", "<U+202E>"),
    ("\u{301}", "<U+0301>"), ("ä", "ä"),
  ])
  func `stand-ins are ASCII where the program may draw nothing else`(
    _ raw: String, _ shown: String
  ) {
    #expect(DisplayText.sanitize(raw, glyphs: .ascii) == shown)
  }

  @Test func `no scalar gets through that could steer a terminal`() {
    for value in UInt32(0)...0x10ffff {
      guard let scalar = Unicode.Scalar(value) else { continue }
      for shown in DisplayText.sanitize(String(scalar)).unicodeScalars {
        switch shown.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator:
          Issue.record(
            "U+\(String(value, radix: 16)) is shown as U+\(String(shown.value, radix: 16))")
        default: break
        }
      }
    }
  }

  @Test func `sanitizing twice changes nothing more`() {
    let once = DisplayText.sanitize("\u{1b}a\u{301}\u{202e}\n\u{378}\u{301}")
    #expect(DisplayText.sanitize(once) == once)
  }

  @Test func `no more marks are kept than a cell holds`() {
    let zalgo = "a" + String(repeating: "\u{301}", count: 50)
    #expect(DisplayText.sanitize(zalgo).unicodeScalars.count == 5)
    #expect(DisplayText.width(zalgo) == 1)
  }

  @Test(arguments: [
    ("", 0), ("abc", 3), ("日本", 4), ("e\u{301}", 1), ("👩\u{200d}👧", 4), ("\u{1b}", 1),
    ("\u{202e}", 8), ("\u{378}", 1),
  ])
  func `a width counts cells`(_ text: String, _ width: Int) {
    #expect(DisplayText.width(text) == width)
  }

  @Test func `a width is not counted beyond its limit`() {
    #expect(DisplayText.width(String(repeating: "日", count: 1000), limit: 5) == 5)
    #expect(DisplayText.width("abc", limit: 2) == 2)
  }

  @Test(arguments: [
    ("barbara", 5, "barb…"), ("barbara", 7, "barbara"), ("ada", 5, "ada  "), ("x", 0, ""),
    ("ab", 1, "…"), ("日本語", 5, "日本…"), ("日本語", 4, "日… "), ("日本語", 6, "日本語"),
    ("日本", 1, "…"), ("a日", 2, "a…"), ("\u{1b}\u{1b}\u{1b}", 2, "␛…"), ("", 2, "  "),
  ])
  func `a text is padded or cut to its column`(_ text: String, _ width: Int, _ fitted: String) {
    #expect(DisplayText.fit(text, width: width) == fitted)
  }

  @Test func `trailing text is padded on its left`() {
    #expect(DisplayText.fit("12", width: 5, alignment: .trailing) == "   12")
    #expect(DisplayText.fit("123456", width: 5, alignment: .trailing) == "1234…")
    #expect(DisplayText.fit("123456", width: 5, glyphs: .ascii) == "1234>")
  }

  // A thousand times four megabytes would take far longer.
  @Test(.timeLimit(.minutes(10)))
  func `a huge text is read only as far as it is shown`() {
    let huge = String(repeating: "x\u{1b}", count: 2_000_000)
    for _ in 0..<1000 {
      #expect(DisplayText.fit(huge, width: 10) == "x␛x␛x␛x␛x…")
    }
  }

  @Test func `widths are those of the C library that ncurses asks`() throws {
    // Another version knows other characters; the table is of Debian 12.
    typealias Version = @convention(c) () -> UnsafePointer<CChar>
    let versionSymbol = try #require(dlsym(nil, "gnu_get_libc_version"))
    let version = unsafeBitCast(versionSymbol, to: Version.self)
    guard String(cString: version()) == "2.36" else { return }
    let locale = try #require(newlocale(1 << LC_CTYPE, "C.UTF-8", nil))
    let before = uselocale(locale)
    defer {
      uselocale(before)
      freelocale(locale)
    }
    typealias Width = @convention(c) (Int32) -> Int32
    let symbol = try #require(dlsym(nil, "wcwidth"))
    let wcwidth = unsafeBitCast(symbol, to: Width.self)
    for value in UInt32(1)...0x10ffff {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let expected = wcwidth(Int32(bitPattern: value))
      let width: Int32 =
        switch DisplayText.widthClass(of: scalar) {
        case .zero: 0
        case .single: 1
        case .double: 2
        case .unprintable: -1
        }
      if width != expected { Issue.record("U+\(String(value, radix: 16)): \(width), \(expected)") }
    }
  }
}
