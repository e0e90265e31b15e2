/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "engines/kept_program.h"
#include "engines/single_io.h"
#include "job/option.h"

/*
 * Runs a program beside other jobs: what watches them, say, or a pause. It moves no data.
 *
 * The job begins with the program, and ends when the program does, or at its runtime: then the
 * program gets SIGTERM, and SIGKILL when it is still there after grace_time. So it is, too, when
 * the run is interrupted; when the engine is killed, it is killed with it. All that it has started
 * ends with it (engines/kept_program.h). A program that fails before its time makes the job fail.
 *
 * arguments= is cut at blanks, and nothing is quoted. In each word %r is the runtime in whole
 * seconds, 0 where there is none, and %n the name of the job. The program has the engine's
 * environment and working directory, there is nothing for it to read, and what it prints goes to
 * the files NAME.stdout and NAME.stderr in the working directory, of clones NAME.CLONE.stdout,
 * which are written anew. With std_redirect=0 it is printed among the errors of the engine:
 * results stand alone.
 *
 * One "I/O" is a look of a tenth of a second at whether the program has ended.
 */
struct exec_options {
	const char *program, *arguments;
	uint64_t grace_ns;
	bool redirect;
};

struct exec_state {
	struct single_io io;		/* the first: what single_io_ works on */
	struct kept_program program;
	char **argv;
	int out, err;			/* -1: the engine's own errors */
	bool begun;
};

enum { LOOK_MS = 100, NS_PER_S = 1000000000 };

#define OWN(field) OPTION_FIELD(struct exec_options, field)

static const struct option exec_options[] = {
	{ "arguments", NULL, &type_text, OWN(arguments),
	  .help = "What the program is called with, cut at blanks; %r is the runtime in seconds, "
		  "%n the name of the job." },
	{ "grace_time", NULL, &type_time, OWN(grace_ns), "1", .unit_ns = NS_PER_S,
	  .help = "From SIGTERM at the end of the runtime to SIGKILL; a number without unit is in "
		  "seconds." },
	{ "program", NULL, &type_text, OWN(program),
	  .help = "The program to run: a path, or a name that PATH leads to." },
	{ "std_redirect", NULL, &type_bool, OWN(redirect), "1",
	  .help = "Write what it prints to NAME.stdout and NAME.stderr in the working directory; "
		  "0: to the engine's errors." },
	{ .name = NULL },
};

static int exec_check(struct job *job, struct err *err)
{
	const struct exec_options *o = job->engine_options;

	if (o->program && *o->program)
		return 0;
	return err_set(err, -EINVAL, "ioengine=exec needs program: set program=, and what it is "
		       "called with as arguments=");
}

static bool can_run(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, X_OK);
}

/* As execvp(3) will look for it. */
static bool is_there(const char *program)
{
	const char *at = getenv("PATH");
	char path[PATH_MAX];

	if (strchr(program, '/'))
		return can_run(program);
	at = at ? at : "/bin:/usr/bin";
	while (*at) {
		const size_t length = strcspn(at, ":");

		snprintf(path, sizeof(path), "%.*s/%s", length ? (int)length : 1,
			 length ? at : ".", program);
		if (can_run(path))
			return true;
		at += length + (at[length] == ':');
	}
	return false;
}

/* One word of arguments=, with what stands in it. */
static char *expand(const struct job *job, const char *word, size_t length)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (size_t i = 0; out && i < length; i++) {
		if (word[i] == '%' && i + 1 < length && word[i + 1] == 'r')
			fprintf(out, "%" PRIu64, job->time.runtime_ns / NS_PER_S);
		else if (word[i] == '%' && i + 1 < length && word[i + 1] == 'n')
			fputs(job->name, out);
		else {
			fputc(word[i], out);
			continue;
		}
		i++;
	}
	if (!out || fclose(out))
		return NULL;
	return text;
}

static void free_words(char **words)
{
	for (size_t i = 0; words && words[i]; i++)
		free(words[i]);
	free(words);
}

/* The program and its arguments; NULL: no memory. */
static char **make_words(const struct job *job)
{
	const struct exec_options *o = job->engine_options;
	const char *at = o->arguments ? o->arguments : "";
	char **words = calloc(strlen(at) / 2 + 3, sizeof(*words));
	size_t count = 0;

	if (!words)
		return NULL;
	words[count++] = strdup(o->program);
	for (at += strspn(at, " "); *at && words[count - 1]; at += strspn(at, " ")) {
		words[count++] = expand(job, at, strcspn(at, " "));
		at += strcspn(at, " ");
	}
	if (words[count - 1])
		return words;
	free_words(words);
	return NULL;
}

/* Where what it prints to `stream` goes. False: no file can have that name. */
static bool name_output(const struct engine *e, const char *stream, char path[PATH_MAX])
{
	char clone[16] = "";

	if (e->job->process.numjobs > 1)
		snprintf(clone, sizeof(clone), ".%" PRIu32, e->clone);
	return snprintf(path, PATH_MAX, "%s%s.%s", e->job->name, clone, stream) < PATH_MAX;
}

static int open_output(const struct engine *e, const char *stream)
{
	char path[PATH_MAX];
	int fd = -1;

	/* A FIFO that nobody reads is an error, and no wait without end. */
	if (name_output(e, stream, path))
		fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC | O_NONBLOCK,
			  0644);
	else
		errno = ENAMETOOLONG;
	if (fd >= 0 && !fcntl(fd, F_SETFL, O_APPEND))
		return fd;
	if (fd >= 0)
		close(fd);
	return err_set(e->err, -errno, "cannot create '%.200s' for what the program prints: %s: "
		       "rename the job, or set std_redirect=0", path, strerror(errno));
}

static int open_outputs(const struct engine *e, struct exec_state *s)
{
	const struct exec_options *o = e->job->engine_options;

	if (!o->redirect)
		return 0;
	s->out = open_output(e, "stdout");
	if (s->out >= 0)
		s->err = open_output(e, "stderr");
	return s->out < 0 ? s->out : s->err < 0 ? s->err : 0;
}

static void exec_close(struct engine *e)
{
	const struct exec_options *o = e->job->engine_options;
	struct exec_state *s = e->state;

	if (s->begun)
		kept_program_end(&s->program, o->grace_ns);
	if (s->out >= 0)
		close(s->out);
	if (s->err >= 0)
		close(s->err);
	free_words(s->argv);
	s->begun = false;
	s->out = s->err = -1;
	s->argv = NULL;
}

static int exec_open(struct engine *e)
{
	const struct exec_options *o = e->job->engine_options;
	struct exec_state *s = e->state;
	int ret;

	s->out = s->err = -1;
	if (!is_there(o->program))
		return err_set(e->err, -ENOENT, "there is no program '%.200s' that may be run: set "
			       "program= to a path, or to a name that PATH leads to", o->program);
	s->argv = make_words(e->job);
	if (!s->argv)
		return err_set(e->err, -ENOMEM, "no memory for arguments");
	ret = open_outputs(e, s);
	if (ret)
		exec_close(e);
	return ret;
}

static int begin(struct engine *e, struct exec_state *s)
{
	const int ret = kept_program_start(&s->program, s->argv,
					   s->out < 0 ? STDERR_FILENO : s->out,
					   s->err < 0 ? STDERR_FILENO : s->err);

	if (ret)
		return err_set(e->err, ret, "cannot start '%.200s': %s", s->argv[0],
			       strerror(-ret));
	s->begun = true;
	return 0;
}

/* 0, or -errno of a program that was not started, or failed. */
static int judge(struct engine *e, const struct program_end *end)
{
	const struct exec_state *s = e->state;
	char path[PATH_MAX] = "", where[256] = "";

	if (s->err >= 0 && name_output(e, "stderr", path))
		snprintf(where, sizeof(where), "; what it said is in '%.200s'", path);
	if (end->error == ECHILD)
		return err_set(e->err, -ECHILD, "'%.200s' was ended, as the process that kept it "
			       "was killed%s", s->argv[0], where);
	if (end->error)
		return err_set(e->err, -end->error, "cannot run '%.200s': %s", s->argv[0],
			       strerror(end->error));
	if (WIFSIGNALED(end->status))
		return err_set(e->err, -ECANCELED, "'%.200s' was ended by a signal: %s%s",
			       s->argv[0], strsignal(WTERMSIG(end->status)), where);
	if (!WEXITSTATUS(end->status))
		return 0;
	return err_set(e->err, -ECANCELED, "'%.200s' ended with status %d%s", s->argv[0],
		       WEXITSTATUS(end->status), where);
}

static int exec_commit(struct engine *e)
{
	struct exec_state *s = e->state;
	struct program_end end;
	int ret = 0;

	s->io.io->result = s->program.ended ? IO_NO_MORE : 0;
	if (!s->begun)
		ret = begin(e, s);
	if (!ret && !s->program.ended && kept_program_wait(&s->program, LOOK_MS, &end))
		ret = judge(e, &end);
	return ret ? ret : 1;
}

const struct engine_ops engine_exec = {
	.name = "exec",
	.help = "does no I/O: runs a program, which ends with the job",
	.depth_max = 1,
	.flags = ENGINE_NO_DATA | ENGINE_RUNS,
	.files = &engine_no_files,
	.state_size = sizeof(struct exec_state),
	.options = exec_options,
	.options_size = sizeof(struct exec_options),
	.check = exec_check,
	.open = exec_open,
	.close = exec_close,
	.queue = single_io_queue,
	.commit = exec_commit,
	.reap = single_io_reap,
};
