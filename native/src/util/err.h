/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_ERR_H
#define IOGATE_ERR_H

#include <stdbool.h>

/*
 * Errors travel up as a return value (0, a count, or -errno) with their text in
 * a struct err that the caller owns. Only main.c prints them. The text says what
 * happened, where (file:line:column when a file is at fault) and what to do.
 */
struct err {
	int code;		/* 0: none; otherwise -errno */
	bool refused;		/* for safety: nothing was touched */
	char text[1024];
};

/* Fill *err (which may be NULL) and return code, so that callers write
 * `return err_set(err, -EINVAL, "...", ...);`. The first error set wins. */
__attribute__((format(printf, 3, 4)))
int err_set(struct err *err, int code, const char *format, ...);
/* As err_set, of what is refused for safety: the engine then ends with a status of its own. */
__attribute__((format(printf, 3, 4)))
int err_refuse(struct err *err, int code, const char *format, ...);
/* As err_set, but what is there already stays, and this follows on a line of its own: for
 * mistakes that a person mends together. Of too many the last line is "...". */
__attribute__((format(printf, 3, 4)))
int err_add(struct err *err, int code, const char *format, ...);
#ifdef __clang_analyzer__	/* does not look into other files to see what is returned */
#define err_set(err, code, ...) ((err_set)((err), (code), __VA_ARGS__), (code))
#define err_refuse(err, code, ...) ((err_refuse)((err), (code), __VA_ARGS__), (code))
#define err_add(err, code, ...) ((err_add)((err), (code), __VA_ARGS__), (code))
#endif

/* An error of ours, not of the user: print where and abort. */
#define BUG(text) bug_at(__FILE__, __LINE__, text)
_Noreturn void bug_at(const char *file, int line, const char *text);

#endif
