/// The catalogs whose rows say what a query means: of relations, columns, types, functions, policies, roles.
///
/// The log itself reports which of them a transaction wrote to. Where only the rows of tables are reported, a mark
/// shows that they have changed, also when the same transaction changed rows of a table.
enum SchemaCatalogs {
  static let names = Set(all.map { $0.name })

  /// What differs when a row has changed, and which rows are read. A row has a new `xmin` after each change, but not
  /// after VACUUM or ANALYZE.
  ///
  /// What users make has numbers from 16384 on (FirstNormalObjectId): the thousands of rows below are not read. Of
  /// tables that no query reads the names alone count, since one may come to stand for another.
  private static let all: [(name: String, state: String, rows: String)] = [
    ("pg_class", "oid, xmin", "oid = \(these)"),
    (
      "pg_class", "oid, relnamespace, relname",
      "oid >= 16384 AND relkind IN ('r', 'p', 'v', 'm', 'f', 'S') AND relpersistence <> 't'"
    ),
    ("pg_attribute", "attrelid, attnum, xmin", "attrelid = \(these) AND attnum > 0"),
    ("pg_attrdef", "oid, xmin", "adrelid = \(these)"),
    ("pg_rewrite", "oid, xmin", "ev_class = \(these)"),
    ("pg_policy", "oid, xmin", "polrelid = \(these)"),
    ("pg_inherits", "inhrelid, inhparent, xmin", "inhparent = \(these)"),
    ("pg_index", "indexrelid, xmin", "indrelid = \(these)"),
    ("pg_foreign_table", "ftrelid, xmin", "ftrelid = \(these)"),
    // Of tables, and of domains: each has an index of its own.
    ("pg_constraint", "oid, xmin", "conrelid = \(these)"),
    ("pg_constraint", "oid, xmin", "contypid >= 16384"),
    // The types of rows and of arrays come and go with others.
    ("pg_type", "oid, xmin", "oid >= 16384 AND typarray <> 0 AND typtype <> 'c'"),
    ("pg_enum", "oid, xmin", "oid >= 16384"),
    ("pg_proc", "oid, xmin", "oid >= 16384"),
    ("pg_aggregate", "aggfnoid::oid, xmin", "aggfnoid >= 16384"),
    ("pg_operator", "oid, xmin", "oid >= 16384"),
    ("pg_cast", "oid, xmin", "oid >= 16384"),
    ("pg_collation", "oid, xmin", "oid >= 16384"),
    ("pg_ts_config", "oid, xmin", "oid >= 16384"),
    ("pg_ts_config_map", "mapcfg, maptokentype, mapseqno, xmin", "mapcfg >= 16384"),
    ("pg_ts_dict", "oid, xmin", "oid >= 16384"),
    // Those of temporary tables come with the first one of a session.
    ("pg_namespace", "oid, xmin", "NOT starts_with(nspname, 'pg_')"),
    ("pg_authid", "oid, rolname, rolsuper, rolinherit, rolbypassrls", "true"),
    ("pg_auth_members", "roleid, member, xmin", "true"),
  ]

  private static let these = "ANY (ARRAY(TABLE these))"

  /// The query whose only value is another one after each change of the schema.
  ///
  /// - Parameters:
  ///   - relations: The array of those that queries read.
  ///   - withTriggers: Whether their triggers belong to it.
  static func mark(of relations: String, withTriggers: Bool) -> String {
    let triggers = [(name: "pg_trigger", state: "oid, xmin", rows: "tgrelid = \(these)")]
    let sums = (withTriggers ? all + triggers : all).map { catalog in
      // Only a superuser may read that catalog itself. A sum needs no order of the rows.
      let relation = catalog.name == "pg_authid" ? "pg_roles" : catalog.name
      return """
        (SELECT sum(hashtextextended(concat_ws(':', \(catalog.state)), 0)) FROM \(relation) \
        WHERE \(catalog.rows))
        """
    }
    // A type of several columns has these as a table has them.
    return """
      WITH these AS (SELECT unnest(\(relations)) \
      UNION ALL SELECT oid FROM pg_class WHERE oid >= 16384 AND relkind = 'c') \
      SELECT md5(concat_ws('|', \(sums.joined(separator: ", "))))
      """
  }
}
