#define _GNU_SOURCE
#include "CProcess.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <unistd.h>

extern char **environ;

int lq_pipe(int ends[2], int near) {
  if (pipe2(ends, O_CLOEXEC) != 0) return -1;
  if (fcntl(ends[near], F_SETFL, O_NONBLOCK) == 0) return 0;
  close(ends[0]);
  close(ends[1]);
  return -1;
}

int lq_spawn(char *const words[], const char *folder, int input, int output, pid_t *child) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  int result = posix_spawn_file_actions_init(&actions);
  if (result != 0) return result;
  result = posix_spawnattr_init(&attributes);
  if (result != 0) {
    posix_spawn_file_actions_destroy(&actions);
    return result;
  }
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  // A separate session: the child has no terminal to write to, or to be stopped by.
  posix_spawnattr_setflags(
      &attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);
  if (folder != 0) result = posix_spawn_file_actions_addchdir_np(&actions, folder);
  if (result == 0) result = posix_spawn_file_actions_adddup2(&actions, input, 0);
  if (result == 0) result = posix_spawn_file_actions_adddup2(&actions, output, 1);
  if (result == 0) result = posix_spawn_file_actions_adddup2(&actions, output, 2);
  if (result == 0) result = posix_spawn_file_actions_addclosefrom_np(&actions, 3);
  // glibc doesn't pass a file without "#!" to a shell here: it returns ENOEXEC.
  if (result == 0) result = posix_spawnp(child, words[0], &actions, &attributes, words, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return result;
}

int lq_pidfd_open(pid_t process) {
#ifdef SYS_pidfd_open
  return (int)syscall(SYS_pidfd_open, process, 0);
#else
  (void)process;
  return -1;
#endif
}
