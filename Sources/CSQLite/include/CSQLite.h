// SQLite's interface for Swift: its header with optional hooks enabled, and small wrappers for what
// Swift cannot import (variadics, function-like macros, VFS methods).
#ifndef LIVEQUERY_CSQLITE_H
#define LIVEQUERY_CSQLITE_H

#define SQLITE_ENABLE_PREUPDATE_HOOK 1
#define SQLITE_ENABLE_COLUMN_METADATA 1
#include <sqlite3.h>

// Extended result codes are macros over macros, which Swift does not import.
enum {
  LQ_IOERR_SHORT_READ = SQLITE_IOERR_SHORT_READ,
};

// sqlite3_db_config is variadic. `value` < 0 only queries. Returns the current setting, or -1.
int lq_db_config(sqlite3 *db, int option, int value);

// sqlite3_snprintf is variadic. Prints a number as SQLite shows one, with at most `digits` significant
// digits; 48 bytes are enough for up to 17.
void lq_print_real(char *buffer, int size, int digits, double number);

// SQLITE_TRANSIENT is a cast to a function pointer. These copy the bytes.
int lq_bind_text(sqlite3_stmt *stmt, int index, const char *bytes, sqlite3_uint64 count);
int lq_bind_blob(sqlite3_stmt *stmt, int index, const void *bytes, sqlite3_uint64 count);

// As above, for the result of an SQL function.
void lq_result_text(sqlite3_context *context, const char *bytes, sqlite3_uint64 count);
void lq_result_blob(sqlite3_context *context, const void *bytes, sqlite3_uint64 count);

// A block of 32 KiB of the wal-index of `main`, counted from 0, through SQLite's own file handle, or
// NULL when there is none. Valid while the connection stays open and in WAL mode.
const volatile void *lq_wal_index(sqlite3 *db, int block);

// The newest of the frames up to `last` that holds `page`, as the hash table of one block of the wal-index
// says: 0 when none of this block does, -1 when the table is damaged.
//   pages, slots    where the page numbers of the block begin, and its hash table
//   before, count   how many frames come before the block, and how many it can name
sqlite3_int64 lq_newest_frame(
    const volatile void *pages, const volatile void *slots, unsigned before, unsigned count,
    unsigned last, unsigned page);

// Reads bytes of the database file of `main` through SQLite's own file handle, without a lock.
int lq_read_database(sqlite3 *db, void *buffer, int count, sqlite3_int64 offset);
// As above, bytes of the write-ahead log.
int lq_read_log(sqlite3 *db, void *buffer, int count, sqlite3_int64 offset);
// The size of the database file of `main`, and of its write-ahead log, in bytes; -1 when unknown.
sqlite3_int64 lq_database_size(sqlite3 *db);
sqlite3_int64 lq_log_size(sqlite3 *db);

// Makes a reading connection avoid the WRITE lock of a WAL database. SQLite takes it briefly when
// it meets the header of the wal-index while a commit is being published. A program that then
// begins a transaction, and does not wait for locks, would be refused. `spares` = 0 takes the lock
// again.
void lq_spare_write_lock(sqlite3 *db, const char *schema, int spares);

// The table's column that a result column is, unchanged; 0 when it is none, or the library doesn't
// know. The names live as long as the statement.
int lq_column_origin(
    sqlite3_stmt *stmt, int column, const char **schema, const char **table, const char **name);

#endif
