import Glibc

/// A TPC-H database, made once for each scale factor and kept.
///
/// Decimals are REAL and dates TEXT, as they are in most SQLite files. With the indexes that a user would make.
struct TPCHDatabase {
  private static let schema = """
    CREATE TABLE region(r_regionkey INTEGER PRIMARY KEY, r_name TEXT NOT NULL, r_comment TEXT NOT NULL);
    CREATE TABLE nation(n_nationkey INTEGER PRIMARY KEY, n_name TEXT NOT NULL, n_regionkey INTEGER NOT NULL,
      n_comment TEXT NOT NULL);
    CREATE TABLE supplier(s_suppkey INTEGER PRIMARY KEY, s_name TEXT NOT NULL, s_address TEXT NOT NULL,
      s_nationkey INTEGER NOT NULL, s_phone TEXT NOT NULL, s_acctbal REAL NOT NULL, s_comment TEXT NOT NULL);
    CREATE TABLE customer(c_custkey INTEGER PRIMARY KEY, c_name TEXT NOT NULL, c_address TEXT NOT NULL,
      c_nationkey INTEGER NOT NULL, c_phone TEXT NOT NULL, c_acctbal REAL NOT NULL, c_mktsegment TEXT NOT NULL,
      c_comment TEXT NOT NULL);
    CREATE TABLE part(p_partkey INTEGER PRIMARY KEY, p_name TEXT NOT NULL, p_mfgr TEXT NOT NULL,
      p_brand TEXT NOT NULL, p_type TEXT NOT NULL, p_size INTEGER NOT NULL, p_container TEXT NOT NULL,
      p_retailprice REAL NOT NULL, p_comment TEXT NOT NULL);
    CREATE TABLE partsupp(ps_partkey INTEGER NOT NULL, ps_suppkey INTEGER NOT NULL, ps_availqty INTEGER NOT NULL,
      ps_supplycost REAL NOT NULL, ps_comment TEXT NOT NULL, PRIMARY KEY(ps_partkey, ps_suppkey));
    CREATE TABLE orders(o_orderkey INTEGER PRIMARY KEY, o_custkey INTEGER NOT NULL, o_orderstatus TEXT NOT NULL,
      o_totalprice REAL NOT NULL, o_orderdate TEXT NOT NULL, o_orderpriority TEXT NOT NULL, o_clerk TEXT NOT NULL,
      o_shippriority INTEGER NOT NULL, o_comment TEXT NOT NULL);
    CREATE TABLE lineitem(l_orderkey INTEGER NOT NULL, l_partkey INTEGER NOT NULL, l_suppkey INTEGER NOT NULL,
      l_linenumber INTEGER NOT NULL, l_quantity REAL NOT NULL, l_extendedprice REAL NOT NULL,
      l_discount REAL NOT NULL, l_tax REAL NOT NULL, l_returnflag TEXT NOT NULL, l_linestatus TEXT NOT NULL,
      l_shipdate TEXT NOT NULL, l_commitdate TEXT NOT NULL, l_receiptdate TEXT NOT NULL,
      l_shipinstruct TEXT NOT NULL, l_shipmode TEXT NOT NULL, l_comment TEXT NOT NULL,
      PRIMARY KEY(l_orderkey, l_linenumber));
    CREATE TABLE fence(n INTEGER NOT NULL);
    INSERT INTO fence VALUES (0);
    """

  private static let indexes = """
    CREATE INDEX orders_customer ON orders(o_custkey);
    CREATE INDEX lineitem_part ON lineitem(l_partkey, l_suppkey);
    CREATE INDEX lineitem_supplier ON lineitem(l_suppkey);
    CREATE INDEX customer_nation ON customer(c_nationkey);
    CREATE INDEX supplier_nation ON supplier(s_nationkey);
    CREATE INDEX partsupp_supplier ON partsupp(ps_suppkey);
    CREATE INDEX nation_region ON nation(n_regionkey);
    ANALYZE;
    """

  /// Which part of the specification's 6 million lines there are: 0.1 is 600,000 lines, and 120 MB.
  let scale: Double
  var sizes: TPCHOrders.Sizes { TPCHOrders.Sizes(scale: scale) }

  /// The path of the database.
  func original(_ project: Project) throws(Failure) -> String {
    let path = project.path("tpch-\(scale).db")
    guard access(path, R_OK) != 0 else { return path }
    // Under its name only when it is complete.
    let unfinished = project.newDatabase("tpch-unfinished.db")
    try fill(unfinished)
    guard rename(unfinished, path) == 0 else { throw Failure(call: path) }
    return path
  }

  /// The connection is closed on return: the log is in the file then.
  private func fill(_ path: String) throws(Failure) {
    let connection = try PlainConnection(path)
    try connection.run("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN")
    try connection.run(Self.schema)
    var random = SplitMix(seed: 1)
    try fillSmall(connection, &random)
    try fillParts(connection, &random)
    let orders = TPCHOrders(sizes: sizes)
    let order = try RowInsertion(connection, "orders", columns: 9)
    let line = try RowInsertion(connection, "lineitem", columns: 16)
    for number in 0..<sizes.orders {
      let made = orders.make(key: TPCHOrders.key(number), &random)
      try order.insert(made.order)
      for fields in made.lines { try line.insert(fields) }
    }
    try connection.run(Self.indexes)
    try connection.run("COMMIT; PRAGMA journal_mode = WAL")
  }

  private func fillSmall(_ connection: PlainConnection, _ random: inout SplitMix) throws(Failure) {
    let region = try RowInsertion(connection, "region", columns: 3)
    for (key, name) in TPCHText.regions.enumerated() {
      try region.insert([
        .integer(key), .text(name), .text(TPCHText.comment(31...115, &random)),
      ])
    }
    let nation = try RowInsertion(connection, "nation", columns: 4)
    for (key, entry) in TPCHText.nations.enumerated() {
      try nation.insert([
        .integer(key), .text(entry.name), .integer(entry.region),
        .text(TPCHText.comment(31...114, &random)),
      ])
    }
    let supplier = try RowInsertion(connection, "supplier", columns: 7)
    for key in 1...sizes.suppliers {
      let nation = Int.random(in: 0...24, using: &random)
      // Of ten thousand, five have complaints.
      let comment =
        Int.random(in: 0..<2000, using: &random) == 0 || key == 7
        ? "slyly Customer ironic Complaints sleep" : TPCHText.comment(25...100, &random)
      try supplier.insert([
        .integer(key), .text(TPCHText.numbered("Supplier", key)),
        .text(TPCHText.comment(10...40, &random)), .integer(nation),
        .text(TPCHText.phone(nation, &random)), .real(Self.balance(&random)), .text(comment),
      ])
    }
    let customer = try RowInsertion(connection, "customer", columns: 8)
    for key in 1...sizes.customers {
      let nation = Int.random(in: 0...24, using: &random)
      try customer.insert([
        .integer(key), .text(TPCHText.numbered("Customer", key)),
        .text(TPCHText.comment(10...40, &random)), .integer(nation),
        .text(TPCHText.phone(nation, &random)), .real(Self.balance(&random)),
        .text(TPCHText.segments.randomElement(using: &random)!),
        .text(TPCHText.comment(29...116, &random)),
      ])
    }
  }

  private func fillParts(_ connection: PlainConnection, _ random: inout SplitMix) throws(Failure) {
    let part = try RowInsertion(connection, "part", columns: 9)
    let supply = try RowInsertion(connection, "partsupp", columns: 5)
    for key in 1...sizes.parts {
      let maker = Int.random(in: 1...5, using: &random)
      try part.insert([
        .integer(key), .text(TPCHText.partName(&random)), .text("Manufacturer#\(maker)"),
        .text("Brand#\(maker)\(Int.random(in: 1...5, using: &random))"),
        .text(TPCHText.compound(TPCHText.types, &random)),
        .integer(Int.random(in: 1...50, using: &random)),
        .text(TPCHText.compound(TPCHText.containers, &random)), .real(TPCHOrders.price(of: key)),
        .text(TPCHText.comment(5...22, &random)),
      ])
      for supplier in Set((0..<4).map { sizes.supplier(of: key, $0) }).sorted() {
        try supply.insert([
          .integer(key), .integer(supplier), .integer(Int.random(in: 1...9999, using: &random)),
          .real(Double(Int.random(in: 100...100_000, using: &random)) / 100),
          .text(TPCHText.comment(49...198, &random)),
        ])
      }
    }
  }

  private static func balance(_ random: inout SplitMix) -> Double {
    Double(Int.random(in: -99_999...999_999, using: &random)) / 100
  }
}

/// Inserts rows into one table.
private struct RowInsertion {
  private let statement: PlainStatement

  init(_ connection: PlainConnection, _ table: String, columns: Int) throws(Failure) {
    let places = Array(repeating: "?", count: columns).joined(separator: ", ")
    statement = try connection.prepare("INSERT INTO \(table) VALUES (\(places))")
  }

  func insert(_ fields: [TPCHOrders.Field]) throws(Failure) {
    for (index, field) in fields.enumerated() {
      let place = Int32(index + 1)
      switch field {
      case .integer(let number): statement.bind(number, to: place)
      case .real(let number): statement.bind(number, to: place)
      case .text(let text): statement.bind(text, to: place)
      }
    }
    try statement.run()
  }
}
