#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

ssize_t lq_write_at_once(int fd, const void *bytes, size_t count) {
  struct iovec part = {.iov_base = (void *)bytes, .iov_len = count};
  // At the descriptor's own position, as write(2) does.
  return pwritev2(fd, &part, 1, -1, RWF_NOWAIT);
}

int lq_eventfd(void) { return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }

void lq_eventfd_signal(int fd) {
  uint64_t one = 1;
  ssize_t written = write(fd, &one, sizeof one);
  (void)written;  // EAGAIN means that the counter is full: the loop is awake already
}

void lq_eventfd_drain(int fd) {
  uint64_t sum;
  ssize_t taken = read(fd, &sum, sizeof sum);
  (void)taken;
}

int lq_inotify_open(void) { return inotify_init1(IN_NONBLOCK | IN_CLOEXEC); }

int lq_inotify_add(int fd, const char *path, uint32_t mask) {
  return inotify_add_watch(fd, path, mask);
}

int lq_inotify_remove(int fd, int watch) { return inotify_rm_watch(fd, watch); }

int lq_inotify_next(const char *buffer, ssize_t count, ssize_t *cursor, int *watch, uint32_t *mask,
                    const char **name) {
  struct inotify_event event;
  if (*cursor + (ssize_t)sizeof event > count) return 0;
  memcpy(&event, buffer + *cursor, sizeof event);
  *watch = event.wd;
  *mask = event.mask;
  *name = event.len > 0 ? buffer + *cursor + sizeof event : "";
  *cursor += (ssize_t)(sizeof event + event.len);
  return 1;
}

// Queries the lock that conflicts with one of `type`; with F_RDLCK only a write lock does.
static int query_lock(int fd, int command, short type, int64_t start, int64_t length,
                      pid_t *holder) {
  struct flock lock;
  memset(&lock, 0, sizeof lock);  // l_pid must be 0 for the open-file-description form
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = start;
  lock.l_len = length;
  if (fcntl(fd, command, &lock) != 0) return -1;
  if (lock.l_type == F_UNLCK) return 0;
  if (holder != 0) *holder = lock.l_pid;
  return 1;
}

int lq_is_locked(int fd, int64_t start, int64_t length) {
  return query_lock(fd, F_OFD_GETLK, F_WRLCK, start, length, 0);
}

int lq_is_locked_by_other_process(int fd, int64_t start, int64_t length) {
  return query_lock(fd, F_GETLK, F_WRLCK, start, length, 0);
}

int lq_is_write_locked(int fd, int64_t start, int64_t length) {
  return query_lock(fd, F_OFD_GETLK, F_RDLCK, start, length, 0);
}

int lq_is_write_locked_by_other_process(int fd, int64_t start, int64_t length, pid_t *holder) {
  return query_lock(fd, F_GETLK, F_RDLCK, start, length, holder);
}

int lq_wait_readable(int first, int second, uint64_t nanoseconds) {
  struct pollfd descriptors[2] = {{first, POLLIN, 0}, {second, POLLIN, 0}};
  struct timespec timeout = {(time_t)(nanoseconds / 1000000000), (long)(nanoseconds % 1000000000)};
  return ppoll(descriptors, 2, &timeout, 0) > 0 && descriptors[0].revents != 0;
}

void lq_precise_timeouts(void) { prctl(PR_SET_TIMERSLACK, 1000UL, 0UL, 0UL, 0UL); }

void lq_leave_signals(void) {
  sigset_t set;
  sigfillset(&set);
  // What the thread itself causes.
  const int own[] = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP};
  for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) sigdelset(&set, own[i]);
  pthread_sigmask(SIG_BLOCK, &set, 0);
}

int64_t lq_filesystem_type(const char *path) {
  struct statfs info;
  if (statfs(path, &info) != 0) return 0;
  return (int64_t)info.f_type;
}

void lq_copy_shared(void *to, const volatile void *from, int count) {
  const volatile uint32_t *source = from;
  uint32_t *target = to;
  __sync_synchronize();
  for (int i = 0; i < count / 4; i++) target[i] = source[i];
  __sync_synchronize();
}
