/// Triggers that the user may make, which report what a transaction writes.
///
/// The program only prints them: they are for servers that refuse their log, and cost the user's writers something.
/// Transactions that notify commit one after another.
package enum ReportingTriggers {
  static let channel = "livequery"
  private static let name = "livequery_notify"

  /// The statements that make them, for `psql`.
  ///
  /// A statement that changes no row takes no number, and reports nothing. Tables with partitions or heirs get none: a
  /// statement that names the one fires no trigger of the other.
  package static let statements = """
    -- Makes each table report to livequery what is written to it.
    --
    -- Transactions that write to these tables commit one after another then, and can't be prepared (PREPARE
    -- TRANSACTION). For some tables alone, add to the WHERE below: AND c.relname IN ('...').
    -- This removes everything again: DROP FUNCTION \(name)() CASCADE;

    CREATE OR REPLACE FUNCTION \(name)() RETURNS trigger LANGUAGE plpgsql AS $function$
    BEGIN
      IF pg_catalog.pg_current_xact_id_if_assigned() IS NOT NULL THEN
        PERFORM pg_catalog.pg_notify('\(channel)',
          pg_catalog.concat(pg_catalog.pg_current_xact_id(), ' ', TG_RELID));
      END IF;
      RETURN NULL;
    END
    $function$;

    DO $do$
    DECLARE item regclass;
    BEGIN
      FOR item IN
        SELECT c.oid FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
        WHERE c.relkind = 'r' AND c.relpersistence <> 't' AND n.nspname NOT IN ('pg_catalog', 'information_schema')
          AND NOT EXISTS (SELECT FROM pg_catalog.pg_inherits i WHERE c.oid IN (i.inhrelid, i.inhparent))
      LOOP
        EXECUTE pg_catalog.format('CREATE OR REPLACE TRIGGER \(name) AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE '
          'ON %s FOR EACH STATEMENT EXECUTE FUNCTION \(name)()', item);
        EXECUTE pg_catalog.format('ALTER TABLE %s ENABLE ALWAYS TRIGGER \(name)', item);
      END LOOP;
    END
    $do$;

    """

  /// Whether a database has any.
  static let exist = """
    EXISTS (SELECT FROM pg_trigger g JOIN pg_proc p ON p.oid = g.tgfoid WHERE p.proname = '\(name)')
    """

  /// Whether no trigger reports all that is written to a table.
  ///
  /// One is made for its four events, after each statement and without a condition, and fires in sessions of replication
  /// too (`tgtype` is a sum: 4 for INSERT, 8, 16 and 32 for DELETE, UPDATE and TRUNCATE). What a subscription receives
  /// fires none.
  static func areMissing(on table: String) -> String {
    """
    NOT EXISTS (SELECT FROM pg_trigger g JOIN pg_proc p ON p.oid = g.tgfoid WHERE g.tgrelid = \(table) \
    AND p.proname = '\(name)' AND g.tgenabled = 'A' AND g.tgtype & 127 = 60 AND g.tgqual IS NULL \
    AND g.tgattr::text = '') OR EXISTS (SELECT FROM pg_inherits i WHERE \(table) IN (i.inhrelid, i.inhparent)) \
    OR EXISTS (SELECT FROM pg_subscription_rel s WHERE s.srrelid = \(table))
    """
  }
}
