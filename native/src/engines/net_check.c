/* SPDX-License-Identifier: Apache-2.0 */
#include "engines/net_address.h"

#include <string.h>

#include "util/namelist.h"

static bool has_several(const struct job *job)
{
	const uint32_t named = job->files.names ? namelist_count(job->files.names)
						: job->files.count;

	return job->files.below || named > 1;
}

static int check_pattern(const struct job *job, struct err *err)
{
	const uint32_t way = job->rw & (RW_READ | RW_WRITE | RW_TRIM | RW_RANDOM);

	if (way != RW_READ && way != RW_WRITE)
		return err_set(err, -EINVAL, "ioengine=%s moves blocks one after the other, in "
			       "one direction: set rw=read or rw=write", job->ops->name);
	if (job->fsync || job->fdatasync || job->sync_range.every || job->replay.files)
		return err_set(err, -EINVAL, "ioengine=%s has no file: leave fsync, fdatasync, "
			       "sync_file_range and read_iolog out", job->ops->name);
	if (has_several(job))
		return err_set(err, -EINVAL, "ioengine=%s has one connection: leave opendir and "
			       "nrfiles out, and give one filename; numjobs makes more",
			       job->ops->name);
	return 0;
}

/* The pages of a block are on their way while the next one is made in them. */
static int check_verify(struct job *job, struct err *err)
{
	if (!(job->rw & RW_WRITE) || !job->verify.method)
		return 0;
	if (!strcmp(job->ops->name, "netsplice"))
		return err_set(err, -EINVAL, "ioengine=netsplice sends its buffers without a copy, "
			       "and so not always what a block has to hold: write with "
			       "ioengine=net, or leave verify out");
	job->verify.at_end = false;	/* who receives looks at it */
	job->verify.backlog = 0;
	job->verify.trim_percent = 0;
	return 0;
}

static int check_unix(const struct job *job, const struct net_options *o, struct err *err)
{
	if (o->port || o->host || o->listens || o->interface)
		return err_set(err, -EINVAL, "protocol=unix has neither a port nor a host, and who "
			       "reads listens: leave port, hostname, listen and interface out");
	if (!job->files.names)
		return err_set(err, -EINVAL, "protocol=unix needs filename, the path of the "
			       "socket: both ends have the same");
	if (job_clones(job) > 1)
		return err_set(err, -EINVAL, "protocol=unix has one connection at a path: leave "
			       "numjobs out");
	return 0;
}

/* Who waits takes what comes from anywhere, but from a group that it joins. */
static int check_roles(const struct job *job, const struct net_options *o, struct err *err)
{
	struct net_address host;
	const bool group = net_address_parse(o, o->host, &host) && net_address_is_multicast(&host);
	const bool udp = net_is_datagram(o);
	const bool waits = net_waits(job);

	if (waits && o->host && !(udp && group))
		return err_set(err, -EINVAL, "a job that %s takes what comes from anywhere: leave "
			       "hostname out", udp ? "reads by UDP, but from a multicast group,"
						   : "listens");
	if (!waits && !o->host)
		return err_set(err, -EINVAL, "ioengine=%s needs hostname, the address of who %s",
			       job->ops->name, udp ? "reads" : "listens; or listen");
	if (o->interface && !(group && o->protocol == NET_UDP))
		return err_set(err, -EINVAL, "interface is for multicast by protocol=udp: leave it "
			       "out, or give a multicast group as hostname");
	return 0;
}

static int check_port(const struct job *job, const struct net_options *o, struct err *err)
{
	const uint32_t last = o->port + job_clones(job) - 1;

	if (!o->port)
		return err_set(err, -EINVAL, "ioengine=%s needs port, the same at both ends",
			       job->ops->name);
	if (last > UINT16_MAX)
		return err_set(err, -EINVAL, "port=%u: each of %u clones has the next one, and "
			       "the last port is %u: make port or numjobs smaller", o->port,
			       job_clones(job), UINT16_MAX);
	return 0;
}

static int check_datagrams(const struct job *job, const struct net_options *o, struct err *err)
{
	if (o->listens)
		return err_set(err, -EINVAL, "listen is for TCP: who reads by UDP waits, and who "
			       "writes sends: leave it out");
	JOB_DIRS(dir, job) {
		if (job->block.bytes[dir] > NET_DATAGRAM_MAX)
			return err_set(err, -EINVAL, "a block is a datagram, of at most %u bytes: "
				       "make bs smaller", NET_DATAGRAM_MAX);
	}
	return 0;
}

/* Who waits has its clock begin when all are connected: a pause after that would be its, too. Who
 * comes early tries again instead. */
static void leave_delay_out(struct job *job, const struct net_options *o)
{
	if (!o->listens)
		job->time.startdelay = (struct time_range){ 0 };
}

int net_check(struct job *job, struct err *err)
{
	const struct net_options *o = job->engine_options;
	int ret = check_pattern(job, err);

	leave_delay_out(job, o);
	ret = ret ? ret : check_verify(job, err);
	job->direct = false;
	job->files.changed = o->protocol == NET_UNIX && job->rw & RW_READ;	/* makes it */
	if (ret || o->protocol == NET_UNIX)
		return ret ? ret : check_unix(job, o, err);
	if (net_is_datagram(o))
		ret = check_datagrams(job, o, err);
	ret = ret ? ret : check_port(job, o, err);
	return ret ? ret : check_roles(job, o, err);
}

static bool has_same_path(const struct job *a, const struct job *b)
{
	const char *x = a->files.directory, *y = b->files.directory;

	return !strcmp(a->files.names, b->files.names) && !strcmp(x ? x : ".", y ? y : ".");
}

/* By any other address it may be another host's. */
static bool goes_to_this_host(const struct net_options *o)
{
	struct net_address a;

	return net_address_parse(o, o->host, &a) && net_address_is_loopback(&a);
}

bool net_meets(const struct job *a, uint32_t clone_a, const struct job *b, uint32_t clone_b)
{
	const struct net_options *x = a->engine_options, *y = b->engine_options;

	if (x->protocol != y->protocol || net_waits(a) == net_waits(b))
		return false;
	if (x->protocol == NET_UNIX)
		return has_same_path(a, b);
	return x->port + clone_a == y->port + clone_b && goes_to_this_host(net_waits(a) ? y : x);
}
