"""A machine with md, as far as iogate asks for it: mdadm and what the kernel tells of arrays, over
devices that are really there. Few kernels that the tests run on have it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from iogate.errors import RunError
from iogate.sut.base import Completed, FileStat
from iogate.sut.local import LocalSut

_MD = "/md/"


@dataclass
class _Array:
    uuid: str
    members: list[str]
    told: dict[str, str]


@dataclass
class WithArrays(LocalSut):
    """``superblocks`` are the UUIDs on devices, ``running`` the arrays by their names, ``busy``
    those that are in use. ``ran`` is each call of mdadm. An array is never run once it is made:
    its members have superblocks then, as in a kernel that lacks its level."""

    superblocks: dict[str, str] = field(default_factory=dict)
    running: dict[str, _Array] = field(default_factory=dict)
    busy: set[str] = field(default_factory=set)
    ran: list[tuple[str, ...]] = field(default_factory=list)
    installed: bool = True
    levels: str = "[raid0] [raid1] [raid6] [raid5] [raid4]"

    def assemble(self, name: str, uuid: str, members: Sequence[str], level: str = "raid1") -> None:
        """What udev, or a person, does."""
        told = {"level": level, "metadata_version": "1.2", "sync_action": "idle", "degraded": "0"}
        self.running[name] = _Array(uuid, list(members), told)

    def which(self, program: str) -> str | None:
        if program == "mdadm":
            return "/sbin/mdadm" if self.installed else None
        return super().which(program)

    def run(
        self,
        argv: Sequence[str],
        *,
        timeout_s: float = 30.0,
        env: Mapping[str, str] | None = None,
        stdin: str = "",
    ) -> Completed:
        if argv[0] != "mdadm":
            return super().run(argv, timeout_s=timeout_s, env=env, stdin=stdin)
        if not self.installed:
            raise RunError("cannot run mdadm: No such file or directory")
        self.ran.append(tuple(argv[1:]))
        if argv[1] == "--create":
            uuid = next(word[len("--uuid=") :] for word in argv if word.startswith("--uuid="))
            self.superblocks |= dict.fromkeys((w for w in argv[3:] if w.startswith("/dev/")), uuid)
            return Completed(tuple(argv), 1, "", "mdadm: RUN_ARRAY failed: Invalid argument")
        act = {"--examine": self._examine, "--stop": self._stop, "--zero-superblock": self._zero}
        error, text = act[argv[1]](argv[-1])
        return Completed(tuple(argv), 1 if error else 0, text, error)

    def _examine(self, path: str) -> tuple[str, str]:
        uuid = self.superblocks.get(path, "")
        parted = ":".join(uuid.replace("-", "")[at : at + 8] for at in range(0, 32, 8))
        return ("", f"MD_LEVEL=raid1\nMD_UUID={parted}\n") if uuid else ("no superblock", "")

    def _stop(self, path: str) -> tuple[str, str]:
        name = path.rpartition("/")[2]
        if name in self.busy:
            return f"mdadm: Cannot get exclusive access to {path}", ""
        del self.running[name]
        return "", ""

    def _zero(self, path: str) -> tuple[str, str]:
        if any(path in array.members for array in self.running.values()):
            return f"mdadm: Couldn't open {path} for write - not zeroing", ""
        self.superblocks.pop(path)
        return "", ""

    def list_dir(self, path: str) -> tuple[str, ...]:
        parts = path.split("/")
        if path == "/sys/block":
            return (*super().list_dir(path), *self.running)
        if parts[-1] == "slaves" and parts[-2] in self.running:
            return tuple(each.rpartition("/")[2] for each in self.running[parts[-2]].members)
        held = [n for n, array in self.running.items() if f"/dev/{parts[-2]}" in array.members]
        return (*super().list_dir(path), *(held if parts[-1] == "holders" else ()))

    def read_text(self, path: str) -> str | None:
        name, inside, attribute = path.removeprefix("/sys/block/").partition(_MD)
        if inside and name in self.running:
            return self.running[name].told.get(attribute)
        if path == "/proc/mdstat":
            return f"Personalities : {self.levels}\n"
        return super().read_text(path)

    def stat(self, path: str) -> FileStat | None:
        taken = path.removeprefix("/sys/block/") in self.running
        return super().stat("/sys" if taken else path)
