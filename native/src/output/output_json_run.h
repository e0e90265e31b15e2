/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_OUTPUT_JSON_RUN_H
#define IOGATE_OUTPUT_JSON_RUN_H

#include "run/result.h"
#include "util/json.h"

/* What a document says of the whole run and its machine, beside the jobs. */
void output_json_head(struct json *j, const struct result *r, const struct job_list *jobs);
void output_json_disk(struct json *j, const struct disk_util *d);
void output_json_idleness(struct json *j, const struct idleness *idle);
/* Options as they were given: of all jobs, or of one. */
void output_json_settings(struct json *j, const char *key, const struct setting *settings,
			  size_t count);

#endif
