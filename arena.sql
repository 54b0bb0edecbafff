-- The hall of fame of the arena, for sample.db. All of it is plain SQL, so that
-- `sqlite3 sample.db < arena.sql` prints the same rows.
--
-- dashboard: arena
-- layout: fame fame fame fame fame fame players players players long long long
-- layout: fame fame fame fame fame fame players players players long long long
-- layout: fame fame fame fame fame fame pace    pace    pace    pace pace pace
-- layout: fame fame fame fame fame fame pace    pace    pace    pace pace pace
-- layout: fame fame fame fame fame fame pace    pace    pace    pace pace pace
-- layout: maps maps maps maps slow slow slow    slow    transactions transactions transactions transactions
-- layout: maps maps maps maps slow slow slow    slow    transactions transactions transactions transactions
-- layout: maps maps maps maps slow slow slow    slow    transactions transactions transactions transactions

-- name: fame
-- title: hall of fame
-- view: table
-- key: player
-- rank: score
-- format: mean bar
-- spark: score
SELECT players.name AS player, sum(points) AS score, count(*) AS games, avg(points) AS mean
FROM players JOIN scores ON player_id = players.id
GROUP BY players.name
ORDER BY score DESC
LIMIT 15;

-- name: players
-- view: number
SELECT count(*) AS players FROM players;

-- name: long
-- title: matches over 15 min
-- view: gauge min=0 max=10% warn=5%
-- format: share percent
SELECT avg(duration > 900) AS share FROM matches;

-- name: pace
-- title: matches per hour
-- view: line
SELECT substr(started, 1, 13) || ':00' AS hour,
  sum(size = 'medium') AS medium, sum(size <> 'medium') AS others
FROM matches JOIN maps ON map_id = maps.id
WHERE matches.id > (SELECT max(id) - 500 FROM matches)
  AND started < (SELECT substr(max(started), 1, 13) FROM matches)
GROUP BY hour
ORDER BY hour;

-- name: maps
-- title: games by map
-- view: bar
-- key: map
SELECT maps.name AS map, count(*) AS games
FROM maps JOIN matches ON map_id = maps.id
GROUP BY maps.name
ORDER BY games DESC;

-- name: slow
-- title: slow matches
-- view: table
-- key: id
-- format: duration duration, ended time
SELECT matches.id, name AS map, duration, datetime(started) AS started,
  datetime(started, '+' || duration || ' seconds') AS ended
FROM matches JOIN maps ON maps.id = map_id
WHERE duration > 900
ORDER BY duration DESC, matches.id
LIMIT 10;
