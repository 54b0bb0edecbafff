// What screen.c and restoration.c tell each other.
#ifndef LIVEQUERY_CNCURSES_PRIVATE_H
#define LIVEQUERY_CNCURSES_PRIVATE_H

#include <stddef.h>

// The bytes that end attributes, keypad mode, a hidden cursor and the alternate screen.
size_t lq_leave_sequence(char *buffer, size_t room);
// What TERMINFO must hold for this terminal to have true colour, to be freed; NULL when it has no
// colours, all of them, or no entry. Call it while no terminal is open.
char *lq_direct_description(int output);
// Where curses writes; -1 when it is closed.
int lq_screen_output_descriptor(void);
// For a terminal that was on none of the standard descriptors when the process started. Call it
// before curses changes anything.
void lq_remember_line_discipline(int fd);

#endif
