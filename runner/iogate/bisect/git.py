"""git bisect in a clone of our own.

The repository may be hostile. What is worked in is a fresh clone: none of its hooks, filters,
helper programs or other configuration comes along, and no submodule is fetched. Code of the
repository runs only where the build command runs it.
"""

from __future__ import annotations

import re
from pathlib import Path

from iogate.bisect.ends import Side
from iogate.errors import RunError, UsageError
from iogate.git.command import SAFE_ENV, SUBJECT, Answer, call, safe_git
from iogate.model.commit import is_commit

_UNSET = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX",
          "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_EXTERNAL_DIFF", "GIT_CONFIG_PARAMETERS",
          "GIT_CONFIG_COUNT")  # fmt: skip
_COMMAND = (
    "env", *(word for name in _UNSET for word in ("-u", name)),
    *safe_git(
        "protocol.allow=never", "protocol.file.allow=always", "submodule.recurse=false",
        "advice.detachedHead=false",
    ),
)  # fmt: skip
_TIMEOUT_S = 600.0
_FOUND = re.compile(r"^([0-9a-f]{40,64}) is the first (?:bad|new) commit", re.MULTILINE)
_POSSIBLE = re.compile(r"^# possible first (?:bad|new) commit: \[([0-9a-f]{40,64})\]", re.MULTILINE)
_LEFT = re.compile(r"Bisecting: (\d+) revisions? left")
_TERMS = {Side.GOOD: "good", Side.BAD: "bad", Side.UNCLEAR: "skip"}


class Clone:
    """A repository, and what is to be a fresh clone of it in the folder ``checkout``."""

    def __init__(self, repository: Path, checkout: Path) -> None:
        self._repository = repository
        self.checkout = checkout

    def make(self) -> None:
        """Clone it. RunError when git cannot."""
        words = ("--quiet", "--no-checkout", "--shared", "--template=", "--no-recurse-submodules")
        where = ("--", str(self._repository), str(self.checkout))
        self._checked(self._run("clone", *words, *where, fetches="file"))

    def resolve(self, ref: str) -> str:
        """The commit that a revision of the repository is. UsageError when it is none."""
        words = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}")
        done = self._run("-C", str(self._repository), *words)
        if done.status:
            raise UsageError(
                f"git knows no commit {ref!r} in {self._repository}",
                remedy=done.stderr.strip() or "give a commit, branch or tag",
            )
        return done.stdout.strip()

    def check_out(self, commit: str) -> None:
        """Put a commit in the checkout; what a build left there stays. UsageError for what is
        not its hash: git would take it for whatever it looks like."""
        if not is_commit(commit):
            raise UsageError(f"{commit!r} is no commit", remedy="resolve it to its hash first")
        self._git("checkout", "--quiet", "--force", "--detach", commit)

    def subject(self, commit: str) -> str:
        """What its author says that a commit does."""
        return self._git("log", "-1", "--no-show-signature", SUBJECT, commit).stdout.strip()

    def _git(self, *words: str, fails: bool = False) -> Answer:
        done = self._run("-C", str(self.checkout), *words)
        return done if fails else self._checked(done)

    def _run(self, *words: str, fetches: str = "") -> Answer:
        env = {**SAFE_ENV, "GIT_ALLOW_PROTOCOL": fetches}
        return call([*_COMMAND, *words], timeout_s=_TIMEOUT_S, env=env)

    def _checked(self, done: Answer, *, always: bool = False) -> Answer:
        if done.status or always:
            said = (done.stderr or done.stdout).strip()
            raise RunError(f"git {done.argv[-1]}: {said}", remedy="see what git says of it by hand")
        return done


class GitSearch(Clone):
    """As ``search.ListSearch``, over the commits between two. ``checkout`` is the folder that
    the commit to try is in."""

    def __init__(self, repository: Path, checkout: Path, good: str, bad: str) -> None:
        super().__init__(repository, checkout)
        self.good = self.resolve(good)
        self.bad = self.resolve(bad)
        self._check_order(good, bad)
        self.make()
        self._result: tuple[str, ...] = ()
        self._left = 0
        self._take(self._git("bisect", "start", "--no-checkout", self.bad, self.good))

    def _check_order(self, good: str, bad: str) -> None:
        """UsageError unless the bad end comes after the good one."""
        if self.good == self.bad:
            raise UsageError(
                f"--good {good} and --bad {bad} are the same commit",
                remedy="name a revision at which it was good, and a later one at which it is bad",
            )
        if self._is_before(self.good, self.bad):
            return
        if self._is_before(self.bad, self.good):
            raise UsageError(
                f"--good and --bad are swapped: the good {good} comes after the bad {bad}",
                remedy="give the earlier one as --good; what became better is not a regression",
            )
        raise UsageError(
            f"the bad {bad} does not come after the good {good}",
            remedy="name as --good a commit that --bad is built on (git merge-base finds one); a "
            "shallow repository has to be fetched as far back",
        )

    def _is_before(self, first: str, second: str) -> bool:
        words = ("merge-base", "--is-ancestor", first, second)
        return not self._run("-C", str(self._repository), *words).status

    @property
    def left(self) -> int:
        """How many commits git says are still to be told, about."""
        return self._left

    def next(self) -> str | None:
        """The commit to try."""
        if self._result:
            return None
        return self._git("rev-parse", "--verify", "BISECT_HEAD").stdout.strip()

    def mark(self, commit: str, side: Side) -> None:
        """Tell git what a commit is."""
        self._take(self._git("bisect", _TERMS[side], commit, fails=True))

    def result(self) -> tuple[str, ...]:
        """The first bad commit, or those of which one is."""
        return self._result

    def _take(self, done: Answer) -> None:
        left = _LEFT.search(done.stdout)
        self._left = int(left[1]) + 1 if left else 0
        match = _FOUND.search(done.stdout)
        if match:
            self._result = (match[1],)
        elif not left:
            self._result = tuple(_POSSIBLE.findall(self._git("bisect", "log").stdout))
            if not self._result:
                self._checked(done, always=True)
