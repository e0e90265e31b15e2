/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_CRC_H
#define IOGATE_CRC_H

#include <stddef.h>
#include <stdint.h>

/*
 * CRCs as fio stores them: each begins with 0 and ends as it is, nothing inverted. (That of
 * CRC-32C is util/crc32c.h, which inverts at both ends.)
 */
uint64_t crc64(const void *data, size_t length);	/* polynomial ad93d23594c935a9, reflected */
uint32_t crc32(const void *data, size_t length);	/* 04c11db7, the highest bit first */
uint16_t crc16(const void *data, size_t length);	/* 8005, reflected */
uint8_t crc7(const void *data, size_t length);		/* 09, the highest bit first */

#endif
