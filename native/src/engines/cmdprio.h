/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_CMDPRIO_H
#define IOGATE_CMDPRIO_H

#include "job/job.h"
#include "job/option.h"
#include "util/err.h"
#include "util/random.h"

/*
 * Some I/Os of a job have another priority than the rest: cmdprio_percentage of them, or by
 * their size those of cmdprio_bssplit. For ioengines that can tell the kernel one each.
 */

/* Of blocks of a size so many, with a priority of their own, or with that of the options. */
struct cmdprio_share {
	uint32_t bytes, percent;
	uint32_t class, level;		/* class 0: those of the options */
};
struct cmdprio_split {
	const struct cmdprio_share *shares;	/* NULL: none */
	uint32_t count;
};

/* A part of the options of an ioengine; trims have none. */
struct cmdprio {
	uint64_t percent[DIR_DATA_COUNT], class[DIR_DATA_COUNT], level[DIR_DATA_COUNT];
	struct cmdprio_split splits[DIR_DATA_COUNT];
};

extern const struct option_type type_cmdprio_split;	/* struct cmdprio_split[DIR_DATA_COUNT] */

enum { CMDPRIO_CLASS_MOST = 3, CMDPRIO_LEVEL_MOST = 7, CMDPRIO_PERCENT_MOST = 100 };

/* Rows for a table of an ioengine, of a field of its options; they are sorted.
 * NOLINTBEGIN(bugprone-macro-parentheses): part is a name, and the rows are a list */
#define CMDPRIO_ROWS(structure, part)							\
	{ "cmdprio", NULL, &type_sizes, OPTION_FIELD(structure, part.level), "0", 0,	\
	  CMDPRIO_LEVEL_MOST,								\
	  .help = "Priority of I/Os of cmdprio_percentage or cmdprio_bssplit, 0 is the "	\
		  "highest." },								\
	{ "cmdprio_bssplit", NULL, &type_cmdprio_split, OPTION_FIELD(structure, part.splits),	\
	  .help = "Of I/Os of a size how many have another priority, and which one." },	\
	{ "cmdprio_class", NULL, &type_sizes, OPTION_FIELD(structure, part.class), "1", 0,	\
	  CMDPRIO_CLASS_MOST,								\
	  .help = "Class of that priority, of ionice(1); 0 is 1, real time." },		\
	{ "cmdprio_percentage", NULL, &type_sizes, OPTION_FIELD(structure, part.percent), "0",	\
	  0, CMDPRIO_PERCENT_MOST,							\
	  .help = "How many I/Os have another priority, of reads and writes." }
/* NOLINTEND(bugprone-macro-parentheses) */

/* An ioengine's check(): job->cmdprio is set where there is something to do. */
int cmdprio_check(struct job *job, const struct cmdprio *options, struct err *err);
/* The priority of the next I/O, as ioprio_set(2) has it; 0: the job's own. */
uint16_t cmdprio_draw(const struct cmdprio *c, unsigned dir, uint32_t bytes,
		      struct random *choices);

#endif
