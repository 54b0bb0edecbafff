// libpq, PostgreSQL's client library, loaded when the first server is opened.
//
// The program isn't linked with it: a user of SQLite files needs no libpq and pays nothing for it. So there is no
// libpq-fe.h either; below are the declarations that it would bring, of the few functions that are used.
// https://www.postgresql.org/docs/current/libpq.html
#ifndef CPOSTGRES_H
#define CPOSTGRES_H

#include <stddef.h>
#include <stdint.h>

typedef struct pg_conn PGconn;
typedef struct pg_result PGresult;
typedef struct pg_cancel PGcancel;
typedef struct pgNotify {
  char *channel;
  int sender;
  char *text;
  struct pgNotify *next;
} PGnotify;
// The last one of an array has no keyword.
typedef struct _PQconninfoOption {
  char *keyword;
  char *envvar;
  char *compiled;
  char *val;
  char *label;
  char *dispchar;
  int dispsize;
} PQconninfoOption;

// The values of ConnStatusType, ExecStatusType and PGTransactionStatusType.
enum { LQ_CONNECTION_OK = 0, LQ_CONNECTION_BAD = 1 };
enum {
  LQ_EMPTY_QUERY = 0,
  LQ_COMMAND_OK = 1,
  LQ_TUPLES_OK = 2,
  LQ_COPY_OUT = 3,
  LQ_COPY_IN = 4,
  LQ_BAD_RESPONSE = 5,
  LQ_NONFATAL_ERROR = 6,
  LQ_FATAL_ERROR = 7,
  LQ_COPY_BOTH = 8,
  LQ_SINGLE_TUPLE = 9,
  LQ_PIPELINE_SYNC = 10,
  LQ_PIPELINE_ABORTED = 11,
};
enum { LQ_TRANS_IDLE = 0, LQ_TRANS_ACTIVE = 1, LQ_TRANS_INTRANS = 2, LQ_TRANS_INERROR = 3 };

// The fields of an error: PG_DIAG_….
enum {
  LQ_DIAG_SEVERITY = 'V',
  LQ_DIAG_SQLSTATE = 'C',
  LQ_DIAG_MESSAGE_PRIMARY = 'M',
  LQ_DIAG_MESSAGE_DETAIL = 'D',
  LQ_DIAG_MESSAGE_HINT = 'H',
  LQ_DIAG_STATEMENT_POSITION = 'P',
};

// X(result, name, parameters, arguments)
#define LQ_PQ_FUNCTIONS(X)                                                                                        \
  X(PGconn *, connectParams, PQconnectdbParams,                                                                   \
    (const char *const *keywords, const char *const *values, int expand), (keywords, values, expand))             \
  X(PQconninfoOption *, parseAddress, PQconninfoParse, (const char *address, char **error), (address, error))     \
  X(void, freeSettings, PQconninfoFree, (PQconninfoOption * settings), (settings))                                \
  X(void, finish, PQfinish, (PGconn * conn), (conn))                                                              \
  X(int, status, PQstatus, (const PGconn *conn), (conn))                                                          \
  X(int, transactionStatus, PQtransactionStatus, (const PGconn *conn), (conn))                                    \
  X(int, socket, PQsocket, (const PGconn *conn), (conn))                                                          \
  X(int, isEncrypted, PQsslInUse, (PGconn * conn), (conn))                                                        \
  X(int, backendPID, PQbackendPID, (const PGconn *conn), (conn))                                                  \
  X(int, serverVersion, PQserverVersion, (const PGconn *conn), (conn))                                            \
  X(const char *, errorMessage, PQerrorMessage, (const PGconn *conn), (conn))                                     \
  X(const char *, host, PQhost, (const PGconn *conn), (conn))                                                     \
  X(const char *, hostAddress, PQhostaddr, (const PGconn *conn), (conn))                                          \
  X(const char *, port, PQport, (const PGconn *conn), (conn))                                                     \
  X(const char *, databaseName, PQdb, (const PGconn *conn), (conn))                                               \
  X(const char *, user, PQuser, (const PGconn *conn), (conn))                                                     \
  X(const char *, parameterStatus, PQparameterStatus, (const PGconn *conn, const char *name), (conn, name))       \
  X(int, setNonblocking, PQsetnonblocking, (PGconn * conn, int isOn), (conn, isOn))                               \
  X(int, sendQueryParams, PQsendQueryParams,                                                                      \
    (PGconn * conn, const char *sql, int count, const unsigned *types, const char *const *values,                 \
     const int *lengths, const int *formats, int resultFormat),                                                   \
    (conn, sql, count, types, values, lengths, formats, resultFormat))                                            \
  X(int, sendQuery, PQsendQuery, (PGconn * conn, const char *sql), (conn, sql))                                   \
  X(int, sendPrepare, PQsendPrepare,                                                                              \
    (PGconn * conn, const char *name, const char *sql, int count, const unsigned *types),                         \
    (conn, name, sql, count, types))                                                                              \
  X(int, sendQueryPrepared, PQsendQueryPrepared,                                                                  \
    (PGconn * conn, const char *name, int count, const char *const *values, const int *lengths,                   \
     const int *formats, int resultFormat),                                                                       \
    (conn, name, count, values, lengths, formats, resultFormat))                                                  \
  X(int, sendDescribePrepared, PQsendDescribePrepared, (PGconn * conn, const char *name), (conn, name))           \
  X(int, setSingleRowMode, PQsetSingleRowMode, (PGconn * conn), (conn))                                           \
  X(int, consumeInput, PQconsumeInput, (PGconn * conn), (conn))                                                   \
  X(int, isBusy, PQisBusy, (PGconn * conn), (conn))                                                               \
  X(int, flush, PQflush, (PGconn * conn), (conn))                                                                 \
  X(PGresult *, getResult, PQgetResult, (PGconn * conn), (conn))                                                  \
  X(int, enterPipelineMode, PQenterPipelineMode, (PGconn * conn), (conn))                                         \
  X(int, exitPipelineMode, PQexitPipelineMode, (PGconn * conn), (conn))                                           \
  X(int, pipelineSync, PQpipelineSync, (PGconn * conn), (conn))                                                   \
  X(int, sendFlushRequest, PQsendFlushRequest, (PGconn * conn), (conn))                                           \
  X(int, getCopyData, PQgetCopyData, (PGconn * conn, char **buffer, int async), (conn, buffer, async))            \
  X(int, putCopyData, PQputCopyData, (PGconn * conn, const char *buffer, int count), (conn, buffer, count))       \
  X(int, putCopyEnd, PQputCopyEnd, (PGconn * conn, const char *error), (conn, error))                             \
  X(PGnotify *, notifies, PQnotifies, (PGconn * conn), (conn))                                                    \
  X(void, freemem, PQfreemem, (void *memory), (memory))                                                           \
  X(void, clear, PQclear, (PGresult * result), (result))                                                          \
  X(int, resultStatus, PQresultStatus, (const PGresult *result), (result))                                        \
  X(const char *, resultErrorMessage, PQresultErrorMessage, (const PGresult *result), (result))                   \
  X(const char *, resultErrorField, PQresultErrorField, (const PGresult *result, int field), (result, field))     \
  X(int, ntuples, PQntuples, (const PGresult *result), (result))                                                  \
  X(int, nfields, PQnfields, (const PGresult *result), (result))                                                  \
  X(const char *, fname, PQfname, (const PGresult *result, int column), (result, column))                         \
  X(unsigned, ftable, PQftable, (const PGresult *result, int column), (result, column))                           \
  X(int, ftablecol, PQftablecol, (const PGresult *result, int column), (result, column))                          \
  X(unsigned, ftype, PQftype, (const PGresult *result, int column), (result, column))                             \
  X(int, fmod, PQfmod, (const PGresult *result, int column), (result, column))                                    \
  X(const char *, getvalue, PQgetvalue, (const PGresult *result, int row, int column), (result, row, column))     \
  X(int, getlength, PQgetlength, (const PGresult *result, int row, int column), (result, row, column))            \
  X(int, getisnull, PQgetisnull, (const PGresult *result, int row, int column), (result, row, column))            \
  X(const char *, cmdTuples, PQcmdTuples, (PGresult * result), (result))                                          \
  X(const char *, cmdStatus, PQcmdStatus, (PGresult * result), (result))                                          \
  X(PGcancel *, getCancel, PQgetCancel, (PGconn * conn), (conn))                                                  \
  X(int, cancel, PQcancel, (PGcancel * cancel, char *error, int size), (cancel, error, size))                     \
  X(void, freeCancel, PQfreeCancel, (PGcancel * cancel), (cancel))

#define LQ_DECLARE(Result, name, symbol, parameters, arguments) Result lq_pq_##name parameters;
LQ_PQ_FUNCTIONS(LQ_DECLARE)
#undef LQ_DECLARE

// What a server said besides its results, such as "WARNING: there is no transaction in progress": each followed by
// LQ_NOTICE_END.
enum { LQ_NOTICE_END = 0x1e };
typedef struct {
  size_t length;
  char text[4096];
} LQNotices;

// Keeps a connection's notices, the newest, which libpq would print on the terminal; until the connection ends.
void lq_pq_keepNotices(PGconn *conn, LQNotices *notices);

// Loads libpq.so.5. Safe to call from any thread, more than once; call it before any function above.
//
// Returns NULL, or why it can't be used: the loader's text, which stays valid.
const char *lq_pq_load(void);

// Waits until one of two descriptors can be read, or -1 for none; at most so many nanoseconds, or for ever if that is
// negative. Returns 1 for the first, 2 for the second, 3 for both, otherwise 0. poll(2) counts milliseconds.
int lq_pq_wait(int first, int second, int64_t nanoseconds);

#endif
