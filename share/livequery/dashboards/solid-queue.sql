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
