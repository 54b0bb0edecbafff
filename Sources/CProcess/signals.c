#define _GNU_SOURCE
#include "CProcess.h"

#include <pthread.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

// Whether the program that started this one has it ignored: HUP by nohup, INT and QUIT by a shell that runs it in
// the background. It stays ignored then; a signal that is blocked would be read all the same.
static int is_ignored(int number) {
  // Asked once, before any handler is installed.
  static signed char known[SIGQUIT + 1];
  if (number != SIGHUP && number != SIGINT && number != SIGQUIT) return 0;
  if (known[number] == 0) {
    struct sigaction action;
    int ignores = sigaction(number, 0, &action) == 0 && action.sa_handler == SIG_IGN;
    known[number] = ignores ? 1 : -1;
  }
  return known[number] == 1;
}

// All signals that end the process or that its loop handles. Not faults, which cannot wait; nor
// SIGPIPE, which is ignored: if blocked, it would stay pending; nor SIGPROF: to report a crash,
// Swift's runtime stops all threads by whichever of USR1, USR2 and PROF is not blocked.
static sigset_t handled_signals(void) {
  static const int numbers[] = {
      SIGWINCH, SIGTERM, SIGINT,  SIGHUP,  SIGTSTP,   SIGCONT, SIGQUIT, SIGUSR1,
      SIGUSR2,  SIGALRM, SIGXCPU, SIGXFSZ, SIGVTALRM, SIGIO,   SIGPWR,
#ifdef SIGSTKFLT
      SIGSTKFLT,
#endif
  };
  sigset_t set;
  sigemptyset(&set);
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
    if (!is_ignored(numbers[i])) sigaddset(&set, numbers[i]);
  }
  for (int number = SIGRTMIN; number <= SIGRTMAX; number++) sigaddset(&set, number);
  return set;
}

int lq_signalfd_open(void) {
  lq_signals_block();
  sigset_t set = handled_signals();
  return signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

int lq_signalfd_next(int fd) {
  struct signalfd_siginfo info;
  if (read(fd, &info, sizeof info) != (ssize_t)sizeof info) return 0;
  return (int)info.ssi_signo;
}

int lq_signal_waiting(int keys) {
  sigset_t waiting, handled = handled_signals();
  if (sigpending(&waiting) != 0) return 0;
  for (int number = 1; number <= SIGRTMAX; number++) {
    int is_key = number == SIGINT || number == SIGQUIT;
    int ends = number != SIGWINCH && number != SIGTSTP && number != SIGCONT && (keys || !is_key);
    if (ends && sigismember(&handled, number) == 1 && sigismember(&waiting, number) == 1) return number;
  }
  return 0;
}

void lq_signals_unblock(void) {
  sigset_t set = handled_signals();
  pthread_sigmask(SIG_UNBLOCK, &set, 0);
}

void lq_signals_block(void) {
  sigset_t set = handled_signals();
  pthread_sigmask(SIG_BLOCK, &set, 0);
}
