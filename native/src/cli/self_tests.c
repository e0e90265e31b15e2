/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/self_tests.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output/output.h"
#include "run/idleness.h"
#include "stats/clock.h"
#include "verify/sums.h"

enum { PIECE_BYTES = 128 * 1024, LEAST_NS = 100 * 1000 * 1000, ROUNDS = 4, STAY_US = 2000 };

static bool is_wanted(const char *names, const char *name)
{
	const size_t length = strlen(name);

	for (const char *at = names; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
		if (!strncmp(at, name, length) && (at[length] == ',' || !at[length]))
			return true;
	return !names;
}

static double mib_per_second(const struct sum *sum, const uint8_t *piece)
{
	const uint64_t begin = clock_monotonic_ns();
	uint8_t digest[SUM_BYTES_MAX];
	uint64_t pieces = 0, ns = 0;

	for (; ns < LEAST_NS; ns = clock_monotonic_ns() - begin, pieces++)
		sum->make(piece, PIECE_BYTES, digest);
	return (double)pieces * PIECE_BYTES / (1 << 20) / ((double)ns / 1e9);
}

static void list_checksums(FILE *out)
{
	for (int method = 0; method < VERIFY_METHODS; method++)
		if (sum_of(method)->make)
			fprintf(out, "%s\n", sum_of(method)->name);
}

static bool is_known(const char *name, size_t length)
{
	for (int method = 0; method < VERIFY_METHODS; method++) {
		const struct sum *sum = sum_of(method);

		if (sum->make && strlen(sum->name) == length && !memcmp(sum->name, name, length))
			return true;
	}
	return false;
}

static int check_names(const char *names, struct err *err)
{
	for (const char *at = names; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
		if (!is_known(at, strcspn(at, ",")))
			return err_set(err, -EINVAL, "--crctest: '%.*s' is not one of those that "
				       "--crctest=help lists", (int)(strcspn(at, ",") % 40), at);
	return 0;
}

int self_test_checksums(FILE *out, const char *names, struct err *err)
{
	uint8_t *piece;
	int code;

	if (names && !strcmp(names, "help")) {
		list_checksums(out);
		return 0;
	}
	code = check_names(names, err);
	piece = code ? NULL : malloc(PIECE_BYTES);
	if (!piece)
		return code ? code : err_set(err, -ENOMEM, "--crctest: no memory");
	for (unsigned i = 0; i < PIECE_BYTES; i++)
		piece[i] = (uint8_t)(i * 131 + (i >> 8));
	for (int method = 0; method < VERIFY_METHODS; method++) {
		const struct sum *sum = sum_of(method);

		if (sum->make && is_wanted(names, sum->name))
			fprintf(out, "%s:%s%8.2f MiB/sec\n", sum->name,
				strlen(sum->name) < 7 ? "\t\t" : "\t", mib_per_second(sum, piece));
	}
	free(piece);
	return 0;
}

/* Ticks on one CPU, which must not lie before those that were seen on another. */
static bool look_on(int cpu, uint64_t *last, uint64_t *seen, uint64_t *first)
{
	cpu_set_t one;
	uint64_t begin, end;

	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	if (sched_setaffinity(0, sizeof(one), &one))
		return true;
	begin = clock_ticks();
	usleep(STAY_US);
	end = clock_ticks();
	*first = *first ? *first : begin;
	*seen += end - begin;
	if (begin < *last || end < begin)
		return false;
	*last = end;
	return true;
}

static int test_cpu(FILE *out, int cpu, uint64_t *last, struct err *err)
{
	uint64_t seen = 0, first = 0;

	for (int round = 0; round < ROUNDS; round++)
		if (!look_on(cpu, last, &seen, &first))
			return err_set(err, -ERANGE, "--cpuclock-test: the counter of CPU %d is "
				       "behind that of another", cpu);
	fprintf(out, "cs: cpu %2d: %" PRIu64 " clocks seen, first %" PRIu64 "\n", cpu, seen, first);
	return 0;
}

static int test_cpus(FILE *out, const cpu_set_t *allowed, struct err *err)
{
	uint64_t last = 0;
	int code = 0;

	fprintf(out, "cs: Testing %d CPUs\n", CPU_COUNT(allowed));
	for (int cpu = 0; cpu < CPU_SETSIZE && !code; cpu++)
		if (CPU_ISSET(cpu, allowed))
			code = test_cpu(out, cpu, &last, err);
	return code;
}

int self_test_clock(FILE *out, struct err *err)
{
	cpu_set_t allowed;
	int code;

	clock_init(true);
	clock_calibrate();
	if (!clock_state.tsc)
		return err_set(err, -ENOTSUP, "--cpuclock-test: the time stamp counter is not used "
			       "here: %s", clock_state.fallback);
	fprintf(out, "cs: %.0f Hz\n", clock_state.frequency_hz);
	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return err_set(err, -errno, "--cpuclock-test: %s", strerror(errno));
	code = test_cpus(out, &allowed, err);
	sched_setaffinity(0, sizeof(allowed), &allowed);
	if (!code && !clock_check())
		code = err_set(err, -ERANGE, "--cpuclock-test: %s", clock_state.fallback);
	fprintf(out, "cs: %s\n", code ? "Fail" : "Pass!");
	return code;
}

int self_test_idle_unit(FILE *out, struct err *err)
{
	struct idleness idle = { 0 };

	(void)err;
	idleness_calibrate(&idle);
	output_idleness(out, &idle);
	return 0;
}
