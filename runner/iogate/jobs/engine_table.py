"""What iogate-engine has of fio: its options and ioengines.

Made by scripts/generate.py from `iogate-engine --option-table`: change the engine's table.
"""

# By the kind of their values; "name=alias" is one option with two names.
OPTIONS: dict[str, str] = {
    "BOOL": """
        buffered clat_percentiles direct disk_util do_verify end_fsync invalidate
        lat_percentiles log_offset log_unix_epoch=log_alternate_epoch overwrite per_job_logs
        randrepeat=allrandrepeat replay_no_stall slat_percentiles unlink verify_fatal
    """,
    "CHOICE": """
        clocksource fallocate ioengine rate_process rw=readwrite sync thinktime_blocks_type
        verify zonemode
    """,
    "FLAG": """
        disable_bw_measurement=disable_bw disable_clat disable_lat disable_slat exitall
        group_reporting gtod_reduce norandommap refill_buffers stonewall=wait_for_previous
        thread time_based zero_buffers fixedbufs hipri registerfiles sqthread_poll
    """,
    "MICROSECONDS": """
        thinktime thinktime_spin cpuchunks
    """,
    "NUMBER": """
        fdatasync fsync iodepth iodepth_batch=iodepth_batch_submit iodepth_batch_complete_max
        iodepth_batch_complete_min=iodepth_batch_complete iodepth_low log_avg_msec
        log_hist_coarseness log_hist_msec loops nrfiles=nr_files number_ios numjobs randseed
        replay_scale replay_time_scale rwmixread rwmixwrite thinktime_blocks sqthread_poll_cpu
        cpuload
    """,
    "NUMBERS": """
        bs=blocksize rate rate_iops
    """,
    "SECONDS": """
        ramp_time runtime=timeout startdelay thinktime_iotime
    """,
    "SIZE": """
        io_size=io_limit offset=fileoffset replay_align size zonerange zonesize zoneskip
    """,
    "TEXT": """
        bssplit cpus_allowed description directory filename filesize name percentile_list
        random_distribution read_iolog replay_redirect replay_skip write_bw_log write_hist_log
        write_iolog write_iops_log write_lat_log
    """,
}

# The words that an option takes.
CHOICES: dict[str, str] = {
    "clocksource": """
        gettimeofday clock_gettime cpu
    """,
    "fallocate": """
        native none 0 posix 1 keep truncate
    """,
    "ioengine": """
        sync psync libaio io_uring mmap posixaio null cpuio
    """,
    "rate_process": """
        linear poisson
    """,
    "rw": """
        read write randread randwrite rw readwrite randrw
    """,
    "sync": """
        none 0 sync 1 dsync
    """,
    "thinktime_blocks_type": """
        complete issue
    """,
    "verify": """
        0 crc32c crc32c-intel
    """,
    "zonemode": """
        none strided
    """,
}

# These ioengines do an I/O as it is issued.
SYNCHRONOUS = "sync psync mmap cpuio"
DEFAULT_ENGINE = "psync"
DEFAULT_RW = "read"
