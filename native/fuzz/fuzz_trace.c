/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "fuzz.h"
#include "pattern/trace.h"

size_t fuzz_taken;

/* A log that is taken holds what a replay relies on. */
static void check(const struct trace *t)
{
	uint64_t last = 0;

	if (!t->count || !t->files_count || !t->rw)
		abort();
	for (size_t i = 0; i < t->count; i++) {
		const struct trace_io *io = &t->ios[i];

		if (io->file >= t->files_count || io->due_ns < last)
			abort();
		/* A sync moves nothing: it may name what is behind the end. */
		if (io->dir != DIR_SYNC &&
		    io->offset + io->length > t->files[io->file].end_bytes)
			abort();
		last = io->due_ns;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct job job = { .replay.time_scale = 100, .replay.scale = 1 };
	struct err err = { 0 };
	struct trace t;

	if (!trace_parse(&t, &job, "fuzz", (const char *)data, size, &err))
		check(&t), fuzz_taken++;
	else if (!err.text[0])
		abort();
	trace_release(&t);
	return 0;
}
