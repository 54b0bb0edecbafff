// What a program needs of Linux to be a process among others, and Swift cannot import: signals that are
// read, children that are started, and a worker process.
#ifndef LIVEQUERY_CPROCESS_H
#define LIVEQUERY_CPROCESS_H

#include <sys/types.h>

// Blocks every signal that ends the process, but for faults and PROF, and WINCH TSTP CONT, in this thread
// and those it starts, and returns a descriptor to read them from.
int lq_signalfd_open(void);
// The next pending signal, or 0.
int lq_signalfd_next(int fd);
// A signal that ends the process and waits to be read, or 0. Those that a terminal sends when keys are pressed (INT,
// QUIT) count only if `keys` is not 0.
int lq_signal_waiting(int keys);
// Lets through what lq_signalfd_open blocked, in this thread, and blocks it again.
void lq_signals_unblock(void);
void lq_signals_block(void);

// A pipe whose ends close on exec, with the near end (0 or 1, as the caller keeps it) non-blocking.
// 0, or -1 and errno.
int lq_pipe(int ends[2], int near);
// Starts words[0], found as a shell would find it but run without one, in a session and process
// group of its own, with signals as any program has them and no descriptors but input, output (for
// standard output and error). `folder` may be null. 0 and the child's number, or an errno.
int lq_spawn(char *const words[], const char *folder, int input, int output, pid_t *child);
// A descriptor that can be read once the process has ended; -1 where the kernel has none.
int lq_pidfd_open(pid_t process);

// Splits the process, which must have one thread: what follows runs in a worker, while the process that
// others wait for ends with the status that the worker reports, or as the worker ends without. It hands
// on the signals that it reads from `signals`, of lq_signalfd_open. 0, or -1 and errno: then nothing has
// happened, and lq_worker_report does nothing.
int lq_worker_start(int signals);
// Lets go of what was inherited, standard streams included, and makes the process in front end.
void lq_worker_report(int status);

#endif
