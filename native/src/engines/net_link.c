/* SPDX-License-Identifier: Apache-2.0 */
#include "engines/net_link.h"

#include <stdatomic.h>
#include <string.h>

#include "engines/no_data.h"
#include "stats/clock.h"

enum { WORD_BYTES = NET_WORD_BYTES };

static const char hello[WORD_BYTES] = { 'l', 'i', 'n', 'k', 0, 0, 0, (char)0x98 };
static const char goodbye[WORD_BYTES] = { 'k', 'n', 'i', 'l', (char)0x89, 0, 0, 0 };

static const struct option_choice protocol_choices[] = {
	{ "tcp", NET_TCP, "TCP" },
	{ "tcpv6", NET_TCP6, "TCP over IPv6" },
	{ "udp", NET_UDP, "UDP" },
	{ "udpv6", NET_UDP6, "UDP over IPv6" },
	{ "unix", NET_UNIX, "a socket that filename= names" },
	{ NULL, 0, NULL },
};

#define OWN(field) OPTION_FIELD(struct net_options, field)

const struct option net_options[] = {
	{ "hostname", NULL, &type_text, OWN(host),
	  .help = "Address to connect or send to, or \"localhost\"; of who receives by UDP a "
		  "multicast group." },
	{ "interface", NULL, &type_text, OWN(interface),
	  .help = "Address of the interface that UDP multicast goes through." },
	{ "listen", NULL, &type_flag, OWN(listens), "0",
	  .help = "Wait for a TCP connection, instead of making one." },
	{ "mss", NULL, &type_number, OWN(mss_bytes), .max = INT32_MAX,
	  .help = "Largest segment of TCP, in bytes (TCP_MAXSEG)." },
	{ "nodelay", NULL, &type_bool, OWN(nodelay), "0",
	  .help = "Send small blocks of TCP at once (TCP_NODELAY)." },
	{ "pingpong", NULL, &type_flag, OWN(pingpong), "0",
	  .help = "The reader sends each block back, and the writer waits for it." },
	{ "port", NULL, &type_number, OWN(port), .min = 1, .max = UINT16_MAX,
	  .help = "Port of TCP or UDP; each clone has the next one." },
	{ "protocol", "proto", &type_choice, OWN(protocol), "tcp", .choices = protocol_choices,
	  .help = "How data goes from one end to the other." },
	{ "ttl", NULL, &type_number, OWN(ttl), "1", .max = UINT8_MAX,
	  .help = "How many networks UDP multicast passes." },
	{ "window_size", NULL, &type_number, OWN(window_bytes), .max = INT32_MAX,
	  .help = "Size of the socket's buffer, in bytes (SO_SNDBUF, SO_RCVBUF)." },
	{ .name = NULL },
};

static int nothing_there(const struct job *job, const struct engine_file *file, uint64_t *bytes,
			 struct err *err)
{
	(void)job, (void)file, (void)err;
	*bytes = 0;
	return 0;
}

static void unlink_nothing(const struct job *job, const struct engine_file *file)
{
	(void)job, (void)file;
}

const struct engine_files net_files = {
	.size = nothing_there, .layout = leave_out, .open = leave_closed,
	.unlink = unlink_nothing,
};

bool net_says_hello(const char *at, size_t bytes)
{
	return bytes == WORD_BYTES && !memcmp(at, hello, WORD_BYTES);
}

static bool says_goodbye(const char word[WORD_BYTES])
{
	return !memcmp(word, goodbye, WORD_BYTES);
}

static ssize_t send_bytes(const struct net_link *link, const void *from, size_t bytes, int flags)
{
	const struct sockaddr *to = (const struct sockaddr *)&link->peer;

	return sendto(link->fd, from, bytes, flags | MSG_NOSIGNAL, link->peer_bytes ? to : NULL,
		      link->peer_bytes);
}

int net_say_hello(const struct net_link *link)
{
	return send_bytes(link, hello, sizeof(hello), 0) < 0 ? -errno : 0;
}

/* Who reads answers to who has sent; who writes has one place, or a group, to send to. */
static ssize_t receive_datagram(const struct engine *e, char *at, size_t bytes)
{
	struct net_link *link = e->state;
	struct sockaddr_storage from;
	socklen_t size = sizeof(from);
	const ssize_t came = recvfrom(link->fd, at, bytes, MSG_TRUNC, (struct sockaddr *)&from,
				      &size);

	if (came < 0)
		return came;
	if (link->peer_bytes && e->job->rw & RW_READ) {
		link->peer = from;
		link->peer_bytes = size;
	}
	if (came == WORD_BYTES && says_goodbye(at))
		return 0;
	if (came && (size_t)came <= bytes && !net_says_hello(at, (size_t)came))
		return came;
	/* The blocks of who sent it are larger; or it is no block: wait for the next. */
	errno = (size_t)came > bytes ? EMSGSIZE : EAGAIN;
	return -1;
}

ssize_t net_receive(struct engine *e, char *at, size_t bytes)
{
	struct net_link *link = e->state;

	if (net_is_datagram(net_options_of(e)))
		return receive_datagram(e, at, bytes);
	return recv(link->fd, at, bytes, MSG_WAITALL);
}

/* A small block waits for the next one unless it has to be there at once, as with fio. */
ssize_t net_send(struct engine *e, char *at, size_t bytes)
{
	const struct net_options *o = net_options_of(e);
	const bool more = !net_is_datagram(o) && !o->pingpong && !o->nodelay;

	return send_bytes(e->state, at, bytes, more ? MSG_MORE : 0);
}

static bool stopped(const struct engine *e)
{
	return atomic_load_explicit(e->stop, memory_order_relaxed);
}

/* A block is not whole yet. 0: go on, or the run is over, and so is the link; -ETIMEDOUT: nothing
 * has moved for too long. */
static int look(const struct engine *e, uint64_t *silent_ns)
{
	struct net_link *link = e->state;
	const uint64_t now = clock_monotonic_ns();

	*silent_ns = *silent_ns ? *silent_ns : now;
	link->ended = stopped(e) || now >= link->end_ns;
	if (!link->ended && link->end_ns == UINT64_MAX &&
	    now - *silent_ns >= NET_SILENCE_S * UINT64_C(1000000000))
		return -ETIMEDOUT;
	return 0;
}

/* What of a block has moved; code: 0, CLOSED by the other side, or -errno. */
struct moved {
	size_t bytes;
	int code;
};
enum { CLOSED = 1 };

/* Of UDP a refusal answers the datagram before. */
static bool is_gone(int code)
{
	return code == CLOSED || code == -EPIPE || code == -ECONNRESET || code == -ECONNREFUSED;
}

/* All of it, or less where the end comes before. */
static struct moved move_all(struct engine *e, net_move move, char *from, size_t bytes)
{
	struct net_link *link = e->state;
	struct moved m = { 0 };
	uint64_t silent_ns = 0;

	while (m.bytes < bytes && !m.code && !link->ended) {
		const ssize_t ret = move(e, from + m.bytes, bytes - m.bytes);

		m.code = ret > 0 ? 0 : ret ? -errno : CLOSED;
		if (ret > 0) {
			m.bytes += (size_t)ret;
			silent_ns = 0;
		}
		if (m.bytes < bytes && (ret > 0 || m.code == -EAGAIN))
			m.code = look(e, &silent_ns);
		if (m.code == -EINTR)
			m.code = 0;
	}
	link->ended = link->ended || is_gone(m.code);
	return m;
}

/* The last word may begin in one block and end in another. */
static void keep_last(struct net_link *link, const char *from, size_t bytes)
{
	const size_t last = bytes < WORD_BYTES ? bytes : WORD_BYTES;

	memmove(link->last, link->last + last, WORD_BYTES - last);
	memcpy(link->last + WORD_BYTES - last, from + bytes - last, last);
}

/* Who has gone may have said so: of a stream before it closed, of UDP perhaps after a refusal. */
static bool said_goodbye(const struct net_link *link)
{
	char word[WORD_BYTES];

	return recv(link->fd, word, sizeof(word), 0) == WORD_BYTES && says_goodbye(word);
}

/* What came of a block is whole where the other side has said that it is done. */
static int32_t receive_all(struct engine *e, net_move receive, const struct io *io)
{
	const struct moved m = move_all(e, receive, io->buffer, io->length);
	struct net_link *link = e->state;

	keep_last(link, io->buffer, m.bytes);
	if (!is_gone(m.code))
		return m.code ? m.code : (int32_t)m.bytes;
	if (net_is_datagram(net_options_of(e)))
		return m.code == CLOSED || said_goodbye(link) ? 0 : -ECONNRESET;
	if (!says_goodbye(link->last))
		return -ECONNRESET;
	return m.bytes < WORD_BYTES ? 0 : (int32_t)(m.bytes - WORD_BYTES);
}

/* Who reads may have had all it wants. */
static int32_t send_all(struct engine *e, net_move send, const struct io *io)
{
	const struct moved m = move_all(e, send, io->buffer, io->length);

	if (!is_gone(m.code))
		return m.code ? m.code : (int32_t)m.bytes;
	return said_goodbye(e->state) ? (int32_t)m.bytes : -ECONNRESET;
}

/* The clock of the runtime began right before the first I/O, or with its ramp. */
static void begin(const struct engine *e, struct net_link *link)
{
	const struct job *job = e->job;
	const bool known = job->time.runtime_ns && !job->time.ramp.bytes && !job->time.ramp.percent;

	link->end_ns = UINT64_MAX;
	if (known)
		link->end_ns = clock_monotonic_ns() + job->time.ramp_ns + job->time.runtime_ns;
}

int net_commit(struct engine *e, net_move receive, net_move send)
{
	struct net_link *link = e->state;
	struct io *io = link->single.io;
	const bool reads = io->dir == DIR_READ;
	int32_t back;

	if (!link->end_ns)
		begin(e, link);
	io->result = reads ? receive_all(e, receive, io) : send_all(e, send, io);
	if (io->result != (int32_t)io->length || !net_options_of(e)->pingpong)
		return 1;
	back = reads ? send_all(e, send, io) : receive_all(e, receive, io);
	if (back != (int32_t)io->length)
		io->result = back < 0 ? back : 0;
	return 1;
}

/* Who receives says it, too, as fio does; the other side may be gone, or never take it. */
static void say_goodbye(const struct net_link *link)
{
	for (unsigned slice = 0; slice < NET_GOODBYE_SLICES; slice++) {
		if (send_bytes(link, goodbye, sizeof(goodbye), 0) >= 0 || errno != EAGAIN)
			return;
	}
}

/* Who has failed to read goes without a word where that makes who sends fail, too. By UDP it would
 * hear nothing; and a reader that is fio waits without end for the word of who sends. */
static bool goes_silently(const struct engine *e)
{
	return e->failed && !(e->job->rw & RW_WRITE) && !net_is_datagram(net_options_of(e));
}

void net_close(struct engine *e)
{
	struct net_link *link = e->state;

	if (!link->open)
		return;
	if (!goes_silently(e))
		say_goodbye(link);
	close(link->fd);
	link->open = false;
}
