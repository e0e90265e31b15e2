/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/eta.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run/status.h"
#include "stats/clock.h"
#include "stats/stats.h"
#include "util/humanize.h"

enum { PIPE_BUFFER = 65536 };

/* The number after "key": in our own status lines, from `json` on; 0 without. */
static double number_after(const char *json, const char *key)
{
	char quoted[40];
	const char *at;

	snprintf(quoted, sizeof(quoted), "\"%s\":", key);
	at = json ? strstr(json, quoted) : NULL;
	return at ? strtod(at + strlen(quoted), NULL) : 0;
}

static const char *dir_object(const char *json, const char *name)
{
	char quoted[40];

	snprintf(quoted, sizeof(quoted), "\"%s\":{", name);
	return strstr(json, quoted);
}

struct text {
	char *room;
	int used;
};

__attribute__((format(printf, 2, 3)))
static void add(struct text *t, const char *format, ...)
{
	va_list arguments;
	int n;

	va_start(arguments, format);
	n = vsnprintf(t->room + t->used, (size_t)(ETA_TEXT_MAX - t->used), format, arguments);
	va_end(arguments);
	if (n > 0)
		t->used = t->used + n < ETA_TEXT_MAX ? t->used + n : ETA_TEXT_MAX - 1;
}

/* fio's letter for what a job does. */
static char job_letter(uint32_t rw)
{
	const bool random = rw & RW_RANDOM;

	if ((rw & RW_READ) && (rw & RW_WRITE))
		return random ? 'm' : 'M';
	if (rw & RW_READ)
		return random ? 'r' : 'R';
	if (rw & RW_WRITE)
		return random ? 'w' : 'W';
	return random ? 'd' : 'D';
}

struct letters {
	struct text *text;
	char letter;			/* of the last ones */
	unsigned count;			/* of them; 0: of none yet */
	bool some;			/* others stand before them */
};

static void add_last_letter(struct letters *l)
{
	if (l->count)
		add(l->text, "%s%c(%u)", l->some ? "," : "[", l->letter, l->count);
	l->some = l->some || l->count;
}

static void add_letter(struct letters *l, char letter)
{
	if (letter != l->letter) {
		add_last_letter(l);
		l->letter = letter;
		l->count = 0;
	}
	l->count++;
}

/* The status line's "R3_1": what each worker does, one after the other. */
struct doing {
	const char *at;
	unsigned long left;		/* of those that do what the last letter says */
	char letter;
};

static struct doing doing_in(const char *json)
{
	static const char key[] = "\"workers\":\"";
	const char *at = strstr(json, key);

	return (struct doing){ .at = at ? at + strlen(key) : "" };
}

/* Of the next worker; '\0': none is told. */
static char doing_next(struct doing *d)
{
	char *end;

	if (!d->left && *d->at && *d->at != '"') {
		d->letter = *d->at;
		d->left = strtoul(d->at + 1, &end, 10);
		d->at = end;
	}
	if (!d->left)
		return '\0';
	d->left--;
	return d->letter;
}

/* "[r(4),_(1)]": each clone in its turn. */
static void add_letters(struct text *t, const struct job_list *jobs, const char *json)
{
	struct letters letters = { .text = t };
	struct doing doing = doing_in(json);

	for (size_t i = 0; i < jobs->count; i++) {
		for (uint32_t clone = 0; clone < jobs->jobs[i].process.numjobs; clone++) {
			const char letter = doing_next(&doing);

			if (letter)
				add_letter(&letters, letter == 'R' ? job_letter(jobs->jobs[i].rw)
								   : letter);
		}
	}
	add_last_letter(&letters);
	add(t, letters.some ? "]" : "");
}

static void add_rates(struct text *t, const char *json)
{
	static const char letters[DIR_DATA_COUNT] = { 'r', 'w', 't' };
	char bw[ETA_TEXT_MAX] = "", iops[ETA_TEXT_MAX] = "";
	struct text bw_text = { bw, 0 }, iops_text = { iops, 0 };

	for (int dir = 0; dir < DIR_DATA_COUNT; dir++) {
		const char *object = dir_object(json, io_dir_names[dir]);
		const double rate = number_after(object, "iops");
		char number[HUMANIZE_SIZE];

		if (rate <= 0)
			continue;
		add(&bw_text, "%s%c=%s/s", bw_text.used ? "," : "", letters[dir],
		    humanize_bytes(number, (uint64_t)number_after(object, "bw_bytes"), 1024,
				   4));
		add(&iops_text, "%s%c=%s", iops_text.used ? "," : "", letters[dir],
		    humanize_count(number, (uint64_t)rate, 4));
	}
	if (bw_text.used)
		add(t, "[%s][%s IOPS]", bw, iops);
}

static void add_eta(struct text *t, const char *json)
{
	const unsigned seconds = (unsigned)(number_after(json, "eta_ms") / 1000);
	const unsigned hours = seconds / 3600;

	add(t, "[eta ");
	if (hours)
		add(t, "%02uh:", hours);
	add(t, "%02um:%02us]", seconds / 60 % 60, seconds % 60);
}

int eta_text(char text[ETA_TEXT_MAX], const char *json, const struct job_list *jobs)
{
	const unsigned running = (unsigned)number_after(json, "jobs_running");
	struct text t = { text, 0 };
	uint64_t files = 0;

	if (!strstr(json, "\"status/1\""))
		return 0;
	if (strstr(json, "\"state\":\"layout\"")) {
		add(&t, "Laying out files");
		return t.used;
	}
	for (size_t i = 0; i < jobs->count; i++)
		files = jobs->jobs[i].files.count > files ? jobs->jobs[i].files.count : files;
	add(&t, "Jobs: %u (f=%" PRIu64 "): ", running, running * files);
	add_letters(&t, jobs, json);
	add(&t, strstr(json, "\"state\":\"ramp\"") ? "[ramp]" : "[%.1f%%]",
	    number_after(json, "percent"));
	add_rates(&t, json);
	add_eta(&t, json);
	return t.used;
}

static void show_line(struct eta *e, char *line)
{
	const uint64_t now = clock_monotonic_ns();
	char text[ETA_TEXT_MAX];
	bool keep;

	if (now - e->shown_ns < e->interval_ns || !eta_text(text, line, e->jobs))
		return;
	keep = e->newline_ns && now - e->kept_ns >= e->newline_ns;
	dprintf(e->screen_fd, "%-*s%c", e->width, text, keep ? '\n' : '\r');
	e->width = keep ? 0 : (int)strlen(text);
	e->shown_ns = now;
	e->kept_ns = keep ? now : e->kept_ns;
}

static void pass_on(int fd, const char *bytes, size_t length)
{
	if (fd < 0 || !status_has_room(fd))
		return;
	while (length) {
		const ssize_t n = write(fd, bytes, length);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return;
		bytes += n;
		length -= (size_t)n;
	}
}

static void *eta_run(void *argument)
{
	struct eta *e = argument;
	FILE *stream = fdopen(e->read_fd, "r");
	char *line = NULL;
	size_t size = 0;
	ssize_t n;

	while (stream && (n = getline(&line, &size, stream)) > 0) {
		pass_on(e->pass_fd, line, (size_t)n);
		show_line(e, line);
	}
	free(line);
	if (stream)
		fclose(stream);
	return NULL;
}

int eta_start(struct eta *e, const struct job_list *jobs, int pass_fd, int screen_fd,
	      struct err *err)
{
	int fds[2];
	int code;

	e->pass_fd = pass_fd;
	e->screen_fd = screen_fd;
	e->jobs = jobs;
	e->kept_ns = clock_monotonic_ns();
	if (pipe2(fds, O_CLOEXEC))
		return err_set(err, -errno, "cannot make a pipe: %s", strerror(errno));
	fcntl(fds[1], F_SETPIPE_SZ, PIPE_BUFFER);
	e->read_fd = fds[0];
	e->status_fd = fds[1];
	code = pthread_create(&e->thread, NULL, eta_run, e);
	if (code)
		return err_set(err, -code, "cannot start a thread: %s", strerror(code));
	e->started = 1;
	return 0;
}

void eta_stop(struct eta *e)
{
	if (!e->started)
		return;
	close(e->status_fd);
	pthread_join(e->thread, NULL);
	if (isatty(e->screen_fd))
		dprintf(e->screen_fd, "%*s\r", e->width, "");
	else if (e->width)
		dprintf(e->screen_fd, "\n");
	e->started = 0;
}
