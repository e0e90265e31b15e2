/* SPDX-License-Identifier: Apache-2.0 */
#define FUSE_USE_VERSION 31

#include <errno.h>
#include <fuse.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>

/*
 * A disk of known slowness: a filesystem with one file, /image, to put a loop device on.
 * Each request for it takes as long as /control says, which can change at any time:
 *
 *	delay_us=N		every request
 *	stall_ms=N every_ms=M	requests of N of every M ms wait for their end; the first time
 *	first_ms=N		so long after this was written
 *	fail_at=N		the N-th request from now on fails with EIO; 0: none
 *
 * What is written there starts the counts anew; reading it gives what requests really
 * took here: "requests N\nsum_ns N\nmin_ns N\nmax_ns N\n".
 */
enum { BACKGROUND_MAX = 256, CONTROL_BYTES = 4096 };

static struct {
	char *image;
	size_t image_bytes;
	pthread_mutex_t lock;
	uint64_t delay_ns, stall_ns, every_ns, first_ns, fail_at, begin_ns;
	uint64_t requests, sum_ns, min_ns, max_ns;
} disk = { .lock = PTHREAD_MUTEX_INITIALIZER };

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void sleep_until(uint64_t ns)
{
	const struct timespec t = { .tv_sec = (time_t)(ns / 1000000000u),
				    .tv_nsec = (long)(ns % 1000000000u) };

	prctl(PR_SET_TIMERSLACK, 1);
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
		;
}

/* How long a stall still lasts, so long after the disk was told to have some. */
static uint64_t stalled_ns(uint64_t past_ns)
{
	uint64_t into;

	if (!disk.every_ns || past_ns < disk.first_ns)
		return 0;
	into = (past_ns - disk.first_ns) % disk.every_ns;
	return into < disk.stall_ns ? disk.stall_ns - into : 0;
}

/* When a request that comes now is to be answered; true: with an error. */
static int plan(uint64_t now, uint64_t *answer)
{
	int fails;

	pthread_mutex_lock(&disk.lock);
	*answer = now + disk.delay_ns + stalled_ns(now - disk.begin_ns);
	fails = ++disk.requests == disk.fail_at;
	pthread_mutex_unlock(&disk.lock);
	return fails;
}

static void count(uint64_t took)
{
	pthread_mutex_lock(&disk.lock);
	disk.sum_ns += took;
	disk.min_ns = took < disk.min_ns ? took : disk.min_ns;
	disk.max_ns = took > disk.max_ns ? took : disk.max_ns;
	pthread_mutex_unlock(&disk.lock);
}

static int serve(void)
{
	const uint64_t begin = now_ns();
	uint64_t answer;
	const int fails = plan(begin, &answer);

	if (answer > begin)
		sleep_until(answer);
	count(now_ns() - begin);
	return fails ? -EIO : 0;
}

static int is_control(const char *path)
{
	return !strcmp(path, "/control");
}

static int read_control(char *out, size_t size)
{
	int length;

	pthread_mutex_lock(&disk.lock);
	length = snprintf(out, size, "requests %" PRIu64 "\nsum_ns %" PRIu64 "\nmin_ns %" PRIu64
			  "\nmax_ns %" PRIu64 "\n", disk.requests, disk.sum_ns,
			  disk.requests ? disk.min_ns : 0, disk.max_ns);
	pthread_mutex_unlock(&disk.lock);
	return length < (int)size ? length : (int)size;
}

static uint64_t setting(const char *text, const char *key)
{
	const char *at = strstr(text, key);

	return at ? strtoull(at + strlen(key), NULL, 10) : 0;
}

static int write_control(const char *text, size_t size)
{
	char copy[CONTROL_BYTES] = "";

	memcpy(copy, text, size < sizeof(copy) - 1 ? size : sizeof(copy) - 1);
	pthread_mutex_lock(&disk.lock);
	disk.delay_ns = setting(copy, "delay_us=") * 1000;
	disk.stall_ns = setting(copy, "stall_ms=") * 1000000;
	disk.every_ns = setting(copy, "every_ms=") * 1000000;
	disk.first_ns = setting(copy, "first_ms=") * 1000000;
	disk.fail_at = setting(copy, "fail_at=");
	disk.requests = disk.sum_ns = disk.max_ns = 0;
	disk.min_ns = UINT64_MAX;
	disk.begin_ns = now_ns();
	pthread_mutex_unlock(&disk.lock);
	return (int)size;
}

static void *delay_init(struct fuse_conn_info *connection, struct fuse_config *config)
{
	connection->max_background = BACKGROUND_MAX;
	config->direct_io = 1;
	return NULL;
}

static int delay_getattr(const char *path, struct stat *st, struct fuse_file_info *file)
{
	(void)file;
	memset(st, 0, sizeof(*st));
	st->st_nlink = 1;
	if (!strcmp(path, "/"))
		st->st_mode = S_IFDIR | 0755;
	else if (is_control(path) || !strcmp(path, "/image"))
		st->st_mode = S_IFREG | 0644;
	else
		return -ENOENT;
	st->st_size = is_control(path) ? CONTROL_BYTES : (off_t)disk.image_bytes;
	return 0;
}

static int delay_readdir(const char *path, void *entries, fuse_fill_dir_t fill, off_t offset,
			 struct fuse_file_info *file, enum fuse_readdir_flags flags)
{
	(void)path, (void)offset, (void)file, (void)flags;
	fill(entries, "image", NULL, 0, 0);
	fill(entries, "control", NULL, 0, 0);
	return 0;
}

static int delay_truncate(const char *path, off_t size, struct fuse_file_info *file)
{
	(void)size, (void)file;
	return is_control(path) ? 0 : -EPERM;
}

static size_t inside(off_t offset, size_t size)
{
	if ((size_t)offset >= disk.image_bytes)
		return 0;
	return size < disk.image_bytes - (size_t)offset ? size
							: disk.image_bytes - (size_t)offset;
}

static int delay_read(const char *path, char *out, size_t size, off_t offset,
		      struct fuse_file_info *file)
{
	int ret;

	(void)file;
	if (is_control(path))
		return offset ? 0 : read_control(out, size);
	ret = serve();
	if (ret)
		return ret;
	size = inside(offset, size);
	memcpy(out, disk.image + offset, size);
	return (int)size;
}

static int delay_write(const char *path, const char *in, size_t size, off_t offset,
		       struct fuse_file_info *file)
{
	int ret;

	(void)file;
	if (is_control(path))
		return write_control(in, size);
	ret = serve();
	if (ret)
		return ret;
	size = inside(offset, size);
	memcpy(disk.image + offset, in, size);
	return (int)size;
}

static const struct fuse_operations operations = {
	.init = delay_init,
	.getattr = delay_getattr,
	.readdir = delay_readdir,
	.truncate = delay_truncate,
	.read = delay_read,
	.write = delay_write,
};

/* fuse_delay MIB MOUNTPOINT [fuse options], in the foreground. */
int main(int argc, char **argv)
{
	if (argc < 3) {
		fprintf(stderr, "usage: %s MIB MOUNTPOINT [-o options]\n", argv[0]);
		return 2;
	}
	disk.image_bytes = strtoull(argv[1], NULL, 10) << 20;
	disk.image = mmap(NULL, disk.image_bytes, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (disk.image == MAP_FAILED) {
		perror("mmap");
		return 1;
	}
	write_control("", 0);
	argv[1] = argv[0];
	return fuse_main(argc - 1, argv + 1, &operations, NULL);
}
