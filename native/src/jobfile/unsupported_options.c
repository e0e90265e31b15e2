/* SPDX-License-Identifier: Apache-2.0 */
#include "jobfile/unsupported_options.h"

#include <string.h>

/* Read off fio's own help (--cmdhelp, --enghelp, --help): a blank behind each. */
static const char *const not_here =
	" "
	"arguments bindname brick busy_poll clientname clustername cmd_type conf "
	"data_placement dataplacement donorname dp_scheme exit_on_io_done fdp "
	"fdp_pli fdp_pli_select force_async grace_time hipri_percentage hostname "
	"inplace interface listen merge_blktrace_file "
	"merge_blktrace_iters merge_blktrace_scalars mss nodelay nonvectored nowait "
	"pingpong plid_select plids pool port program protocol rbdname readfua "
	"sg_write_mode skip_bad stat_type std_redirect stream_id thp "
	"touch_objects ttl uncached uri userspace_reap verb volume window_size "
	"writefua client daemonize latency-log merge-blktrace-only "
	"remote-config server trigger-remote ";

bool unsupported_option(const char *name)
{
	const size_t length = strlen(name);

	if (!length || strchr(name, ' '))
		return false;
	for (const char *at = strstr(not_here, name); at; at = strstr(at + length, name))
		if (at[-1] == ' ' && at[length] == ' ')
			return true;
	return false;
}
