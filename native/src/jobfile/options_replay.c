/* SPDX-License-Identifier: Apache-2.0 */
#include "jobfile/options_parts.h"

static const struct option rows[] = {
	{ "read_iolog", NULL, &type_text, JOB(replay.files),
	  .help = "Replay an I/O log (version 2 or 3, or a binary trace of blktrace) with its "
		  "times, files and offsets instead of generating I/O; several, separated by `:`, "
		  "are shared out among the clones." },
	{ "read_iolog_chunked", NULL, &type_bool, JOB(nothing.flag), "0",
	  .help = "Does nothing: a log takes little memory as it is." },
	{ "replay_align", NULL, &type_size, JOB(replay.align), "0",
	  .help = "Round replayed offsets down to a multiple of this many bytes; 0 leaves them." },
	{ "replay_no_stall", NULL, &type_bool, JOB(replay.no_stall), "0",
	  .help = "Replay as fast as possible, in order." },
	{ "replay_redirect", NULL, &type_text, JOB(replay.redirect),
	  .help = "Replay everything on this file or device." },
	{ "replay_scale", NULL, &type_number, JOB(replay.scale), "1",
	  .help = "Divide replayed offsets by this; 0 leaves them as they are, as 1 does." },
	{ "replay_skip", NULL, &type_io_kinds, JOB(replay.skip),
	  .help = "Kinds of I/O to leave out." },
	{ "replay_time_scale", NULL, &type_number, JOB(replay.time_scale), "100", 1,
	  .help = "Speed of the replay in percent of the original: 200 is twice as fast." },
	{ "write_iolog", NULL, &type_text, JOB(replay.record),
	  .help = "Record the I/O in this file (version 3), for read_iolog." },
	{ .name = NULL },
};

const struct option_category options_replay = { "Record and replay", rows };
