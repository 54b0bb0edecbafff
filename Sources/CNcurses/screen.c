#define _GNU_SOURCE
#include "CNcurses.h"
#include "private.h"

#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <term.h>
#include <unistd.h>
#include <wchar.h>

// Only the thread that opened the screen may use it: ncurses is not thread-safe.
static SCREEN *screen;
static FILE *screen_output;
static FILE *screen_input;
static int colored;

int lq_locale_setup(void) {
  setlocale(LC_ALL, "");
  // Numbers are data here: the user's locale must not introduce a decimal comma.
  setlocale(LC_NUMERIC, "C");
  if (strcmp(nl_langinfo(CODESET), "UTF-8") == 0) return 1;
  setlocale(LC_CTYPE, "C.UTF-8");
  return 0;
}

static FILE *open_copy(int fd, const char *mode) {
  int copy = fcntl(fd, F_DUPFD_CLOEXEC, 3);
  if (copy < 0) return NULL;
  FILE *file = fdopen(copy, mode);
  if (file == NULL) close(copy);
  return file;
}

static void close_files(void) {
  if (screen_output != NULL) fclose(screen_output);
  if (screen_input != NULL) fclose(screen_input);
  screen_output = NULL;
  screen_input = NULL;
}

// Calls newterm, with our own description of the terminal if there is one.
static SCREEN *open_described(int output, int direct) {
  char *description = lq_terminal_description(output, direct);
  if (description == NULL) return NULL;
  const char *value = getenv("TERMINFO");
  char *former = value == NULL ? NULL : strdup(value);
  setenv("TERMINFO", description, 1);
  SCREEN *opened = newterm(NULL, screen_output, screen_input);
  // Programs started from here must see the original value.
  if (former != NULL) {
    setenv("TERMINFO", former, 1);
  } else {
    unsetenv("TERMINFO");
  }
  free(former);
  free(description);
  return opened;
}

int lq_screen_open(int input, int output, int direct) {
  screen_output = open_copy(output, "w");
  screen_input = open_copy(input, "r");
  if (screen_output == NULL || screen_input == NULL) {
    close_files();
    return -1;
  }
  lq_remember_line_discipline(output);
  // LINES and COLUMNS may be left over from another terminal: they count only where the terminal
  // doesn't report its size.
  struct winsize size;
  if (ioctl(output, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0) {
    use_env(FALSE);
    use_tioctl(TRUE);
  }
  // The event loop handles SIGWINCH, SIGINT and SIGTSTP: newterm installs its own handlers only
  // where it finds the default action, and the loop has those signals blocked.
  screen = open_described(output, direct);
  if (screen == NULL) screen = newterm(NULL, screen_output, screen_input);
  if (screen == NULL) {
    close_files();
    return -1;
  }
  // raw: Ctrl-C and Ctrl-Z are keys, so that they keep their place among the other keys.
  raw();
  noecho();
  nonl();
  keypad(stdscr, TRUE);
  scrollok(stdscr, FALSE);
  // Don't check for input while writing: half a frame would stay on the screen.
  typeahead(-1);
  colored = start_color() == OK && use_default_colors() == OK;
  curs_set(0);
  lq_frame_open(fileno(screen_output));
  return 0;
}

void lq_screen_close(void) {
  if (screen == NULL) return;
  endwin();
  delscreen(screen);
  screen = NULL;
  lq_frame_close();
  close_files();
}

void lq_screen_leave(void) {
  curs_set(1);
  endwin();
}

void lq_screen_enter(void) {
  reset_prog_mode();
  clearok(curscr, TRUE);
  wrefresh(stdscr);
  // endwin shows the cursor without updating curs_set's state.
  curs_set(1);
  curs_set(0);
  lq_frame_forget_cursor();
}

void lq_screen_resize(int width, int height) {
  // Not resizeterm: it puts a KEY_RESIZE into a queue that this program doesn't read.
  resize_term(height, width);
  clearok(curscr, TRUE);
}

void lq_screen_size(int *width, int *height) {
  struct winsize size;
  if (ioctl(fileno(screen_output), TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0) {
    *width = size.ws_col;
    *height = size.ws_row;
  } else {
    *width = COLS;
    *height = LINES;
  }
}

void lq_screen_invalidate(void) { clearok(curscr, TRUE); }

int lq_screen_colors(void) { return colored ? COLORS : 0; }

int lq_screen_pair_limit(void) { return colored ? COLOR_PAIRS : 0; }

int lq_screen_define_pair(int pair, int foreground, int background) {
  return init_extended_pair(pair, foreground, background) == OK ? 0 : -1;
}

void lq_screen_write(int y, int x, const lq_glyph *glyphs, int count) {
  cchar_t cells[64];
  int at = x, used = 0;
  for (int i = 0; i < count; i++) {
    wchar_t text[CCHARW_MAX + 1] = {0};
    for (int s = 0; s < 5 && s < CCHARW_MAX; s++) text[s] = (wchar_t)glyphs[i].scalars[s];
    int pair = glyphs[i].pair;
    setcchar(&cells[used++], text, glyphs[i].attributes, 0, &pair);
    int width = wcwidth(text[0]) == 2 ? 2 : 1;
    at += width;
    if (used == 64 || i == count - 1) {
      mvwadd_wchnstr(stdscr, y, x, cells, used);
      x = at;
      used = 0;
    }
  }
}

void lq_screen_erase(void) { werase(stdscr); }

void lq_screen_update(int x, int y) {
  int show = x >= 0;
  wmove(stdscr, show ? y : 0, show ? x : 0);
  // A hidden cursor need not be moved back.
  leaveok(stdscr, !show);
  lq_frame_begin();
  wrefresh(stdscr);
  lq_frame_end(show);
}

int lq_width(uint32_t scalar) { return wcwidth((wchar_t)scalar); }

const char *lq_key_sequence(const char *name) {
  const char *sequence = tigetstr(name);
  if (sequence == NULL || sequence == (const char *)-1 || sequence[0] == 0) return NULL;
  return sequence;
}

static char *collected;
static size_t collected_room;

static int collect(int byte) {
  if (collected_room > 1) {
    *collected++ = (char)byte;
    *collected = 0;
    collected_room--;
  }
  return byte;
}

static void append(const char *capability) {
  const char *sequence = lq_key_sequence(capability);
  if (sequence != NULL) tputs(sequence, 1, collect);  // takes padding out
}

size_t lq_leave_sequence(char *buffer, size_t room) {
  collected = buffer;
  collected_room = room;
  append("sgr0");
  append("op");
  append("rmkx");
  append("cnorm");
  if (lq_key_sequence("rmcup") != NULL) {
    append("rmcup");
  } else {
    collect('\r');
    collect('\n');
  }
  return (size_t)(collected - buffer);
}

int lq_screen_output_descriptor(void) {
  return screen_output == NULL ? -1 : fileno(screen_output);
}
