/// What another process commits to a TPC-H database; each commit raises the number in `fence`.
struct TPCHCommits {
  private let orders: TPCHOrders
  private var random = SplitMix(seed: 2)
  private var oldest = 0
  private var newest: Int
  /// The number of the last commit that was made.
  private(set) var number = 0

  init(_ sizes: TPCHOrders.Sizes) {
    orders = TPCHOrders(sizes: sizes)
    newest = sizes.orders
  }

  /// How many orders a refresh function brings or takes: a thousandth of all.
  private var batch: Int { max(1, orders.sizes.orders / 1000) }

  private mutating func transaction(_ statements: [String]) -> String {
    number += 1
    let all = ["BEGIN IMMEDIATE"] + statements + ["UPDATE fence SET n = \(number)", "COMMIT"]
    return all.joined(separator: "; ")
  }

  /// RF1: new orders with their lines.
  mutating func newOrders() -> String {
    var (heads, lines): ([String], [String]) = ([], [])
    func row(_ fields: [TPCHOrders.Field]) -> String {
      "(" + fields.map(\.literal).joined(separator: ", ") + ")"
    }
    for _ in 0..<batch {
      let made = orders.make(key: TPCHOrders.key(newest), &random)
      newest += 1
      heads.append(row(made.order))
      lines += made.lines.map(row)
    }
    return transaction([
      "INSERT INTO orders VALUES \(heads.joined(separator: ", "))",
      "INSERT INTO lineitem VALUES \(lines.joined(separator: ", "))",
    ])
  }

  /// RF2: as many orders go, the oldest ones.
  mutating func goneOrders() -> String {
    let keys = (oldest..<oldest + batch).map { "\(TPCHOrders.key($0))" }.joined(separator: ", ")
    oldest += batch
    return transaction([
      "DELETE FROM lineitem WHERE l_orderkey IN (\(keys))",
      "DELETE FROM orders WHERE o_orderkey IN (\(keys))",
    ])
  }

  /// One row of one of `tables`, a column of which is changed.
  ///
  /// Tables come up as often as large as they are, but for the smallest.
  mutating func changedRow(of tables: [String]) -> String {
    let sizes = orders.sizes
    let all: [(table: String, weight: Int, key: String, count: Int, changes: [String])] = [
      (
        "lineitem", 60, "rowid", sizes.orders * 3,
        [
          "l_extendedprice = l_extendedprice + 1.25", "l_quantity = l_quantity % 50 + 1",
          "l_discount = 0.1 - l_discount", "l_shipdate = date(l_shipdate, '+1 day')",
          "l_receiptdate = date(l_receiptdate, '-1 day')",
        ]
      ),
      (
        "orders", 25, "o_orderkey", 0,
        [
          "o_totalprice = o_totalprice + 0.25", "o_orderdate = date(o_orderdate, '+1 day')",
          "o_orderpriority = '1-URGENT'", "o_comment = 'special requests ' || o_orderkey",
        ]
      ),
      (
        "customer", 8, "c_custkey", sizes.customers,
        ["c_acctbal = c_acctbal + 0.5", "c_mktsegment = 'BUILDING'"]
      ),
      (
        "partsupp", 4, "rowid", sizes.parts * 4,
        ["ps_supplycost = ps_supplycost + 0.25", "ps_availqty = ps_availqty % 9999 + 1"]
      ),
      (
        "part", 2, "p_partkey", sizes.parts,
        [
          "p_size = p_size % 50 + 1", "p_container = 'MED BOX'",
          "p_type = 'ECONOMY ANODIZED STEEL'",
        ]
      ),
      (
        "supplier", 1, "s_suppkey", sizes.suppliers,
        ["s_acctbal = s_acctbal + 0.75", "s_phone = s_phone || '0'"]
      ),
    ].filter { tables.contains($0.0) }
    var place = Int.random(in: 0..<max(1, all.reduce(0) { $0 + $1.weight }), using: &random)
    for entry in all {
      place -= entry.weight
      guard place < 0 else { continue }
      let key =
        entry.count == 0
        ? TPCHOrders.key(Int.random(in: oldest..<newest, using: &random))
        : Int.random(in: 1...entry.count, using: &random)
      let change = entry.changes.randomElement(using: &random)!
      return transaction(["UPDATE \(entry.table) SET \(change) WHERE \(entry.key) = \(key)"])
    }
    return transaction([])
  }
}
