#define _GNU_SOURCE
#include "CPostgres.h"

#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

typedef void (*Receiver)(void *context, const PGresult *result);

#define LQ_POINTER(Result, name, symbol, parameters, arguments) static Result(*name##_) parameters;
LQ_PQ_FUNCTIONS(LQ_POINTER)
static Receiver (*setNoticeReceiver)(PGconn *, Receiver, void *);

#define LQ_FORWARD(Result, name, symbol, parameters, arguments) \
  Result lq_pq_##name parameters { return name##_ arguments; }
LQ_PQ_FUNCTIONS(LQ_FORWARD)

static void keep(void *context, const PGresult *result) {
  LQNotices *notices = context;
  const char *severity = lq_pq_resultErrorField(result, LQ_DIAG_SEVERITY);
  const char *message = lq_pq_resultErrorField(result, LQ_DIAG_MESSAGE_PRIMARY);
  if (severity == NULL || message == NULL) return;
  // The newest are kept: why a connection ends is the last that its server says.
  if (strlen(severity) + strlen(message) + 4 > sizeof notices->text - notices->length) {
    notices->length = 0;
  }
  size_t room = sizeof notices->text - notices->length;
  int length = snprintf(notices->text + notices->length, room, "%s: %s%c", severity, message,
                        LQ_NOTICE_END);
  notices->length += length < 0 ? 0 : (size_t)length < room ? (size_t)length : room - 1;
}

void lq_pq_keepNotices(PGconn *conn, LQNotices *notices) {
  setNoticeReceiver(conn, keep, notices);
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char failure[512];

static void load(void) {
  // It stays loaded until the process ends.
  void *library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    snprintf(failure, sizeof failure, "%s", dlerror());
    return;
  }
  // Older than libpq 14, which had no pipelines.
#define LQ_RESOLVE(Result, name, symbol, parameters, arguments)                      \
  *(void **)&name##_ = dlsym(library, #symbol);                                      \
  if (name##_ == NULL) {                                                             \
    snprintf(failure, sizeof failure, "libpq.so.5 has no function " #symbol);        \
    return;                                                                          \
  }
  LQ_PQ_FUNCTIONS(LQ_RESOLVE)
  *(void **)&setNoticeReceiver = dlsym(library, "PQsetNoticeReceiver");
  if (setNoticeReceiver == NULL) {
    snprintf(failure, sizeof failure, "libpq.so.5 has no function PQsetNoticeReceiver");
  }
}

const char *lq_pq_load(void) {
  pthread_once(&once, load);
  return failure[0] == '\0' ? NULL : failure;
}

int lq_pq_wait(int first, int second, int64_t nanoseconds) {
  struct pollfd ready[2] = {{.fd = first, .events = POLLIN}, {.fd = second, .events = POLLIN}};
  struct timespec time = {.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000};
  if (ppoll(ready, 2, nanoseconds < 0 ? NULL : &time, NULL) <= 0) return 0;
  return (ready[0].revents != 0) | (ready[1].revents != 0) << 1;
}
