// ncurses, the wide-character library, for Swift: the macros, variadics and global variables of its
// header as constants and functions; and a way to restore a usable terminal that works in a signal
// handler.
#ifndef LIVEQUERY_CNCURSES_H
#define LIVEQUERY_CNCURSES_H

#define NCURSES_WIDECHAR 1
#define NCURSES_NOMACROS 1
#include <curses.h>
#include <stddef.h>
#include <stdint.h>

// Attributes are casts and shifts, which Swift does not import.
static const uint32_t lq_attribute_bold = A_BOLD;
static const uint32_t lq_attribute_dim = A_DIM;
static const uint32_t lq_attribute_underline = A_UNDERLINE;
static const uint32_t lq_attribute_reverse = A_REVERSE;

// MARK: Locale

// Sets the user's locale, or C.UTF-8 if that one is not UTF-8: ncursesw needs a UTF-8 locale to lay
// out wide characters at all. Returns 1 when the user's own locale was UTF-8.
int lq_locale_setup(void);

// MARK: Screen

// Starts curses on its own copies of these two descriptors. 0, or -1 when the terminal's type is
// unknown or lacks what curses needs. With `direct`, the terminal is assumed to accept colours as
// red, green and blue, whatever terminfo says; if that works, lq_screen_colors() is 2^24.
int lq_screen_open(int input, int output, int direct);
// Ends curses and restores the terminal.
void lq_screen_close(void);
// Leaves and re-enters the alternate screen, around a stop for example.
void lq_screen_leave(void);
void lq_screen_enter(void);
// Gives curses a new size and makes the next lq_screen_update write every cell.
void lq_screen_resize(int width, int height);
// The size that the terminal reports, or that curses assumes when it reports none.
void lq_screen_size(int *width, int *height);
// Forgets the screen's content: the next update writes every cell.
void lq_screen_invalidate(void);
// How many colours there are, after start_color: 0, 8, 16, 256, …
int lq_screen_colors(void);
// Defines a pair of colours; -1 is the terminal's own. 0, or -1 when there are no more pairs.
int lq_screen_define_pair(int pair, int foreground, int background);
int lq_screen_pair_limit(void);

// One character to write: a base scalar, then its combining scalars, padded with zeros.
typedef struct {
  uint32_t scalars[5];
  uint32_t attributes;
  int32_t pair;
} lq_glyph;

// Writes `count` glyphs, starting at column x of row y; a wide one takes two columns.
void lq_screen_write(int y, int x, const lq_glyph *glyphs, int count);
void lq_screen_erase(void);
// Puts the cursor there and shows it, or hides it when x < 0; then sends the difference to what the
// terminal shows.
void lq_screen_update(int x, int y);
// wcwidth(3), by the same tables as ncurses.
int lq_width(uint32_t scalar);

// What a key of this terminal sends, by its terminfo name ("kcuu1"), or NULL.
const char *lq_key_sequence(const char *name);

// MARK: Restoration

// From here on, exit(3) and every crash of this process restore the terminal: `leave` bytes from
// terminfo, then those in `also`, then the line discipline from before the process started. If
// standard error is a terminal too, output written to it meanwhile is shown. Call it after
// lq_screen_open.
void lq_restoration_arm(int output, const char *also);
// Restores the line discipline and standard error, and disarms; call it after lq_screen_leave.
void lq_restoration_finish(void);
// Restores everything in one call, async-signal-safe; does nothing when not armed.
void lq_restoration_perform(void);

#endif
