"""Why a limit ended as it did: in the parts that are shown apart, and as a sentence. The gate makes
the parts, and nobody takes a sentence apart again."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a limit ended as it did. ``subject`` is what was judged (``write.iops of oltp``),
    ``detail`` what came of it and what it was held against (``12.3 k/s, limit > 10k (median of 3
    repetitions)``), joined to it by ``verb``. ``why`` says what those numbers do not (``within
    the limit, but the interval reaches past it``), and each of ``remarks`` what else there is to
    tell, or to do."""

    subject: str
    detail: str = ""
    why: str = ""
    remarks: tuple[str, ...] = ()
    verb: str = "is"

    @property
    def sentence(self) -> str:
        """All of it."""
        head = f"{self.subject} {self.verb} {self.detail}" if self.detail else self.subject
        return _joined(head, self.why, self.remarks)

    @property
    def predicate(self) -> str:
        """All of it but the subject, for those who show that beside it."""
        return _joined(self.detail, self.why, self.remarks)

    @property
    def remark(self) -> str:
        """What is to be told beside the numbers; often nothing."""
        return _joined("", self.why, self.remarks)

    def and_remark(self, *remarks: str) -> Reason:
        """The same, and something more to tell; empty texts are left out."""
        return replace(self, remarks=(*self.remarks, *filter(None, remarks)))


def _joined(head: str, why: str, remarks: tuple[str, ...]) -> str:
    return "; ".join(filter(None, (": ".join(filter(None, (head, why))), *remarks)))
