/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_COMMANDS_PARTS_H
#define IOGATE_COMMANDS_PARTS_H

#include "cli/cmdline.h"

/* For the table of commands alone: struct command, apply. */

int apply_eta(struct cmdline *c, const char *value, struct err *err);
int apply_eta_interval(struct cmdline *c, const char *value, struct err *err);
int apply_eta_newline(struct cmdline *c, const char *value, struct err *err);
int apply_status_interval(struct cmdline *c, const char *value, struct err *err);
int apply_debug(struct cmdline *c, const char *value, struct err *err);
int apply_warnings_fatal(struct cmdline *c, const char *value, struct err *err);
int apply_aux_path(struct cmdline *c, const char *value, struct err *err);

int apply_idle_prof(struct cmdline *c, const char *value, struct err *err);
int apply_bandwidth_log(struct cmdline *c, const char *value, struct err *err);
int apply_crctest(struct cmdline *c, const char *value, struct err *err);
int apply_cpuclock_test(struct cmdline *c, const char *value, struct err *err);
int apply_inflate_log(struct cmdline *c, const char *value, struct err *err);
int apply_profile(struct cmdline *c, const char *value, struct err *err);
int apply_trigger(struct cmdline *c, const char *value, struct err *err);
int apply_trigger_file(struct cmdline *c, const char *value, struct err *err);
int apply_trigger_timeout(struct cmdline *c, const char *value, struct err *err);

/* What only tunes the insides of fio. */
int apply_max_jobs(struct cmdline *c, const char *value, struct err *err);
int apply_alloc_size(struct cmdline *c, const char *value, struct err *err);

#endif
