import ObservationEngine
import Testing

@testable import Dashboard

@Suite struct ColumnDirectiveTests {
  private func parsed(_ directive: String) -> (panel: PanelDefinition?, faults: [String]) {
    let (definition, diagnostics) = DashboardParser.parse(
      "-- name: p\n-- \(directive)\nSELECT 1 AS a;\n")
    return (definition.panels.first, diagnostics.map { "\($0.column): \($0.message)" })
  }

  private func formats(_ text: String) -> [ColumnFormatting] {
    let result = parsed("format: " + text)
    #expect(result.faults == [], "\(text)")
    return result.panel?.formats ?? []
  }

  @Test func `words of different kinds combine`() {
    var money = ColumnFormat(bar: .share)
    money.currency = "€"
    var speed = ColumnFormat(.compact)
    speed.suffix = ", in /s"
    speed.decimals = 1
    #expect(
      formats("revenue money € share-bar, speed compact fixed 1 suffix \", in /s\"") == [
        ColumnFormatting(column: "revenue", format: money),
        ColumnFormatting(column: "speed", format: speed),
      ])
  }

  @Test func `a column can be called like a format, and have several words`() {
    #expect(formats("date date") == [ColumnFormatting(column: "date", format: ColumnFormat(.date))])
    #expect(
      formats("order date date") == [
        ColumnFormatting(column: "order date", format: ColumnFormat(.date))
      ])
    #expect(
      formats("\"total money\" bar") == [
        ColumnFormatting(column: "total money", format: ColumnFormat(bar: .relative))
      ])
  }

  @Test(
    arguments: [
      ("score", "12: \"format:\" takes a column and words about it, as in \"score thousands\""),
      ("score thousand", "18: no format is called \"thousand\", did you mean \"thousands\"?"),
      ("total mony €", "18: no format is called \"mony\", did you mean \"money\"?"),
      ("score fixed", "18: \"fixed\" needs a value, as in \"fixed 2\""),
      ("score fixed x", "24: \"fixed\" needs a number of decimals from 0 to 9, not \"x\""),
      ("\"score\" bytes time", "26: \"time\" and \"bytes\" exclude each other"),
      ("\"score\" bytes fixed 2", "20: \"fixed\" has no meaning with \"bytes\""),
      ("\"at\" date bar", "17: a bar has no meaning with \"date\""),
      ("score suffix \"x", "25: this quote has no end"),
      ("a bar, a bytes", "19: \"a\" has a format already"),
    ] as [(String, String)])
  func `a fault has its place and a remedy`(_ text: String, _ expected: String) {
    let faults = parsed("format: " + text).faults
    #expect(faults.first?.hasPrefix(expected) == true, "\(faults)")
  }

  @Test func `colours are rules in order, or a gradient`() {
    let result = parsed(
      "color: stock red<10 amber<=min_stock row, state red=\"in work\" green!=x, load gradient=down"
    )
    #expect(result.faults == [])
    var stock = ColumnColoring(
      column: "stock",
      rules: [
        ColumnColoring.Rule(.red, .less, .number(10)),
        ColumnColoring.Rule(.amber, .lessOrEqual, .column("min_stock")),
      ])
    stock.isForRow = true
    let state = ColumnColoring(
      column: "state",
      rules: [
        ColumnColoring.Rule(.red, .equal, .column("in work")),
        ColumnColoring.Rule(.green, .unequal, .column("x")),
      ])
    #expect(
      result.panel?.colors == [stock, state, ColumnColoring(column: "load", gradient: .down)])
  }

  @Test(
    arguments: [
      ("stock", "11: \"color:\" takes a column and words about it, as in \"stock red<10\""),
      ("stock rd<10", "17: no colour is called \"rd\", did you mean \"red\"?"),
      ("stock red<", "17: \"red\" needs a comparison, as in \"red<10\""),
      ("stock row", "17: \"row\" needs a rule, as in \"stock red<10 row\""),
      ("stock gradient=left", "17: \"gradient=\" is either \"up\""),
      ("a red<1, a red<2", "20: \"a\" has colours already"),
    ] as [(String, String)])
  func `a fault in colours has its place and a remedy`(_ text: String, _ expected: String) {
    let faults = parsed("color: " + text).faults
    #expect(faults.first?.hasPrefix(expected) == true, "\(faults)")
  }

  @Test func `columns that colours name are checked`() {
    let panel = parsed("color: a red<missing, b green=missing").panel
    let messages = panel?.diagnostics(resultColumns: ["a", "b"]).map(\.message) ?? []
    #expect(messages == ["\"color:\" names \"missing\", which is not a column of the result"])
  }

  @Test(
    arguments: [
      (Value.integer(5), ColumnColoring.Hue.red), (Value.integer(10), .amber),
      (Value.real(24.5), .amber), (Value.integer(25), nil), (Value.null, nil),
      (Value.text("x"), nil),
    ] as [(Value, ColumnColoring.Hue?)])
  func `the first rule that holds counts`(_ value: Value, _ expected: ColumnColoring.Hue?) {
    let coloring = ColumnColoring(
      column: "n",
      rules: [
        ColumnColoring.Rule(.red, .less, .number(10)),
        ColumnColoring.Rule(.amber, .less, .number(25)),
      ])
    let colors = ColumnColors(coloring, columns: ["n"])
    #expect(colors.hue(of: value, in: [value]) == expected)
  }

  @Test func `a value is compared with another column or a text`() {
    let below = ColumnColors(
      ColumnColoring(column: "n", rules: [ColumnColoring.Rule(.red, .less, .column("Least"))]),
      columns: ["n", "least"])
    #expect(below.hue(of: 3, in: [3, 4]) == .red)
    #expect(below.hue(of: 4, in: [4, 4]) == nil)
    #expect(below.hue(of: 4, in: [4, .null]) == nil)
    let failed = ColumnColors(
      ColumnColoring(column: "n", rules: [ColumnColoring.Rule(.red, .equal, .column("failed"))]),
      columns: ["n"])
    #expect(failed.hue(of: "failed", in: ["failed"]) == .red)
    #expect(failed.hue(of: "done", in: ["done"]) == nil)
  }

  @Test func `values of one kind are compared as alerts compare them`() {
    let colors = ColumnColors(
      ColumnColoring(
        column: "a",
        rules: [
          ColumnColoring.Rule(.green, .equal, .column("b")),
          ColumnColoring.Rule(.red, .unequal, .column("b")),
        ]), columns: ["a", "b"])
    let blob = Value.blob([1, 2])
    #expect(colors.hue(of: blob, in: [blob, blob]) == .green)
    #expect(colors.hue(of: blob, in: [blob, .blob([1])]) == .red)
    #expect(colors.hue(of: blob, in: [blob, .text("x")]) == .red)
    #expect(colors.hue(of: blob, in: [blob, .null]) == nil)
    let large = Value.integer(1 << 53 + 1)
    #expect(colors.hue(of: large, in: [large, .integer(1 << 53)]) == .red)
  }
}
