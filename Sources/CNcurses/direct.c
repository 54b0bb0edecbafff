// True colour for terminals whose terminfo entry has 256 colours: the usual systems install no
// entry with more. terminfo(5) lets TERMINFO hold a whole description in hexadecimal; this one is
// the terminal's own, with other numbers of colours and other sequences to set them.
#define _GNU_SOURCE
#include "CNcurses.h"
#include "private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <term.h>

// Numbers of 32 bits.
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

static int number(const char *name) {
  if (strcmp(name, "colors") == 0) return 1 << 24;
  if (strcmp(name, "pairs") == 0) return 1 << 16;
  return tigetnum(name);
}

// The first eight stay the terminal's own: they are black and nearly black otherwise.
#define COLOR_SEQUENCE(base)                                                                      \
  "\033[%?%p1%{8}%<%t" base "%p1%d%e" base "8;2;%p1%{65536}%/%d;%p1%{256}%/%{255}%&%d;"           \
  "%p1%{255}%&%d%;m"

static const char *string(const char *name) {
  if (strcmp(name, "setaf") == 0) return COLOR_SEQUENCE("3");
  if (strcmp(name, "setab") == 0) return COLOR_SEQUENCE("4");
  // Colours cannot be redefined where there is no table of them.
  if (strcmp(name, "initc") == 0 || strcmp(name, "oc") == 0) return NULL;
  const char *value = tigetstr(name);
  return value == (const char *)-1 ? NULL : value;
}

static int flag(const char *name) { return strcmp(name, "ccc") == 0 ? 0 : tigetflag(name) > 0; }

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
  // The extension: one flag, RGB, which says that a colour's number is its red, green and blue.
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

char *lq_direct_description(int output) {
  const char *type = getenv("TERM");
  int error = 0;
  if (type == NULL || setupterm(type, output, &error) != OK) return NULL;
  description *d = calloc(1, sizeof *d);
  char *text = NULL;
  // A terminal without colours has none because it says so.
  if (d != NULL && tigetnum("colors") >= 8 && tigetnum("colors") <= 256) {
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
