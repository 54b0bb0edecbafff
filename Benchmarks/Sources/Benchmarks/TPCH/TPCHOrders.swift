/// Orders and their lines, as the specification of TPC-H makes them.
struct TPCHOrders {
  /// A value of a row, as a statement or a text of SQL takes it.
  enum Field {
    case integer(Int)
    case real(Double)
    case text(String)

    /// As SQL.
    var literal: String {
      switch self {
      case .integer(let number): "\(number)"
      case .real(let number): "\(number)"
      // No text of the benchmark has a quote.
      case .text(let text): "'\(text)'"
      }
    }
  }

  /// How many rows the tables have.
  struct Sizes {
    let suppliers: Int
    let customers: Int
    let parts: Int
    let orders: Int

    init(scale: Double) {
      func size(_ whole: Int) -> Int { max(10, Int((Double(whole) * scale).rounded())) }
      suppliers = size(10_000)
      customers = size(150_000)
      parts = size(200_000)
      orders = size(1_500_000)
    }

    /// The supplier of a part that comes at one of four places.
    func supplier(of part: Int, _ place: Int) -> Int {
      (part + place * (suppliers / 4 + (part - 1) / suppliers)) % suppliers + 1
    }
  }

  /// Dates by the days since 1992-01-01.
  static let dates: [String] = {
    var dates: [String] = []
    func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    for year in 1992...1999 {
      for month in 1...12 {
        let days = month == 2 ? (year % 4 == 0 ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
        for day in 1...days { dates.append("\(year)-\(padded(month))-\(padded(day))") }
      }
    }
    return dates
  }()
  /// 1995-06-17: what was shipped after it is still open.
  private static let today = 1263
  /// The last day of an order: 151 days before the end of 1998.
  private static let lastDay = 2405

  let sizes: Sizes

  static func price(of part: Int) -> Double {
    Double(90_000 + part / 10 % 20_001 + 100 * (part % 1000)) / 100
  }

  /// Of each 32 keys the first eight are used.
  static func key(_ number: Int) -> Int { number / 8 * 32 + number % 8 + 1 }

  /// An order and its lines.
  func make(
    key: Int, _ random: inout SplitMix
  ) -> (order: [Field], lines: [[Field]]) {
    let day = Int.random(in: 0...Self.lastDay, using: &random)
    // A third of the customers never orders.
    var customer = Int.random(in: 1...sizes.customers, using: &random)
    if customer % 3 == 0 { customer = max(1, customer - 1) }
    var (total, open) = (0.0, 0)
    let count = Int.random(in: 1...7, using: &random)
    let lines = (1...count).map { number -> [Field] in
      let part = Int.random(in: 1...sizes.parts, using: &random)
      let supplier = sizes.supplier(of: part, Int.random(in: 0...3, using: &random))
      let quantity = Int.random(in: 1...50, using: &random)
      let price = (Double(quantity) * Self.price(of: part) * 100).rounded() / 100
      let discount = Double(Int.random(in: 0...10, using: &random)) / 100
      let tax = Double(Int.random(in: 0...8, using: &random)) / 100
      let shipped = day + Int.random(in: 1...121, using: &random)
      let committed = day + Int.random(in: 30...90, using: &random)
      let received = shipped + Int.random(in: 1...30, using: &random)
      total += price * (1 + tax) * (1 - discount)
      if shipped > Self.today { open += 1 }
      let returned =
        received > Self.today ? "N" : Bool.random(using: &random) ? "R" : "A"
      return [
        .integer(key), .integer(part), .integer(supplier), .integer(number),
        .real(Double(quantity)), .real(price), .real(discount), .real(tax), .text(returned),
        .text(shipped > Self.today ? "O" : "F"), .text(Self.dates[shipped]),
        .text(Self.dates[committed]), .text(Self.dates[received]),
        .text(TPCHText.instructions.randomElement(using: &random)!),
        .text(TPCHText.modes.randomElement(using: &random)!),
        .text(TPCHText.comment(10...43, &random)),
      ]
    }
    let status = open == 0 ? "F" : open == count ? "O" : "P"
    let clerk = Int.random(in: 1...max(1, sizes.suppliers / 10), using: &random)
    return (
      [
        .integer(key), .integer(customer), .text(status), .real((total * 100).rounded() / 100),
        .text(Self.dates[day]), .text(TPCHText.priorities.randomElement(using: &random)!),
        .text(TPCHText.numbered("Clerk", clerk)), .integer(0),
        .text(TPCHText.comment(19...78, &random)),
      ], lines
    )
  }
}
