// Made by Scripts/embed-files from share/livequery/dashboards: change those files.
enum EmbeddedDashboards: EmbeddedFiles {
  static let files: [(name: String, text: String)] = [
    (
      "crush",
      #"""
      -- dashboard: crush
      -- The sessions of the coding agent Crush: the .crush/crush.db of a project.
      -- layout: cost     tokens   sessions messages
      -- layout: recent   recent   recent   models
      -- layout: recent   recent   recent   models
      -- layout: activity activity files    files

      -- name: cost
      -- title: cost in $
      -- view: number
      SELECT round(sum(cost), 2) AS cost FROM sessions;

      -- name: tokens
      -- view: number
      -- format: tokens compact
      SELECT coalesce(sum(prompt_tokens + completion_tokens), 0) AS tokens FROM sessions;

      -- name: sessions
      -- view: number
      SELECT count(*) AS sessions FROM sessions WHERE parent_session_id IS NULL;

      -- name: messages
      -- view: number
      SELECT count(*) AS messages FROM messages;

      -- name: recent
      -- title: sessions
      -- key: id
      -- format: id hidden
      SELECT id, datetime(updated_at, 'unixepoch') AS updated, title, message_count AS messages,
        prompt_tokens AS prompt, completion_tokens AS completion, round(cost, 4) AS cost
      FROM sessions WHERE parent_session_id IS NULL ORDER BY updated_at DESC, id LIMIT 50;

      -- name: models
      -- title: answers by model
      -- view: bar
      -- key: model
      SELECT coalesce(model, 'unknown') AS model, count(*) AS answers
      FROM messages WHERE role = 'assistant' GROUP BY 1 ORDER BY answers DESC, 1;

      -- name: activity
      -- title: messages per hour
      -- view: line min=0
      SELECT strftime('%Y-%m-%d %H:00', created_at, 'unixepoch') AS hour, count(*) AS messages
      FROM messages GROUP BY hour ORDER BY hour;

      -- name: files
      -- title: files written
      -- key: path
      SELECT path, count(*) AS versions, datetime(max(updated_at), 'unixepoch') AS written
      FROM files GROUP BY path ORDER BY max(updated_at) DESC, path LIMIT 50;

      """#
    ),
    (
      "health",
      #"""
      -- dashboard: health
      -- Any SQLite file: what takes its space, and what to do about it.
      -- layout: size    free    tables    indexes
      -- layout: biggest biggest settings  settings
      -- layout: biggest biggest settings  settings
      -- layout: biggest biggest unindexed unindexed

      -- name: size
      -- title: size
      -- view: number
      -- format: bytes bytes
      SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size;

      -- VACUUM gives them back.
      -- name: free
      -- title: free pages
      -- view: gauge min=0 max=100% warn=25% crit=50%
      -- format: free percent
      SELECT CAST(freelist_count AS REAL) / max(1, page_count) AS free
      FROM pragma_freelist_count, pragma_page_count;

      -- name: tables
      -- view: number
      SELECT count(*) AS tables FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\_%' ESCAPE '\';

      -- name: indexes
      -- view: number
      SELECT count(*) AS indexes FROM sqlite_schema WHERE type = 'index';

      -- The sizes come from dbstat, which reads every page of the file.
      -- name: biggest
      -- title: biggest tables and indexes
      -- key: name
      -- format: bytes bytes, share share-bar, unused percent
      SELECT d.name, coalesce(s.type, 'table') AS type,
        sum(pgsize) AS bytes, sum(pgsize) AS share, CAST(sum(unused) AS REAL) / sum(pgsize) AS unused
      FROM dbstat AS d LEFT JOIN sqlite_schema AS s ON s.name = d.name
      GROUP BY d.name ORDER BY bytes DESC, d.name LIMIT 40;

      -- name: settings
      -- key: setting
      SELECT 'journal mode' AS setting, journal_mode AS value FROM pragma_journal_mode
      UNION ALL SELECT 'page size', page_size FROM pragma_page_size
      UNION ALL SELECT 'auto vacuum', CASE auto_vacuum WHEN 0 THEN 'none' WHEN 1 THEN 'full' ELSE 'incremental' END
        FROM pragma_auto_vacuum
      UNION ALL SELECT 'encoding', encoding FROM pragma_encoding
      UNION ALL SELECT 'user version', user_version FROM pragma_user_version
      UNION ALL SELECT 'schema version', schema_version FROM pragma_schema_version;

      -- Deleting a row of the other table reads all of these.
      -- name: unindexed
      -- title: foreign keys without an index
      SELECT t.name || '.' || f."from" AS "column", f."table" AS refers
      FROM sqlite_schema AS t, pragma_foreign_key_list(t.name) AS f
      WHERE t.type = 'table' AND f.seq = 0 AND NOT EXISTS (
        SELECT 1 FROM pragma_index_list(t.name) AS l, pragma_index_info(l.name) AS i
        WHERE i.seqno = 0 AND i.name = f."from")
        AND NOT EXISTS (SELECT 1 FROM pragma_table_info(t.name) AS c WHERE c.pk = 1 AND c.name = f."from")
      ORDER BY t.name, f.id;

      """#
    ),
    (
      "northwind",
      #"""
      -- dashboard: Northwind
      -- Sales, stock and customers of the Northwind sample database.
      -- layout: revenue orders aov stock
      -- layout: top top months months
      -- layout: top top months months
      -- layout: cats hist log log

      -- name: revenue
      -- title: Revenue
      -- view: number
      -- format: revenue compact
      SELECT sum(UnitPrice * Quantity * (1 - Discount)) AS revenue FROM "Order Details";

      -- name: orders
      -- title: Open orders
      -- view: number
      -- alert: open > 25 until open < 20
      SELECT count(*) AS open FROM Orders WHERE ShippedDate IS NULL;

      -- name: aov
      -- title: Average order value
      -- view: number
      -- format: aov thousands
      SELECT avg(Subtotal) AS aov FROM "Order Subtotals";

      -- name: stock
      -- title: Low stock
      -- view: gauge min=0 max=100% warn=10% crit=20%
      -- format: low percent
      SELECT avg(UnitsInStock + UnitsOnOrder <= ReorderLevel AND Discontinued = 0) AS low FROM Products;

      -- name: top
      -- title: Top customers
      -- key: CustomerID
      -- rank: revenue
      -- spark: revenue
      -- format: revenue thousands, share share-bar, CustomerID hidden
      SELECT c.CustomerID, c.CompanyName AS customer, c.Country AS country, count(DISTINCT o.OrderID) AS orders,
        sum(d.UnitPrice * d.Quantity * (1 - d.Discount)) AS revenue,
        sum(d.UnitPrice * d.Quantity * (1 - d.Discount)) AS share
      FROM Customers c JOIN Orders o USING (CustomerID) JOIN "Order Details" d USING (OrderID)
      GROUP BY c.CustomerID ORDER BY revenue DESC LIMIT 20;

      -- name: months
      -- title: Monthly revenue
      -- view: line min=0
      SELECT substr(o.OrderDate, 1, 7) AS month, sum(d.UnitPrice * d.Quantity * (1 - d.Discount)) AS revenue
      FROM Orders o JOIN "Order Details" d USING (OrderID) GROUP BY month ORDER BY month;

      -- name: cats
      -- title: Revenue by category
      -- view: bar
      -- format: revenue compact
      SELECT CategoryName AS category, sum(d.UnitPrice * d.Quantity * (1 - d.Discount)) AS revenue
      FROM "Order Details" d JOIN Products p USING (ProductID) JOIN Categories c USING (CategoryID)
      GROUP BY category ORDER BY revenue DESC;

      -- name: hist
      -- title: Order sizes
      -- view: histogram bins=12
      SELECT Subtotal FROM "Order Subtotals";

      -- name: log
      -- title: Orders
      -- view: log newest=top
      -- key: OrderID
      SELECT o.OrderDate, o.OrderID, c.CompanyName, o.ShipCountry, o.Freight
      FROM Orders o JOIN Customers c USING (CustomerID) ORDER BY o.OrderID;

      """#
    ),
    (
      "solid-queue",
      #"""
      -- dashboard: solid queue
      -- The jobs of a Rails application: its storage/production_queue.sqlite3.
      -- layout: ready  scheduled running failed
      -- layout: queues queues    hours   hours
      -- layout: queues queues    hours   hours
      -- layout: errors errors    classes classes
      -- layout: errors errors    workers workers

      -- name: ready
      -- view: number
      SELECT count(*) AS ready FROM solid_queue_ready_executions;

      -- name: scheduled
      -- view: number
      SELECT count(*) AS scheduled FROM solid_queue_scheduled_executions;

      -- name: running
      -- view: number
      SELECT count(*) AS running FROM solid_queue_claimed_executions;

      -- name: failed
      -- view: number
      -- alert: failed > 0
      SELECT count(*) AS failed FROM solid_queue_failed_executions;

      -- name: queues
      -- key: queue
      -- spark: waiting
      SELECT queue_name AS queue, count(*) AS waiting, min(created_at) AS oldest
      FROM solid_queue_ready_executions GROUP BY queue_name ORDER BY waiting DESC, queue;

      -- name: hours
      -- title: finished per hour
      -- view: line min=0
      SELECT substr(finished_at, 1, 13) || ':00' AS hour, count(*) AS finished
      FROM solid_queue_jobs WHERE finished_at IS NOT NULL GROUP BY hour ORDER BY hour;

      -- name: errors
      -- title: last failures
      -- key: id
      SELECT f.id, f.created_at AS failed, j.class_name AS job, j.queue_name AS queue,
        coalesce(CASE WHEN json_valid(f.error) THEN f.error ->> '$.message' END, f.error) AS error
      FROM solid_queue_failed_executions AS f JOIN solid_queue_jobs AS j ON j.id = f.job_id
      ORDER BY f.id DESC LIMIT 50;

      -- name: classes
      -- title: unfinished by class
      -- view: bar
      -- key: job
      SELECT class_name AS job, count(*) AS jobs FROM solid_queue_jobs
      WHERE finished_at IS NULL GROUP BY class_name ORDER BY jobs DESC, job LIMIT 20;

      -- name: workers
      -- key: name
      SELECT p.kind, p.name, p.hostname AS host, p.pid, p.last_heartbeat_at AS heartbeat, count(c.id) AS running
      FROM solid_queue_processes AS p LEFT JOIN solid_queue_claimed_executions AS c ON c.process_id = p.id
      GROUP BY p.id ORDER BY p.kind, p.name;

      """#
    ),
  ]
}
