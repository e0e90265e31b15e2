/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_OPTIONS_PARTS_H
#define IOGATE_OPTIONS_PARTS_H

#include "job/job.h"
#include "job/option.h"

/* For the files of the categories, options_*.c: rows with fields of struct job. */

#define JOB(field) OPTION_FIELD(struct job, field)
#define SECOND UINT64_C(1000000000)

extern const struct option_type type_engine;	/* const struct engine_ops * */
extern const struct option_type type_ratio;	/* double, 0 to 1 */

extern const struct option_category options_job, options_time, options_files, options_zones,
	options_io, options_verify, options_block, options_amount, options_engine, options_depth,
	options_rate, options_errors, options_steady, options_buffers, options_processes,
	options_placement, options_replay, options_report,
	options_logs;

#endif
