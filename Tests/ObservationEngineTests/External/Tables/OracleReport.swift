/// What a run of the oracle saw.
struct OracleReport: CustomStringConvertible {
  /// Looks at the database, each after some commits.
  var looks = 0
  var commits = 0
  /// How many bases were used, one after the other.
  var databases = 0
  /// Looks answered with a list of tables, and with a change of the schema.
  var named = 0
  var schema = 0
  /// Looks answered with all tables, by reason; numbers in it are left out.
  var all: [String: Int] = [:]
  /// Tables that differed, and those that did not, at looks answered with a list.
  var affected = 0
  var unaffected = 0
  /// Tables that were told and did not differ.
  var falsePositives = 0
  /// Looks at which a table differed and was not told.
  var missed = 0
  /// Rows that commits were said to have changed, and tables of which that wasn't known, by reason.
  var rows = 0
  var unknownRows: [String: Int] = [:]
  /// Comparisons of the map with dbstat.
  var audits = 0
  /// Pages of which the map was compared with dbstat, and those it had no owner for.
  var auditedPages = 0
  var unknownPages = 0
  /// Attempts to make the map, and those refused, by reason.
  var builds = 0
  var refusedBuilds: [String: Int] = [:]
  /// What was done, by kind.
  var work: [String: Int] = [:]
  /// What must not be: a table that differs and was not told, or a page mapped to another table.
  var failures: [String] = []

  mutating func note(all reason: String) { all[Self.kind(of: reason), default: 0] += 1 }

  mutating func note(unknownRows reason: String) {
    unknownRows[Self.kind(of: reason), default: 0] += 1
  }

  mutating func note(refused reason: String) {
    refusedBuilds[Self.kind(of: reason), default: 0] += 1
  }

  /// Reasons that differ in their numbers are the same.
  private static func kind(of reason: String) -> String {
    reason.split(separator: " ")
      .map { $0.contains(where: \.isNumber) ? "…" : String($0) }.joined(separator: " ")
  }

  mutating func add(_ other: OracleReport) {
    looks += other.looks
    commits += other.commits
    databases += other.databases
    named += other.named
    schema += other.schema
    all.merge(other.all, uniquingKeysWith: +)
    affected += other.affected
    unaffected += other.unaffected
    falsePositives += other.falsePositives
    missed += other.missed
    rows += other.rows
    unknownRows.merge(other.unknownRows, uniquingKeysWith: +)
    audits += other.audits
    auditedPages += other.auditedPages
    unknownPages += other.unknownPages
    builds += other.builds
    refusedBuilds.merge(other.refusedBuilds, uniquingKeysWith: +)
    work.merge(other.work, uniquingKeysWith: +)
    failures += other.failures
  }

  /// The share of the tables that did not differ and were told all the same, where tables were
  /// named.
  var falsePositiveShare: Double {
    unaffected == 0 ? 0 : Double(falsePositives) / Double(unaffected)
  }

  var description: String {
    let total = all.values.reduce(0, +)
    var lines = [
      "\(databases) databases, \(looks) looks, \(commits) commits",
      "answers: \(named) tables, \(schema) schema, \(total) all",
    ]
    lines += Self.listing(all)
    lines += [
      "missed: \(missed); other failures: \(failures.count - missed)",
      """
      false positives: \(falsePositives) of \(unaffected) unaffected tables \
      (\(Self.percent(falsePositiveShare))); \(affected) affected
      """,
      "rows: \(rows); tables of which they were unknown: \(unknownRows.values.reduce(0, +))",
    ]
    lines += Self.listing(unknownRows)
    lines += [
      "maps: \(builds) made, \(refusedBuilds.values.reduce(0, +)) refused"
    ]
    lines += Self.listing(refusedBuilds)
    lines.append(
      "audits against dbstat: \(audits), \(auditedPages) pages, \(unknownPages) without an owner")
    lines.append("work:")
    lines += Self.listing(work)
    return lines.joined(separator: "\n")
  }

  private static func listing(_ counts: [String: Int]) -> [String] {
    counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { "  \($0.value)  \($0.key)" }
  }

  private static func percent(_ share: Double) -> String {
    "\((share * 10_000).rounded() / 100) %"
  }
}
