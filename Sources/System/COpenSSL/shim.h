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
#include <openssl/opensslv.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/pkcs7.h>
#include <openssl/provider.h>
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

// If memory ran out while libcrypto set an algorithm up, it says later that RSA keys do not support the operation.
static inline int copenssl_is_allocation_failure(unsigned long code) {
    int reason = ERR_GET_REASON(code);
    return reason == ERR_R_MALLOC_FAILURE
        || (ERR_GET_LIB(code) == ERR_LIB_EVP && reason == EVP_R_OPERATION_NOT_SUPPORTED_FOR_THIS_KEYTYPE);
}

static inline int copenssl_is_pem_end(unsigned long code) {
    return ERR_GET_LIB(code) == ERR_LIB_PEM && ERR_GET_REASON(code) == PEM_R_NO_START_LINE;
}

static inline void copenssl_free(void *pointer) {
    OPENSSL_free(pointer);
}

static inline void copenssl_clear_free(void *pointer, size_t size) {
    OPENSSL_clear_free(pointer, size);
}

// Tells "this algorithm is not here" from "this key does not fit", which is what a wrong password looks like.
static inline int copenssl_is_unsupported(unsigned long code) {
    int reason = ERR_GET_REASON(code);
    if (reason == ERR_R_UNSUPPORTED || reason == ERR_R_FETCH_FAILED) return 1;
    return ERR_GET_LIB(code) == ERR_LIB_EVP
        && (reason == EVP_R_UNSUPPORTED_ALGORITHM || reason == EVP_R_UNSUPPORTED_CIPHER
            || reason == EVP_R_UNKNOWN_PBE_ALGORITHM || reason == EVP_R_UNSUPPORTED_PRF
            || reason == EVP_R_UNSUPPORTED_KEY_DERIVATION_FUNCTION || reason == EVP_R_MEMORY_LIMIT_EXCEEDED
            || reason == EVP_R_UNSUPPORTED_KEYLENGTH || reason == EVP_R_UNSUPPORTED_SALT_TYPE);
}

static inline long copenssl_memory(BIO *bio, const char **start) {
    return BIO_get_mem_data(bio, start);
}

static inline unsigned long copenssl_name_flags(void) {
    // UTF-8 stays as it is; everything else of RFC 2253 is escaped.
    return XN_FLAG_RFC2253 & ~ASN1_STRFLGS_ESC_MSB;
}

static inline int copenssl_utf8(void) {
    return MBSTRING_UTF8;
}

static inline int copenssl_certificate_count(const STACK_OF(X509) *stack) {
    return sk_X509_num(stack);
}

static inline X509 *copenssl_certificate(const STACK_OF(X509) *stack, int index) {
    return sk_X509_value(stack, index);
}

static inline int copenssl_safe_count(const STACK_OF(PKCS7) *stack) {
    return sk_PKCS7_num(stack);
}

static inline PKCS7 *copenssl_safe(const STACK_OF(PKCS7) *stack, int index) {
    return sk_PKCS7_value(stack, index);
}

static inline void copenssl_safes_free(STACK_OF(PKCS7) *stack) {
    sk_PKCS7_pop_free(stack, PKCS7_free);
}

static inline int copenssl_bag_count(const STACK_OF(PKCS12_SAFEBAG) *stack) {
    return sk_PKCS12_SAFEBAG_num(stack);
}

static inline PKCS12_SAFEBAG *copenssl_bag(const STACK_OF(PKCS12_SAFEBAG) *stack, int index) {
    return sk_PKCS12_SAFEBAG_value(stack, index);
}

static inline void copenssl_bags_free(STACK_OF(PKCS12_SAFEBAG) *stack) {
    sk_PKCS12_SAFEBAG_pop_free(stack, PKCS12_SAFEBAG_free);
}

#endif
