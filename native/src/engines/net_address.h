/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_ENGINES_NET_ADDRESS_H
#define IOGATE_ENGINES_NET_ADDRESS_H

#include <netinet/in.h>
#include <sys/un.h>

#include "engines/net_link.h"

/* Where a socket is. */
struct net_address {
	union {
		struct sockaddr any;
		struct sockaddr_in four;
		struct sockaddr_in6 six;
		struct sockaddr_un path;
	};
	socklen_t bytes;
};

static inline bool net_is_six(const struct net_options *o)
{
	return o->protocol == NET_TCP6 || o->protocol == NET_UDP6;
}

/* For whoever comes; the other one goes there. */
static inline bool net_waits(const struct job *job)
{
	const struct net_options *o = job->engine_options;
	const bool by_way = net_is_datagram(o) || o->protocol == NET_UNIX;

	return by_way ? !(job->rw & RW_WRITE) : o->listens;
}

/* Of a host, without a port; NULL: all addresses of this one. False: it is no address of the
 * protocol's family. */
bool net_address_parse(const struct net_options *o, const char *host, struct net_address *a);
bool net_address_is_loopback(const struct net_address *a);
bool net_address_is_multicast(const struct net_address *a);
/* Of the engine's clone, or its path. 0, or -errno with text in e->err. */
int net_address_of(const struct engine *e, const char *host, struct net_address *a);
/* "127.0.0.1 port 9000", or the path: returns text. */
const char *net_address_words(const struct engine *e, char *text, size_t size);

#endif
