// Keeps libcrypto from cleaning up when a process ends.
//
//     clang -shared -fPIC -O1 -o asan_exit.so asan_exit.c -lcrypto     then LD_PRELOAD it
//
// The cleaning takes from libcrypto what it keeps for each thread. A thread that ends later cannot free its part, and it looks
// like a leak. Without the cleaning, each thread frees its part when it ends, and all else is still in use.

#include <openssl/crypto.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((constructor)) static void keep(void) {
    if (OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL)) return;
    fputs("asan_exit: libcrypto does not start; see .ci/asan_exit.c\n", stderr);
    abort();
}
