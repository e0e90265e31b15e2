"""``baseline.compare`` in a spec."""

from __future__ import annotations

from pathlib import Path

import pytest

from iogate.errors import SpecError
from iogate.spec.load import load_spec_text

SPEC = """\
version: 1
targets: {{ d: {{ directory: /srv/x }} }}
workloads: {{ w: {{ target: d, fio: {{ rw: read, size: 1m }} }} }}
baseline: {{ window: 3, compare: {0} }}
"""


def test_facts_to_compare_by_are_read() -> None:
    text = SPEC.format("{ also: [vm.*, memory.total_bytes], across: [kernel.*] }")
    rule = load_spec_text(text, Path("a.yaml")).baseline
    assert rule.also == ("vm.*", "memory.total_bytes")
    assert (rule.across, rule.window) == (("kernel.*",), 3)


@pytest.mark.parametrize(
    "text", ["[kernel.*]", "{ besides: [x] }", "{ also: vm.* }", "{ across: [''] }"]
)
def test_anything_else_is_refused_with_its_place(text: str) -> None:
    with pytest.raises(SpecError) as caught:
        load_spec_text(SPEC.format(text), Path("a.yaml"))
    assert caught.value.where is not None
    assert caught.value.where.line == 4
