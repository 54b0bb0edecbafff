// Process control on Linux that Swift cannot import: the heap, reading signals, starting children,
// and a worker process.
#ifndef LIVEQUERY_CPROCESS_H
#define LIVEQUERY_CPROCESS_H

#include <sys/types.h>

// Lets all threads allocate from one heap; to be called before there are threads. By default glibc
// gives each thread one, and each keeps the most that SQLite's cache ever took on that thread.
void lq_share_heap(void);

// Blocks every signal that ends the process, except faults and PROF, and also WINCH, TSTP and CONT,
// in this thread and those it starts. Returns a descriptor to read them from.
int lq_signalfd_open(void);
// The next pending signal, or 0.
int lq_signalfd_next(int fd);
// A pending signal that ends the process, or 0. Signals that a terminal sends when keys are pressed
// (INT, QUIT) count only if `keys` is not 0.
int lq_signal_waiting(int keys);
// Unblocks, in this thread, what lq_signalfd_open blocked; lq_signals_block blocks it again.
void lq_signals_unblock(void);
void lq_signals_block(void);

// A pipe whose ends close on exec; the near end (0 or 1, which the caller keeps) is non-blocking.
// 0, or -1 and errno.
int lq_pipe(int ends[2], int near);
// Starts words[0], found as a shell would find it but run without one, in its own session and
// process group, with default signal handling and no descriptors except input and output (for
// standard output and error). `folder` may be null. Returns 0 and the child's process, or an errno.
int lq_spawn(char *const words[], const char *folder, int input, int output, pid_t *child);
// A descriptor that becomes readable when the process ends; -1 if the kernel has none.
int lq_pidfd_open(pid_t process);

// Splits the process, which must have one thread: the code that follows runs in a worker. The
// original process, for which its parent waits, ends with the status that the worker reports, or as
// the worker ends without a report. It passes on the signals that it reads from `signals`, of
// lq_signalfd_open. 0, or -1 and errno: then nothing has happened, and lq_worker_report does
// nothing.
int lq_worker_start(int signals);
// Closes everything inherited, including the standard streams, and makes the front process end.
void lq_worker_report(int status);

#endif
