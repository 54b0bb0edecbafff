import ObservationEngine
import Testing

@testable import Dashboard

/// Number panels next to each other, which have one size of digits.
@Suite struct NumberRowTests {
  private func screen(
    _ values: [(name: String, value: Value, format: ColumnFormat?)], width: Int, height: Int = 9,
    glyphs: GlyphSet = .unicode
  ) -> String {
    let panels = values.map { entry in
      var panel = Sample.panel(entry.name, .number)
      panel.formats = entry.format.map { [ColumnFormatting(column: "n", format: $0)] } ?? []
      return panel
    }
    var state = Sample.state(
      panels, layout: [panels.map(\.name)], glyphs: glyphs, console: false,
      size: Size(width: width, height: height))
    state.deliver(
      Dictionary(uniqueKeysWithValues: values.enumerated().map { ($0, Sample.value($1.value)) }))
    return state.screen().text.split(separator: "\n").dropFirst().prefix(height - 1)
      .joined(separator: "\n")
  }

  @Test func `a currency, a magnitude and a unit belong to the number`() {
    #expect(
      screen(
        [
          ("revenue", .real(1_265_793), .compact.with(money: "$")),
          ("rate", .real(0.062), .percent), ("time", .real(0.0031), .duration),
        ], width: 96)
          == """
          ┏━┫1 revenue┣━━━━━━━━━━━━━━━━━━━┱─┤2 rate├──────────────────────┬─┤3 time├─────────────────────╮
          ┃                               ┃                               │                              │
          ┃  ▄▀█▀▀ ▄█    ▀▀█ ▀▀█  █▄ ▄█   ┃  █▀▀   ▀▀█  ▀ █               │  ▀▀█   ▄█                    │
          ┃   ▀█▀▄  █    █▀▀  ▄▀  █ ▀ █   ┃  █▀█   █▀▀  ▄▀                │  ▀▀█    █                    │
          ┃  ▀▀▀▀  ▀▀▀ ▀ ▀▀▀  ▀   ▀   ▀   ┃  ▀▀▀ ▀ ▀▀▀  ▀ ▀               │  ▀▀▀ ▀ ▀▀▀  ms               │
          ┃                               ┃                               │                              │
          ┃                               ┃                               │                              │
          ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┹───────────────────────────────┴──────────────────────────────╯
          """)
  }

  @Test func `the smallest size that one of them needs is the size of all`() {
    #expect(
      screen(
        [("a", .integer(9), nil), ("b", .integer(12_345_678), nil), ("c", .integer(21), nil)],
        width: 120, height: 12) == """
          ┏━┫1 a┣━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┱─┤2 b├─────────────────────────────────┬─┤3 c├────────────────────────────────╮
          ┃                                       ┃                                       │                                      │
          ┃                                       ┃                                       │                                      │
          ┃  █▀█                                  ┃  ▄█  ▀▀█  ▀▀█ █ █ █▀▀  █▀▀ ▀▀█ █▀█    │  ▀▀█ ▄█                              │
          ┃  ▀▀█                                  ┃   █  █▀▀  ▀▀█ ▀▀█ ▀▀█  █▀█  ▄▀ █▀█    │  █▀▀  █                              │
          ┃  ▀▀▀                                  ┃  ▀▀▀ ▀▀▀  ▀▀▀   ▀ ▀▀▀  ▀▀▀  ▀  ▀▀▀    │  ▀▀▀ ▀▀▀                             │
          ┃                                       ┃                                       │                                      │
          ┃                                       ┃                                       │                                      │
          ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┹───────────────────────────────────────┴──────────────────────────────────────╯
           ?help  Tab focus  1-3 panel  z zoom  Enter inspect  / filter  s sort  Spc pause  t feed  , . rewind  : command  q quit
          """)
  }

  @Test func `a value without room for all digits is shortened, unless it has a format`() {
    #expect(
      screen([("a", .integer(12_345_678), nil), ("b", .integer(21), nil)], width: 56) == """
        ┏━┫1 a┣━━━━━━━━━━━━━━━━━━━━━┱─┤2 b├────────────────────╮
        ┃                           ┃                          │
        ┃  ▄█  ▀▀█   ▀▀█  █▄ ▄█     ┃  ▀▀█ ▄█                  │
        ┃   █  █▀▀   ▀▀█  █ ▀ █     ┃  █▀▀  █                  │
        ┃  ▀▀▀ ▀▀▀ ▀ ▀▀▀  ▀   ▀     ┃  ▀▀▀ ▀▀▀                 │
        ┃                           ┃                          │
        ┃                           ┃                          │
        ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━┹──────────────────────────╯
        """)
    #expect(
      screen([("a", .integer(12_345_678), .thousands), ("b", .integer(21), nil)], width: 56) == """
        ┏━┫1 a┣━━━━━━━━━━━━━━━━━━━━━┱─┤2 b├────────────────────╮
        ┃                           ┃                          │
        ┃                           ┃                          │
        ┃  12 345 678               ┃  21                      │
        ┃                           ┃                          │
        ┃                           ┃                          │
        ┃                           ┃                          │
        ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━┹──────────────────────────╯
        """)
  }
}
