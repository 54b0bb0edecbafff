#define _GNU_SOURCE
#include "CNcurses.h"
#include "private.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <termios.h>
#include <unistd.h>

// All of this is written before `armed` is set and read after it is taken, so that a handler on any
// thread sees all of it.
static atomic_int armed;
static struct termios original;
static int original_known;
static int terminal = -1;         // a descriptor that curses does not know
static int curses_output = -1;    // the one that it does
static int frame_output = -1;     // the one that frames go to
static int nowhere = -1;          // /dev/null
static char leave[512];
static size_t leave_count;
static int real_error = -1;       // standard error as it was
static int kept_error = -1;       // what stands in its place meanwhile

// SIGPROF too, which the loop leaves to Swift's runtime: it also ends the process.
static const int crashes[] = {SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT, SIGFPE, SIGSYS, SIGPROF};
enum { crash_count = sizeof crashes / sizeof crashes[0] };
static struct sigaction previous[crash_count];

// The line discipline as the shell left it, before our code can have changed it.
__attribute__((constructor)) static void remember_line_discipline(void) {
  for (int fd = 0; fd <= 2 && !original_known; fd++) {
    original_known = tcgetattr(fd, &original) == 0;
  }
}

void lq_remember_line_discipline(int fd) {
  if (!original_known) original_known = tcgetattr(fd, &original) == 0;
}

static void write_all(int fd, const char *bytes, size_t count) {
  while (count > 0) {
    ssize_t written = write(fd, bytes, count);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EAGAIN) {
      // Another program that shares the terminal made it non-blocking. The terminal may be gone for
      // good.
      struct pollfd ready = {.fd = fd, .events = POLLOUT};
      if (poll(&ready, 1, 1000) > 0) continue;
      return;
    }
    if (written <= 0) return;
    bytes += written;
    count -= (size_t)written;
  }
}

static void replay_errors(void) {
  if (real_error < 0) return;
  dup2(real_error, STDERR_FILENO);
  char buffer[4096];
  off_t position = 0;
  ssize_t count;
  while ((count = pread(kept_error, buffer, sizeof buffer, position)) > 0) {
    write_all(STDERR_FILENO, buffer, (size_t)count);
    position += count;
  }
  close(kept_error);
  close(real_error);
  kept_error = real_error = -1;
}

static void give_back(void) {
  // TCSANOW: waiting for the output to drain can take forever on a stopped terminal.
  if (original_known) tcsetattr(terminal, TCSANOW, &original);
  replay_errors();
}

void lq_restoration_perform(void) {
  if (!atomic_exchange(&armed, 0)) return;
  int saved = errno;
  // Another thread may be in the middle of a frame, and the rest of it must not reach the terminal.
  // First redirect the source of all frames: whatever is copied from it later leads nowhere as
  // well.
  if (nowhere >= 0 && frame_output >= 0) dup2(nowhere, frame_output);
  if (nowhere >= 0 && curses_output >= 0) dup2(nowhere, curses_output);
  write_all(terminal, leave, leave_count);
  give_back();
  errno = saved;
}

void lq_restoration_finish(void) {
  if (!atomic_exchange(&armed, 0)) return;
  give_back();
}

static void crashed(int signal, siginfo_t *info, void *context) {
  (void)context;
  lq_restoration_perform();
  for (int i = 0; i < crash_count; i++) {
    if (crashes[i] == signal) sigaction(signal, &previous[i], NULL);
  }
  // A fault happens again when this returns, now with its own registers, for the previous handler
  // (Swift's backtracer). A signal that was sent has to be sent again.
  if (info == NULL || info->si_code <= 0 || signal == SIGPROF) raise(signal);
}

static void install_handlers(void) {
  static int installed;
  if (installed) return;
  installed = 1;
  atexit(lq_restoration_perform);
  // A separate stack, so that this still runs after the main thread's stack has overflowed.
  static char stack[64 * 1024];
  stack_t alternative = {.ss_sp = stack, .ss_size = sizeof stack};
  sigaltstack(&alternative, NULL);
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = crashed;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  for (int i = 0; i < crash_count; i++) sigaction(crashes[i], &action, &previous[i]);
}

static int open_unnamed(void) {
  const char *directory = getenv("TMPDIR");
  if (directory == NULL || directory[0] == 0) directory = "/tmp";
  int fd = open(directory, O_TMPFILE | O_RDWR | O_APPEND | O_CLOEXEC, 0600);
  if (fd < 0) fd = memfd_create("livequery-stderr", MFD_CLOEXEC);
  return fd;
}

static void divert_errors(void) {
  // Standard error in a file is already where it belongs.
  if (!isatty(STDERR_FILENO)) return;
  kept_error = open_unnamed();
  if (kept_error < 0) return;
  real_error = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
  if (real_error < 0) {
    close(kept_error);
    kept_error = -1;
    return;
  }
  dup2(kept_error, STDERR_FILENO);
}

void lq_restoration_arm(int output, const char *also) {
  if (atomic_load(&armed)) return;
  if (terminal < 0) terminal = fcntl(output, F_DUPFD_CLOEXEC, 3);
  if (nowhere < 0) nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  curses_output = lq_screen_output_descriptor();
  frame_output = lq_frame_descriptor();
  size_t extra = strlen(also);
  if (extra > sizeof leave / 2) extra = 0;
  // `also` first: the modes that it ends may belong to the alternate screen.
  memcpy(leave, also, extra);
  leave_count = extra + lq_leave_sequence(leave + extra, sizeof leave - extra);
  divert_errors();
  install_handlers();
  atomic_store(&armed, 1);
}
