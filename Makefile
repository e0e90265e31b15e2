# make demo    measure this machine's disk for half a minute: verdict and report
# make demo-reports  a year of made-up nights: its diff report, trend site and fleet page
# make test    every test and every static check
# make lint    the static checks alone
# make docs    a site of the docs, into build/docs; links that lead nowhere fail
# make dist    what a release consists of, into dist: sdist, wheels, engines
# make test-install  install that on systems without a compiler, use it, take it away; needs root
# make bench   speed and memory against fio
# make bench-engine   instructions, rates, CPU time and memory of the engine beside fio's
# make bench-verdict  error rates of the verdict by simulation, and how long it takes
# make bench-real  iogate ab on devices that became slower, in real runs; an hour, needs root
# make bench-reports  how long reports take to make and to show, and how large they are
# make bench-truth    what the engine measures against what happened; needs root
# make bench-elsewhere  what a machine by ssh, 20 ms away, or a virtual one costs; needs root
# make bench-quiet    how many of 200 repetitions are marked as disturbed where nothing does
# make kills   a hundred runs killed at random moments: the host is as it was before; needs root
# make kernels  two kernels compared to the verdict, in virtual machines and on a host, and a bisection over 16
# make mutants  small changes to the code that some test should notice; SAMPLE=25 SEED=1 PART=python ROOMS=stats
# make differential  some 700 job files under fio and under our engine: where they agree
# make bench-history  what a history costs beside its bare backend
# make clean   remove what was built; the history and the virtual environment stay
# make help    this text

.PHONY: docs dist test-install help demo demo-reports test lint bench bench-engine bench-verdict bench-real bench-truth bench-history bench-quiet bench-reports bench-elsewhere kills kernels differential clean
help:
	@sed -n 's/^# //p' Makefile

docs demo demo-reports test lint bench bench-engine bench-verdict bench-real bench-truth bench-history bench-quiet bench-reports bench-elsewhere kills mutants differential dist test-install:
	@scripts/$@

kernels:
	IOGATE_WHOLE_KERNELS=1 scripts/test -q tests/e2e/test_kernels.py tests/e2e/test_kernels_on_a_host.py tests/e2e/test_bisect_kernels.py

clean:
	$(MAKE) -C native clean
	rm -rf build dist .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
