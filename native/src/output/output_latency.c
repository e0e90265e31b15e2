/* SPDX-License-Identifier: Apache-2.0 */
#include "output/output_latency.h"

#include <inttypes.h>
#include <math.h>

#include "output/report.h"
#include "util/humanize.h"

/* A latency is shown in the largest unit that leaves digits to the smallest value. */
struct latency_unit {
	const char *name;
	uint64_t ns;
};

static const struct latency_unit latency_units[] = {
	{ "msec", 1000000 }, { "usec", 1000 }, { "nsec", 1 },
};

static const struct latency_unit *choose_unit(uint64_t min_ns, uint64_t max_ns)
{
	const struct latency_unit *unit = latency_units;

	while (unit->ns > 1 && (min_ns < 2 * unit->ns || max_ns < 100 * unit->ns))
		unit++;
	return unit;
}

void output_moments(FILE *out, const char *name, const struct moments *m)
{
	char min[HUMANIZE_SIZE], max[HUMANIZE_SIZE];

	if (!m->n)
		return;
	const struct latency_unit *unit = choose_unit(m->min, m->max);
	const double ns = (double)unit->ns;

	fprintf(out, "    %s (%s): min=%s, max=%s, avg=%5.2f, stdev=%5.2f\n", name, unit->name,
		humanize_count(min, m->min / unit->ns, 6),
		humanize_count(max, m->max / unit->ns, 6),
		moments_mean(m) / ns, moments_stddev(m) / ns);
}

static int decimal_width(uint64_t value)
{
	int width = 1;

	for (; value >= 10; value /= 10)
		width++;
	return width < 5 ? 5 : width;
}

enum { DECIMALS_MAX = 6 };

static int decimals_needed(double percent)
{
	int decimals = 0;

	while (decimals < DECIMALS_MAX && fabs(percent - round(percent)) > 1e-6) {
		percent *= 10;
		decimals++;
	}
	return decimals;
}

/* As many as the percentile that needs most. */
static int decimals_of(const struct percentile_list *list)
{
	int most = 0;

	for (uint32_t i = 0; i < list->count; i++) {
		const int decimals = decimals_needed(list->percents[i]);

		most = decimals > most ? decimals : most;
	}
	return most;
}

void output_percentiles(FILE *out, const char *name, const struct histogram *h,
			const struct moments *m, const struct job *job)
{
	const struct percentile_list *list = report_percentiles(job);
	const int count = (int)list->count;
	uint64_t values[PERCENTILES_MAX];

	report_latency_percentiles(h, m, list, values);
	const struct latency_unit *unit = choose_unit(values[0], values[count - 1]);
	const int width = decimal_width(values[count - 1] / unit->ns);
	const int decimals = decimals_of(list), columns = (80 - 7) / (10 + decimals + width);

	fprintf(out, "    %s percentiles (%s):\n", name, unit->name);
	for (int i = 0; i < count; i++) {
		const bool last = i == count - 1;

		fprintf(out, "%s%*.*fth=[%*" PRIu64 "]%s", i % columns ? " " : "     | ",
			3 + decimals, decimals,
			list->percents[i], width, (values[i] + unit->ns / 2) / unit->ns,
			last || i % columns == columns - 1 ? "" : ",");
		if (last)
			fputc('\n', out);
		else if (i % columns == columns - 1)
			fputs(",\n", out);
	}
}
