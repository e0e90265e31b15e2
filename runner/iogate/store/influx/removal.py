"""Taking a run out of a history on a server."""

from __future__ import annotations

from iogate.store.influx import points, reading
from iogate.store.influx.reading import Known
from iogate.store.server import Server

# The run itself is the last: a removal that was cut off is found again, and goes on.
_OF_RUN = (
    points.THRESHOLD,
    points.FAILURE,
    points.SERIES,
    points.REPETITION,
    points.VERDICT,
    points.RUN,
)


def remove_run(server: Server, run: Known) -> None:
    """Remove all points of a run. All but its intervals are at its own time; those are at the
    times at which they were measured, where another run may have some with other tags."""
    tags = {"spec": run.spec, "host": run.host, "machine": run.machine_id}
    for measured in reading.read_measurements(server, [run], series=True).get(run.id, ()):
        of_case = {"case_id": measured.case_id, "repetition": str(measured.repetition)}
        last_ns = measured.started_ns + max(points.lasted_ns(measured), measured.duration_ns)
        server.delete(points.INTERVAL, tags | of_case, measured.started_ns, last_ns)
    for name in _OF_RUN:
        server.delete(name, tags, run.time_ns, run.time_ns)
