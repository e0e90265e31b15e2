"""The names of fio's options, and what kind of value each takes.

Names are facts: they were read off the program's own help (``--cmdhelp``, ``--enghelp``).
"name=alias" in the blocks below is one option with two names; the first one is used in
job files, case ids and messages.
"""

from __future__ import annotations

from enum import Enum, auto


class Kind(Enum):
    """How the value of an option is read."""

    BOOL = auto()  # 0 or 1
    FLAG = auto()  # as BOOL; the bare key means 1
    NUMBER = auto()  # with k, m, g … as powers of 1024
    NUMBERS = auto()  # "read,write,trim"
    SIZE = auto()  # a number, a percentage, or zones ("3z")
    SECONDS = auto()  # a duration; a bare number is in seconds
    MICROSECONDS = auto()  # a duration; a bare number is in microseconds
    CHOICE = auto()  # one word of CHOICES
    TEXT = auto()


_GENERIC: dict[Kind, str] = {
    Kind.BOOL: """
        allow_file_create allow_mounted_write atomic block_error_percentiles bs_is_seq_rand
        buffered cgroup_nodelete clat_percentiles create_fsync create_on_open create_only
        create_serialize dedupe_global direct disable_bw_measurement=disable_bw disable_clat
        disable_lat disable_slat disk_util do_verify end_fsync end_syncfs error_dump
        experimental_verify fdp file_append fill_device=fill_fs fsync_on_close gtod_reduce
        ignore_zone_limits invalidate lat_percentiles latency_run
        log_alternate_epoch=log_unix_epoch log_issue_time log_offset log_prio
        log_store_compressed overwrite per_job_logs pre_read random_sequence_stride
        randrepeat=allrandrepeat rate_ignore_thinktime read_beyond_wp read_iolog_chunked
        recover_zbd_write_error replay_no_stall scramble_buffers serialize_overlap
        slat_percentiles sprandom stats trim_verify_zero unique_filename unlink unlink_each_loop
        verify_dump verify_fatal verify_header_seed verify_state_load verify_state_save
        verify_write_sequence write_zone_remainder
    """,
    Kind.FLAG: """
        bs_unaligned=blocksize_unaligned exitall exitall_on_error group_reporting new_group
        norandommap refill_buffers stonewall=wait_for_previous thread time_based verify_only
        zero_buffers
    """,
    Kind.NUMBER: """
        buffer_compress_chunk buffer_compress_percentage bwavgtime cgroup_weight cpumask
        dedupe_percentage dedupe_working_set_percentage fdatasync flow flow_id flow_sleep fsync
        gid gtod_cpu hugepage-size iodepth iodepth_batch=iodepth_batch_submit
        iodepth_batch_complete_max iodepth_batch_complete_min=iodepth_batch_complete iodepth_low
        iomem_align=mem_align iopsavgtime job_max_open_zones job_start_clock_id
        log_alternate_epoch_clock_id log_avg_msec log_compression log_entries
        log_hist_coarseness log_hist_msec loops max_open_zones nice nrfiles=nr_files num_range
        number_ios numjobs offset_align openfiles prio prioclass priohint randseed replay_align
        replay_scale replay_time_scale rwmixread rwmixwrite significant_figures thinkcycles
        thinktime_blocks trim_backlog_batch trim_percentage uid verify_async
        verify_backlog_batch verify_interval verify_offset verify_pattern_interval write_barrier
    """,
    Kind.NUMBERS: """
        ba=blockalign bs=blocksize percentage_random rate rate_iops rate_iops_min
        rate_min=ratemin
    """,
    Kind.SIZE: """
        io_size=io_limit offset=fileoffset offset_increment ramp_size size zonecapacity
        zonerange zonesize zoneskip
    """,
    Kind.SECONDS: """
        ramp_time runtime=timeout startdelay steadystate_check_interval=ss_interval
        steadystate_duration=ss_dur steadystate_ramp_time=ss_ramp
    """,
    Kind.MICROSECONDS: """
        latency_target latency_window thinktime thinktime_iotime thinktime_spin
    """,
    Kind.CHOICE: """
        ioengine rw=readwrite zonemode
    """,
    Kind.TEXT: """
        bsrange=blocksize_range bssplit buffer_pattern cgroup clocksource comm continue_on_error
        cpus_allowed cpus_allowed_policy dataplacement=data_placement dedupe_mode description
        directory dp_scheme exec_postrun exec_prerun exit_what fadvise_hint fallocate
        file_service_type filename filename_format filesize filetype ignore_error io_submit_mode
        ioscheduler kb_base latency_percentile lockfile lockmem log_compression_cpus
        log_window_value=log_max_value max_latency mem=iomem merge_blktrace_file
        merge_blktrace_iters merge_blktrace_scalars name numa_cpu_nodes numa_mem_policy opendir
        percentile_list plid_select=fdp_pli_select plids=fdp_pli profile random_distribution
        random_generator rate_cycle=ratecycle rate_process read_iolog replay_redirect
        replay_skip rw_sequencer steadystate=ss sync sync_file_range thinktime_blocks_type
        trim_backlog unified_rw_reporting unit_base verify verify_backlog verify_pattern
        verify_policy wait_for write_bw_log write_hint write_hist_log write_iolog write_iops_log
        write_lat_log zone_reset_frequency zone_reset_threshold
    """,
}

# Options that only some ioengines have.
_ENGINE = """
    arguments bindname brick busy_poll clientname clustername cmd_type cmdprio cmdprio_bssplit
    cmdprio_class cmdprio_percentage conf cpuchunks cpuload cpumode donorname exit_on_io_done
    fixedbufs force_async grace_time hipri hipri_percentage hostname inplace interface listen
    mss nodelay nonvectored nowait pingpong pool port program protocol rbdname readfua
    registerfiles sg_write_mode skip_bad sqthread_poll sqthread_poll_cpu stat_type std_redirect
    stream_id thp touch_objects ttl uncached uri userspace_reap verb volume window_size writefua
"""

_CHOICES: dict[str, str] = {
    "rw": """
        read write trim randread randwrite randtrim rw readwrite randrw trimwrite randtrimwrite
    """,
    "zonemode": "none strided zbd",
    "ioengine": """
        sync psync vsync pvsync pvsync2 libaio io_uring io_uring_cmd posixaio mmap splice null
        cpuio net netsplice sg rdma e4defrag falloc ftruncate filecreate filestat filedelete
        dircreate dirstat dirdelete page_fault exec mtd nbd http libpmem pmemblk dev-dax rbd
        rados nfs libhdfs gfapi gfapi_async dfs ime_psync ime_psyncv ime_aio libblkio xnvme
        external
    """,
}
CHOICES = {key: tuple(words.split()) for key, words in _CHOICES.items()}

# Of these engines a submission is the whole I/O: they have no submission latency.
SYNC_ENGINES = frozenset(("sync", "psync", "vsync", "pvsync", "pvsync2", "mmap", "splice"))
DEFAULT_ENGINE = "psync"
DEFAULT_RW = "read"


def _read_table() -> tuple[dict[str, Kind], dict[str, str]]:
    kinds = dict.fromkeys(_ENGINE.split(), Kind.TEXT)
    aliases = {}
    for kind, names in _GENERIC.items():
        for entry in names.split():
            name, _, alias = entry.partition("=")
            kinds[name] = kind
            if alias:
                aliases[alias] = name
    return kinds, aliases


OPTIONS, ALIASES = _read_table()


def canonical_key(key: str) -> str | None:
    """The first name of an option; None for what is not an option of fio."""
    name = ALIASES.get(key, key)
    return name if name in OPTIONS else None


def known_keys() -> tuple[str, ...]:
    """Every name and alias."""
    return (*OPTIONS, *ALIASES)
