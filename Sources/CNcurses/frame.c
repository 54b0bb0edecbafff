#define _GNU_SOURCE
#include "CNcurses.h"
#include "private.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <term.h>
#include <unistd.h>

// ncurses writes whenever its buffer is full, and the buffer has as many bytes as the screen had
// cells when it was opened. A frame with colours, or one after the window has grown, would go out
// in pieces, and a slow line would show each piece for a while. So a frame is written to memory
// first.
static int curses_output = -1;
static int terminal = -1;  // the same terminal; lq_restoration_perform may turn it into /dev/null
static int memory = -1;    // -1: there is none, and curses writes to the terminal
static int is_shown;       // whether the cursor is

// The sequences around a frame: its start, hiding the cursor, and its end. Terminals that know mode
// 2026 show nothing in between; all others ignore unknown private modes.
static const char begin_update[] = "\033[?2026h", end_update[] = "\033[?2026l";

static char *frame;
static size_t room, count;

void lq_frame_open(int output) {
  curses_output = output;
  is_shown = 0;
  terminal = fcntl(output, F_DUPFD_CLOEXEC, 3);
  memory = terminal < 0 ? -1 : memfd_create("livequery-frame", MFD_CLOEXEC);
}

void lq_frame_close(void) {
  if (memory >= 0) close(memory);
  if (terminal >= 0) close(terminal);
  terminal = memory = curses_output = -1;
  free(frame);
  frame = NULL;
  room = 0;
}

int lq_frame_descriptor(void) { return terminal; }

void lq_frame_forget_cursor(void) { is_shown = 0; }

static int make_room(size_t more) {
  if (count + more <= room) return 1;
  size_t wanted = 2 * (count + more);
  char *larger = realloc(frame, wanted);
  if (larger == NULL) return 0;
  frame = larger;
  room = wanted;
  return 1;
}

static int put_byte(int byte) {
  if (make_room(1)) frame[count++] = (char)byte;
  return byte;
}

static void put(const char *sequence) {
  while (*sequence != 0) put_byte(*sequence++);
}

static void put_capability(const char *name) {
  const char *sequence = lq_key_sequence(name);
  if (sequence != NULL) tputs(sequence, 1, put_byte);
}

static void write_frame(void) {
  size_t done = 0;
  while (done < count) {
    ssize_t written = write(terminal, frame + done, count - done);
    if (written >= 0) {
      done += (size_t)written;
    } else if (errno == EAGAIN) {
      // Another program that shares the terminal made it non-blocking. Wait: half a frame is not an
      // option.
      struct pollfd ready = {.fd = terminal, .events = POLLOUT};
      poll(&ready, 1, -1);
    } else if (errno != EINTR) {
      return;
    }
  }
}

void lq_frame_begin(void) {
  if (memory >= 0) dup3(memory, curses_output, O_CLOEXEC);
}

void lq_frame_end(int show) {
  if (memory < 0) {
    curs_set(show);
    return;
  }
  // From the terminal's current descriptor: after a crash on another thread, nothing must reach it.
  dup3(terminal, curses_output, O_CLOEXEC);
  off_t end = lseek(memory, 0, SEEK_CUR);
  size_t length = end > 0 ? (size_t)end : 0;
  if (length == 0 && show == is_shown) return;
  count = 0;
  put(begin_update);
  if (is_shown) put_capability("civis");
  if (make_room(length)) {
    ssize_t got = pread(memory, frame + count, length, 0);
    if (got > 0) count += (size_t)got;
  }
  if (show) put_capability("cnorm");
  put(end_update);
  lseek(memory, 0, SEEK_SET);
  is_shown = show;
  write_frame();
}
