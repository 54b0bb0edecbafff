// The description of the terminal to give to ncurses: its own, without capabilities that make a
// screen restless, and with true colour where terminfo knows only 256 colours. terminfo(5) lets
// TERMINFO contain a whole description in hexadecimal.
#define _GNU_SOURCE
#include "CNcurses.h"
#include "private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <term.h>

// Format with 32-bit numbers.
enum { magic = 01036, room = 32 * 1024 };

typedef struct {
  unsigned char bytes[room];
  size_t count;
} description;

static void put(description *d, unsigned value, int bytes) {
  for (int i = 0; i < bytes; i++) {
    if (d->count < room) d->bytes[d->count++] = (unsigned char)(value >> (8 * i));
  }
}

static void put_text(description *d, const char *text) {
  for (const char *c = text;; c++) {
    put(d, (unsigned char)*c, 1);
    if (*c == 0) return;
  }
}

static void make_even(description *d) {
  if (d->count % 2 == 1) put(d, 0, 1);
}

static int count(NCURSES_CONST char *const *names) {
  int n = 0;
  while (names[n] != NULL) n++;
  return n;
}

// Whether colours are given as red, green and blue. Only the thread that opens the screen reads it.
static int is_direct;

static int number(const char *name) {
  if (is_direct && strcmp(name, "colors") == 0) return 1 << 24;
  if (is_direct && strcmp(name, "pairs") == 0) return 1 << 16;
  return tigetnum(name);
}

// Capabilities that move screen content. While it moves, cells show content of other places or
// nothing, even in neighbouring panes: scrolling a line of the feed moves the whole width. ncurses
// uses the scrolling region even where idlok and scrollok forbid it.
static const char *const restless[] = {"csr", "ind", "ri", "indn", "rin", "il", "il1", "dl", "dl1",
    "ich", "ich1", "dch", "dch1", "smir", "rmir", NULL};

static int is_restless(const char *name) {
  for (int i = 0; restless[i] != NULL; i++) {
    if (strcmp(name, restless[i]) == 0) return 1;
  }
  return 0;
}

// The first eight stay the terminal's own: otherwise they would be black and nearly black.
#define COLOR_SEQUENCE(base)                                                                      \
  "\033[%?%p1%{8}%<%t" base "%p1%d%e" base "8;2;%p1%{65536}%/%d;%p1%{256}%/%{255}%&%d;"           \
  "%p1%{255}%&%d%;m"

static const char *string(const char *name) {
  if (is_direct && strcmp(name, "setaf") == 0) return COLOR_SEQUENCE("3");
  if (is_direct && strcmp(name, "setab") == 0) return COLOR_SEQUENCE("4");
  // The palette belongs to the user; with `oc` ncurses would reset it at the end.
  if (strcmp(name, "initc") == 0 || strcmp(name, "oc") == 0) return NULL;
  if (is_restless(name)) return NULL;
  const char *value = tigetstr(name);
  return value == (const char *)-1 ? NULL : value;
}

static int has(const char *name) {
  const char *value = tigetstr(name);
  return value != NULL && value != (const char *)-1;
}

static int flag(const char *name) {
  if (strcmp(name, "ccc") == 0) return 0;
  // The last cell of a terminal can be written if the terminal wraps only when the next character
  // arrives. Without a mode for wrapping (screen, tmux), ncurses would write that character
  // elsewhere and push it into place.
  if (strcmp(name, "am") == 0 && tigetflag("xenl") > 0 && (!has("smam") || !has("rmam"))) return 0;
  return tigetflag(name) > 0;
}

// The strings of the current terminal: offsets, then text.
static void put_strings(description *d) {
  size_t offset = 0;
  for (int i = 0; strnames[i] != NULL; i++) {
    const char *value = string(strnames[i]);
    put(d, value == NULL ? 0xffff : (unsigned)offset, 2);
    if (value != NULL) offset += strlen(value) + 1;
  }
  for (int i = 0; strnames[i] != NULL; i++) {
    const char *value = string(strnames[i]);
    if (value != NULL) put_text(d, value);
  }
}

static void describe(description *d, const char *name) {
  size_t text = 0;
  for (int i = 0; strnames[i] != NULL; i++) {
    const char *value = string(strnames[i]);
    if (value != NULL) text += strlen(value) + 1;
  }
  put(d, magic, 2);
  put(d, (unsigned)strlen(name) + 1, 2);
  put(d, (unsigned)count(boolnames), 2);
  put(d, (unsigned)count(numnames), 2);
  put(d, (unsigned)count(strnames), 2);
  put(d, (unsigned)text, 2);
  put_text(d, name);
  for (int i = 0; boolnames[i] != NULL; i++) put(d, (unsigned)flag(boolnames[i]), 1);
  make_even(d);
  for (int i = 0; numnames[i] != NULL; i++) put(d, (unsigned)number(numnames[i]), 4);
  put_strings(d);
  make_even(d);
  if (!is_direct) return;
  // The extension: one flag, RGB, which says that a colour's number encodes red, green and blue.
  put(d, 1, 2);
  put(d, 0, 2);
  put(d, 0, 2);
  put(d, 1, 2);
  put(d, 4, 2);
  put(d, 1, 1);
  make_even(d);
  put(d, 0, 2);
  put_text(d, "RGB");
}

char *lq_terminal_description(int output, int direct) {
  const char *type = getenv("TERM");
  int error = 0;
  if (type == NULL || setupterm(type, output, &error) != OK) return NULL;
  // A terminal that declares no colours keeps none.
  is_direct = direct && tigetnum("colors") >= 8 && tigetnum("colors") <= 256;
  description *d = calloc(1, sizeof *d);
  char *text = NULL;
  if (d != NULL) {
    describe(d, type);
    if (d->count < room) text = malloc(2 * d->count + 5);
  }
  if (text != NULL) {
    char *end = stpcpy(text, "hex:");
    for (size_t i = 0; i < d->count; i++) end += sprintf(end, "%02X", d->bytes[i]);
  }
  free(d);
  del_curterm(cur_term);
  return text;
}
