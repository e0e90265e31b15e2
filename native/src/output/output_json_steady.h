/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_OUTPUT_JSON_STEADY_H
#define IOGATE_OUTPUT_JSON_STEADY_H

#include "run/result.h"
#include "util/json.h"

/* `steadystate` of a job that asks for it: what is asked, what was found, and its values. */
void output_json_steady(struct json *j, const struct job_result *row);

#endif
