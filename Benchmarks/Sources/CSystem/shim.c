#define _GNU_SOURCE
#include "CSystem.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <unistd.h>

_Static_assert(BENCH_SPAWN_SETSID == POSIX_SPAWN_SETSID, "another C library");

int bench_terminal_open(int columns, int rows, char *path, size_t capacity) {
  int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (terminal < 0) return -1;
  struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)columns};
  if (grantpt(terminal) != 0 || unlockpt(terminal) != 0 ||
      ptsname_r(terminal, path, capacity) != 0 || ioctl(terminal, TIOCSWINSZ, &size) != 0) {
    close(terminal);
    return -1;
  }
  return terminal;
}

int bench_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }

int bench_contains(const void *bytes, size_t count, const void *wanted, size_t wanted_count) {
  return memmem(bytes, count, wanted, wanted_count) != NULL;
}

int bench_watch_writes(const char *path) {
  int watcher = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
  if (watcher >= 0 && inotify_add_watch(watcher, path, IN_MODIFY) < 0) {
    close(watcher);
    return -1;
  }
  return watcher;
}
