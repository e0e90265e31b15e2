/* SPDX-License-Identifier: Apache-2.0 */
#include "jobfile/options_parts.h"

static const struct option_choice verify_choices[] = {
	{ "0", VERIFY_NONE, "nothing" },
	{ "md5", VERIFY_MD5, "a header with place and run, and MD5 of the data, in each block" },
	{ "crc64", VERIFY_CRC64, "the same, with a CRC of 64 bits" },
	{ "crc32", VERIFY_CRC32, "a CRC of 32 bits" },
	{ "crc32c-intel", VERIFY_CRC32C, "the same as crc32c" },
	{ "crc32c", VERIFY_CRC32C, "CRC-32C, by the processor's instruction where it has one" },
	{ "crc16", VERIFY_CRC16, "a CRC of 16 bits" },
	{ "crc7", VERIFY_CRC7, "a CRC of 7 bits" },
	{ "sha1", VERIFY_SHA1, "SHA-1" },
	{ "sha256", VERIFY_SHA256, "8 bytes of a SHA-256 and the end of the data, as fio has it" },
	{ "sha512", VERIFY_SHA512, "parts of the data and no digest, as in fio: it sees little" },
	{ "sha3-224", VERIFY_SHA3_224, "SHA3-224" },
	{ "sha3-256", VERIFY_SHA3_256, "SHA3-256" },
	{ "sha3-384", VERIFY_SHA3_384, "SHA3-384" },
	{ "sha3-512", VERIFY_SHA3_512, "SHA3-512" },
	{ "xxhash", VERIFY_XXHASH, "XXH32" },
	{ "meta", VERIFY_META, "the header alone" },
	{ "pattern", VERIFY_PATTERN, "no header: every byte is that of verify_pattern" },
	{ "pattern_hdr", VERIFY_PATTERN_HDR, "verify_pattern behind a header" },
	{ "null", VERIFY_NULL, "read again, and look at nothing" },
	{ NULL, 0, NULL },
};

static const struct option_choice policy_choices[] = {
	{ "completed", POLICY_COMPLETED, "all" },
	{ "fsynced", POLICY_FSYNCED, "those that a sync of the job has made safe" },
	{ NULL, 0, NULL },
};

static const struct option rows[] = {
	{ "do_verify", NULL, &type_bool, JOB(verify.at_end), "1",
	  .help = "With verify, read what was written when all is written, and check it." },
	{ "experimental_verify", NULL, &type_bool, JOB(nothing.flag), "0",
	  .help = "Does nothing: what was written is remembered, whatever the order." },
	{ "trim_backlog", NULL, &type_number, JOB(verify.trim_backlog), "0",
	  .help = "With verify, trim some of what was written after each so many writes, as "
		  "trim_percentage says; 0: never." },
	{ "trim_backlog_batch", NULL, &type_number, JOB(verify.trim_batch), "0",
	  .max = UINT32_MAX,
	  .help = "How many blocks are then trimmed; 0: trim_backlog." },
	{ "trim_percentage", NULL, &type_percent, JOB(verify.trim_percent), "0",
	  .help = "With verify and trim_backlog, how many of the blocks written are trimmed." },
	{ "trim_verify_zero", NULL, &type_bool, JOB(verify.trim_zero), "1",
	  .help = "Blocks that were trimmed are read as those that were not, and have to be "
		  "zeros." },
	{ "verify", NULL, &type_choice, JOB(verify.method), "0", .choices = verify_choices,
	  .help = "Write blocks that can be checked, and check blocks that are read." },
	{ "verify_async", NULL, &type_number, JOB(verify.async), "0", .max = 1024,
	  .help = "So many threads check what is read while the job goes on; 0: it does itself." },
	{ "verify_async_cpus", NULL, &type_cpus, JOB(verify.async_cpus),
	  .help = "The CPUs that threads of verify_async may run on." },
	{ "verify_backlog", NULL, &type_number, JOB(verify.backlog), "0", .max = UINT32_MAX,
	  .help = "Read and check what was written after each so many writes; 0: at the end." },
	{ "verify_backlog_batch", NULL, &type_number, JOB(verify.backlog_batch), "0",
	  .max = UINT32_MAX,
	  .help = "How many are then read; 0: verify_backlog." },
	{ "verify_dump", NULL, &type_bool, JOB(verify.dump), "0",
	  .help = "Write a damaged block to NAME.OFFSET.received, and what should be there, as "
		  "far as it is known, to NAME.OFFSET.expected." },
	{ "verify_fatal", NULL, &type_bool, JOB(verify.fatal), "0",
	  .help = "Stop at the first block that differs from what was written." },
	{ "verify_header_seed", NULL, &type_bool, JOB(verify.header_seed), "1",
	  .help = "A header of another run than this one, which wrote the block, is damage." },
	{ "verify_interval", NULL, &type_number, JOB(verify.interval_bytes), "0", .max = UINT32_MAX,
	  .help = "A header of its own for every so many bytes; 0: one for each block." },
	{ "verify_offset", NULL, &type_number, JOB(verify.offset_bytes), "0", .max = UINT32_MAX,
	  .help = "The header stands so far into its block, what is there at the beginning." },
	{ "verify_only", NULL, &type_flag, JOB(verify.only), "0",
	  .help = "Write nothing: check what an earlier run of the same job wrote. A job that "
		  "reads does so as without it." },
	{ "verify_pattern", NULL, &type_placed_pattern, JOB(verify.pattern),
	  .help = "Bytes that blocks repeat behind their headers, whatever buffers are said to "
		  "hold; `%o` is the offset of the block. Without verify, it is pattern_hdr." },
	{ "verify_pattern_interval", NULL, &type_number, JOB(verify.pattern_interval), "0",
	  .max = UINT32_MAX,
	  .help = "verify_pattern begins again after so many bytes, `%o` then being their "
		  "offset; 0: with each block." },
	{ "verify_policy", NULL, &type_choice, JOB(verify.policy), "completed",
	  .choices = policy_choices,
	  .help = "Which writes are looked at, and kept by verify_state_save." },
	{ "verify_state_load", NULL, &type_bool, JOB(verify.state_load), "0",
	  .help = "Check no further than local-JOB-INDEX-verify.state says that was written." },
	{ "verify_state_save", NULL, &type_bool, JOB(verify.state_save), "1",
	  .help = "Leave that file behind when a job that writes with verify ends, however." },
	{ "verify_write_sequence", NULL, &type_bool, JOB(verify.write_sequence), "1",
	  .help = "A header of another write of this run than the last one there is damage." },
	{ "verifysort", NULL, &type_text, JOB(nothing.text), .whole = true,
	  .help = "Taken, and does nothing, as in fio: a word of older versions." },
	{ "verifysort_nr", NULL, &type_text, JOB(nothing.text), .whole = true,
	  .help = "Taken, and does nothing, as verifysort." },
	{ .name = NULL },
};

const struct option_category options_verify = { "Verification", rows };
