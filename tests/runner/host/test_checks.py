"""What the checks of a host say of sensors that a virtual machine does not have."""

from __future__ import annotations

import pytest

from iogate.host.checks import CHECKS, Examined, Severity
from iogate.sut.local import LocalSut


class WithSensor(LocalSut):
    """This machine with one sensor, in thousandths of a degree."""

    def __init__(self, temperature: int) -> None:
        self._temperature = temperature

    def list_dir(self, path: str) -> tuple[str, ...]:
        return ("thermal_zone0",) if path == "/sys/class/thermal" else super().list_dir(path)

    def read_text(self, path: str) -> str | None:
        if path == "/sys/class/thermal/thermal_zone0/temp":
            return f"{self._temperature}\n"
        return super().read_text(path)


@pytest.mark.parametrize(
    ("temperature", "severity", "text"),
    [(85_000, Severity.OK, "85 °C"), (86_000, Severity.WARN, "86 °C")],
)
def test_a_hot_host_is_warned_of(temperature: int, severity: Severity, text: str) -> None:
    check = next(check for check in CHECKS if check.id == "temperature")
    finding = check.look(WithSensor(temperature), Examined("/tmp", None))
    assert finding is not None
    assert (finding.severity, finding.found) == (severity, text)
