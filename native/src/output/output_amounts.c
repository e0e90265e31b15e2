/* SPDX-License-Identifier: Apache-2.0 */
#include "output/output_amounts.h"

const char *output_rate(char room[HUMANIZE_SIZE], const struct job *job, uint64_t bytes,
			bool first)
{
	const unsigned base = (job->report.kb_base == 1000) == first ? 1000 : 1024;
	const int figures = (int)job->report.figures;

	return job->report.unit_base == 1 ? humanize_bits(room, bytes * 8, base, figures)
					  : humanize_bytes(room, bytes, base, figures);
}

const char *output_amount(char room[HUMANIZE_SIZE], const struct job *job, uint64_t bytes,
			  bool first)
{
	const unsigned base = (job->report.kb_base == 1000) == first ? 1000 : 1024;

	return humanize_bytes(room, bytes, base, (int)job->report.figures);
}
