-- The sample database: an arena game, ten days of play by 1,204 people on eight maps.
--
-- Every byte follows from this text: no random(), no clock. Where chance is wanted, integers are
-- squared modulo the prime 2147483647, which stays below 2^62 and so never turns into REAL.
-- Scripts/make-sample runs it.

PRAGMA page_size = 4096;
PRAGMA auto_vacuum = NONE;
PRAGMA encoding = 'UTF-8';
PRAGMA journal_mode = OFF;

CREATE TABLE players (
  id      INTEGER PRIMARY KEY,
  name    TEXT NOT NULL UNIQUE,
  country TEXT NOT NULL,
  joined  TEXT NOT NULL
);

CREATE TABLE maps (
  id   INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  size TEXT NOT NULL CHECK (size IN ('small', 'medium', 'large'))
);

CREATE TABLE matches (
  id       INTEGER PRIMARY KEY,
  map_id   INTEGER NOT NULL REFERENCES maps (id),
  started  TEXT NOT NULL,
  duration INTEGER NOT NULL CHECK (duration > 0)
);

CREATE TABLE scores (
  id        INTEGER PRIMARY KEY,
  match_id  INTEGER NOT NULL REFERENCES matches (id) ON DELETE CASCADE,
  player_id INTEGER NOT NULL REFERENCES players (id) ON DELETE CASCADE,
  points    INTEGER NOT NULL,
  UNIQUE (match_id, player_id)
);

BEGIN;

INSERT INTO maps (id, name, size) VALUES
  (1, 'dust', 'medium'), (2, 'mill', 'medium'), (3, 'keep', 'large'), (4, 'reef', 'large'),
  (5, 'spire', 'small'), (6, 'forge', 'small'), (7, 'moon', 'large'), (8, 'lab', 'small');

-- The best players, best first: easy to read, and easy to type in the console.
INSERT INTO players (id, name, country, joined) VALUES
  (1, 'ada', 'GB', '2024-12-10'), (2, 'grace', 'US', '2024-12-09'),
  (3, 'linus', 'FI', '2024-12-28'), (4, 'barbara', 'US', '2025-01-07'),
  (5, 'edsger', 'NL', '2025-05-11'), (6, 'margaret', 'US', '2025-08-17'),
  (7, 'dennis', 'US', '2025-09-09'), (8, 'ken', 'US', '2025-02-04'),
  (9, 'radia', 'US', '2025-12-18'), (10, 'john', 'US', '2025-09-04'),
  (11, 'frances', 'US', '2025-08-04'), (12, 'donald', 'US', '2025-01-10'),
  (13, 'leslie', 'US', '2025-02-07'), (14, 'tony', 'GB', '2025-01-11'),
  (15, 'alan', 'GB', '2025-06-23'), (16, 'katherine', 'US', '2025-08-26'),
  (17, 'niklaus', 'CH', '2025-02-15'), (18, 'hedy', 'AT', '2025-11-09'),
  (19, 'konrad', 'DE', '2025-06-22'), (20, 'joan', 'GB', '2025-06-24'),
  (21, 'bjarne', 'DK', '2025-12-30'), (22, 'kristen', 'NO', '2025-08-27'),
  (23, 'guido', 'NL', '2025-01-31'), (24, 'karen', 'GB', '2025-08-26');

-- What terminals find hard: wide, combining, right-to-left, joined emoji, and one name that tries
-- to take the terminal over (title, clear screen, carriage return, bidi override).
INSERT INTO players (id, name, country, joined) VALUES
  (1190, '日本太郎', 'JP', '2026-10-03'), (1191, '김하늘', 'KR', '2026-10-04'),
  (1192, '王小明', 'CN', '2026-10-05'), (1193, 'さくら🌸', 'JP', '2026-10-06'),
  (1194, 'Zoe' || char(0x308), 'FR', '2026-10-07'),
  (1195, 'n' || char(0x303) || 'andu' || char(0x301), 'PY', '2026-10-08'),
  (1196, 'שלמה', 'IL', '2026-10-09'), (1197, 'ليلى', 'EG', '2026-10-10'),
  (1198, '🦊 fox', 'CA', '2026-10-11'),
  (1199, '👩' || char(0x200d) || '🚀', 'US', '2026-10-12'),
  (1200, '🇸🇪 åsa', 'SE', '2026-10-13'), (1201, 'Σίσυφος', 'GR', '2026-10-14'),
  (1202, 'Łukasz', 'PL', '2026-10-15'),
  (1203, 'mal' || char(27) || ']0;owned' || char(7) || char(27) || '[2J' || char(13)
         || char(0x202e) || 'lory', 'ZZ', '2026-10-16'),
  (1204, 'zero' || char(0x200b) || 'width', 'IS', '2026-10-17');

-- Everybody else is named by syllables. 1531 is odd, so the indices modulo 2048 are all different.
WITH RECURSIVE
  ordinal (id) AS (SELECT 25 UNION ALL SELECT id + 1 FROM ordinal WHERE id < 1189),
  mixed (id, word, a) AS
    (SELECT id, (id * 1531 + 77) % 2048, (id * 48271 + 11) % 2147483647 FROM ordinal),
  chance (id, word, h) AS (SELECT id, word, (a * a + id) % 2147483647 FROM mixed)
INSERT INTO players (id, name, country, joined)
SELECT id,
       substr('bedafigehojukalemi', 1 + 2 * (word % 8), 2)
         || substr('nirosavutelomadi', 1 + 2 * (word / 8 % 8), 2)
         || substr('nrslkvtm', 1 + word / 64 % 8, 1)
         || substr('ayoi', 1 + word / 512, 1),
       substr('USUSUSGBDEFRJPCNINBRPLSENLESITCAKRMXUAFIAUZAEGNGTRAR', 1 + 2 * (h % 26), 2),
       date('2025-01-01', '+' || (h / 26 % 640) || ' days')
FROM chance ORDER BY id;

-- One match every three minutes or so; 4,801 is prime, which the scores below rely on.
WITH RECURSIVE
  ordinal (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM ordinal WHERE id < 4801),
  mixed (id, a) AS (SELECT id, (id * 69621 + 5) % 2147483647 FROM ordinal),
  again (id, b) AS (SELECT id, (a * a + id) % 2147483647 FROM mixed),
  chance (id, h) AS (SELECT id, b * b % 2147483647 FROM again)
INSERT INTO matches (id, map_id, started, duration)
SELECT id,
       CASE WHEN h % 1000 < 412 THEN 1 WHEN h % 1000 < 662 THEN 2 WHEN h % 1000 < 779 THEN 3
            WHEN h % 1000 < 875 THEN 4 WHEN h % 1000 < 945 THEN 5 WHEN h % 1000 < 985 THEN 6
            WHEN h % 1000 < 997 THEN 7 ELSE 8 END,
       strftime('%Y-%m-%dT%H:%M:%SZ', '2026-11-01', (id * 180 - h / 1000 % 90) || ' seconds'),
       -- Mostly four to twelve minutes; one in 64 goes on, up to half an hour.
       240 + h / 7 % 480 + CASE WHEN h / 4096 % 64 = 0 THEN 300 + h / 13 % 780 ELSE 0 END
FROM chance ORDER BY id;

-- Who played how often, and about how well. The best play most; the others thin out.
-- Each plays matches (offset + k * stride) modulo 4801, so never the same one twice.
WITH RECURSIVE
  mixed (id, a) AS (SELECT id, (id * 39373 + 3) % 2147483647 FROM players),
  again (id, b) AS (SELECT id, (a * a + id) % 2147483647 FROM mixed),
  player (id, h, games, base) AS (
    SELECT id, b * b % 2147483647,
           CASE WHEN id <= 24 THEN 142 - 2 * id ELSE 22 + b % 35 END,
           CASE WHEN id = 1 THEN 520 WHEN id <= 24 THEN 503 - 2 * id ELSE 150 + b / 64 % 260 END
    FROM again),
  play (id, k, h, games, base) AS (
    SELECT id, 0, h, games, base FROM player
    UNION ALL
    SELECT id, k + 1, h, games, base FROM play WHERE k + 1 < games),
  dealt (match, player, base, a) AS (
    SELECT 1 + (h % 4801 + k * (1 + h / 4801 % 4800)) % 4801, id, base,
           (h + k * 65539) % 2147483647
    FROM play),
  result (match, player, points) AS (
    SELECT match, player, base + (a * a + match) % 2147483647 % 400 FROM dealt)
INSERT INTO scores (id, match_id, player_id, points)
SELECT row_number() OVER (ORDER BY match, player), match, player, points
FROM result ORDER BY match, player;

-- The last match has names of every width in it, so that the newest rows show them.
INSERT OR IGNORE INTO scores (match_id, player_id, points)
VALUES (4801, 1194, 431), (4801, 1198, 388), (4801, 1196, 502), (4801, 1191, 467),
       (4801, 1190, 559);

CREATE INDEX scores_by_player ON scores (player_id, points);
CREATE INDEX matches_by_map ON matches (map_id);
CREATE INDEX matches_by_duration ON matches (duration);

CREATE VIEW hall_of_fame AS
SELECT players.name AS player, sum(points) AS score, count(*) AS games, max(points) AS best
FROM scores JOIN players ON players.id = player_id
GROUP BY players.name ORDER BY score DESC;

CREATE VIEW results AS
SELECT scores.id, maps.name AS map, started, players.name AS player, points
FROM scores
JOIN matches ON matches.id = match_id
JOIN maps ON maps.id = map_id
JOIN players ON players.id = player_id;

COMMIT;

VACUUM;
PRAGMA journal_mode = WAL;
