// What the Linux headers offer and Swift cannot import: eventfd, inotify's flexible records, and
// open-file-description lock queries.
#ifndef LIVEQUERY_CLINUX_H
#define LIVEQUERY_CLINUX_H

#include <stdint.h>
#include <sys/types.h>

// A counter to wake a poll loop with. Non-blocking, closed on exec. -1 and errno on failure.
int lq_eventfd(void);
// Adds one; async-signal-safe.
void lq_eventfd_signal(int fd);
// Takes all that was added.
void lq_eventfd_drain(int fd);

enum {
  LQ_IN_MODIFY = 0x2, LQ_IN_ATTRIB = 0x4, LQ_IN_CLOSE_WRITE = 0x8, LQ_IN_MOVED_FROM = 0x40,
  LQ_IN_MOVED_TO = 0x80, LQ_IN_CREATE = 0x100, LQ_IN_DELETE = 0x200, LQ_IN_DELETE_SELF = 0x400,
  LQ_IN_MOVE_SELF = 0x800, LQ_IN_Q_OVERFLOW = 0x4000, LQ_IN_IGNORED = 0x8000,
  LQ_IN_DONT_FOLLOW = 0x2000000,
};
int lq_inotify_open(void);
int lq_inotify_add(int fd, const char *path, uint32_t mask);
int lq_inotify_remove(int fd, int watch);
// One event of those waiting in `buffer` (filled by read(2), `count` bytes), starting at *cursor,
// which moves on. Returns 0 when there is none. `name` points into the buffer, "" when absent.
int lq_inotify_next(const char *buffer, ssize_t count, ssize_t *cursor, int *watch, uint32_t *mask,
                    const char **name);

// Who locks bytes [start, start+length)? 1 somebody, 0 nobody, -1 error. Takes no lock.
// The open-file-description form also sees POSIX locks of this process; the POSIX form sees those
// of other processes alone.
int lq_is_locked(int fd, int64_t start, int64_t length);
int lq_is_locked_by_other_process(int fd, int64_t start, int64_t length);
// As lq_is_locked, but only locks count that keep readers out, not those of readers.
int lq_is_write_locked(int fd, int64_t start, int64_t length);
// As lq_is_locked_by_other_process, but only locks count that keep readers out. Where one does, and `holder` is not
// null, it gets the process; 0 or less for one of another PID namespace.
int lq_is_write_locked_by_other_process(int fd, int64_t start, int64_t length, pid_t *holder);

// Waits until one of two descriptors (either may be -1) can be read, or for so many nanoseconds.
void lq_wait_readable(int first, int second, uint64_t nanoseconds);
// Lets this thread's timeouts end within a microsecond, instead of Linux's usual 50.
void lq_precise_timeouts(void);

// The kind of file system below a path, as statfs(2) numbers it; 0 on failure.
int64_t lq_filesystem_type(const char *path);

// Copies `count` bytes out of memory that another process may be writing, between two full
// barriers, so that the compiler neither splits nor repeats the reads.
void lq_copy_shared(void *to, const volatile void *from, int count);

#endif
