/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The room verify: blocks that say what is in them, and whether what is read is what was written.
 * It does no I/O itself. What is on disk is as fio's: either reads what the other wrote.
 *
 *	verify.h	the door: a block before it is written, and after it was read
 *	block.h		a block in memory
 *	filling.h	what a block holds but for headers
 *	header.h	what stands in front of each unit of a block
 *	state.h		how far a job has come with its writes
 *	sums.h		the checksum behind it, of each verify=
 *	digests.h	MD5, SHA-1, SHA-256, SHA-3, xxHash
 *	merkle.h	what the first three of these share
 *	crc.h		CRCs of 7 to 64 bits
 */
#ifndef IOGATE_VERIFY_H
#define IOGATE_VERIFY_H

#include "job/job.h"
#include "verify/block.h"

/* What a job's blocks are written and checked with. */
struct verify {
	const struct job *job;
	uint64_t run;			/* another number for each run of a clone */
	uint64_t begin_ns;		/* of the run, by clock_monotonic_ns() */
	uint16_t thread;		/* 1: the first clone */
};

enum { VERIFY_TEXT = 400 };

/* Data into a block, the same for the same run, place and number, unless it has some; then
 * headers. */
void verify_seal(const struct verify *v, const struct verify_block *b, uint64_t now_ns);

/* The first unit of a block that is not right: where in the block, and why. */
struct verify_fault {
	char text[VERIFY_TEXT];
	uint32_t at, bytes;
};

/* Is what was read what was written there? 0, or -EILSEQ with *fault filled in. */
int verify_check(const struct verify *v, const struct verify_block *b,
		 struct verify_fault *fault);
/* What should have been read, into wanted->data; false: that is not known. */
bool verify_expected(const struct verify *v, const struct verify_block *found,
		     const struct verify_block *wanted);

#endif
