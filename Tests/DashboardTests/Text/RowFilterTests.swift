import ObservationEngine
import Testing

@testable import Dashboard

@Suite struct RowFilterTests {
  private let columns = ["Country", "City", "a", "a:b"]

  private func matches(_ filter: String, _ row: Value...) -> Bool {
    RowFilter(filter, columns: columns).matches(row)
  }

  @Test func `a text is searched anywhere, and in the column that it names`() {
    #expect(matches("ger", .text("Germany"), .text("Bern")))
    #expect(matches("country:ger", .text("Germany"), .text("Bern")))
    #expect(!matches("City:ger", .text("Germany"), .text("Bern")))
    #expect(matches("City:", .text("Germany"), .text("Bern")))
    #expect(!matches("City:ger", .text("Germany")))
  }

  @Test func `an equals sign asks for the whole value, in its case`() {
    #expect(matches("Country:=Germany", .text("Germany")))
    #expect(!matches("Country:=germany", .text("Germany")))
    #expect(!matches("Country:=Germ", .text("Germany")))
    #expect(matches("Country:=NULL", .null) && matches("Country:=3", .integer(3)))
    #expect(matches("Country:=", .text("")) && !matches("Country:=", .blob([])))
  }

  @Test func `what is no column belongs to the text`() {
    #expect(matches("at:12", .text("it was at:12")))
    #expect(!matches("at:12", .text("12")))
    #expect(matches("a:b:x", .null, .null, .text("no"), .text("x")))
    #expect(matches("a:b", .null, .null, .text("b"), .text("no")))
  }

  @Test func `a name before := that no column has is told`() {
    let unknown = { [columns] (text: String) in
      RowFilter.unknownColumn(in: text, columns: columns)
    }
    #expect(unknown("Cuntry:=1") == "Cuntry")
    #expect(unknown("city:=1") == nil && unknown("a:b:=1") == nil)
    #expect(unknown("at:12") == nil && unknown(":=1") == nil)
  }

  @Test func `the filter for a value finds it`() throws {
    for value in [Value.null, .integer(-3), .real(0.1), .text("a b"), .text("x:=y"), .text("")] {
      let text = try #require(RowFilter.text(value, in: "City"))
      #expect(RowFilter(text, columns: columns).matches([.null, value]), "\(text)")
    }
    #expect(RowFilter.text(.blob([1]), in: "City") == nil)
  }
}
