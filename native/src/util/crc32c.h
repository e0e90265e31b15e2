/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_CRC32C_H
#define IOGATE_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* CRC-32C (Castagnoli) of a buffer, by the processor's instruction where it has one. */
uint32_t crc32c(const void *data, size_t length);
/* The same without the instruction: what tests compare with. */
uint32_t crc32c_portable(const void *data, size_t length);

#endif
