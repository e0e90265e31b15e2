/* SPDX-License-Identifier: Apache-2.0 */
#include "worker/worker_shared.h"

#include <linux/futex.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

void futex_wait(_Atomic uint32_t *word, uint32_t value, uint64_t timeout_ns)
{
	const struct timespec timeout = {
		.tv_sec = (time_t)(timeout_ns / 1000000000u),
		.tv_nsec = (long)(timeout_ns % 1000000000u),
	};

	syscall(SYS_futex, word, FUTEX_WAIT, value, &timeout, NULL, 0);
}

void futex_wake_all(_Atomic uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

void worker_error(struct worker_shared *shared, int error, const char *format, ...)
{
	va_list arguments;

	if (shared->error || (!error && shared->error_text[0]))
		return;
	shared->error = error;
	va_start(arguments, format);
	vsnprintf(shared->error_text, sizeof(shared->error_text), format, arguments);
	va_end(arguments);
}
