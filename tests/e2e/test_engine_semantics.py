"""A run with a later engine is compared with the runs of an earlier one, unless its numbers mean
another thing."""

from __future__ import annotations

from .conftest import ROOT, Iogate

SPEC = """\
version: 1
name: engines
targets: { here: { directory: auto } }
workloads:
  reads:
    target: here
    fio: { rw: randread, bs: 4k, size: 1m, ioengine: psync, number_ios: 40 }
    repetitions: 3
    thresholds:
      read.iops: ["vs baseline > -99%"]
baseline: { min_samples: 3 }
on_missing_baseline: fail
"""
# The engine of another version, which says so on its output and in its results.
ENGINE = """\
#!/bin/bash
set -o pipefail
later() {{ sed -e 's/^iogate-engine-.*/iogate-engine-{version}/' \
    -e 's/"version" *: *"[^"]*"/"version": "{version}"/' -e '{semantics}' "$@"; }}
{engine} "$@" | later
status=$?
for word; do case "$word" in --output=*) later -i "${{word#--output=}}";; esac; done
exit $status
"""
UNSAID = '/"semantics" *:/d'


def says(number: int) -> str:
    return f's/"semantics" *: *[0-9]*/"semantics": {number}/'


def take(iogate: Iogate, version: str, semantics: str) -> None:
    """From now on iogate runs an engine of that version."""
    engine = iogate.folder / f"engine-{version}"
    program = ROOT / "native/build/iogate-engine"
    engine.write_text(ENGINE.format(version=version, engine=program, semantics=semantics))
    engine.chmod(0o755)
    iogate.env["IOGATE_ENGINE"] = str(engine)


def test_a_history_goes_on_until_numbers_mean_another_thing(iogate: Iogate) -> None:
    spec = iogate.spec(SPEC)
    take(iogate, "0.1.0", UNSAID)
    assert iogate("run", spec, "--unconfined", "--trust").code == 5  # nothing to compare with
    first = iogate.run_document()
    assert "engine.semantics" not in first["environment"]
    take(iogate, "0.2.0", says(1))
    done = iogate("run", spec, "--unconfined", "--trust")
    assert done.code == 0, done.text
    second = iogate.run_document()
    assert second["verdict"]["baseline"]["runs"] == [first["id"]]
    facts = second["environment"]
    assert (facts["engine.version"], facts["engine.semantics"]) == ("0.2.0", 1)
    engines = [each["engine"] for each in second["measurements"]]
    assert {(each["version"], each["semantics"]) for each in engines} == {("0.2.0", 1)}
    take(iogate, "0.2.1", says(2))
    done = iogate("run", spec, "--unconfined", "--trust")
    assert done.code == 5, done.text
    assert "2 earlier runs are of another environment: engine.semantics" in done.text
    shown = iogate("trend", spec).out
    assert "engine.semantics 1 → 2" in shown
    assert "engine.version" not in shown
