/* SPDX-License-Identifier: Apache-2.0 */
#include "output/output_json_series.h"

static void write_interval_bins(struct json *j, const struct series *s, enum io_dir dir)
{
	json_array_begin(j, "bins");
	for (uint32_t i = 0; i < s->intervals_count; i++) {
		const struct interval *v = &s->intervals[i];

		json_array_begin(j, NULL);
		for (uint32_t b = 0; b < v->bins_count[dir]; b++) {
			const struct series_bin *bin = &s->bins[v->bins_at[dir] + b];

			json_array_begin(j, NULL);
			json_uint(j, NULL, histogram_value_ns(bin->index));
			json_uint(j, NULL, bin->count);
			json_array_end(j);
		}
		json_array_end(j);
	}
	json_array_end(j);
}

static void write_series_dir(struct json *j, const struct series *s, enum io_dir dir)
{
	json_object_begin(j, io_dir_names[dir]);
	json_array_begin(j, "ios");
	for (uint32_t i = 0; i < s->intervals_count; i++)
		json_uint(j, NULL, s->intervals[i].ios[dir]);
	json_array_end(j);
	json_array_begin(j, "bytes");
	for (uint32_t i = 0; i < s->intervals_count; i++)
		json_uint(j, NULL, s->intervals[i].bytes[dir]);
	json_array_end(j);
	json_array_begin(j, "clat_sum_ns");
	for (uint32_t i = 0; i < s->intervals_count; i++)
		json_uint(j, NULL, s->intervals[i].clat_sum_ns[dir]);
	json_array_end(j);
	write_interval_bins(j, s, dir);
	json_object_end(j);
}

void output_json_series(struct json *j, const struct job_result *row)
{
	const struct series *s = &row->series;

	json_object_begin(j, "series");
	json_uint(j, "interval_ms", s->interval_ms);
	json_array_begin(j, "end_ms");
	for (uint32_t i = 0; i < s->intervals_count; i++)
		json_uint(j, NULL, s->intervals[i].end_ms);
	json_array_end(j);
	for (int dir = 0; dir < DIR_DATA_COUNT; dir++) {
		if (row->stats->dirs[dir].ios)
			write_series_dir(j, s, (enum io_dir)dir);
	}
	json_object_end(j);
}
