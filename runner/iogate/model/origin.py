"""Which job of a CI system asked for a run, and of what."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Origin:
    """``system`` is ``github``, ``gitlab``, ``jenkins``, ``buildkite`` or another one of
    ``iogate.ci``, ``event`` what it calls the reason of the job.

    ``proposal``: what is under test is not on a branch of the project yet, as in a pull request, a
    merge request or a merge queue. Then ``base_ref`` is the branch that it is to be merged into,
    and ``number`` its number there (0 where it has none).

    ``head_sha`` and ``head_ref`` are what is under test: of a pull request its own last commit and
    branch, not the merge commit that was made to test it, which is ``merge_sha``. ``default_ref``
    is the project's main branch, ``url`` the page of the job. What the system does not say is
    empty, and so is the branch of a tag."""

    system: str
    event: str = ""
    repository: str = ""
    head_sha: str = ""
    merge_sha: str = ""
    head_ref: str = ""
    base_ref: str = ""
    default_ref: str = ""
    proposal: bool = False
    number: int = 0
    url: str = ""

    @property
    def text(self) -> str:
        """``pull_request 12 into main of org/fs (github)``."""
        number = f" {self.number}" if self.number else ""
        into = f" into {self.base_ref}" if self.proposal and self.base_ref else ""
        where = f" of {self.repository}" if self.repository else ""
        return f"{self.event or 'job'}{number}{into}{where} ({self.system})"

    @property
    def mainlines(self) -> tuple[str, ...]:
        """The branches whose runs this one is compared with, best first: the one that it is to be
        merged into; or else its own, and where that has no runs the main one. None where the
        system did not say."""
        if self.proposal or not self.head_ref:
            return tuple(filter(None, (self.base_ref,)))
        return tuple(dict.fromkeys(filter(None, (self.head_ref, self.default_ref))))
