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
