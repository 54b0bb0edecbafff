// Lets ThreadSanitizer see what `Synchronization.Mutex` orders when it has to wait.
//
// The compiler puts the uncontended lock and unlock into the code that calls them, where the
// sanitizer instruments the atomic operations. The contended ones are in libswiftSynchronization,
// which nothing instruments: they hand the lock over inside the kernel (FUTEX_LOCK_PI). Without the
// notes below each contended hand-over looks like a race on what the lock guards.
//
// Linked into programs built with --sanitize=thread alone (see Scripts/sanitize). These definitions
// stand before those of the library, which they call.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

void __tsan_acquire(void *address);
void __tsan_release(void *address);

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"
#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *

static SWIFT void (*lock)(uint32_t thread, SELF handle);
static SWIFT void (*unlock)(SELF handle);

// Before any thread: no order of the pointers themselves is needed. A program that uses no mutex has
// no such library, and calls neither.
__attribute__((constructor)) static void find(void) {
  *(void **)&lock = dlsym(RTLD_NEXT, LOCK);
  *(void **)&unlock = dlsym(RTLD_NEXT, UNLOCK);
}

SWIFT void tsan_lock(uint32_t thread, SELF handle) __asm__(LOCK);
SWIFT void tsan_unlock(SELF handle) __asm__(UNLOCK);

SWIFT void tsan_lock(uint32_t thread, SELF handle) {
  lock(thread, handle);
  __tsan_acquire(handle);
}

SWIFT void tsan_unlock(SELF handle) {
  __tsan_release(handle);
  unlock(handle);
}
