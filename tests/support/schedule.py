"""Which process runs which file, when pytest has several: the tests of a file stay together, as
they share servers and devices, and the long files begin first, so that the processes end together.
"""

from __future__ import annotations

from xdist.scheduler.loadfile import LoadFileScheduling

# Half a minute and more, the longest first; of the others, those with more tests go first.
LONGEST = (
    "differential/test_same_jobs.py",
    "e2e/test_wrong_targets.py",
    "e2e/test_faults.py",
    "e2e/test_refusals.py",
    "native/test_verify.py",
    "repository/test_workflow_history.py",
    "e2e/test_dispatch_slurm.py",
    "e2e/test_kernels.py",
    "reports/test_checkers.py",
    "repository/test_workflows.py",
    "e2e/test_setup.py",
    "e2e/test_confinement.py",
    "native/test_differential.py",
    "repository/test_mutants.py",
    "e2e/test_history_faults.py",
    "e2e/test_kernels_on_a_host.py",
    "e2e/test_disturbed.py",
    "e2e/test_one_resolution.py",
    "repository/test_package.py",
    "repository/test_release.py",
    "e2e/test_run.py",
    "e2e/test_precondition.py",
    "e2e/test_regression.py",
    "repository/test_fork_gate.py",
    "repository/test_hosts_doc.py",
    "e2e/test_tutorial.py",
    "e2e/test_bisect_kernels.py",
    "e2e/test_killed.py",
    "e2e/test_history_same.py",
)
# The kernel tells of ten I/O errors in five seconds, whoever makes them.
TOGETHER = {
    "e2e/test_devices.py": "e2e/test_faults.py",
    "runner/host/test_kernel_log.py": "e2e/test_faults.py",
    "runner/host/test_kernel_log_whose.py": "e2e/test_faults.py",
}
_RANK = {file: len(LONGEST) - at for at, file in enumerate(LONGEST)}


class LongestFirst(LoadFileScheduling):  # type: ignore[misc] # xdist has no types
    """A file, or several that would be in each other's way, is a piece of work."""

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0].removeprefix("tests/")
        return TOGETHER.get(file, file)

    def _assign_work_unit(self, node: object) -> None:
        longest = max(self.workqueue, key=lambda file: _RANK.get(file, 0))
        self.workqueue.move_to_end(longest, last=False)
        super()._assign_work_unit(node)
