#define _GNU_SOURCE
#include "CProcess.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

// Descriptors above this one are not checked: shells use those below 20.
enum { LAST_INHERITED = 255 };

static int report_end = -1;
static unsigned char is_inherited[LAST_INHERITED + 1];

// Ends this process as the worker ended, without running any code of the program.
static void end_as(pid_t worker) {
  int status = 0;
  while (waitpid(worker, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFSIGNALED(status)) _exit(WEXITSTATUS(status));
  int number = WTERMSIG(status);
  // The worker has already dumped core, if cores are enabled.
  struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  signal(number, SIG_DFL);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, number);
  raise(number);
  pthread_sigmask(SIG_UNBLOCK, &set, 0);
  _exit(128 + number);
}

// Stops like any other program: unlike SIGSTOP, it doesn't stop where no shell could continue it.
static void stop(void) {
  signal(SIGTSTP, SIG_DFL);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTSTP);
  raise(SIGTSTP);
  pthread_sigmask(SIG_UNBLOCK, &set, 0);
  pthread_sigmask(SIG_BLOCK, &set, 0);
}

static void pass_on(const struct signalfd_siginfo *info, pid_t worker) {
  int number = (int)info->ssi_signo;
  int is_of_terminal = number == SIGINT || number == SIGQUIT || number == SIGHUP ||
                       number == SIGTSTP || number == SIGCONT;
  // The terminal sends its signals to both processes, so the worker already has them. A timer's
  // signals go to this process only.
  int is_shared =
      (info->ssi_code == SI_KERNEL && is_of_terminal) || (pid_t)info->ssi_pid == worker;
  if (number == SIGWINCH) return;
  if (!is_shared) kill(worker, number);
  if (number == SIGTSTP) stop();
}

// Drops the file-backed pages of one program or library; pages that are needed are loaded again.
static int forget_pages(struct dl_phdr_info *object, size_t size, void *nothing) {
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &object->dlpi_phdr[i];
    if (part->p_type != PT_LOAD || part->p_flags & PF_W) continue;
    uintptr_t start = (object->dlpi_addr + part->p_vaddr) & ~(page - 1);
    uintptr_t end = (object->dlpi_addr + part->p_vaddr + part->p_memsz + page - 1) & ~(page - 1);
    madvise((void *)start, end - start, MADV_DONTNEED);
  }
  return 0;
}

// Runs the front process: waits for the worker's report.
static void wait_for(pid_t worker, int report, int signals) {
  for (;;) {
    struct pollfd both[2] = {{.fd = report, .events = POLLIN}, {.fd = signals, .events = POLLIN}};
    if (poll(both, 2, -1) < 0 && errno != EINTR) end_as(worker);
    struct signalfd_siginfo info;
    while (read(signals, &info, sizeof info) == (ssize_t)sizeof info) pass_on(&info, worker);
    if (both[0].revents == 0) continue;
    unsigned char status;
    ssize_t count = read(report, &status, 1);
    if (count == 1) _exit(status);
    if (count == 0) end_as(worker);
  }
}

int lq_worker_start(int signals) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return -1;
  for (int fd = 3; fd <= LAST_INHERITED; fd++) {
    int flags = fcntl(fd, F_GETFD);
    is_inherited[fd] = flags >= 0 && !(flags & FD_CLOEXEC);
  }
  pid_t front = getpid();
  pid_t worker = fork();
  if (worker < 0) {
    close(ends[0]);
    close(ends[1]);
    return -1;
  }
  if (worker > 0) {
    close(ends[1]);
    // Each mapped page makes the end of this process slower: all of them by half a millisecond.
    dl_iterate_phdr(forget_pages, 0);
    wait_for(worker, ends[0], signals);
  }
  close(ends[0]);
  report_end = ends[1];
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != front) raise(SIGTERM);
  return 0;
}

void lq_worker_report(int status) {
  if (report_end < 0) return;
  int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int fd = 0; fd < 3; fd++) dup2(nothing, fd);
  for (int fd = 3; fd <= LAST_INHERITED; fd++) {
    if (is_inherited[fd]) close(fd);
  }
  unsigned char byte = (unsigned char)status;
  while (write(report_end, &byte, 1) < 0 && errno == EINTR) {
  }
  // The front process ends first: if both end at the same time, that takes longer.
  struct pollfd front = {.fd = report_end, .events = 0};
  poll(&front, 1, 100);
}
