/* SPDX-License-Identifier: Apache-2.0 */
#include "engines/net_address.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

bool net_address_parse(const struct net_options *o, const char *host, struct net_address *a)
{
	const bool six = net_is_six(o);
	const char *here = six ? "::1" : "127.0.0.1";
	const char *text = host && !strcmp(host, "localhost") ? here : host;

	memset(a, 0, sizeof(*a));
	a->any.sa_family = six ? AF_INET6 : AF_INET;
	a->bytes = six ? sizeof(a->six) : sizeof(a->four);
	return !text || inet_pton(a->any.sa_family, text, six ? (void *)&a->six.sin6_addr
							     : &a->four.sin_addr) == 1;
}

bool net_address_is_loopback(const struct net_address *a)
{
	if (a->any.sa_family == AF_INET6)
		return IN6_IS_ADDR_LOOPBACK(&a->six.sin6_addr);
	return ntohl(a->four.sin_addr.s_addr) >> IN_CLASSA_NSHIFT == IN_LOOPBACKNET;
}

bool net_address_is_multicast(const struct net_address *a)
{
	if (a->any.sa_family == AF_INET6)
		return IN6_IS_ADDR_MULTICAST(&a->six.sin6_addr);
	return a->any.sa_family == AF_INET && IN_MULTICAST(ntohl(a->four.sin_addr.s_addr));
}

static int path_address(const struct engine *e, struct net_address *a)
{
	const char *path = e->files[0].path;

	if (strlen(path) >= sizeof(a->path.sun_path))
		return err_set(e->err, -ENAMETOOLONG, "the path of a socket has at most %zu bytes: "
			       "make filename= shorter", sizeof(a->path.sun_path) - 1);
	memset(a, 0, sizeof(*a));
	a->path.sun_family = AF_UNIX;
	memcpy(a->path.sun_path, path, strlen(path) + 1);
	a->bytes = sizeof(a->path);
	return 0;
}

int net_address_of(const struct engine *e, const char *host, struct net_address *a)
{
	const struct net_options *o = net_options_of(e);
	const uint16_t port = htons((uint16_t)(o->port + e->clone));
	const bool six = net_is_six(o);

	if (o->protocol == NET_UNIX)
		return path_address(e, a);
	if (!net_address_parse(o, host, a))
		return err_set(e->err, -EINVAL, "hostname=%s is no IPv%c address, and names are "
			       "not looked up: give the address (getent ahosts NAME tells it), of "
			       "IPv%c with protocol=%s", host, six ? '6' : '4', six ? '4' : '6',
			       six ? "tcp or udp" : "tcpv6 or udpv6");
	if (six)
		a->six.sin6_port = port;
	else
		a->four.sin_port = port;
	return 0;
}

const char *net_address_words(const struct engine *e, char *text, size_t size)
{
	const struct net_options *o = net_options_of(e);

	if (o->protocol == NET_UNIX)
		snprintf(text, size, "'%s'", e->files[0].path);
	else
		snprintf(text, size, "%s port %u", o->host ? o->host : "any address",
			 o->port + e->clone);
	return text;
}
