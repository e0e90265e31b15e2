/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/stats.h"

#include <math.h>
#include <string.h>

const char *const io_dir_names[DIR_COUNT] = { "read", "write", "trim", "sync" };

void moments_merge(struct moments *into, const struct moments *from)
{
	into->n += from->n;
	into->sum += from->sum;
	into->sum_squares += from->sum_squares;
	into->min = from->min < into->min ? from->min : into->min;
	into->max = from->max > into->max ? from->max : into->max;
}

double moments_mean(const struct moments *m)
{
	return m->n ? (double)m->sum / (double)m->n : 0;
}

/* The sums are exact. long double keeps 64 bits of each, so that only a spread of less than
 * 10^-9 of the mean is lost in their difference. */
double moments_stddev(const struct moments *m)
{
	if (m->n < 2)
		return 0;
	const long double n = (long double)m->n;
	const long double mean = (long double)m->sum / n;
	const long double variance = ((long double)m->sum_squares - mean * (long double)m->sum)
				     / (n - 1);

	return variance > 0 ? (double)sqrtl(variance) : 0;
}

static void histogram_clear(struct histogram *h, const struct moments *counted)
{
	if (counted->min > counted->max)
		return;
	const uint32_t first = histogram_index(counted->min);
	const uint32_t last = histogram_index(counted->max);

	memset(&h->buckets[first], 0, (last - first + 1) * sizeof(h->buckets[0]));
}

void dir_stats_forget_clat(struct dir_stats *d)
{
	if (d->ios)
		histogram_clear(&d->clat_histogram, &d->clat);
	moments_init(&d->clat);
}

static struct priority_stats *of_priority(struct dir_stats *d, uint16_t priority)
{
	struct priority_stats *p = d->priorities;

	while (p < &d->priorities[STATS_PRIORITIES - 1] && p->used && p->priority != priority)
		p++;
	if (p->used)
		return p;
	p->used = true;
	p->priority = priority;
	moments_init(&p->lat);
	return p;
}

void dir_stats_add_priority(struct dir_stats *d, uint16_t priority, uint64_t lat_ns)
{
	struct priority_stats *p = of_priority(d, priority);

	moments_add(&p->lat, lat_ns);
	histogram_add(&p->histogram, lat_ns);
}

static void priorities_clear(struct dir_stats *d)
{
	for (int i = 0; i < STATS_PRIORITIES && d->priorities[i].used; i++) {
		histogram_clear(&d->priorities[i].histogram, &d->priorities[i].lat);
		d->priorities[i].used = false;
	}
}

static void priorities_merge(struct dir_stats *into, const struct dir_stats *from)
{
	for (int i = 0; i < STATS_PRIORITIES && from->priorities[i].used; i++) {
		const struct priority_stats *p = &from->priorities[i];
		struct priority_stats *same = of_priority(into, p->priority);

		moments_merge(&same->lat, &p->lat);
		histogram_merge(&same->histogram, &p->histogram);
	}
}

static void dir_stats_init(struct dir_stats *d)
{
	if (d->ios)
		histogram_clear(&d->clat_histogram, &d->clat);
	if (d->ios && d->all_histograms) {
		histogram_clear(&d->slat_histogram, &d->slat);
		histogram_clear(&d->lat_histogram, &d->lat);
	}
	if (d->intended.n)
		histogram_clear(&d->intended_histogram, &d->intended);
	priorities_clear(d);
	moments_init(&d->intended);
	d->ios = d->bytes = d->short_ios = d->dropped_ios = d->runtime_ns = 0;
	moments_init(&d->slat);
	moments_init(&d->clat);
	moments_init(&d->lat);
}

void worker_stats_init(struct worker_stats *s)
{
	for (int i = 0; i < DIR_DATA_COUNT; i++)
		dir_stats_init(&s->dirs[i]);
	if (s->sync_lat.n)
		histogram_clear(&s->sync_histogram, &s->sync_lat);
	moments_init(&s->sync_lat);
	memset(s->depth_levels, 0, sizeof(s->depth_levels));
	memset(s->submit_levels, 0, sizeof(s->submit_levels));
	memset(s->complete_levels, 0, sizeof(s->complete_levels));
	memset(s->errors, 0, sizeof(s->errors));
	s->runtime_ns = s->all_runtimes_ns = s->user_ns = s->system_ns = 0;
	s->context_switches = s->major_faults = s->minor_faults = 0;
}

/* In one order, whichever came first. */
static void priorities_sort(struct dir_stats *d)
{
	for (int i = 1; i < STATS_PRIORITIES && d->priorities[i].used; i++) {
		for (int at = i; at && d->priorities[at - 1].priority > d->priorities[at].priority;
		     at--) {
			const struct priority_stats other = d->priorities[at];

			d->priorities[at] = d->priorities[at - 1];
			d->priorities[at - 1] = other;
		}
	}
}

static uint64_t settle_dir(struct dir_stats *d, bool synchronous)
{
	if (synchronous && d->all_histograms && d->ios)
		d->lat_histogram = d->clat_histogram;
	priorities_sort(d);
	d->clat.n = d->ios;
	if (synchronous) {
		d->lat = d->clat;
	} else {
		d->slat.n = d->lat.n = d->ios;
		d->lat.sum = d->slat.sum + d->clat.sum;
	}
	return d->ios;
}

void worker_stats_settle(struct worker_stats *s, bool synchronous, bool alone)
{
	uint64_t ios = s->sync_lat.n;

	for (int i = 0; i < DIR_DATA_COUNT; i++)
		ios += settle_dir(&s->dirs[i], synchronous);
	for (int i = 0; i < STATS_ERRNO_MAX; i++)
		ios += s->errors[i].count;
	if (synchronous || alone)
		s->depth_levels[0] = s->submit_levels[1] = s->complete_levels[1] = ios;
}

void worker_stats_error(struct worker_stats *s, int error, uint64_t count)
{
	uint32_t i = 0;

	while (i < STATS_ERRNO_MAX - 1 && s->errors[i].error && s->errors[i].error != error)
		i++;
	if (!s->errors[i].error)
		s->errors[i].error = error;
	s->errors[i].count += count;
}

static void max_into(uint64_t *into, uint64_t value)
{
	*into = value > *into ? value : *into;
}

void dir_stats_merge(struct dir_stats *into, const struct dir_stats *from)
{
	into->ios += from->ios;
	into->bytes += from->bytes;
	into->short_ios += from->short_ios;
	into->dropped_ios += from->dropped_ios;
	max_into(&into->runtime_ns, from->runtime_ns);
	moments_merge(&into->slat, &from->slat);
	moments_merge(&into->clat, &from->clat);
	moments_merge(&into->lat, &from->lat);
	moments_merge(&into->intended, &from->intended);
	priorities_merge(into, from);
	if (from->intended.n)
		histogram_merge(&into->intended_histogram, &from->intended_histogram);
	if (from->clat.n)
		histogram_merge(&into->clat_histogram, &from->clat_histogram);
	if (from->ios && from->all_histograms) {
		into->all_histograms = true;
		histogram_merge(&into->slat_histogram, &from->slat_histogram);
		histogram_merge(&into->lat_histogram, &from->lat_histogram);
	}
}

static void levels_merge(uint64_t *into, const uint64_t *from)
{
	for (int i = 0; i < STATS_DEPTH_LEVELS; i++)
		into[i] += from[i];
}

void worker_stats_merge(struct worker_stats *into, const struct worker_stats *from)
{
	for (int i = 0; i < DIR_DATA_COUNT; i++)
		dir_stats_merge(&into->dirs[i], &from->dirs[i]);
	moments_merge(&into->sync_lat, &from->sync_lat);
	if (from->sync_lat.n)
		histogram_merge(&into->sync_histogram, &from->sync_histogram);
	levels_merge(into->depth_levels, from->depth_levels);
	levels_merge(into->submit_levels, from->submit_levels);
	levels_merge(into->complete_levels, from->complete_levels);
	for (int i = 0; i < STATS_ERRNO_MAX && from->errors[i].error; i++)
		worker_stats_error(into, from->errors[i].error, from->errors[i].count);
	max_into(&into->runtime_ns, from->runtime_ns);
	into->all_runtimes_ns += from->all_runtimes_ns;
	into->user_ns += from->user_ns;
	into->system_ns += from->system_ns;
	into->context_switches += from->context_switches;
	into->major_faults += from->major_faults;
	into->minor_faults += from->minor_faults;
}
