// Calls OpenSSL's decrypt function in a bare loop; `tve decrypt --batch` is compared with its speed.
//
//     decrypt_floor KEY.pem SECONDS
//
// Prints microseconds per call: by the clock, and processor time.

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double seconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int main(int count, char **arguments) {
    FILE *file = count == 3 ? fopen(arguments[1], "r") : NULL;
    EVP_PKEY *key = file ? PEM_read_PrivateKey(file, NULL, NULL, NULL) : NULL;
    if (!key) return 2;
    const unsigned char text[] = "[\"77754\"]";
    unsigned char value[1024], answer[1024];
    size_t length = sizeof value;
    EVP_PKEY_CTX *encryption = EVP_PKEY_CTX_new(key, NULL), *decryption = EVP_PKEY_CTX_new(key, NULL);
    if (EVP_PKEY_encrypt_init(encryption) != 1 || EVP_PKEY_CTX_set_rsa_padding(encryption, RSA_PKCS1_PADDING) != 1 ||
        EVP_PKEY_encrypt(encryption, value, &length, text, sizeof text - 1) != 1 ||
        EVP_PKEY_decrypt_init(decryption) != 1 || EVP_PKEY_CTX_set_rsa_padding(decryption, RSA_PKCS1_PADDING) != 1)
        return 2;
    double start = seconds(CLOCK_MONOTONIC), used = seconds(CLOCK_PROCESS_CPUTIME_ID), elapsed;
    long calls = 0;
    do {
        for (int call = 0; call < 16; call++, calls++) {
            size_t room = sizeof answer;
            if (EVP_PKEY_decrypt(decryption, answer, &room, value, length) != 1 || room != sizeof text - 1) return 1;
        }
        elapsed = seconds(CLOCK_MONOTONIC) - start;
    } while (elapsed < atof(arguments[2]));
    printf("%.3f %.3f\n", elapsed * 1e6 / (double)calls,
           (seconds(CLOCK_PROCESS_CPUTIME_ID) - used) * 1e6 / (double)calls);
    return 0;
}
