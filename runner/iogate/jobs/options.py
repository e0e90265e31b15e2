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
        fdp
    """,
    Kind.TEXT: """
        dataplacement=data_placement dp_scheme merge_blktrace_file merge_blktrace_iters
        merge_blktrace_scalars plid_select=fdp_pli_select plids=fdp_pli
    """,
}

# The same, of options that only some ioengines have: text to the runner.
ONLY_FIO_ENGINES = """
    bindname brick busy_poll clientname clustername cmd_type conf pool rbdname readfua
    sg_write_mode skip_bad stream_id touch_objects uri verb volume writefua
"""

# Ids of cases spell these by the kind that they had before the engine's table was the source: a
# history goes on. The engine reads them by its own kind.
SPELLED: dict[Kind, str] = {
    Kind.BOOL: "log_alternate_epoch=log_unix_epoch",
    Kind.NUMBER: """
        replay_align gtod_cpu nice hugepage-size iomem_align=mem_align offset_align
    """,
    Kind.MICROSECONDS: "thinktime_iotime",
    Kind.TEXT: """
        clocksource cpuchunks cpuload fallocate fixedbufs hipri hipri_percentage rate_process
        registerfiles cmdprio cmdprio_class cmdprio_percentage dedupe_mode fadvise_hint filetype
        lockfile lockmem mem=iomem write_hint continue_on_error exit_what io_submit_mode
        log_window_value=log_max_value rate_cycle=ratecycle rw_sequencer sqthread_poll
        sqthread_poll_cpu sync thinktime_blocks_type verify cpus_allowed_policy kb_base
        unified_rw_reporting unit_base verify_backlog random_generator verify_policy
        trim_backlog cpumode exit_on_io_done force_async grace_time inplace nonvectored nowait
        thp stat_type std_redirect uncached userspace_reap listen mss nodelay pingpong port
        protocol=proto ttl window_size
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

# Of these engines a submission is the whole I/O: they have no submission latency, and no depth.
SYNC_ENGINES = frozenset(engine_table.SYNCHRONOUS.split())
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
