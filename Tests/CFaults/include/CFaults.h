// Faults at the boundary of SQLite, for tests: a VFS, an allocator and a step of statements that fail at
// the n-th call.
#ifndef LIVEQUERY_CFAULTS_H
#define LIVEQUERY_CFAULTS_H

#include <stdint.h>

// Where a fault can be; sets of them are sums.
enum {
  LQ_FAULT_STEP = 1,
  LQ_FAULT_OPEN = 2,
  LQ_FAULT_READ = 4,
  LQ_FAULT_WRITE = 8,
  LQ_FAULT_SYNC = 16,
  LQ_FAULT_TRUNCATE = 32,
  LQ_FAULT_DELETE = 64,
  LQ_FAULT_LOCK = 128,
  LQ_FAULT_SHM_LOCK = 256,
  LQ_FAULT_SHM_MAP = 512,
  LQ_FAULT_SIZE = 1024,
  LQ_FAULT_MALLOC = 2048,
};

// Replaces the allocator, and makes the failing VFS the default one. Before any other use of SQLite.
void lq_faults_install(void);

// From here on the n-th call (from 1) of the points fails with `result`, a result code of SQLite;
// `lasts`: all further ones too. With `result` 0 nothing fails, and `reach` is called there instead.
void lq_faults_arm(int points, int64_t n, int result, int lasts, void (*reach)(void *), void *context);

// Lets all further calls pass; from any thread.
void lq_faults_end(void);

// Ends it; returns how many calls there were, and tells whether the n-th was among them.
int64_t lq_faults_disarm(int *fired);

#endif
