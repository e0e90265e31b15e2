/* SPDX-License-Identifier: Apache-2.0 */
#include "output/output_json_steady.h"

#include <stddef.h>
#include <stdio.h>

#include "output/report.h"

static void write_steady_values(struct json *j, const char *key, const struct steady_state *s,
				size_t offset)
{
	json_array_begin(j, key);
	for (uint32_t i = 0; i < s->count; i++)
		json_uint(j, NULL, (uint64_t)*(const double *)
				   (const void *)((const char *)&s->values[i] + offset));
	json_array_end(j);
}

void output_json_steady(struct json *j, const struct job_result *row)
{
	const struct steady_criterion *asked = &row->job->steady.criterion;
	const struct steady_state *s = row->steady;
	char text[64];

	json_object_begin(j, "steadystate");
	snprintf(text, sizeof(text), "%s:%f%s", asked->name, asked->limit,
		 asked->percent ? "%" : "");
	json_text(j, "ss", text);
	json_uint(j, "duration", row->job->steady.duration_ns / 1000000000u);
	json_uint(j, "attained", s->attained);
	snprintf(text, sizeof(text), "%f%s", s->criterion, asked->percent ? "%" : "");
	json_text(j, "criterion", text);
	json_float(j, "max_deviation", s->max_deviation);
	json_float(j, "slope", s->slope);
	json_object_begin(j, "data");
	json_uint(j, "bw_mean", (uint64_t)report_steady_mean(s, STEADY_AT_BW));
	json_uint(j, "iops_mean", (uint64_t)report_steady_mean(s, STEADY_AT_IOPS));
	write_steady_values(j, "iops", s, STEADY_AT_IOPS);
	write_steady_values(j, "bw", s, STEADY_AT_BW);
	json_object_end(j);
	json_object_end(j);
}
