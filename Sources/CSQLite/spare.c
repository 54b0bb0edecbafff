#define _GNU_SOURCE
#include "CSQLite.h"

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// When the header is half written, or of no database yet, walIndexReadHdr() of SQLite's wal.c takes
// the WRITE lock exclusively, to rebuild the index if that is still so. Usually it isn't: a commit
// was being published. So this reports the lock as busy, and SQLite reads the header again after a
// pause.

enum { HEADER_SIZE = 48, WRITE_LOCK = 0 };

// How long to wait for a writer that was interrupted while publishing: after that, it may have
// died.
enum { PAUSE_US = 50, LONGEST_PAUSES = 200 };

// A file's methods, except for one. A file refers to `methods`.
struct sparing {
  sqlite3_io_methods methods;
  const sqlite3_io_methods *plain;
};

static void checksum(const uint32_t *words, uint32_t sums[2]) {
  sums[0] = sums[1] = 0;
  for (int i = 0; i < 10; i += 2) {
    sums[0] += words[i] + sums[1];
    sums[1] += words[i + 1] + sums[0];
  }
}

// Whether SQLite would accept the header as it is.
static int is_whole(const volatile void *page) {
  uint32_t copies[2 * HEADER_SIZE / 4], sums[2];
  const volatile uint32_t *words = page;
  __sync_synchronize();
  for (size_t i = 0; i < sizeof copies / 4; i++) copies[i] = words[i];
  __sync_synchronize();
  if (memcmp(copies, copies + HEADER_SIZE / 4, HEADER_SIZE) != 0) return 0;
  // isInit
  if (((const unsigned char *)copies)[12] == 0) return 0;
  checksum(copies, sums);
  return sums[0] == copies[10] && sums[1] == copies[11];
}

static int is_empty(const volatile void *page) {
  const volatile uint32_t *words = page;
  for (int i = 0; i < 2 * HEADER_SIZE / 4; i++) {
    if (words[i] != 0) return 0;
  }
  return 1;
}

static int shm_lock(sqlite3_file *file, int offset, int count, int flags) {
  const sqlite3_io_methods *plain = ((const struct sparing *)file->pMethods)->plain;
  if (offset == WRITE_LOCK && count == 1 && flags == (SQLITE_SHM_LOCK | SQLITE_SHM_EXCLUSIVE)) {
    void volatile *page = 0;
    int result = plain->xShmMap(file, 0, 32768, 0, &page);
    if (result == SQLITE_OK && page != 0 && !is_empty(page)) {
      for (int pauses = 0; pauses < LONGEST_PAUSES; pauses++) {
        if (is_whole(page)) return SQLITE_BUSY;
        usleep(PAUSE_US);
      }
    }
  }
  return plain->xShmLock(file, offset, count, flags);
}

// The methods of `plain`, except for locks; made once per kind of file.
static const sqlite3_io_methods *sparing_methods(const sqlite3_io_methods *plain) {
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  static struct sparing *made[8];
  const sqlite3_io_methods *result = plain;
  pthread_mutex_lock(&mutex);
  for (size_t i = 0; i < sizeof made / sizeof made[0]; i++) {
    if (made[i] == 0) {
      made[i] = calloc(1, sizeof *made[i]);
      if (made[i] == 0) break;
      // An older library has fewer methods.
      size_t size = plain->iVersion == 2 ? offsetof(sqlite3_io_methods, xFetch)
                                         : sizeof(sqlite3_io_methods);
      memcpy(&made[i]->methods, plain, size);
      if (made[i]->methods.iVersion > 3) made[i]->methods.iVersion = 3;
      made[i]->methods.xShmLock = shm_lock;
      made[i]->plain = plain;
    }
    if (made[i]->plain == plain) {
      result = &made[i]->methods;
      break;
    }
  }
  pthread_mutex_unlock(&mutex);
  return result;
}

void lq_spare_write_lock(sqlite3 *db, const char *schema, int spares) {
  sqlite3_file *file = 0;
  if (sqlite3_file_control(db, schema, SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK) return;
  if (file == 0 || file->pMethods == 0) return;
  const sqlite3_io_methods *plain = file->pMethods;
  if (plain->iVersion < 2 || plain->xShmLock == 0) return;
  int is_sparing = plain->xShmLock == shm_lock;
  if (spares && !is_sparing) file->pMethods = sparing_methods(plain);
  if (!spares && is_sparing) file->pMethods = ((const struct sparing *)plain)->plain;
}
