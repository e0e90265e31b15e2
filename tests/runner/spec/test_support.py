from __future__ import annotations

import pytest

from iogate.errors import SpecError
from iogate.spec import check_native, expand_spec
from support.specs import fio, load


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ("verify: sha256", ["verify=sha256"]),
        ("bsrange: 4k-8k, verify_backlog: 100", ["bsrange", "verify_backlog"]),
        ("ioengine: splice", ["ioengine=splice"]),
        ("rw: randtrim", ["rw=randtrim"]),
        ("zonemode: zbd", ["zonemode=zbd"]),
    ],
)
def test_what_fio_has_and_the_engine_does_not_is_named(options: str, names: list[str]) -> None:
    plan = expand_spec(load(fio(f"size: 1m, {options}")))
    with pytest.raises(SpecError) as caught:
        check_native(plan)
    found = (caught.value, *caught.value.others)
    assert len(found) == len(names)
    for error, name in zip(found, names, strict=True):
        assert name in error.what
        assert "--engine fio" in error.remedy
        assert error.where is not None
        assert error.where.line == 4


def test_what_it_has_is_no_problem() -> None:
    check_native(expand_spec(load(fio("size: 1m, rw: randrw, ioengine: libaio, iodepth: 4"))))
