// Tells ThreadSanitizer of the one step that it cannot see of Synchronization.Mutex on Linux.
//
//     clang -shared -fPIC -O1 -o tsan_mutex.so tsan_mutex.c     then LD_PRELOAD it
//
// A lock that nobody holds is taken and released by atomic instructions in our own code, which ThreadSanitizer sees. One
// that is held is waited for, and handed on, inside the standard library, which is not built with it: all that the mutex
// guards then looks like a race. These two functions stand before the library's and say what they do.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"
#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *

typedef SWIFT void (*lock_function)(uint32_t thread, SELF handle);
typedef SWIFT void (*unlock_function)(SELF handle);

// Missing in programs that the tests start, which get this library too.
__attribute__((weak)) void __tsan_acquire(void *address);
__attribute__((weak)) void __tsan_release(void *address);

SWIFT void lock_slow(uint32_t thread, SELF handle) __asm__(LOCK);
SWIFT void unlock_slow(SELF handle) __asm__(UNLOCK);

static lock_function library_lock;
static unlock_function library_unlock;

__attribute__((constructor)) static void find(void) {
    library_lock = (lock_function)dlsym(RTLD_NEXT, LOCK);
    library_unlock = (unlock_function)dlsym(RTLD_NEXT, UNLOCK);
}

// Missing where nothing uses a mutex, and where the standard library waits in another way.
static void require(const void *function) {
    if (function) return;
    fputs("tsan_mutex: the standard library has no such function; see .ci/tsan_mutex.c\n", stderr);
    abort();
}

SWIFT void lock_slow(uint32_t thread, SELF handle) {
    require((const void *)library_lock);
    library_lock(thread, handle);
    if (__tsan_acquire) __tsan_acquire(handle);
}

SWIFT void unlock_slow(SELF handle) {
    require((const void *)library_unlock);
    if (__tsan_release) __tsan_release(handle);
    library_unlock(handle);
}
