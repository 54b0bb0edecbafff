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
