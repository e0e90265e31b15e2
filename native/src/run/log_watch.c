/* SPDX-License-Identifier: Apache-2.0 */
#include "run/log_watch.h"

#include <errno.h>
#include <stdlib.h>

int log_watch_init(struct log_watch *w, struct workers *workers, struct err *err)
{
	*w = (struct log_watch){
		.logs = calloc(workers->count + 1, sizeof(*w->logs)),
		.samplers = calloc(workers->count + 1, sizeof(*w->samplers)),
	};
	if (!w->logs || !w->samplers)
		return err_set(err, -ENOMEM, "no memory for the logs of %u jobs", workers->count);
	for (uint32_t i = 0; i < workers->count; i++) {
		struct worker *worker = &workers->members[i].worker;
		const int ret = logs_init(&w->logs[i], worker->job, i + 1, err);

		w->count = i + 1;
		if (ret)
			return ret;
		log_sampler_init(&w->samplers[i], &w->logs[i], worker->shared);
		worker->logs = &w->logs[i];
	}
	return 0;
}

uint64_t log_watch_tick(struct log_watch *w, uint32_t first, uint32_t end, uint64_t now_ns)
{
	uint64_t due = UINT64_MAX;

	for (uint32_t i = first; i < end; i++) {
		const uint64_t next = log_sampler_tick(&w->samplers[i], now_ns);

		due = next < due ? next : due;
	}
	return due;
}

void log_watch_finish(struct log_watch *w, struct workers *workers, uint32_t first, uint32_t end)
{
	for (uint32_t i = first; i < end; i++) {
		struct err err = { 0 };

		if (log_sampler_finish(&w->samplers[i], &err))
			worker_error(workers->members[i].worker.shared, -err.code, "%s", err.text);
	}
}

void log_watch_release(struct log_watch *w)
{
	for (uint32_t i = 0; i < w->count; i++) {
		log_sampler_release(&w->samplers[i]);
		logs_release(&w->logs[i]);
	}
	free(w->logs);
	free(w->samplers);
	*w = (struct log_watch){ 0 };
}
