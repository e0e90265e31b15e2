/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_ENGINES_NET_LINK_H
#define IOGATE_ENGINES_NET_LINK_H

#include <sys/socket.h>

#include "engines/single_io.h"
#include "job/option.h"

/*
 * For ioengines whose other end is a process behind a socket (net, netsplice): their options,
 * how the two find each other, and how they part. What goes over the wire is what fio's do,
 * so that either end may be fio:
 *
 *	- Blocks follow each other without anything between them.
 *	- A datagram of 8 bytes, "link" and 0x98 as 32 bits in network order, comes before the
 *	  first block of UDP. Nobody answers.
 *	- Who is done sends 8 bytes, "link" and 0x89 as two numbers of 32 bits in the order of
 *	  x86, and closes.
 *
 * Every wait is in slices, between which is looked whether the run ends: NET_SLICE_MS.
 */
struct net_options {
	const char *host, *interface;	/* NULL: none */
	uint32_t port;			/* of the first clone; 0: none */
	enum net_protocol { NET_TCP, NET_TCP6, NET_UDP, NET_UDP6, NET_UNIX } protocol;
	uint32_t ttl, window_bytes, mss_bytes;	/* the last two 0: as the kernel has it */
	bool listens, nodelay, pingpong;
};

enum {
	NET_SLICE_MS = 100,
	NET_CONNECT_S = 10,		/* of a job without runtime: until somebody listens */
	NET_ACCEPT_S = 60,		/* until somebody connects */
	NET_SILENCE_S = 60,		/* until something moves again */
	NET_GROUP_MS = 500,		/* until who is set up meanwhile has joined */
	NET_GOODBYE_SLICES = 20,	/* until what was sent before leaves room for it */
	NET_DATAGRAM_MAX = 65507,
	NET_WORD_BYTES = 8,		/* of the first and of the last word */
};

/* The beginning of an engine's state. */
struct net_link {
	struct single_io single;	/* the first: what single_io_ works on */
	int fd;
	bool open;
	bool ended;			/* the other side, or the run: nothing more comes */
	uint64_t end_ns;		/* of the runtime, CLOCK_MONOTONIC; UINT64_MAX: none */
	struct sockaddr_storage peer;	/* of UDP: who sent last, or where to */
	socklen_t peer_bytes;		/* 0: fd is connected */
	char last[NET_WORD_BYTES];	/* what has come last: the end of a block, or of several */
};

extern const struct option net_options[];
extern const struct engine_files net_files;

static inline const struct net_options *net_options_of(const struct engine *e)
{
	return e->job->engine_options;
}

static inline bool net_is_datagram(const struct net_options *o)
{
	return o->protocol == NET_UDP || o->protocol == NET_UDP6;
}

/* net_check.c: both engines' check(). */
int net_check(struct job *job, struct err *err);
/* net_check.c: both engines' meets(). */
bool net_meets(const struct job *a, uint32_t clone_a, const struct job *b, uint32_t clone_b);

/* net_open.c: open() of both: bind, listen, accept, connect, greet. */
int net_open(struct engine *e);

/* net_link.c. */

/* Some of a block, at most `bytes`: how many, 0 when the other side has no more, or -1 and errno
 * (EAGAIN: nothing for a slice). */
typedef ssize_t (*net_move)(struct engine *e, char *at, size_t bytes);

ssize_t net_receive(struct engine *e, char *at, size_t bytes);
ssize_t net_send(struct engine *e, char *at, size_t bytes);
/* commit(): the block, and with pingpong its way back. */
int net_commit(struct engine *e, net_move receive, net_move send);
void net_close(struct engine *e);
bool net_says_hello(const char *at, size_t bytes);
int net_say_hello(const struct net_link *link);		/* 0 or -errno */

#endif
