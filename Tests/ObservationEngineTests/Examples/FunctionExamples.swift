import ObservationEngine
import Testing

/// The examples of functions and collations in Swift.
struct FunctionExamples {
  @Test func `a function is written in Swift`() throws {
    let reverse = CustomFunction(
      "reverse", argumentCount: 1, isDeterministic: true
    ) { arguments in
      guard case .text(let text) = arguments[0] else { return .null }
      return .text(String(text.reversed()))
    }
    var configuration = Configuration()
    configuration.functions = [reverse]
    // SELECT reverse(name) FROM player

    let database = try Database(inMemory: configuration)
    #expect(try database.readWaiting { try $0.fetchOne("SELECT reverse('ada!')") } == "!ada")
  }

  @Test func `an aggregate is written in Swift`() throws {
    let product = CustomFunction.aggregate("product", argumentCount: 1, initial: 1.0) {
      state, arguments in
      if let factor = Double.fromValue(arguments[0]) { state *= factor }
    } result: {
      .real($0)
    }

    var configuration = Configuration()
    configuration.functions = [product]
    let database = try Database(inMemory: configuration)
    let result: Double? = try database.readWaiting {
      try $0.fetchOne("SELECT product(column1) FROM (VALUES (2.0), (3.0))")
    }
    #expect(result == 6)
  }

  @Test func `a collation is written in Swift`() throws {
    let byLength = CustomCollation("by_length") { left, right in
      left.count < right.count ? .before : left.count > right.count ? .after : .same
    }
    var configuration = Configuration()
    configuration.collations = [byLength]

    let database = try Database(inMemory: configuration)
    let first: String? = try database.readWaiting {
      try $0.fetchOne(
        "SELECT column1 FROM (VALUES ('long'), ('a')) ORDER BY column1 COLLATE by_length")
    }
    #expect(first == "a")
  }
}
