"""What iogate-engine has of fio: its options and ioengines.

Made by scripts/generate.py from `iogate-engine --option-table`: change the engine's table.
"""

# By the kind of their values; "name=alias" is one option with two names.
OPTIONS: dict[str, str] = {
    "BOOL": """
        allow_file_create allow_mounted_write block_error_percentiles bs_is_seq_rand buffered
        cgroup_nodelete clat_percentiles create_fsync create_on_open create_only
        create_serialize dedupe_global direct disable_bw_measurement=disable_bw disable_clat
        disable_lat disable_slat disk_util do_verify end_fsync end_syncfs error_dump
        experimental_verify file_append fill_device=fill_fs fsync_on_close gtod_reduce
        ignore_zone_limits invalidate lat_percentiles latency_run log_issue_time log_offset
        log_prio log_store_compressed log_unix_epoch=log_alternate_epoch overwrite per_job_logs
        pre_read random_sequence_stride randrepeat=allrandrepeat rate_ignore_thinktime
        read_beyond_wp read_iolog_chunked recover_zbd_write_error replay_no_stall
        scramble_buffers serialize_overlap slat_percentiles softrandommap sprandom stats
        trim_verify_zero unique_filename unlink unlink_each_loop verify_dump verify_fatal
        verify_header_seed verify_state_load verify_state_save verify_write_sequence
        write_zone_remainder atomic nowait uncached nodelay exit_on_io_done std_redirect inplace
    """,
    "CHOICE": """
        clocksource continue_on_error cpus_allowed_policy dedupe_mode exit_what fadvise_hint
        fallocate filetype io_submit_mode ioengine kb_base lockfile
        log_window_value=log_max_value mem=iomem random_generator rate_process rw=readwrite
        rw_sequencer sync thinktime_blocks_type unified_rw_reporting unit_base verify
        verify_policy write_hint zonemode protocol=proto cpumode stat_type
    """,
    "FLAG": """
        bs_unaligned=blocksize_unaligned exitall exitall_on_error group_reporting new_group
        norandommap refill_buffers stonewall=wait_for_previous thread time_based verify_only
        zero_buffers hipri userspace_reap fixedbufs registerfiles sqthread_poll listen pingpong
    """,
    "MICROSECONDS": """
        latency_target latency_window thinktime thinktime_spin cpuchunks
    """,
    "NUMBER": """
        buffer_compress_chunk buffer_compress_percentage bwavgtime cgroup_weight cpumask
        dedupe_percentage dedupe_working_set_percentage fdatasync flow flow_id flow_sleep fsync
        gid iodepth iodepth_batch=iodepth_batch_submit iodepth_batch_complete_max
        iodepth_batch_complete_min=iodepth_batch_complete iodepth_low iopsavgtime
        job_max_open_zones job_start_clock_id log_alternate_epoch_clock_id log_avg_msec
        log_compression log_entries log_hist_coarseness log_hist_msec loops max_open_zones
        nrfiles=nr_files num_range number_ios numjobs openfiles prio prioclass priohint randseed
        rate_cycle=ratecycle replay_scale replay_time_scale rwmixread rwmixwrite
        significant_figures spr_num_regions thinkcycles thinktime_blocks threads trim_backlog
        trim_backlog_batch trim_percentage uid verify_async verify_backlog verify_backlog_batch
        verify_interval verify_offset verify_pattern_interval write_barrier hipri_percentage
        force_async nonvectored sqthread_poll_cpu thp mss port ttl window_size cpuload
    """,
    "NUMBERS": """
        ba=blockalign bs=blocksize percentage_random rate rate_iops rate_iops_min
        rate_min=ratemin cmdprio cmdprio_class cmdprio_percentage
    """,
    "SECONDS": """
        ramp_time runtime=timeout startdelay steadystate_check_interval=ss_interval
        steadystate_duration=ss_dur steadystate_ramp_time=ss_ramp thinktime_iotime grace_time
    """,
    "SIZE": """
        hugepage-size io_size=io_limit iomem_align=mem_align lockmem offset=fileoffset
        offset_align offset_increment ramp_size replay_align size zonecapacity zonerange
        zonesize zoneskip
    """,
    "TEXT": """
        bsrange=blocksize_range bssplit buffer_pattern cgroup comm cpus_allowed description
        directory exec_postrun exec_prerun file_service_type filename filename_format filesize
        flow_watermark gtod_cpu ignore_error ioscheduler latency_percentile log_compression_cpus
        max_latency name nice numa_cpu_nodes numa_mem_policy opendir percentile_list profile
        random_distribution read_iolog replay_redirect replay_skip spr_op steadystate=ss
        sync_file_range verify_async_cpus verify_pattern verifysort verifysort_nr wait_for
        write_bw_log write_hist_log write_iolog write_iops_log write_lat_log
        zone_reset_frequency zone_reset_threshold cmdprio_bssplit hostname interface arguments
        program donorname
    """,
}

# The words that an option takes.
CHOICES: dict[str, str] = {
    "clocksource": """
        gettimeofday clock_gettime cpu
    """,
    "continue_on_error": """
        none read write io verify all 0 1
    """,
    "cpumode": """
        noop qsort
    """,
    "cpus_allowed_policy": """
        shared split
    """,
    "dedupe_mode": """
        repeat working_set
    """,
    "exit_what": """
        group stonewall all
    """,
    "fadvise_hint": """
        0 1 random sequential noreuse
    """,
    "fallocate": """
        native none 0 posix 1 keep truncate
    """,
    "filetype": """
        none file block char
    """,
    "io_submit_mode": """
        inline offload
    """,
    "ioengine": """
        sync psync vsync pvsync pvsync2 libaio io_uring mmap splice posixaio net netsplice null
        cpuio exec falloc e4defrag ftruncate filecreate filestat filedelete dircreate dirstat
        dirdelete
    """,
    "kb_base": """
        1024 1000
    """,
    "lockfile": """
        none exclusive readwrite
    """,
    "log_window_value": """
        avg 0 max 1 both
    """,
    "mem": """
        malloc shm shmhuge mmap mmaphuge mmapshared
    """,
    "protocol": """
        tcp tcpv6 udp udpv6 unix
    """,
    "random_generator": """
        tausworthe lfsr tausworthe64
    """,
    "rate_process": """
        linear poisson
    """,
    "rw": """
        read write trim randread randwrite randtrim rw readwrite randrw trimwrite randtrimwrite
    """,
    "rw_sequencer": """
        sequential identical
    """,
    "stat_type": """
        stat lstat statx
    """,
    "sync": """
        none 0 sync 1 dsync
    """,
    "thinktime_blocks_type": """
        complete issue
    """,
    "unified_rw_reporting": """
        none 0 mixed 1 both 2
    """,
    "unit_base": """
        0 8 1
    """,
    "verify": """
        0 md5 crc64 crc32 crc32c-intel crc32c crc16 crc7 sha1 sha256 sha512 sha3-224 sha3-256
        sha3-384 sha3-512 xxhash meta pattern pattern_hdr null
    """,
    "verify_policy": """
        completed fsynced
    """,
    "write_hint": """
        none short medium long extreme
    """,
    "zonemode": """
        none strided zbd
    """,
}

# The least and the most that the engine takes of an option; None: what its field holds.
RANGES: dict[str, tuple[int, int | None]] = {
    "ba": (1, 1073741824),
    "bs": (1, 1073741824),
    "buffer_compress_chunk": (0, 1073741824),
    "buffer_compress_percentage": (0, 100),
    "cgroup_weight": (100, 1000),
    "cmdprio": (0, 7),
    "cmdprio_class": (0, 3),
    "cmdprio_percentage": (0, 100),
    "cpuload": (0, 100),
    "dedupe_percentage": (0, 100),
    "dedupe_working_set_percentage": (0, 100),
    "flow": (0, 1000),
    "hipri_percentage": (0, 100),
    "hugepage-size": (1, 1073741824),
    "iodepth": (1, 1048576),
    "iomem_align": (0, 1073741824),
    "job_max_open_zones": (0, 4096),
    "log_entries": (1, 1048576),
    "log_hist_coarseness": (0, 6),
    "max_open_zones": (0, 4096),
    "mss": (0, 2147483647),
    "nrfiles": (1, 1048576),
    "num_range": (1, 1),
    "numjobs": (1, 4096),
    "percentage_random": (0, 100),
    "port": (1, 65535),
    "prio": (0, 7),
    "prioclass": (0, 3),
    "priohint": (0, 1023),
    "replay_time_scale": (1, None),
    "rwmixread": (0, 100),
    "rwmixwrite": (0, 100),
    "significant_figures": (1, 10),
    "spr_num_regions": (1, 1000000),
    "sqthread_poll_cpu": (0, 65535),
    "trim_backlog_batch": (0, 4294967295),
    "trim_percentage": (0, 100),
    "ttl": (0, 255),
    "verify_async": (0, 1024),
    "verify_backlog": (0, 4294967295),
    "verify_backlog_batch": (0, 4294967295),
    "verify_interval": (0, 4294967295),
    "verify_offset": (0, 4294967295),
    "verify_pattern_interval": (0, 4294967295),
    "window_size": (0, 2147483647),
}

# These ioengines do an I/O as it is issued.
SYNCHRONOUS = """
    sync psync pvsync pvsync2 mmap splice net netsplice cpuio exec falloc e4defrag ftruncate
    filecreate filestat filedelete dircreate dirstat dirdelete
"""
DEFAULT_ENGINE = "psync"
DEFAULT_RW = "read"
