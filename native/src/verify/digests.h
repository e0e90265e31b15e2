/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_DIGESTS_H
#define IOGATE_DIGESTS_H

#include <stddef.h>
#include <stdint.h>

/*
 * Digests of a buffer, small and without dependencies: what the standards say (RFC 1321, FIPS
 * 180-4, FIPS 202, and the description of xxHash), which tests compare with other libraries.
 */
enum { MD5_BYTES = 16, SHA1_WORDS = 5, SHA256_WORDS = 8, DIGEST_BLOCK_BYTES = 64 };

void md5(const void *data, size_t length, uint8_t digest[MD5_BYTES]);
void sha1(const void *data, size_t length, uint32_t words[SHA1_WORDS]);

/* What may differ from the standard: how the length stands in the last block. */
enum digest_length { DIGEST_LENGTH_LITTLE, DIGEST_LENGTH_BIG };
/* The state at the end; *last, where it is not NULL, is the last block, padding included. */
void sha256(const void *data, size_t length, enum digest_length order,
	    uint32_t words[SHA256_WORDS], uint8_t last[DIGEST_BLOCK_BYTES]);

void sha3(const void *data, size_t length, uint8_t *digest, size_t digest_bytes);
uint32_t xxhash32(const void *data, size_t length, uint32_t seed);

#endif
