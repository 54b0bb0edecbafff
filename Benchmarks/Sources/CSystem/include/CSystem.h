// What the GNU headers offer and Swift does not see.
#ifndef LIVEQUERY_CSYSTEM_H
#define LIVEQUERY_CSYSTEM_H

#include <stddef.h>

// Opens a pseudo-terminal of a size. Returns our end, closed on exec, and writes the path of the
// other end; -1 and errno on failure.
int bench_terminal_open(int columns, int rows, char *path, size_t capacity);

// pipe2(2) with both ends closed on exec.
int bench_pipe(int ends[2]);

// Whether `wanted` is among `bytes`.
int bench_contains(const void *bytes, size_t count, const void *wanted, size_t wanted_count);

// An inotify descriptor, closed on exec, that can be read when `path` is written to; -1 on failure.
int bench_watch_writes(const char *path);

// For posix_spawnattr_setflags: a session of its own.
enum { BENCH_SPAWN_SETSID = 0x80 };

#endif
