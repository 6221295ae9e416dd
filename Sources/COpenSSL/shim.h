// What OpenSSLBridge uses of libcrypto. No logic here: Swift sees the headers, and macros it cannot import get a wrapper
// named copenssl_<macro>.

#ifndef COPENSSL_SHIM_H
#define COPENSSL_SHIM_H

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/opensslv.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#if OPENSSL_VERSION_MAJOR < 3
#error "swift-tve-tokens needs OpenSSL 3.0 or newer (Debian: libssl-dev; Homebrew: openssl@3)"
#endif

static inline void copenssl_secure_clear_free(void *pointer, size_t size) {
    OPENSSL_secure_clear_free(pointer, size);
}

static inline void copenssl_secure_free(void *pointer) {
    OPENSSL_secure_free(pointer);
}

static inline int copenssl_is_allocation_failure(unsigned long code) {
    return ERR_GET_REASON(code) == ERR_R_MALLOC_FAILURE;
}

static inline int copenssl_is_pem_end(unsigned long code) {
    return ERR_GET_LIB(code) == ERR_LIB_PEM && ERR_GET_REASON(code) == PEM_R_NO_START_LINE;
}

static inline void copenssl_free(void *pointer) {
    OPENSSL_free(pointer);
}

#endif
