/* SPDX-License-Identifier: Apache-2.0 */
#include "engines/net_link.h"

/*
 * ioengine=net: a job sends to, or receives from, a process at the other end of a socket: another
 * job of this engine or of fio, on this host or elsewhere.
 *
 *	[receive]			[send]
 *	ioengine=net			ioengine=net
 *	listen				hostname=127.0.0.1
 *	port=9000			port=9000
 *	rw=read				rw=write
 *	size=1g				size=1g
 *
 * protocol=tcp, tcpv6: a job with listen takes one connection, the other makes it; either may
 * read or write. protocol=udp, udpv6: who reads waits, who writes sends; a block is a datagram,
 * and a hostname may be a multicast group (interface, ttl). protocol=unix: both have the same
 * filename, and who reads listens there. Clones take the ports that follow.
 *
 * The two find each other while they are set up, before the clock starts: who connects tries for
 * 10 s, who listens waits for 60 s; with runtime, each for that long. So startdelay, which fio
 * needs at who connects, is left out there: its time would be that of who reads, too. Who comes
 * too late makes the other fail. So does one that is silent for 60 s in a job without runtime,
 * and one that goes without a word. Who has sent all it had, or has had all it wants, says so,
 * and the other ends with it.
 *
 * With pingpong an I/O is the way there and back. verify at who writes makes headers, and at who
 * reads looks at them. Names are not looked up: hosts are addresses.
 */
static int net_do(struct engine *e)
{
	return net_commit(e, net_receive, net_send);
}

const struct engine_ops engine_net = {
	.name = "net",
	.help = "send(2) and recv(2): a job at each end of a TCP, UDP or unix socket",
	.depth_max = 1,
	.flags = ENGINE_ENDS,
	.files = &net_files,
	.state_size = sizeof(struct net_link),
	.options = net_options,
	.options_size = sizeof(struct net_options),
	.check = net_check,
	.open = net_open,
	.meets = net_meets,
	.close = net_close,
	.queue = single_io_queue,
	.commit = net_do,
	.reap = single_io_reap,
};
