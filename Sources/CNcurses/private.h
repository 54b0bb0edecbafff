// What screen.c and restoration.c need of each other.
#ifndef LIVEQUERY_CNCURSES_PRIVATE_H
#define LIVEQUERY_CNCURSES_PRIVATE_H

#include <stddef.h>

// The bytes that end attributes, keypad mode, a hidden cursor and the alternate screen.
size_t lq_leave_sequence(char *buffer, size_t room);
// The value for TERMINFO with which curses draws calmly on this terminal, and with `direct` in true
// colour; the caller frees it. NULL for an unknown terminal. Call it while no terminal is open.
char *lq_terminal_description(int output, int direct);
// Where curses writes; -1 when it is closed.
int lq_screen_output_descriptor(void);

// Sends each frame in one write. Output of curses to `output` between begin and end is collected
// and then sent as a whole; at other times `output` is the terminal itself.
void lq_frame_open(int output);
void lq_frame_close(void);
void lq_frame_begin(void);
// Writes the collected frame, with the cursor hidden meanwhile, and shown afterwards if `show`.
void lq_frame_end(int show);
// Notes that the cursor is hidden: curses was left and entered again.
void lq_frame_forget_cursor(void);
// Where frames go; -1 when no screen is open.
int lq_frame_descriptor(void);
// For a terminal that was on none of the standard descriptors when the process started. Call it
// before curses changes anything.
void lq_remember_line_discipline(int fd);

#endif
