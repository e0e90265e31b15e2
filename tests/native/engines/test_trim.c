/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>

#include "core.h"

/* Trims by each engine, of a loop device and of a file, among other I/Os. */
enum { BLOCK = 65536, BLOCKS = 4 };

static char image[128], device[64];

static void line_of(const char *command, char *line, int size)
{
	FILE *f = popen(command, "r");

	line[0] = '\0';
	if (f && fgets(line, size, f))
		line[strcspn(line, "\n")] = '\0';
	if (f)
		pclose(f);
}

static void write_blocks(const char *path)
{
	char *block = malloc(BLOCK);
	const int fd = open(path, O_RDWR | O_CREAT, 0600);

	assert_true(block && fd >= 0);
	memset(block, 7, BLOCK);
	for (int i = 0; i < BLOCKS; i++)
		assert_int_equal(pwrite(fd, block, BLOCK, (off_t)i * BLOCK), BLOCK);
	assert_int_equal(fsync(fd), 0);
	close(fd);
	free(block);
}

/* What all bytes of a block are; -1: not all the same. */
static int content(const char *path, int number)
{
	unsigned char *block = malloc(BLOCK);
	const int fd = open(path, O_RDONLY);
	int found;

	assert_true(block && fd >= 0);
	assert_int_equal(pread(fd, block, BLOCK, (off_t)number * BLOCK), BLOCK);
	found = memcmp(block, block + 1, BLOCK - 1) ? -1 : block[0];
	close(fd);
	free(block);
	return found;
}

static long long stored_blocks(void)
{
	struct stat st;

	assert_int_equal(stat(image, &st), 0);
	return (long long)st.st_blocks;
}

/* Hand I/Os over together, and wait for all of them. */
static void issue(struct engine *e, struct io *ios, unsigned count)
{
	struct io *done[4];
	unsigned found = 0;

	for (unsigned i = 0; i < count; i++)
		e->ops->queue(e, &ios[i]);
	assert_true(e->ops->commit(e) >= 0);
	while (found < count) {
		const int n = e->ops->reap(e, 1, done);

		assert_true(n > 0);
		found += (unsigned)n;
	}
	assert_int_equal(found, count);
}

static void with_engine(const struct engine_ops *ops, const char *path,
			void (*use)(struct engine *e))
{
	struct job job = core_job(ops->name, RW_READ | RW_WRITE, BLOCKS * BLOCK);
	struct err err = { 0 };
	struct engine_file file = { .fd = open(path, O_RDWR), .end_bytes = BLOCKS * BLOCK,
				    .path = path };
	struct engine e = {
		.ops = ops, .job = &job, .err = &err, .files = &file, .files_count = 1,
		.depth = engine_is_sync(ops) ? 1 : 4, .reap_max = engine_is_sync(ops) ? 1 : 4,
		.buffer_bytes = BLOCK, .ios = aligned_alloc(64, 4 * sizeof(struct io)),
		.buffers = aligned_alloc(4096, 4 * BLOCK),
		.state = aligned_alloc(64, 4096), .io_spaces = aligned_alloc(64, 4096),
	};

	assert_true(file.fd >= 0 && ops->state_size <= 4096 && ops->io_space <= 1024);
	memset(e.state, 0, 4096);
	memset(e.io_spaces, 0, 4096);
	memset(e.ios, 0, 4 * sizeof(struct io));
	for (uint32_t i = 0; i < 4; i++) {
		e.ios[i].slot = i;
		e.ios[i].home = e.ios[i].buffer = (char *)e.buffers + (size_t)i * BLOCK;
		e.ios[i].length = BLOCK;
	}
	assert_int_equal(ops->open ? ops->open(&e) : 0, 0);
	use(&e);
	if (ops->close)
		ops->close(&e);
	close(file.fd);
	free(e.ios);
	free(e.buffers);
	free(e.state);
	free(e.io_spaces);
}

static void trim_the_second(struct engine *e)
{
	e->ios[0].dir = DIR_TRIM;
	e->ios[0].offset = BLOCK;
	issue(e, e->ios, 1);
	assert_int_equal(e->ios[0].result, BLOCK);
}

/* Two trims and two reads in flight: each comes back once, with its own result. */
static void trim_among_reads(struct engine *e)
{
	for (unsigned i = 0; i < 4; i++) {
		e->ios[i].dir = i % 2 ? DIR_TRIM : DIR_READ;
		e->ios[i].offset = (uint64_t)i * BLOCK;
	}
	issue(e, e->ios, 4);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(e->ios[i].result, BLOCK);
	assert_int_equal(((char *)e->ios[2].buffer)[5], 7);
}

static void a_device_discards(void **state)
{
	char command[256];

	(void)state;
	if (geteuid())
		skip();
	snprintf(image, sizeof(image), "%s/image", core_folder);
	write_blocks(image);
	snprintf(command, sizeof(command), "losetup -f --show '%s' 2>/dev/null", image);
	line_of(command, device, sizeof(device));
	if (!device[0])
		skip();
	/* Detached when the last descriptor closes, however the test ends. */
	const int held = open(device, O_RDONLY);

	snprintf(command, sizeof(command), "losetup -d '%s'", device);
	assert_int_equal(system(command), 0);
	assert_true(held >= 0);
	core_for_each_engine(ops) {
		if (engine_is_diskless(*ops))
			continue;
		write_blocks(device);
		const long long before = stored_blocks();

		with_engine(*ops, device, trim_the_second);
		assert_int_equal(content(device, 0), 7);
		assert_int_equal(content(device, 1), 0);
		assert_int_equal(content(device, 2), 7);
		assert_true(stored_blocks() < before);
		if (engine_is_sync(*ops))
			continue;
		write_blocks(device);
		with_engine(*ops, device, trim_among_reads);
		for (int i = 0; i < BLOCKS; i++)
			assert_int_equal(content(device, i), i % 2 ? 0 : 7);
	}
	close(held);
}

static void trim_fails(struct engine *e)
{
	e->ios[0].dir = DIR_TRIM;
	e->ios[0].offset = BLOCK;
	issue(e, e->ios, 1);
	assert_int_equal(e->ios[0].result, -EOPNOTSUPP);
}

static void a_file_is_not_trimmed(void **state)
{
	char path[128];

	(void)state;
	snprintf(path, sizeof(path), "%s/file", core_folder);
	write_blocks(path);
	core_for_each_engine(ops) {
		if (engine_is_diskless(*ops))
			continue;
		with_engine(*ops, path, trim_fails);
		assert_int_equal(content(path, 1), 7);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_device_discards),
		cmocka_unit_test(a_file_is_not_trimmed),
	};

	return cmocka_run_group_tests(tests, core_setup, core_teardown);
}
