// Tells ThreadSanitizer about the one step of Synchronization.Mutex that it cannot see on Linux.
//
//     clang -shared -fPIC -O1 -o tsan_mutex.so tsan_mutex.c     then LD_PRELOAD it
//
// A free mutex is locked and unlocked by atomic instructions in our own code, which ThreadSanitizer sees. If another
// thread holds the mutex, the standard library waits for it and hands it on, and the library is not built with
// ThreadSanitizer: everything that the mutex guards then looks like a race. The two functions here are found before the
// library's, call them, and report the locking.

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

// Missing in the programs that the tests start, because those load this library without ThreadSanitizer.
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

// Ends the program if the standard library has no such function: it then waits in another way.
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
