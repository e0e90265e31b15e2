/* SPDX-License-Identifier: Apache-2.0 */
#include "engines/net_address.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>

#include "stats/clock.h"

/* How long the other side is waited for, and why not longer. */
struct patience {
	const struct engine *e;
	uint64_t end_ns;
};

static int fail(const struct engine *e, int code, const char *what, const char *advice)
{
	char place[256];

	return err_set(e->err, code, "cannot %s %s: %s: %s", what,
		       net_address_words(e, place, sizeof(place)), strerror(-code), advice);
}

static struct patience patience_of(const struct engine *e, unsigned usual_s)
{
	const uint64_t runtime_ns = e->job->time.runtime_ns;
	const uint64_t usual_ns = usual_s * UINT64_C(1000000000);

	return (struct patience){ e, clock_monotonic_ns() + (runtime_ns ? runtime_ns : usual_ns) };
}

/* 0: go on; or -errno with a text. `what` has not happened yet. */
static int over(const struct patience *p, const char *what)
{
	const uint32_t stop = atomic_load_explicit(p->e->stop, memory_order_relaxed);
	char place[256];

	net_address_words(p->e, place, sizeof(place));
	if (stop)
		return err_set(p->e->err, -ECANCELED, "%s: %s (%s)", stop == ENGINE_STOP_ALONE
			       ? "the job at the other end has failed" : "the run ended before",
			       what, place);
	if (clock_monotonic_ns() < p->end_ns)
		return 0;
	return err_set(p->e->err, -ETIMEDOUT, "%s (%s): start the other job meanwhile, or set "
		       "runtime, which is how long it is waited for", what, place);
}

static int set(const struct engine *e, int level, int name, int value, const char *option)
{
	const struct net_link *link = e->state;

	if (!setsockopt(link->fd, level, name, &value, sizeof(value)))
		return 0;
	return err_set(e->err, -errno, "%s=%d: the kernel does not take it: %s", option, value,
		       strerror(errno));
}

/* What is blocked looks up after each slice. */
static int set_slices(const struct net_link *link)
{
	const struct timeval slice = { 0, NET_SLICE_MS * 1000 };

	if (setsockopt(link->fd, SOL_SOCKET, SO_RCVTIMEO, &slice, sizeof(slice)) ||
	    setsockopt(link->fd, SOL_SOCKET, SO_SNDTIMEO, &slice, sizeof(slice)))
		return -errno;
	return 0;
}

static int set_options(const struct engine *e)
{
	const struct net_options *o = net_options_of(e);
	const int buffer = e->job->rw & RW_WRITE ? SO_SNDBUF : SO_RCVBUF;
	const bool tcp = o->protocol == NET_TCP || o->protocol == NET_TCP6;
	int ret = 0;

	if (o->window_bytes)
		ret = set(e, SOL_SOCKET, buffer, (int)o->window_bytes, "window_size");
	if (!ret && tcp && o->mss_bytes)
		ret = set(e, IPPROTO_TCP, TCP_MAXSEG, (int)o->mss_bytes, "mss");
	if (!ret && tcp && o->nodelay)		/* who is accepted has it from who listens */
		ret = set(e, IPPROTO_TCP, TCP_NODELAY, 1, "nodelay");
	return ret;
}

static int make_socket(const struct engine *e, const struct net_address *a)
{
	const int type = net_is_datagram(net_options_of(e)) ? SOCK_DGRAM : SOCK_STREAM;
	struct net_link *link = e->state;
	int ret;

	link->fd = socket(a->any.sa_family, type | SOCK_CLOEXEC, 0);
	if (link->fd < 0)
		return fail(e, -errno, "make a socket for", "see whether this machine has the "
			    "protocol");
	ret = set_slices(link);
	ret = ret ? ret : set_options(e);
	if (ret)
		close(link->fd);
	return ret;
}

/* A socket that nobody has open is left of who had no time to remove it. Asked for datagrams, one
 * that somebody has refuses by its kind, also before it listens; a connection would be taken for
 * that of who sends. */
static bool is_left_over(const struct net_address *a)
{
	struct stat st;
	int fd, ret;

	if (lstat(a->path.sun_path, &st) || !S_ISSOCK(st.st_mode))
		return false;
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return false;
	ret = connect(fd, &a->any, a->bytes) ? -errno : 0;
	close(fd);
	return ret == -ECONNREFUSED;
}

static int bind_there(const struct engine *e, const struct net_address *a)
{
	const bool path = a->any.sa_family == AF_UNIX;
	const struct net_link *link = e->state;
	int ret = bind(link->fd, &a->any, a->bytes) ? -errno : 0;

	if (ret == -EADDRINUSE && path && is_left_over(a) && !unlink(a->path.sun_path))
		ret = bind(link->fd, &a->any, a->bytes) ? -errno : 0;
	if (ret)
		return fail(e, ret, "listen at", ret == -EACCES
			    ? "this process may not; a spec declares it under network: listen"
			    : path ? "give a path where nothing is, in a directory that is there"
				   : "another process has it, or it is not to be had: choose "
				     "another port at both ends");
	return 0;
}

static int wait_readable(const struct patience *p, int fd, const char *whom)
{
	struct pollfd look = { fd, POLLIN, 0 };
	int ret = 0;

	while (!ret && poll(&look, 1, NET_SLICE_MS) <= 0)
		ret = over(p, whom);
	return ret;
}

/* Who listens has one connection: whoever comes later is refused. A path leads to nobody from then
 * on: once nobody has it, it may be another job's. */
static int take_connection(const struct engine *e, const struct net_address *a)
{
	const struct patience p = patience_of(e, NET_ACCEPT_S);
	struct net_link *link = e->state;
	const int listener = link->fd;
	int ret = listen(listener, 1) ? fail(e, -errno, "listen at", "choose another port") : 0;

	do {
		ret = ret ? ret : wait_readable(&p, listener, "nobody has connected");
		link->fd = ret ? -1 : accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	} while (!ret && link->fd < 0 && (errno == ECONNABORTED || errno == EAGAIN));
	if (!ret && link->fd < 0)
		ret = fail(e, -errno, "accept at", "see how many files this process may open");
	ret = ret ? ret : set_slices(link);
	if (a->any.sa_family == AF_UNIX)
		unlink(a->path.sun_path);
	close(listener);
	return ret;
}

static int listen_there(const struct engine *e, const struct net_address *a)
{
	struct net_link *link = e->state;
	int ret = make_socket(e, a);

	if (ret)
		return ret;
	if (a->any.sa_family != AF_UNIX)
		ret = set(e, SOL_SOCKET, SO_REUSEADDR, 1, "port");
	ret = ret ? ret : bind_there(e, a);
	if (ret) {
		close(link->fd);
		return ret;
	}
	return take_connection(e, a);
}

/* Nobody is there yet. */
static bool may_come(int code)
{
	return code == -ECONNREFUSED || code == -ENOENT || code == -EAGAIN;
}

static int try_connect(const struct engine *e, const struct net_address *a,
		       const struct patience *p)
{
	struct net_link *link = e->state;
	int ret;

	do
		ret = connect(link->fd, &a->any, a->bytes) ? -errno : 0;
	while ((ret == -EINPROGRESS || ret == -EALREADY || ret == -EINTR) &&
	       !over(p, "nobody answers"));
	if (e->err->text[0])
		return -ETIMEDOUT;
	/* Of UDP the first datagram tells; it is answered where nobody is. */
	if (!ret && net_is_datagram(net_options_of(e))) {
		struct pollfd look = { link->fd, 0, 0 };

		ret = net_say_hello(link);
		if (!ret && poll(&look, 1, NET_SLICE_MS / 4) > 0)
			ret = -ECONNREFUSED;
	}
	return ret;
}

static int connect_there(const struct engine *e, const struct net_address *a)
{
	const struct patience p = patience_of(e, NET_CONNECT_S);
	struct net_link *link = e->state;
	int ret;

	for (;;) {
		ret = make_socket(e, a);
		if (ret)
			return ret;
		ret = try_connect(e, a, &p);
		if (!ret)
			return 0;
		close(link->fd);
		if (e->err->text[0])
			return ret;
		if (!may_come(ret))
			return fail(e, ret, "connect to", ret == -EACCES
				    ? "this process may not; a spec declares it under network: "
				      "connect"
				    : "see whether that is the address of who listens");
		poll(NULL, 0, NET_SLICE_MS / 4);
		ret = over(&p, "nobody listens there");
		if (ret)
			return ret;
	}
}

/* Membership of a group; or where what is sent to one goes through. */
static int join(const struct engine *e, const struct net_address *group, bool sends)
{
	const struct net_options *o = net_options_of(e);
	const struct net_link *link = e->state;
	struct ip_mreqn four = { .imr_multiaddr = group->four.sin_addr };
	struct ipv6_mreq six = { .ipv6mr_multiaddr = group->six.sin6_addr };
	int ret;

	if (o->interface && inet_pton(AF_INET, o->interface, &four.imr_address) != 1)
		return err_set(e->err, -EINVAL, "interface=%s is no IPv4 address: give that of "
			       "the interface", o->interface);
	if (sends && net_is_six(o))
		return set(e, IPPROTO_IPV6, IPV6_MULTICAST_HOPS, (int)o->ttl, "ttl");
	if (net_is_six(o))
		ret = setsockopt(link->fd, IPPROTO_IPV6, IPV6_JOIN_GROUP, &six, sizeof(six));
	else
		ret = setsockopt(link->fd, IPPROTO_IP, sends ? IP_MULTICAST_IF : IP_ADD_MEMBERSHIP,
				 &four, sizeof(four));
	if (ret)
		return fail(e, -errno, "reach the group", "name an interface that has it with "
			    "interface=");
	return sends ? set(e, IPPROTO_IP, IP_MULTICAST_TTL, (int)o->ttl, "ttl") : 0;
}

/* Who is in the group is known to nobody, and nobody answers: the others have a moment. */
static int send_to_group(struct engine *e, const struct net_address *group)
{
	struct net_link *link = e->state;
	int ret = make_socket(e, group);

	if (ret)
		return ret;
	memcpy(&link->peer, &group->any, group->bytes);
	link->peer_bytes = group->bytes;
	ret = join(e, group, true);
	poll(NULL, 0, ret ? 0 : NET_GROUP_MS);
	if (!ret && net_say_hello(link))
		ret = fail(e, -errno, "send to", "see whether a route leads there");
	if (ret)
		close(link->fd);
	return ret;
}

static int wait_for_hello(const struct engine *e)
{
	const struct patience p = patience_of(e, NET_ACCEPT_S);
	struct net_link *link = e->state;
	char word[16];
	ssize_t came = 0;
	int ret = 0;

	while (!ret && !net_says_hello(word, (size_t)came)) {
		ret = wait_readable(&p, link->fd, "nobody has written");
		link->peer_bytes = sizeof(link->peer);
		came = ret ? 0 : recvfrom(link->fd, word, sizeof(word), MSG_DONTWAIT,
					  (struct sockaddr *)&link->peer, &link->peer_bytes);
		came = came < 0 ? 0 : came;
	}
	return ret;
}

static int receive_there(const struct engine *e, const struct net_address *any)
{
	const struct net_options *o = net_options_of(e);
	struct net_link *link = e->state;
	struct net_address group;
	int ret = o->host ? net_address_of(e, o->host, &group) : 0;

	ret = ret ? ret : make_socket(e, any);
	if (ret)
		return ret;
	if (o->host)			/* several may listen to it */
		ret = set(e, SOL_SOCKET, SO_REUSEADDR, 1, "port");
	ret = ret ? ret : bind_there(e, any);
	ret = ret || !o->host ? ret : join(e, &group, false);
	ret = ret ? ret : wait_for_hello(e);
	if (ret)
		close(link->fd);
	return ret;
}

int net_open(struct engine *e)
{
	const struct net_options *o = net_options_of(e);
	const bool waits = net_waits(e->job);
	struct net_link *link = e->state;
	struct net_address a;
	int ret = net_address_of(e, waits ? NULL : o->host, &a);

	if (ret)
		return ret;
	if (waits)
		ret = net_is_datagram(o) ? receive_there(e, &a) : listen_there(e, &a);
	else if (net_is_datagram(o) && net_address_is_multicast(&a))
		ret = send_to_group(e, &a);
	else
		ret = connect_there(e, &a);
	link->open = !ret;
	return ret;
}
