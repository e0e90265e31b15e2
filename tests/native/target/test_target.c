/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/sysmacros.h>

#include "core.h"
#include "target/device.h"
#include "target/expected.h"
#include "target/proc_text.h"
#include "target/target.h"

static const struct target_hooks silent;

static void names_are_fios(void **state)
{
	struct job job = core_job("psync", RW_READ, 4096);
	static const struct { const char *directory, *filename; uint32_t clone, file;
			      const char *path; } rows[] = {
		{ NULL, NULL, 0, 0, "t.0.0" }, { NULL, NULL, 3, 2, "t.3.2" },
		{ "d", NULL, 0, 1, "d/t.0.1" }, { "d", "a:b", 0, 1, "d/b" },
		{ "d", "/x:b", 0, 0, "/x" }, { NULL, "a\\:1:b\\:2", 0, 1, "b:2" },
		{ NULL, "a\\:1:b\\:2", 0, 0, "a:1" }, { "d:e", NULL, 1, 0, "e/t.1.0" },
		{ "d:e", NULL, 2, 0, "d/t.2.0" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *path;

		job.files.directory = rows[i].directory;
		job.files.names = rows[i].filename;
		path = target_path(&job, rows[i].clone, rows[i].file);
		assert_string_equal(path, rows[i].path);
		free(path);
	}
	job.files.names = "a:b\\:c:d";
	assert_int_equal(target_files_count(&job), 3);
}

static void init(struct target *t, const struct job *job)
{
	struct err err = { 0 };

	if (target_init(t, job, 0, NULL, &err))
		fail_msg("%s", err.text);
}

static uint64_t file_bytes(const struct target *t, uint32_t i)
{
	struct stat st;

	return stat(t->files[i].path, &st) ? 0 : (uint64_t)st.st_size;
}

/* Size is shared among files; what is read is really written. */
static void layout_makes_files(void **state)
{
	struct job job = core_job("psync", RW_READ, 100000);
	struct target t;
	struct err err = { 0 };
	char bytes[512];
	int fd;

	(void)state;
	job.files.names = "l1:l2:l3";
	job.amount.offset.bytes = 512;
	init(&t, &job);
	assert_int_equal(target_layout(&t, &silent, &err), 0);
	for (uint32_t i = 0; i < 3; i++) {
		assert_int_equal(t.files[i].extent.size_bytes, 33333);
		assert_int_equal(t.files[i].extent.start_bytes, 512);
		assert_int_equal(file_bytes(&t, i), 33333 + 512);
		fd = open(t.files[i].path, O_RDONLY);
		assert_int_equal(pread(fd, bytes, 512, 33333), 512);
		close(fd);
		assert_true(core_values(bytes, 512) > 100);
	}
	target_release(&t);
}

static void layout_extends_but_never_cuts(void **state)
{
	struct job job = core_job("psync", RW_WRITE, 8192);
	struct target t;
	struct err err = { 0 };

	(void)state;
	job.files.names = "grows";
	for (int i = 0; i < 3; i++) {
		static const uint64_t sizes[] = { 8192, 65536, 4096 };

		job.amount.size.bytes = sizes[i];
		init(&t, &job);
		assert_int_equal(target_layout(&t, &silent, &err), 0);
		assert_int_equal(file_bytes(&t, 0), i ? 65536 : 8192);
		assert_int_equal(t.files[0].extent.size_bytes, sizes[i]);
		target_release(&t);
	}
}

static void size_defaults_to_what_is_there(void **state)
{
	struct job job = core_job("psync", RW_READ, 65536);
	struct target t;
	struct err err = { 0 };

	(void)state;
	job.files.names = "there";
	init(&t, &job);
	assert_int_equal(target_layout(&t, &silent, &err), 0);
	target_release(&t);
	job.amount.size.bytes = 0;
	job.amount.offset.bytes = 4096;
	init(&t, &job);
	assert_int_equal(t.files[0].extent.size_bytes, 65536 - 4096);
	target_release(&t);
	job.amount.offset.bytes = 0;
	job.amount.size.percent = 25;
	init(&t, &job);
	assert_int_equal(t.files[0].extent.size_bytes, 16384);
	target_release(&t);
}

static bool stop_now(void *context)
{
	return context == NULL;
}

static void layout_can_be_stopped(void **state)
{
	const struct target_hooks hooks = { .stop = stop_now };
	struct job job = core_job("psync", RW_READ, 1 << 20);
	struct target t;
	struct err err = { 0 };

	(void)state;
	job.files.names = "stopped";
	init(&t, &job);
	assert_int_equal(target_layout(&t, &hooks, &err), -EINTR);
	assert_int_equal(file_bytes(&t, 0), 0);
	target_release(&t);
}

static void too_large_says_how_much(void **state)
{
	struct job job = core_job("psync", RW_READ, 1ull << 60);
	struct target t;
	struct err err = { 0 };

	(void)state;
	job.files.names = "huge";
	init(&t, &job);
	assert_int_equal(target_layout(&t, &silent, &err), -ENOSPC);
	assert_non_null(strstr(err.text, "1099511627776 MiB more"));
	assert_int_equal(file_bytes(&t, 0), 0);
	target_release(&t);
}

static void no_file_in_dev(void **state)
{
	struct job job = core_job("psync", RW_WRITE, 4096);
	struct target t;
	struct err err = { 0 };

	(void)state;
	job.files.names = "/dev/iogate-no-such-device";
	assert_true(target_init(&t, &job, 0, NULL, &err) < 0);
	assert_non_null(strstr(err.text, "no device"));
	target_release(&t);
}

/* A loop device of our own: its image, then it itself while mounted, are refused. */
static bool shell(const char *command, const char *argument)
{
	char line[512];

	snprintf(line, sizeof(line), "%s '%s' 2>/dev/null", command, argument);
	return !system(line);
}

static char *loop_device(const char *image, char *name, size_t size)
{
	char command[256];
	FILE *f;
	char *found;

	snprintf(command, sizeof(command), "losetup -f --show '%s' 2>/dev/null", image);
	f = popen(command, "r");
	found = f ? fgets(name, (int)size, f) : NULL;
	if (f)
		pclose(f);
	if (found)
		name[strcspn(name, "\n")] = '\0';
	return found;
}

static void assert_refused(const char *path, const char *why)
{
	struct job job = core_job("psync", RW_WRITE, 4096);
	struct target t;
	struct err err = { 0 };

	job.files.directory = NULL;
	job.files.names = path;
	assert_int_equal(target_init(&t, &job, 0, NULL, &err), -EBUSY);
	assert_non_null(strstr(err.text, why));
	target_release(&t);
	job.rw = RW_READ;
	init(&t, &job);
	target_release(&t);
}

static void what_is_in_use_is_not_written(void **state)
{
	char image[128], link[128], device[64];
	struct job job = core_job("psync", RW_WRITE, 4096);
	struct target t;

	(void)state;
	snprintf(image, sizeof(image), "%s/image", core_folder);
	snprintf(link, sizeof(link), "%s/link", core_folder);
	if (geteuid() || !shell("truncate -s 8M", image) ||
	    !loop_device(image, device, sizeof(device)))
		skip();
	assert_refused(image, "stores its blocks");
	job.files.directory = NULL;
	job.files.names = device;
	init(&t, &job);				/* unused: allowed */
	assert_int_equal(t.files[0].type, S_IFBLK);
	target_release(&t);
	assert_int_equal(symlink(device, link), 0);
	if (shell("mkfs.ext4 -q", device)) {
		char folder[128];

		snprintf(folder, sizeof(folder), "%s/mnt", core_folder);
		assert_int_equal(mkdir(folder, 0755), 0);
		assert_int_equal(mount(device, folder, "ext4", 0, NULL), 0);
		assert_refused(device, "mounted on");
		assert_refused(link, "mounted on");
		umount(folder);
	}
	assert_true(shell("losetup -d", device));
}

static void readonly_makes_and_extends_nothing(void **state)
{
	const struct target_rules reading = { .readonly = true };
	struct job job = core_job("psync", RW_READ, 8192);
	struct target t;

	(void)state;
	job.files.names = "short";
	for (int i = 0; i < 2; i++) {
		struct err err = { 0 };

		assert_int_equal(target_init(&t, &job, 0, &reading, &err), -EPERM);
		assert_non_null(strstr(err.text, i ? "has 4096 bytes, the job needs 8192"
						   : "does not exist, and --readonly forbids"));
		assert_int_equal(file_bytes(&t, 0), 4096 * (unsigned)i);
		target_release(&t);
		job.amount.size.bytes = 4096;
		init(&t, &job);
		assert_int_equal(target_layout(&t, &silent, &err), 0);
		target_release(&t);
		assert_int_equal(target_init(&t, &job, 0, &reading, &err), 0);
		target_release(&t);
		job.amount.size.bytes = 8192;
	}
}

static void no_extent_ends_past_the_largest_file(void **state)
{
	static const struct { uint64_t offset, size; } rows[] = {
		{ 4096, UINT64_MAX }, { 0, UINT64_MAX }, { 4096, INT64_MAX - 4095 },
		{ UINT64_MAX - 4095, 8192 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct job job = core_job("mmap", RW_READ, rows[i].size);
		struct target t;
		struct err err = { 0 };

		job.files.names = "none";
		job.amount.offset.bytes = rows[i].offset;
		assert_int_equal(target_init(&t, &job, 0, NULL, &err), -EFBIG);
		assert_non_null(strstr(err.text, "past the end of any file"));
		target_release(&t);
	}
}

static void a_percentage_of_a_file_that_is_not_there_is_asked_for_in_bytes(void **state)
{
	struct job job = core_job("psync", RW_READ, 0);
	struct target t;
	struct err err = { 0 };

	(void)state;
	job.files.names = "nowhere";
	assert_int_equal(target_init(&t, &job, 0, NULL, &err), -EINVAL);
	assert_non_null(strstr(err.text, "you need to specify size=: "));
	target_release(&t);
	err = (struct err){ 0 };
	job.amount.size.percent = 50;
	assert_int_equal(target_init(&t, &job, 0, NULL, &err), -EINVAL);
	assert_non_null(strstr(err.text, "size=50% of what?"));
	target_release(&t);
}

/* Between the two, in whole blocks, and the same each time. */
static void sizes_of_files_are_drawn_from_their_range(void **state)
{
	struct job job = core_job("psync", RW_WRITE, 0);
	struct target t, again;
	bool differ = false;

	(void)state;
	job.name = "ranged";
	job.files.count = 50;
	job.files.size.min_bytes = 16384;
	job.files.size.max_bytes = 65536;
	init(&t, &job);
	init(&again, &job);
	for (uint32_t i = 0; i < 50; i++) {
		const uint64_t bytes = t.files[i].extent.size_bytes;

		assert_in_range(bytes, 16384, 65536);
		assert_int_equal(bytes % 4096, 0);
		assert_int_equal(bytes, again.files[i].extent.size_bytes);
		differ = differ || bytes != t.files[0].extent.size_bytes;
	}
	assert_true(differ);
	target_release(&again);
	target_release(&t);
	job.files.size.max_bytes = 16384;
	init(&t, &job);
	for (uint32_t i = 0; i < 50; i++)
		assert_int_equal(t.files[i].extent.size_bytes, 16384);
	target_release(&t);
}

/* All of a job's files are opened, and closed, and deleted when it asks. */
static void each_file_is_opened_and_closed_and_deleted(void **state)
{
	struct job job = core_job("psync", RW_READ | RW_WRITE, 3 * 4096);
	struct engine_file files[3];
	struct target t;
	struct err err = { 0 };
	int fds[3];

	(void)state;
	job.files.names = "o1:o2:o3";
	init(&t, &job);
	assert_int_equal(target_layout(&t, &silent, &err), 0);
	assert_int_equal(target_open(&t, files, &err), 0);
	for (int i = 0; i < 3; i++) {
		fds[i] = files[i].fd;
		assert_true(fds[i] >= 0);
		assert_string_equal(files[i].path, t.files[i].path);
		assert_int_equal(files[i].end_bytes, 4096);
		assert_int_equal(fcntl(fds[i], F_GETFL) & O_ACCMODE, O_RDWR);
	}
	target_invalidate(&t, files);
	target_close(&t, files);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(files[i].fd, -1);
		assert_int_equal(fcntl(fds[i], F_GETFD), -1);
	}
	target_unlink(&t);
	assert_int_equal(file_bytes(&t, 2), 4096);
	job.files.unlink = true;
	target_unlink(&t);
	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal(access(t.files[i].path, F_OK), -1);
	assert_int_equal(target_open(&t, files, &err), -ENOENT);
	assert_non_null(strstr(err.text, "cannot open"));
	for (int i = 0; i < 3; i++)
		assert_int_equal(files[i].fd, -1);
	target_release(&t);
}

/* What a job only reads is opened to be read; sync= reaches the descriptor. */
static void a_file_is_opened_as_the_job_asks(void **state)
{
	struct job job = core_job("psync", RW_READ, 4096);
	struct engine_file file;
	struct target t;
	struct err err = { 0 };

	(void)state;
	job.files.names = "flags";
	job.sync = SYNC_DATA;
	init(&t, &job);
	assert_int_equal(target_layout(&t, &silent, &err), 0);
	assert_int_equal(target_open(&t, &file, &err), 0);
	assert_int_equal(fcntl(file.fd, F_GETFL) & (O_ACCMODE | O_SYNC), O_RDONLY | O_DSYNC);
	target_close(&t, &file);
	target_release(&t);
}

static void say_to(void *context, const char *text)
{
	snprintf(context, 128, "%s", text);
}

/* Only what is missing is laid out, and told. */
static void layout_tells_what_it_makes(void **state)
{
	char said[128] = "";
	const struct target_hooks hooks = { .say = say_to, .context = said };
	struct job job = core_job("psync", RW_READ, 4 << 20);
	struct target t;
	struct err err = { 0 };

	(void)state;
	job.files.names = "s1:s2";
	init(&t, &job);
	assert_int_equal(target_layout(&t, &hooks, &err), 0);
	assert_string_equal(said, "t: Laying out IO files (2 files / total 4MiB)");
	said[0] = '\0';
	assert_int_equal(target_layout(&t, &hooks, &err), 0);
	assert_string_equal(said, "");
	unlink(t.files[1].path);
	assert_int_equal(target_layout(&t, &hooks, &err), 0);
	assert_string_equal(said, "t: Laying out IO file (1 file / 2MiB)");
	target_release(&t);
}

static void names_in_tables_are_unescaped(void **state)
{
	static const char *const rows[][2] = {
		{ "/a\\040b", "/a b" }, { "\\011x\\134", "\tx\\" }, { "plain", "plain" },
		{ "\\040\\0409", "  9" }, { "\\z", "\\z" }, { "", "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char text[32];

		snprintf(text, sizeof(text), "%s", rows[i][0]);
		proc_unescape(text);
		assert_string_equal(text, rows[i][1]);
	}
}

static void a_new_file_is_made_where_it_is_expected(void **state)
{
	static struct expected_list list;
	char text[256], path[128];
	struct stat folder, st;
	struct err err = { 0 };
	int fd;

	(void)state;
	list.count = 0;
	snprintf(path, sizeof(path), "%s/made", core_folder);
	assert_int_equal(stat(core_folder, &folder), 0);
	snprintf(text, sizeof(text), "new %u:%u %lu 0:0 0 0 %s", major(folder.st_dev),
		 minor(folder.st_dev), (unsigned long)folder.st_ino, path);
	assert_int_equal(expected_add(&list, text, &err), 0);
	assert_int_equal(expected_stat(&list, path, &st, &err), -ENOENT);
	fd = expected_open(&list, path, O_RDWR | O_CREAT, &err);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "x", 1), 1);
	close(fd);
	assert_int_equal(expected_stat(&list, path, &st, &err), 0);
	assert_int_equal(st.st_size, 1);
	assert_true(expected_open(&list, "/etc/hostname", O_RDONLY, &err) < 0);
	expected_unlink(&list, path);
	assert_int_equal(access(path, F_OK), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_fios),
		cmocka_unit_test(layout_makes_files),
		cmocka_unit_test(layout_extends_but_never_cuts),
		cmocka_unit_test(size_defaults_to_what_is_there),
		cmocka_unit_test(layout_can_be_stopped),
		cmocka_unit_test(too_large_says_how_much),
		cmocka_unit_test(no_file_in_dev),
		cmocka_unit_test(what_is_in_use_is_not_written),
		cmocka_unit_test(readonly_makes_and_extends_nothing),
		cmocka_unit_test(no_extent_ends_past_the_largest_file),
		cmocka_unit_test(a_percentage_of_a_file_that_is_not_there_is_asked_for_in_bytes),
		cmocka_unit_test(sizes_of_files_are_drawn_from_their_range),
		cmocka_unit_test(each_file_is_opened_and_closed_and_deleted),
		cmocka_unit_test(a_file_is_opened_as_the_job_asks),
		cmocka_unit_test(layout_tells_what_it_makes),
		cmocka_unit_test(names_in_tables_are_unescaped),
		cmocka_unit_test(a_new_file_is_made_where_it_is_expected),
	};

	return cmocka_run_group_tests(tests, core_setup, core_teardown);
}
