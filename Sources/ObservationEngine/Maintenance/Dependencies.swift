/// Which rows of one table a changed row of another can concern, where a query isn't linear: behind a LEFT JOIN, and
/// in SELECTs in its expressions.
///
///     SELECT c.name FROM customer c WHERE EXISTS (SELECT * FROM sale s WHERE s.customer = c.id AND s.paid = 0)
///                                                                  └─ an edge from s to c ─┘
///
/// A row of `sale` matters to those rows of `customer` alone for which the equation holds, because it is one of the
/// conditions that all must hold. So edges lead from each changed row to the rows that must be evaluated again. A row
/// in between that changed as well has an edge of its own, so that the others may be taken as they are now.
struct Dependencies: Sendable {
  /// `"k1"."customer" = "k0"."id"`, where the numbers are those of leaves.
  struct Edge: Sendable, Equatable {
    let from: Int
    let to: Int
    let condition: String
  }

  /// What all values of a column must be, so that it doesn't matter in which order SQLite reads them.
  struct Rule: Sendable, Hashable {
    enum Kind: String, Sendable, Hashable {
      case notNull = "NULL in a list"
      case notReal = "the least or greatest of REAL values"
      /// In a column of REAL values, only 0.0 and -0.0 are equal and differ.
      case notZero = "the least or greatest of values that may be 0.0 or -0.0"
      case smallWhole = "a sum of other values than small whole numbers"
    }

    /// By its place among the tables of the query, and among the columns of the table.
    let table: Int
    let place: Int
    let kind: Kind

    /// Sums of so many such numbers can't exceed 2^53.
    static let mostRows: Int64 = 1 << 20

    func holds(for value: Value) -> Bool {
      switch (kind, value) {
      case (.notNull, .null), (.notReal, .real): false
      case (.notZero, .real(let number)): number != 0
      case (.notNull, _), (.notReal, _), (.notZero, _), (.smallWhole, .null): true
      case (.smallWhole, .integer(let number)): number.magnitude <= 1 << 32
      case (.smallWhole, .real(let number)):
        number.magnitude <= 0x1p32 && number == number.rounded()
      default: false
      }
    }

    /// Finds a value for which it doesn't hold.
    func search(_ column: String, in table: String) -> String {
      let condition =
        switch kind {
        case .notNull: "\(column) IS NULL"
        case .notReal: "typeof(\(column)) = 'real'"
        case .notZero: "\(column) = 0"
        case .smallWhole:
          """
          typeof(\(column)) NOT IN ('integer', 'real', 'null') \
          OR \(column) NOT BETWEEN -4294967296 AND 4294967296 OR \(column) <> CAST(\(column) AS INTEGER) \
          OR (SELECT count(*) FROM \(table)) > \(Self.mostRows)
          """
        }
      return "SELECT 1 FROM \(table) WHERE \(condition) LIMIT 1"
    }
  }

  private(set) var edges: [Edge] = []
  private(set) var rules: Set<Rule> = []

  mutating func add(_ edge: Edge) { if !edges.contains(edge) { edges.append(edge) } }
  mutating func add(_ rule: Rule) { rules.insert(rule) }

  /// The leaves from one to another, by as few edges as possible; `nil` when none lead there.
  func path(from start: Int, to end: Int) -> [Int]? {
    var paths: [Int: [Int]] = [start: [start]]
    var queue = [start]
    while let leaf = queue.first, leaf != end {
      queue.removeFirst()
      for edge in edges where edge.from == leaf && paths[edge.to] == nil {
        paths[edge.to] = paths[leaf]! + [edge.to]
        queue.append(edge.to)
      }
    }
    return paths[end]
  }

  /// The conditions of the edges along a path.
  func conditions(_ path: [Int]) -> [String] {
    zip(path, path.dropFirst()).flatMap { from, to in
      edges.filter { $0.from == from && $0.to == to }.map(\.condition)
    }
  }
}
