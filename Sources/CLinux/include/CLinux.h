// What Linux headers offer but Swift cannot import: eventfd, inotify's variable-length records, and
// open-file-description lock queries.
#ifndef LIVEQUERY_CLINUX_H
#define LIVEQUERY_CLINUX_H

#include <stdint.h>
#include <sys/types.h>

// A counter to wake a poll loop. Non-blocking, closed on exec. -1 and errno on failure.
int lq_eventfd(void);
// Adds one; async-signal-safe.
void lq_eventfd_signal(int fd);
// Resets it to 0.
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
// Reads the next of the events in `buffer` (filled by read(2), `count` bytes), at *cursor, which it
// advances. Returns 0 when there is none. `name` points into the buffer, "" when absent.
int lq_inotify_next(const char *buffer, ssize_t count, ssize_t *cursor, int *watch, uint32_t *mask,
                    const char **name);

// Whether bytes [start, start+length) are locked: 1 locked, 0 free, -1 error. Takes no lock. The
// open-file-description form also sees POSIX locks of this process; the POSIX form sees only those
// of other processes.
int lq_is_locked(int fd, int64_t start, int64_t length);
int lq_is_locked_by_other_process(int fd, int64_t start, int64_t length);
// Like lq_is_locked, but counts only locks that keep readers out, not those of readers.
int lq_is_write_locked(int fd, int64_t start, int64_t length);
// Like lq_is_locked_by_other_process, but counts only locks that keep readers out. If there is one
// and `holder` is not null, stores its process there; 0 or less for a process in another PID
// namespace.
int lq_is_write_locked_by_other_process(int fd, int64_t start, int64_t length, pid_t *holder);

// Waits until one of two descriptors (either may be -1) is readable, or for this many nanoseconds.
// Returns whether the first one is readable.
int lq_wait_readable(int first, int second, uint64_t nanoseconds);
// Writes as much as there is room for, and never waits. -1 and errno when that is nothing, or when the
// kernel can't write to this kind of descriptor without perhaps waiting.
ssize_t lq_write_at_once(int fd, const void *bytes, size_t count);
// Makes this thread's timeouts accurate to a microsecond, instead of Linux's usual 50.
void lq_precise_timeouts(void);
// Blocks signals in this thread, so that the program's own threads take them, or a signalfd does.
void lq_leave_signals(void);

// The type of the file system at a path, by the numbers of statfs(2); 0 on failure.
int64_t lq_filesystem_type(const char *path);

// Copies `count` bytes out of memory that another process may be writing, between two full
// barriers, so that the compiler neither splits nor repeats the reads.
void lq_copy_shared(void *to, const volatile void *from, int count);

#endif
