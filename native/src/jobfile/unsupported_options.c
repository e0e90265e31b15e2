/* SPDX-License-Identifier: Apache-2.0 */
#include "jobfile/unsupported_options.h"

#include <string.h>

/* Read off fio's own help (--cmdhelp, --enghelp, --help): a blank behind each. */
static const char *const not_here =
	" "
	"allow_file_create allow_mounted_write arguments atomic ba bindname "
	"block_error_percentiles blockalign blocksize_range blocksize_unaligned "
	"brick bs_is_seq_rand bs_unaligned bsrange buffer_compress_chunk "
	"buffer_compress_percentage buffer_pattern busy_poll bwavgtime cgroup "
	"cgroup_nodelete cgroup_weight clientname clustername cmd_type cmdprio "
	"cmdprio_bssplit cmdprio_class cmdprio_percentage comm conf "
	"continue_on_error cpumask cpumode cpus_allowed_policy create_fsync "
	"create_on_open create_only create_serialize data_placement dataplacement "
	"dedupe_global dedupe_mode dedupe_percentage dedupe_working_set_percentage "
	"donorname dp_scheme end_syncfs error_dump exec_postrun exec_prerun "
	"exit_on_io_done exit_what exitall_on_error experimental_verify "
	"fadvise_hint fdp fdp_pli fdp_pli_select file_append file_service_type "
	"filename_format filetype fill_device fill_fs flow flow_id flow_sleep "
	"force_async fsync_on_close gid grace_time gtod_cpu hipri_percentage "
	"hostname hugepage-size ignore_error ignore_zone_limits inplace interface "
	"io_submit_mode iomem iomem_align iopsavgtime ioscheduler "
	"job_max_open_zones job_start_clock_id kb_base latency_percentile "
	"latency_run latency_target latency_window listen lockfile lockmem "
	"log_alternate_epoch_clock_id log_compression "
	"log_compression_cpus log_entries log_issue_time log_max_value log_prio "
	"log_store_compressed log_window_value max_latency max_open_zones mem "
	"mem_align merge_blktrace_file merge_blktrace_iters merge_blktrace_scalars "
	"mss new_group nice nodelay nonvectored nowait num_range numa_cpu_nodes "
	"numa_mem_policy offset_align offset_increment opendir openfiles "
	"percentage_random pingpong plid_select plids pool port pre_read prio "
	"prioclass priohint profile program protocol ramp_size random_generator "
	"random_sequence_stride rate_cycle rate_ignore_thinktime rate_iops_min "
	"rate_min ratecycle ratemin rbdname read_beyond_wp read_iolog_chunked "
	"readfua recover_zbd_write_error rw_sequencer scramble_buffers "
	"serialize_overlap sg_write_mode significant_figures skip_bad sprandom ss "
	"ss_dur ss_interval ss_ramp stat_type stats std_redirect steadystate "
	"steadystate_check_interval steadystate_duration steadystate_ramp_time "
	"stream_id sync_file_range thinkcycles thp touch_objects trim_backlog "
	"trim_backlog_batch trim_percentage trim_verify_zero ttl uid uncached "
	"unified_rw_reporting unique_filename unit_base unlink_each_loop uri "
	"userspace_reap verb verify_async verify_backlog verify_backlog_batch "
	"verify_dump verify_header_seed verify_interval verify_offset verify_only "
	"verify_pattern verify_pattern_interval verify_policy verify_state_load "
	"verify_state_save verify_write_sequence volume wait_for window_size "
	"write_barrier write_hint write_zone_remainder writefua "
	"zone_reset_frequency zone_reset_threshold zonecapacity "
	"alloc-size append-terse aux-path bandwidth-log client cpuclock-test "
	"crctest daemonize debug eta-interval eta-newline idle-prof inflate-log "
	"latency-log max-jobs merge-blktrace-only minimal remote-config server "
	"status-interval terse-version trigger trigger-file trigger-remote "
	"trigger-timeout warnings-fatal ";

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
