#include "floor.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <stdio.h>
#include <stdlib.h>

enum { longest_block = 1024 };

struct floor_key {
    EVP_PKEY *key;
    EVP_MD *sha256;
    EVP_PKEY_CTX *verification;
    EVP_PKEY_CTX *signing;
};

static int prepare(EVP_PKEY_CTX *context, int (*start)(EVP_PKEY_CTX *), const EVP_MD *digest) {
    return context && start(context) == 1 && EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING) == 1 &&
           (!digest || EVP_PKEY_CTX_set_signature_md(context, digest) == 1);
}

floor_key *floor_key_read(const char *path) {
    floor_key *key = calloc(1, sizeof *key);
    FILE *file = fopen(path, "r");
    if (key && file && (key->key = PEM_read_PrivateKey(file, NULL, NULL, NULL)) &&
        (key->sha256 = EVP_MD_fetch(NULL, "SHA256", NULL)) &&
        prepare(key->verification = EVP_PKEY_CTX_new(key->key, NULL), EVP_PKEY_verify_init, key->sha256) &&
        prepare(key->signing = EVP_PKEY_CTX_new(key->key, NULL), EVP_PKEY_sign_init, key->sha256)) {
        fclose(file);
        return key;
    }
    if (file) fclose(file);
    floor_key_free(key);
    return NULL;
}

void floor_key_free(floor_key *key) {
    if (!key) return;
    EVP_PKEY_CTX_free(key->signing);
    EVP_PKEY_CTX_free(key->verification);
    EVP_MD_free(key->sha256);
    EVP_PKEY_free(key->key);
    free(key);
}

int floor_verify(
    const floor_key *key, const unsigned char *signature, size_t signature_length, const unsigned char *text,
    size_t text_length) {
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int length;
    if (EVP_Digest(text, text_length, digest, &length, key->sha256, NULL) != 1) return 0;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_dup(key->verification);
    int answer = context ? EVP_PKEY_verify(context, signature, signature_length, digest, length) : 0;
    EVP_PKEY_CTX_free(context);
    return answer;
}

int floor_verify_usual(
    const floor_key *key, const unsigned char *signature, size_t signature_length, const unsigned char *text,
    size_t text_length) {
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    int answer = context && EVP_DigestVerifyInit(context, NULL, EVP_sha256(), NULL, key->key) == 1
                     ? EVP_DigestVerify(context, signature, signature_length, text, text_length)
                     : 0;
    EVP_MD_CTX_free(context);
    return answer;
}

int floor_digest(const floor_key *key, const unsigned char *text, size_t text_length) {
    unsigned char digest[EVP_MAX_MD_SIZE];
    return EVP_Digest(text, text_length, digest, NULL, key->sha256, NULL);
}

size_t floor_encrypt(
    const floor_key *key, const unsigned char *text, size_t text_length, unsigned char *block, size_t room) {
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new(key->key, NULL);
    size_t length = room;
    int answer = prepare(context, EVP_PKEY_encrypt_init, NULL) &&
                 EVP_PKEY_encrypt(context, block, &length, text, text_length) == 1;
    EVP_PKEY_CTX_free(context);
    return answer ? length : 0;
}

int floor_decrypt(const floor_key *key, const unsigned char *block, size_t block_length, int times) {
    unsigned char text[longest_block];
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new(key->key, NULL);
    int answer = prepare(context, EVP_PKEY_decrypt_init, NULL);
    for (int time = 0; answer == 1 && time < times; time++) {
        size_t room = sizeof text;
        answer = EVP_PKEY_decrypt(context, text, &room, block, block_length);
    }
    EVP_PKEY_CTX_free(context);
    return answer;
}

int floor_sign(const floor_key *key, const unsigned char *text, size_t text_length) {
    unsigned char digest[EVP_MAX_MD_SIZE], signature[longest_block];
    unsigned int length;
    size_t room = sizeof signature;
    if (EVP_Digest(text, text_length, digest, &length, key->sha256, NULL) != 1) return 0;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_dup(key->signing);
    int answer = context ? EVP_PKEY_sign(context, signature, &room, digest, length) : 0;
    EVP_PKEY_CTX_free(context);
    return answer;
}
