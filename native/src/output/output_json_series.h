/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_OUTPUT_JSON_SERIES_H
#define IOGATE_OUTPUT_JSON_SERIES_H

#include "run/result.h"
#include "util/json.h"

/* `series` of a row: I/Os, bytes and latencies of each interval. */
void output_json_series(struct json *j, const struct job_result *row);

#endif
