/* SPDX-License-Identifier: Apache-2.0 */
#include "jobfile/options_parts.h"

#include <errno.h>
#include <string.h>

enum { CHUNK_MAX = 1 << 30, ALIGN_MAX = 1 << 30 };

static const struct option_choice dedupe_choices[] = {
	{ "repeat", DEDUPE_REPEAT, "the last one that was no repetition" },
	{ "working_set", DEDUPE_WORKING_SET, "any of the first ones" },
	{ NULL, 0, NULL },
};

static const struct option_choice memory_choices[] = {
	{ "malloc", MEMORY_MALLOC, "memory of the process" },
	{ "shm", MEMORY_SHM, "shared memory, shmget(2)" },
	{ "shmhuge", MEMORY_SHM_HUGE, "shared memory in huge pages" },
	{ "mmap", MEMORY_MMAP, "a private mapping, of a file if one is named" },
	{ "mmaphuge", MEMORY_MMAP_HUGE, "a mapping in huge pages" },
	{ "mmapshared", MEMORY_MMAP_SHARED, "a shared mapping" },
	{ NULL, 0, NULL },
};

static bool is_mapping(uint32_t kind)
{
	return kind == MEMORY_MMAP || kind == MEMORY_MMAP_HUGE || kind == MEMORY_MMAP_SHARED;
}

/* The kind, and for mappings a file behind ':'. */
static int parse_memory(const struct option_destination *to, const char *text)
{
	const size_t offset = offsetof(struct job, memory.kind);
	struct job *job = (struct job *)(void *)(to->field - offset);
	const char *colon = strchr(text, ':');
	int code = type_choice.parse(to, colon ? arena_text(to->memory, text,
						(size_t)(colon - text)) : text);

	if (!code && colon && !(is_mapping(job->memory.kind) && colon[1]))
		return err_set(to->err, -EINVAL, "'%.80s': a file is named behind mmap:, mmaphuge: "
			       "or mmapshared:", text);
	if (!code)
		job->memory.file = colon ? arena_text(to->memory, colon + 1, strlen(colon + 1))
					 : NULL;
	return code;
}

static const struct option_type type_memory = {
	.words = "one of",
	.parse = parse_memory,
};

static const struct option rows[] = {
	{ "buffer_compress_chunk", NULL, &type_number, JOB(buffers.compress_chunk), "512", 0,
	  CHUNK_MAX, .help = "Each so many bytes of a write compress by "
		  "buffer_compress_percentage; 0 is the whole block." },
	{ "buffer_compress_percentage", NULL, &type_percent, JOB(buffers.compress_percent), "0",
	  .help = "How much of each write compresses: zeros, or buffer_pattern; the rest is noise "
		  "of its own." },
	{ "buffer_pattern", NULL, &type_pattern, JOB(buffers.pattern),
	  .help = "Bytes that writes and laid-out files repeat." },
	{ "dedupe_global", NULL, &type_bool, JOB(dedupe.global), "0",
	  .help = "Jobs that have it share one working set." },
	{ "dedupe_mode", NULL, &type_choice, JOB(dedupe.mode), "repeat",
	  .choices = dedupe_choices,
	  .help = "What the writes of dedupe_percentage repeat." },
	{ "dedupe_percentage", NULL, &type_percent, JOB(dedupe.percent), "0",
	  .help = "How many writes repeat another one." },
	{ "dedupe_working_set_percentage", NULL, &type_percent, JOB(dedupe.set_percent), "5",
	  .help = "How much of size the working set of dedupe_mode is." },
	{ "hugepage-size", NULL, &type_size, JOB(memory.huge_page_bytes), "2m", 1, ALIGN_MAX,
	  .help = "Buffers in huge pages take a multiple of it." },
	{ "invalidate", NULL, &type_bool, JOB(buffers.invalidate), "1",
	  .help = "Drop the target's cached pages before the job starts." },
	{ "iomem_align", "mem_align", &type_size, JOB(memory.align), "0", 0, ALIGN_MAX,
	  .help = "The first buffer begins at a multiple of it; 0 is a page." },
	{ "lockmem", NULL, &type_size, JOB(memory.locked_bytes), "0",
	  .help = "Lock so many bytes besides, for each clone, so that others have less." },
	{ "mem", "iomem", &type_memory, JOB(memory.kind), "malloc", .choices = memory_choices,
	  .help = "What I/O buffers are made of; `:FILE` behind a mapping maps a file: one that is "
		  "there is only read, else it is one without a name in that folder." },
	{ "refill_buffers", NULL, &type_flag, JOB(buffers.refill), "0",
	  .help = "New random data for each write, as verify, dedupe_percentage and "
		  "buffer_compress_percentage have it, too; without it, one word each 512 bytes "
		  "is." },
	{ "scramble_buffers", NULL, &type_bool_not, JOB(buffers.unscrambled), "1",
	  .help = "One word each 512 bytes of a write is new, so that no two are the same." },
	{ "zero_buffers", NULL, &type_flag, JOB(buffers.zero), "0",
	  .help = "Write zeros instead of random data; files are laid out with zeros, too." },
	{ .name = NULL },
};

const struct option_category options_buffers = { "Buffers and memory", rows };
