#define _GNU_SOURCE
#include "CFaults.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

// What is armed. Written under the mutex while `armed` is false, read without it while it is true.
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static _Atomic int armed_points;
static _Atomic int64_t calls;
static _Atomic int fired;
static int64_t failing;
static int failure;
static int failure_lasts;
static void (*reached)(void *);
static void *reached_context;
// A thread that is inside `reached` makes no calls that count.
static _Thread_local int inside;

void lq_faults_arm(int points, int64_t n, int result, int lasts, void (*reach)(void *), void *context) {
  pthread_mutex_lock(&mutex);
  failing = n;
  failure = result;
  failure_lasts = lasts;
  reached = reach;
  reached_context = context;
  atomic_store(&calls, 0);
  atomic_store(&fired, 0);
  atomic_store(&armed_points, points);
  pthread_mutex_unlock(&mutex);
}

void lq_faults_end(void) { atomic_store(&armed_points, 0); }

int64_t lq_faults_disarm(int *was_fired) {
  atomic_store(&armed_points, 0);
  *was_fired = atomic_load(&fired);
  return atomic_load(&calls);
}

// The result that a call of this point must have; SQLITE_OK for its own.
static int fault(int point) {
  if ((atomic_load_explicit(&armed_points, memory_order_acquire) & point) == 0 || inside) return SQLITE_OK;
  int64_t call = atomic_fetch_add(&calls, 1) + 1;
  if (call != failing && !(failure_lasts && call > failing)) return SQLITE_OK;
  atomic_store(&fired, 1);
  if (failure == 0) {
    inside = 1;
    if (reached) reached(reached_context);
    inside = 0;
  }
  return failure;
}

// MARK: - Statements

static void *library_of(void *address) {
  Dl_info info;
  return dladdr(address, &info) ? info.dli_fbase : 0;
}

// The program's own symbol comes before that of the shared library, which calls this one, too: its own
// statements are left alone, for it takes a failed step of the schema's reading for an empty schema.
int sqlite3_step(sqlite3_stmt *statement) {
  static int (*own)(sqlite3_stmt *);
  static void *library;
  if (own == 0) {
    own = (int (*)(sqlite3_stmt *))dlsym(RTLD_NEXT, "sqlite3_step");
    library = library_of((void *)own);
  }
  int is_armed = atomic_load_explicit(&armed_points, memory_order_acquire) & LQ_FAULT_STEP;
  if (!is_armed || library_of(__builtin_return_address(0)) == library) return own(statement);
  int result = fault(LQ_FAULT_STEP);
  return result == SQLITE_OK ? own(statement) : result;
}

// MARK: - Memory

static sqlite3_mem_methods memory;

static void *fault_malloc(int size) { return fault(LQ_FAULT_MALLOC) ? 0 : memory.xMalloc(size); }
static void *fault_realloc(void *old, int size) {
  return fault(LQ_FAULT_MALLOC) ? 0 : memory.xRealloc(old, size);
}

// MARK: - Files

typedef struct {
  sqlite3_file base;
  sqlite3_file *own;
} FaultFile;

static sqlite3_file *own(sqlite3_file *file) { return ((FaultFile *)file)->own; }

#define FORWARD(point, name, ...)                                  \
  do {                                                             \
    int result = fault(point);                                     \
    if (result != SQLITE_OK) return result;                        \
    return own(file)->pMethods->name(own(file), ##__VA_ARGS__);    \
  } while (0)

static int fault_read(sqlite3_file *file, void *buffer, int count, sqlite3_int64 offset) {
  FORWARD(LQ_FAULT_READ, xRead, buffer, count, offset);
}
static int fault_write(sqlite3_file *file, const void *buffer, int count, sqlite3_int64 offset) {
  FORWARD(LQ_FAULT_WRITE, xWrite, buffer, count, offset);
}
static int fault_truncate(sqlite3_file *file, sqlite3_int64 size) {
  FORWARD(LQ_FAULT_TRUNCATE, xTruncate, size);
}
// No power fails meanwhile: nothing need be synced.
static int fault_sync(sqlite3_file *file, int flags) { return fault(LQ_FAULT_SYNC); }
static int fault_size(sqlite3_file *file, sqlite3_int64 *size) {
  FORWARD(LQ_FAULT_SIZE, xFileSize, size);
}
static int fault_lock(sqlite3_file *file, int lock) { FORWARD(LQ_FAULT_LOCK, xLock, lock); }
static int fault_shm_lock(sqlite3_file *file, int offset, int count, int flags) {
  // Giving up a lock does not fail.
  if (flags & SQLITE_SHM_UNLOCK) return own(file)->pMethods->xShmLock(own(file), offset, count, flags);
  FORWARD(LQ_FAULT_SHM_LOCK, xShmLock, offset, count, flags);
}
static int fault_shm_map(sqlite3_file *file, int region, int size, int extend, void volatile **page) {
  FORWARD(LQ_FAULT_SHM_MAP, xShmMap, region, size, extend, page);
}

static int pass_close(sqlite3_file *file) {
  int result = own(file)->pMethods ? own(file)->pMethods->xClose(own(file)) : SQLITE_OK;
  file->pMethods = 0;
  return result;
}
static int pass_unlock(sqlite3_file *file, int lock) { return own(file)->pMethods->xUnlock(own(file), lock); }
static int pass_reserved(sqlite3_file *file, int *is_reserved) {
  return own(file)->pMethods->xCheckReservedLock(own(file), is_reserved);
}
static int pass_control(sqlite3_file *file, int operation, void *argument) {
  return own(file)->pMethods->xFileControl(own(file), operation, argument);
}
static int pass_sector(sqlite3_file *file) { return own(file)->pMethods->xSectorSize(own(file)); }
static int pass_device(sqlite3_file *file) { return own(file)->pMethods->xDeviceCharacteristics(own(file)); }
static void pass_barrier(sqlite3_file *file) { own(file)->pMethods->xShmBarrier(own(file)); }
static int pass_unmap(sqlite3_file *file, int deletes) {
  return own(file)->pMethods->xShmUnmap(own(file), deletes);
}

// Version 2: without xFetch, which would read past xRead.
static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = pass_close,
    .xRead = fault_read,
    .xWrite = fault_write,
    .xTruncate = fault_truncate,
    .xSync = fault_sync,
    .xFileSize = fault_size,
    .xLock = fault_lock,
    .xUnlock = pass_unlock,
    .xCheckReservedLock = pass_reserved,
    .xFileControl = pass_control,
    .xSectorSize = pass_sector,
    .xDeviceCharacteristics = pass_device,
    .xShmMap = fault_shm_map,
    .xShmLock = fault_shm_lock,
    .xShmBarrier = pass_barrier,
    .xShmUnmap = pass_unmap,
};
// Files without locks of their own, as journals are.
static sqlite3_io_methods methods_without_memory;

static sqlite3_vfs *unix_vfs;
static sqlite3_vfs vfs;

static int fault_open(
    sqlite3_vfs *self, const char *name, sqlite3_file *file, int flags, int *out_flags) {
  FaultFile *made = (FaultFile *)file;
  made->base.pMethods = 0;
  int result = fault(LQ_FAULT_OPEN);
  if (result != SQLITE_OK) return result == SQLITE_NOMEM ? result : SQLITE_CANTOPEN;
  made->own = (sqlite3_file *)(made + 1);
  memset(made->own, 0, unix_vfs->szOsFile);
  result = unix_vfs->xOpen(unix_vfs, name, made->own, flags, out_flags);
  if (made->own->pMethods)
    made->base.pMethods = made->own->pMethods->iVersion >= 2 ? &methods : &methods_without_memory;
  return result;
}
static int fault_delete(sqlite3_vfs *self, const char *name, int syncs) {
  int result = fault(LQ_FAULT_DELETE);
  return result == SQLITE_OK ? unix_vfs->xDelete(unix_vfs, name, syncs) : result;
}

void lq_faults_install(void) {
  sqlite3_config(SQLITE_CONFIG_GETMALLOC, &memory);
  sqlite3_mem_methods failing_memory = memory;
  failing_memory.xMalloc = fault_malloc;
  failing_memory.xRealloc = fault_realloc;
  sqlite3_config(SQLITE_CONFIG_MALLOC, &failing_memory);
  sqlite3_initialize();
  unix_vfs = sqlite3_vfs_find(0);
  methods_without_memory = methods;
  methods_without_memory.iVersion = 1;
  vfs = *unix_vfs;
  vfs.zName = "faults";
  vfs.pNext = 0;
  vfs.szOsFile = sizeof(FaultFile) + unix_vfs->szOsFile;
  vfs.xOpen = fault_open;
  vfs.xDelete = fault_delete;
  sqlite3_vfs_register(&vfs, 1);
}
