#include "CSQLite.h"

// A library that was built without SQLITE_ENABLE_COLUMN_METADATA has none of these.
#pragma weak sqlite3_column_database_name
#pragma weak sqlite3_column_table_name
#pragma weak sqlite3_column_origin_name

int lq_db_config(sqlite3 *db, int option, int value) {
  int now = -1;
  if (sqlite3_db_config(db, option, value, &now) != SQLITE_OK) return -1;
  return now;
}

void lq_print_real(char *buffer, int size, int digits, double number) {
  sqlite3_snprintf(size, buffer, "%!.*g", digits, number);
}

int lq_bind_text(sqlite3_stmt *stmt, int index, const char *bytes, sqlite3_uint64 count) {
  // An empty Swift string may have no address, and a null pointer would bind NULL.
  return sqlite3_bind_text64(stmt, index, bytes ? bytes : "", count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

int lq_bind_blob(sqlite3_stmt *stmt, int index, const void *bytes, sqlite3_uint64 count) {
  if (count == 0) return sqlite3_bind_zeroblob(stmt, index, 0);
  return sqlite3_bind_blob64(stmt, index, bytes, count, SQLITE_TRANSIENT);
}

static sqlite3_file *database_file(sqlite3 *db) {
  sqlite3_file *file = 0;
  if (sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK) return 0;
  if (file == 0 || file->pMethods == 0) return 0;
  return file;
}

const volatile void *lq_wal_index(sqlite3 *db, int block) {
  sqlite3_file *file = database_file(db);
  void volatile *page = 0;
  if (file == 0 || file->pMethods->iVersion < 2 || file->pMethods->xShmMap == 0) return 0;
  // extend = 0: never create or grow the -shm file of another program's database. A read-only -shm
  // is still mapped, with SQLITE_READONLY: SQLite's own reader accepts that too.
  int result = file->pMethods->xShmMap(file, block, 32768, 0, &page);
  if (result != SQLITE_OK && (result & 0xff) != SQLITE_READONLY) return 0;
  return page;
}

// As sqlite3WalFindFrame does in SQLite's wal.c: collisions follow each other, ended by an empty slot.
sqlite3_int64 lq_newest_frame(
    const volatile void *pages, const volatile void *slots, unsigned before, unsigned count,
    unsigned last, unsigned page) {
  const volatile unsigned *page_of = pages;
  const volatile unsigned short *index_in = slots;
  const unsigned mask = 8191;
  sqlite3_int64 found = 0;
  unsigned slot = (page * 383) & mask;
  for (unsigned step = 0; step <= mask; step++) {
    unsigned index = index_in[slot];
    if (index == 0) return found;
    sqlite3_int64 frame = (sqlite3_int64)before + index;
    if (index <= count && frame <= last && frame > found && page_of[index - 1] == page) found = frame;
    slot = (slot + 1) & mask;
  }
  return -1;
}

int lq_read_database(sqlite3 *db, void *buffer, int count, sqlite3_int64 offset) {
  sqlite3_file *file = database_file(db);
  if (file == 0) return SQLITE_CANTOPEN;
  return file->pMethods->xRead(file, buffer, count, offset);
}

static sqlite3_file *log_file(sqlite3 *db) {
  sqlite3_file *file = 0;
  if (sqlite3_file_control(db, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file) != SQLITE_OK) return 0;
  if (file == 0 || file->pMethods == 0) return 0;
  return file;
}

int lq_read_log(sqlite3 *db, void *buffer, int count, sqlite3_int64 offset) {
  sqlite3_file *file = log_file(db);
  if (file == 0) return SQLITE_CANTOPEN;
  return file->pMethods->xRead(file, buffer, count, offset);
}

static sqlite3_int64 size(sqlite3_file *file) {
  sqlite3_int64 bytes = -1;
  if (file == 0 || file->pMethods->xFileSize(file, &bytes) != SQLITE_OK) return -1;
  return bytes;
}

sqlite3_int64 lq_database_size(sqlite3 *db) { return size(database_file(db)); }

sqlite3_int64 lq_log_size(sqlite3 *db) { return size(log_file(db)); }

void lq_result_text(sqlite3_context *context, const char *bytes, sqlite3_uint64 count) {
  sqlite3_result_text64(context, bytes ? bytes : "", count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

void lq_result_blob(sqlite3_context *context, const void *bytes, sqlite3_uint64 count) {
  if (count == 0) {
    sqlite3_result_zeroblob(context, 0);
  } else {
    sqlite3_result_blob64(context, bytes, count, SQLITE_TRANSIENT);
  }
}

int lq_column_origin(
    sqlite3_stmt *stmt, int column, const char **schema, const char **table, const char **name) {
  if (!sqlite3_column_database_name || !sqlite3_column_table_name || !sqlite3_column_origin_name) {
    return 0;
  }
  *schema = sqlite3_column_database_name(stmt, column);
  *table = sqlite3_column_table_name(stmt, column);
  *name = sqlite3_column_origin_name(stmt, column);
  return *schema && *table && *name;
}
