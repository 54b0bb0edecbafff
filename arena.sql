-- The hall of fame of the arena, for sample.db. All of it is plain SQL, so that
-- `sqlite3 sample.db < arena.sql` prints the same rows.
--
-- dashboard: arena
-- layout: fame fame players
-- layout: fame fame maps
-- layout: latest latest slow

-- name: fame
-- title: hall of fame
-- view: table
-- key: player
-- rank: score
SELECT players.name AS player, sum(points) AS score, count(*) AS games, max(points) AS best
FROM players JOIN scores ON player_id = players.id
GROUP BY players.name
ORDER BY score DESC
LIMIT 15;

-- name: players
-- view: number
SELECT count(*) AS players FROM players;

-- name: maps
-- title: games by map
-- view: bar
-- key: map
SELECT maps.name AS map, count(*) AS games
FROM maps JOIN matches ON map_id = maps.id
GROUP BY maps.name
ORDER BY games DESC;

-- name: latest
-- title: latest scores
-- view: table
-- key: id
SELECT scores.id, name AS player, match_id AS "match", points
FROM scores JOIN players ON players.id = player_id
ORDER BY scores.id DESC
LIMIT 10;

-- name: slow
-- title: slow matches
-- view: table
-- key: id
SELECT matches.id, name AS map, duration, substr(started, 6, 5) AS day
FROM matches JOIN maps ON maps.id = map_id
WHERE duration > 900
ORDER BY duration DESC, matches.id
LIMIT 10;
