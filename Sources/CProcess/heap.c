#include "CProcess.h"

#include <malloc.h>

void lq_share_heap(void) {
// musl has one heap anyway.
#ifdef M_ARENA_MAX
  mallopt(M_ARENA_MAX, 1);
#endif
}
