// The calls of a program in C: the fewest that libcrypto needs, and those that its manual shows.

#ifndef FLOOR_H
#define FLOOR_H

#include <stddef.h>

typedef struct floor_key floor_key;

/// Reads a private key in PEM, and prepares everything that does not depend on the text; NULL if that fails.
floor_key *floor_key_read(const char *path);
void floor_key_free(floor_key *key);

/// SHA-256 and EVP_PKEY_verify, with a digest fetched and a context prepared before. 1 if the signature is good.
int floor_verify(
    const floor_key *key, const unsigned char *signature, size_t signature_length, const unsigned char *text,
    size_t text_length);

/// EVP_DigestVerifyInit and EVP_DigestVerify. 1 if the signature is good.
int floor_verify_usual(
    const floor_key *key, const unsigned char *signature, size_t signature_length, const unsigned char *text,
    size_t text_length);

/// SHA-256 alone, fetched before. 1 if it succeeds.
int floor_digest(const floor_key *key, const unsigned char *text, size_t text_length);

/// Encrypts one block with PKCS#1 v1.5; its length, or 0.
size_t floor_encrypt(
    const floor_key *key, const unsigned char *text, size_t text_length, unsigned char *block, size_t room);

/// Decrypts one block `times` times with one context. 1 if it succeeds each time.
int floor_decrypt(const floor_key *key, const unsigned char *block, size_t block_length, int times);

/// SHA-256 and EVP_PKEY_sign, with a digest fetched and a context prepared before. 1 if it succeeds.
int floor_sign(const floor_key *key, const unsigned char *text, size_t text_length);

#endif
