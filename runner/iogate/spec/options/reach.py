"""What each option of fio can reach beside its target: other files, programs, the network,
the host. Data; a test holds that every known option is in exactly one of these tables, so
that a new one is not let through by nobody having looked at it.
"""

from __future__ import annotations

_PROGRAM = "a spec describes I/O, it runs no programs"
_FILE = "it names a file outside of the target"
_NETWORK = "it reaches the network, and the target says where I/O goes"
_DECLARED = f"{_NETWORK}; a workload's network: allows it for the endpoints that it declares"
_HOST = "it changes the host"
_NO_FILE = (
    "it opens what is neither a file nor a block device; name a target, and an ioengine for it"
)

_PROGRAMS = "exec_prerun exec_postrun program arguments std_redirect"
_NETWORKS = """
    bindname brick clientname clustername interface pool rbdname touch_objects ttl uri verb volume
"""
# Options of an ioengine that a workload with endpoints may use: see iogate.spec.network.
OF_ENDPOINTS = (
    "hostname", "listen", "mss", "nodelay", "pingpong", "port", "protocol", "window_size",
)  # fmt: skip
NETWORK_ENGINE = "net"
_OPENS_OTHERS = "mtd dev-dax io_uring_cmd libblkio xnvme pmemblk"
_NETWORK_ENGINES = """
    dfs gfapi gfapi_async http ime_aio ime_psync ime_psyncv libhdfs nbd netsplice nfs
    rados rbd rdma
"""
_CHECKED = """
    buffer_pattern directory filename filename_format ioengine mem verify_pattern
    write_bw_log write_hist_log write_iolog write_iops_log write_lat_log
"""
_HARMLESS = """
    allow_file_create atomic ba block_error_percentiles bs bs_is_seq_rand bs_unaligned
    bsrange bssplit buffer_compress_chunk buffer_compress_percentage buffered busy_poll bwavgtime
    clat_percentiles clocksource cmd_type cmdprio cmdprio_bssplit cmdprio_class
    cmdprio_percentage comm continue_on_error cpuchunks cpuload cpumask cpumode cpus_allowed
    cpus_allowed_policy create_fsync create_on_open create_only create_serialize
    dataplacement dedupe_global dedupe_mode dedupe_percentage dedupe_working_set_percentage
    description direct disable_bw_measurement disable_clat disable_lat disable_slat
    disk_util do_verify end_fsync end_syncfs error_dump exit_on_io_done exit_what exitall
    exitall_on_error experimental_verify fadvise_hint fallocate fdatasync fdp file_append
    file_service_type filesize filetype fill_device fixedbufs flow flow_id flow_sleep flow_watermark
    force_async fsync fsync_on_close grace_time group_reporting gtod_cpu gtod_reduce hipri
    hipri_percentage hugepage-size ignore_error ignore_zone_limits invalidate io_size
    io_submit_mode iodepth iodepth_batch iodepth_batch_complete_max
    iodepth_batch_complete_min iodepth_low iomem_align iopsavgtime job_max_open_zones
    job_start_clock_id kb_base lat_percentiles latency_percentile latency_run latency_target
    latency_window lockfile lockmem log_alternate_epoch log_alternate_epoch_clock_id
    log_avg_msec log_compression log_compression_cpus log_entries log_hist_coarseness
    log_hist_msec log_issue_time log_offset log_prio log_store_compressed log_window_value
    loops max_latency max_open_zones merge_blktrace_iters merge_blktrace_scalars new_group
    nice nonvectored norandommap nowait nrfiles num_range numa_cpu_nodes numa_mem_policy
    number_ios numjobs offset offset_align offset_increment openfiles overwrite per_job_logs
    percentage_random percentile_list plid_select plids pre_read prio prioclass priohint
    ramp_size ramp_time random_distribution random_generator random_sequence_stride
    randrepeat randseed rate rate_cycle rate_ignore_thinktime rate_iops rate_iops_min
    rate_min rate_process read_beyond_wp read_iolog_chunked readfua recover_zbd_write_error
    refill_buffers registerfiles replay_align replay_no_stall replay_scale replay_skip
    replay_time_scale runtime rw rw_sequencer rwmixread rwmixwrite scramble_buffers
    serialize_overlap sg_write_mode significant_figures size skip_bad slat_percentiles softrandommap
    spr_num_regions spr_op sprandom sqthread_poll sqthread_poll_cpu startdelay stat_type stats
    steadystate
    steadystate_check_interval steadystate_duration steadystate_ramp_time stonewall
    stream_id sync sync_file_range thinkcycles thinktime thinktime_blocks
    thinktime_blocks_type thinktime_iotime thinktime_spin thp thread threads time_based trim_backlog
    trim_backlog_batch trim_percentage trim_verify_zero uncached unified_rw_reporting
    unique_filename unit_base unlink unlink_each_loop userspace_reap verify verify_async
    verify_async_cpus verify_backlog verify_backlog_batch verify_dump verify_fatal
    verify_header_seed verify_interval verify_offset verify_only verify_pattern_interval
    verify_policy verify_state_load verify_state_save verify_write_sequence verifysort
    verifysort_nr wait_for write_barrier
    write_hint write_zone_remainder writefua zero_buffers zone_reset_frequency
    zone_reset_threshold zonecapacity zonemode zonerange zonesize zoneskip
"""
_HARMLESS_ENGINES = """
    cpuio dircreate dirdelete dirstat falloc filecreate filedelete filestat ftruncate
    io_uring libaio libpmem mmap null page_fault posixaio psync pvsync pvsync2 sg splice
    sync vsync
"""

# No spec may set these, trusted or not, but for OF_ENDPOINTS, and why.
REFUSED: dict[str, str] = {
    "allow_mounted_write": "iogate never writes to what is mounted",
    "ioscheduler": f"{_HOST} and leaves it changed; see environment:",
    "name": "a job is named by its workload, or by its key under jobs",
    "opendir": "it reaches files outside of the target",
    "profile": "it makes jobs that the spec does not show",
    "read_iolog": "a log names files outside of the target",
    "merge_blktrace_file": "a trace names files outside of the target",
    "replay_redirect": "the target says where I/O goes",
    **dict.fromkeys(("uid", "gid"), "a run is its user's own"),
    **dict.fromkeys(("cgroup", "cgroup_nodelete", "cgroup_weight"), _HOST),
    **dict.fromkeys(_PROGRAMS.split(), _PROGRAM),
    **dict.fromkeys(("donorname", "inplace", "dp_scheme", "conf"), _FILE),
    **dict.fromkeys(_NETWORKS.split(), _NETWORK),
    **dict.fromkeys(OF_ENDPOINTS, _DECLARED),
}

# These may be set, and their values are looked at: see iogate.spec.options and build_jobs.
CHECKED = frozenset(_CHECKED.split())

# These reach nothing but the target, and the engine's own memory and time.
HARMLESS = frozenset(_HARMLESS.split())

# ioengines that reach something else than files and block devices of the target, and why.
ENGINES_REFUSED: dict[str, str] = {
    **dict.fromkeys(("exec", "external"), _PROGRAM),
    **dict.fromkeys(_NETWORK_ENGINES.split(), _NETWORK),
    NETWORK_ENGINE: _DECLARED,
    **dict.fromkeys(_OPENS_OTHERS.split(), _NO_FILE),
    "e4defrag": "it takes the blocks of another file",
}

# ioengines of which all I/O goes to files and block devices.
ENGINES_HARMLESS = frozenset(_HARMLESS_ENGINES.split())

# Kinds of memory that need nothing but memory; fio's others name a file, or a GPU.
MEMORIES = ("malloc", "shm", "shmhuge", "mmap", "mmaphuge", "mmapshared")
