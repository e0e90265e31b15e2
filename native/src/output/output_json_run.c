/* SPDX-License-Identifier: Apache-2.0 */
#include "output/output_json_run.h"

#include <inttypes.h>
#include <time.h>

#include "util/version.h"

void output_json_settings(struct json *j, const char *key, const struct setting *settings,
			  size_t count)
{
	json_object_begin(j, key);
	for (size_t i = 0; i < count; i++)
		json_text(j, settings[i].key, settings[i].value);
	json_object_end(j);
}

void output_json_disk(struct json *j, const struct disk_util *d)
{
	json_object_begin(j, NULL);
	json_text(j, "name", d->name);
	json_uint(j, "read_ios", d->read_ios);
	json_uint(j, "write_ios", d->write_ios);
	json_uint(j, "read_sectors", d->read_sectors);
	json_uint(j, "write_sectors", d->write_sectors);
	json_uint(j, "read_merges", d->read_merges);
	json_uint(j, "write_merges", d->write_merges);
	json_uint(j, "read_ticks", d->read_ticks_ms);
	json_uint(j, "write_ticks", d->write_ticks_ms);
	json_uint(j, "in_queue", d->in_queue_ms);
	json_float(j, "util", d->util_percent);
	json_object_end(j);
}

static void write_clock(struct json *j, const struct clock_facts *c)
{
	json_object_begin(j, "clock");
	json_text(j, "source", c->source);
	if (c->fallback[0])
		json_text(j, "fallback", c->fallback);
	json_float(j, "frequency_hz", c->frequency_hz);
	json_float(j, "error_ppm", c->error_ppm);
	json_text(j, "reads", c->reads);
	json_uint(j, "read_cost_ns", c->read_cost_ns);
	json_object_end(j);
}

static void write_warnings(struct json *j, const struct job_list *jobs)
{
	json_array_begin(j, "warnings");
	for (size_t i = 0; i < jobs->warnings_count; i++)
		json_text(j, NULL, jobs->warnings[i]);
	json_array_end(j);
}

void output_json_head(struct json *j, const struct result *r, const struct job_list *jobs)
{
	const time_t seconds = (time_t)(r->end_unix_ms / 1000);
	struct tm local;
	char text[64];

	json_text(j, "fio version", version_text());
	json_uint(j, "timestamp", r->end_unix_ms / 1000);
	json_uint(j, "timestamp_ms", r->end_unix_ms);
	localtime_r(&seconds, &local);
	strftime(text, sizeof(text), "%a %b %e %H:%M:%S %Y", &local);
	json_text(j, "time", text);
	json_object_begin(j, "iogate");
	json_text(j, "schema", "result/1");
	json_text(j, "engine", IOGATE_ENGINE_NAME);
	json_text(j, "version", IOGATE_ENGINE_VERSION);
	json_uint(j, "semantics", IOGATE_ENGINE_SEMANTICS);
	write_clock(j, &r->clock);
	json_bool(j, "interrupted", r->interrupted);
	if (jobs->warnings_count)
		write_warnings(j, jobs);
	json_object_end(j);
	output_json_settings(j, "global options", jobs->globals, jobs->globals_count);
}

void output_json_idleness(struct json *j, const struct idleness *idle)
{
	char key[32];

	json_object_begin(j, "cpu_idleness");
	json_float(j, "system", idle->system);
	for (uint32_t i = 0; idle->profile == IDLE_PROFILE_CPUS && i < idle->count; i++) {
		snprintf(key, sizeof(key), "cpu-%" PRIu32, i);
		json_float(j, key, idle->cpus[i]);
	}
	json_float(j, "unit_mean", idle->unit_mean_us);
	json_float(j, "unit_stddev", idle->unit_stddev_us);
	json_object_end(j);
}
