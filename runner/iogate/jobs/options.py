"""The names of fio's options, and what kind of value each takes.

What iogate-engine has comes from its own table (``engine_table``, which is generated); here is
what only fio has, and where a case id spells an option by another kind than the engine reads it.
Names are facts: they were read off fio's own help (``--cmdhelp``, ``--enghelp``). "name=alias" in
the blocks below is one option with two names; the first one is used in job files, case ids and
messages.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum, auto

from iogate.jobs import engine_table
from iogate.model.measurement import TRANSFERS


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


# What fio has and iogate-engine does not. An option that the engine learns leaves this table.
ONLY_FIO: dict[Kind, str] = {
    Kind.BOOL: """
        allow_file_create allow_mounted_write atomic block_error_percentiles bs_is_seq_rand
        cgroup_nodelete create_fsync create_on_open create_only create_serialize dedupe_global
        end_syncfs error_dump experimental_verify fdp file_append fill_device=fill_fs
        fsync_on_close ignore_zone_limits latency_run log_issue_time log_prio
        log_store_compressed pre_read random_sequence_stride rate_ignore_thinktime
        read_beyond_wp read_iolog_chunked recover_zbd_write_error scramble_buffers
        serialize_overlap sprandom stats trim_verify_zero unique_filename unlink_each_loop
        verify_dump verify_header_seed verify_state_load verify_state_save verify_write_sequence
        write_zone_remainder
    """,
    Kind.FLAG: """
        bs_unaligned=blocksize_unaligned exitall_on_error new_group verify_only
    """,
    Kind.NUMBER: """
        buffer_compress_chunk buffer_compress_percentage bwavgtime cgroup_weight cpumask
        dedupe_percentage dedupe_working_set_percentage flow flow_id flow_sleep gid gtod_cpu
        hugepage-size iomem_align=mem_align iopsavgtime job_max_open_zones job_start_clock_id
        log_alternate_epoch_clock_id log_compression log_entries max_open_zones nice num_range
        offset_align openfiles prio prioclass priohint significant_figures thinkcycles
        trim_backlog_batch trim_percentage uid verify_async verify_backlog_batch verify_interval
        verify_offset verify_pattern_interval write_barrier
    """,
    Kind.NUMBERS: """
        ba=blockalign percentage_random rate_iops_min rate_min=ratemin
    """,
    Kind.SIZE: """
        offset_increment ramp_size zonecapacity
    """,
    Kind.SECONDS: """
        steadystate_check_interval=ss_interval steadystate_duration=ss_dur
        steadystate_ramp_time=ss_ramp
    """,
    Kind.MICROSECONDS: """
        latency_target latency_window
    """,
    Kind.TEXT: """
        bsrange=blocksize_range buffer_pattern cgroup comm continue_on_error cpus_allowed_policy
        dataplacement=data_placement dedupe_mode dp_scheme exec_postrun exec_prerun exit_what
        fadvise_hint file_service_type filename_format filetype ignore_error io_submit_mode
        ioscheduler kb_base latency_percentile lockfile lockmem log_compression_cpus
        log_window_value=log_max_value max_latency mem=iomem merge_blktrace_file
        merge_blktrace_iters merge_blktrace_scalars numa_cpu_nodes numa_mem_policy opendir
        plid_select=fdp_pli_select plids=fdp_pli profile random_generator rate_cycle=ratecycle
        rw_sequencer steadystate=ss sync_file_range trim_backlog unified_rw_reporting unit_base
        verify_backlog verify_pattern verify_policy wait_for write_hint zone_reset_frequency
        zone_reset_threshold
    """,
}

# The same, of options that only some ioengines have: text to the runner.
ONLY_FIO_ENGINES = """
    arguments bindname brick busy_poll clientname clustername cmd_type cmdprio cmdprio_bssplit
    cmdprio_class cmdprio_percentage conf cpumode donorname exit_on_io_done force_async
    grace_time hipri_percentage hostname inplace interface listen mss nodelay nonvectored nowait
    pingpong pool port program protocol rbdname readfua sg_write_mode skip_bad stat_type
    std_redirect stream_id thp touch_objects ttl uncached uri userspace_reap verb volume
    window_size writefua
"""

# Ids of cases spell these by the kind that they had before the engine's table was the source: a
# history goes on. The engine reads them by its own kind.
SPELLED: dict[Kind, str] = {
    Kind.BOOL: """
        disable_bw_measurement disable_clat disable_lat disable_slat gtod_reduce
        log_alternate_epoch=log_unix_epoch
    """,
    Kind.NUMBER: "replay_align",
    Kind.MICROSECONDS: "thinktime_iotime",
    Kind.TEXT: """
        clocksource cpuchunks cpuload fallocate fixedbufs hipri rate_process registerfiles
        sqthread_poll sqthread_poll_cpu sync thinktime_blocks_type verify
    """,
}

# The values of rw, and what each transfers.
_RW = {
    "read": ("read",),
    "write": ("write",),
    "trim": ("trim",),
    "randread": ("read",),
    "randwrite": ("write",),
    "randtrim": ("trim",),
    "rw": ("read", "write"),
    "readwrite": ("read", "write"),
    "randrw": ("read", "write"),
    "trimwrite": ("trim", "write"),
    "randtrimwrite": ("trim", "write"),
}

# The words that fio takes, of options of which the words are checked.
_CHOICES: dict[str, str] = {
    "rw": " ".join(_RW),
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
SYNC_ENGINES = frozenset(
    (*engine_table.SYNCHRONOUS.split(), "vsync", "pvsync", "pvsync2", "splice")
)
DEFAULT_ENGINE = engine_table.DEFAULT_ENGINE
DEFAULT_RW = engine_table.DEFAULT_RW


def _pairs(names: str) -> Iterator[tuple[str, str]]:
    for entry in names.split():
        name, _, alias = entry.partition("=")
        yield name, alias


def _read_tables() -> tuple[dict[str, Kind], dict[str, str]]:
    """Kinds and aliases; a later table goes before an earlier one."""
    blocks = [(Kind[kind], names) for kind, names in engine_table.OPTIONS.items()]
    blocks += [*ONLY_FIO.items(), (Kind.TEXT, ONLY_FIO_ENGINES), *SPELLED.items()]
    kinds: dict[str, Kind] = {}
    aliases: dict[str, str] = {}
    for kind, names in blocks:
        for name, alias in _pairs(names):
            kinds[name] = kind
            aliases.pop(name, None)
            if alias:
                aliases[alias] = name
                kinds.pop(alias, None)
    return kinds, aliases


OPTIONS, ALIASES = _read_tables()


# How the engines read an option: by the engine's table where it has one.
READ_AS = {
    **OPTIONS,
    **{
        ALIASES.get(name, name): Kind[kind]
        for kind, names in engine_table.OPTIONS.items()
        for name, _ in _pairs(names)
    },
}


def canonical_key(key: str) -> str | None:
    """The first name of an option; None for what is not an option of fio."""
    name = ALIASES.get(key, key)
    return name if name in OPTIONS else None


def transfers_of(rw: str) -> tuple[str, ...]:
    """What a value of rw, such as ``randrw:8``, transfers; one that nobody knows may do all."""
    return _RW.get(rw.partition(":")[0].strip(), TRANSFERS)


def known_keys() -> tuple[str, ...]:
    """Every name and alias."""
    return (*OPTIONS, *ALIASES)


# What iogate-engine has: its options, by the first names here, and the words of those with words.
NATIVE_OPTIONS = frozenset(
    canonical_key(name) or name
    for names in engine_table.OPTIONS.values()
    for name, _ in _pairs(names)
)
NATIVE_CHOICES = {key: tuple(words.split()) for key, words in engine_table.CHOICES.items()}
