// What RedisStores uses of libssl. No logic here: Swift sees the headers, and macros it cannot import get a wrapper named
// clibssl_<macro>.

#ifndef CLIBSSL_SHIM_H
#define CLIBSSL_SHIM_H

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#if OPENSSL_VERSION_MAJOR < 3
#error "swift-tve-tokens needs OpenSSL 3.0 or newer (Debian: libssl-dev; Homebrew: openssl@3)"
#endif

static inline int clibssl_set_minimum_version(SSL_CTX *context, int version) {
    return (int)SSL_CTX_set_min_proto_version(context, version);
}

// TLS 1.2 renegotiation is never needed, and attacks need it.
static inline void clibssl_set_options(SSL_CTX *context) {
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
}

static inline int clibssl_add_chain_certificate(SSL_CTX *context, X509 *certificate) {
    return (int)SSL_CTX_add1_chain_cert(context, certificate);
}

static inline int clibssl_set_server_name(SSL *ssl, const char *name) {
    return (int)SSL_set_tlsext_host_name(ssl, name);
}

static inline size_t clibssl_pending(BIO *bio) {
    return BIO_ctrl_pending(bio);
}

static inline int clibssl_error_library(unsigned long code) {
    return ERR_GET_LIB(code);
}

static inline int clibssl_error_reason(unsigned long code) {
    return ERR_GET_REASON(code);
}

static inline int clibssl_is_pem_end(unsigned long code) {
    return ERR_GET_LIB(code) == ERR_LIB_PEM && ERR_GET_REASON(code) == PEM_R_NO_START_LINE;
}

#endif
