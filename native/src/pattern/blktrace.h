/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_BLKTRACE_H
#define IOGATE_BLKTRACE_H

#include "pattern/trace_reader.h"

/*
 * A binary trace of blktrace(8), as `blkparse DEVICE -o /dev/null -d FILE` writes it, in either
 * byte order. Replayed is what was queued (Q): reads, writes, discards as trims and flushes as
 * syncs, at the time from the first of them on.
 */
bool blktrace_is_meant(const char *bytes, size_t length);

/* Pure: devices are named "MAJOR:MINOR" at first. 0, or -errno with *r->err. */
int blktrace_read(struct trace_reader *r, const char *bytes, size_t length);

/* Each device by the node that the kernel has for its number now. -ENODEV where there is none. */
int blktrace_name_devices(struct trace *t, const char *name, struct err *err);

#endif
