/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The room confine: a command that the kernel keeps to its targets. It needs no other room
 * but util.
 *
 *	confine.h	the door, and what a plan says
 *	plan.h		a plan, read
 *	place.h		what must stand at a place, looked at without following links
 *	mounts.h	a tree of mounts that has only the places
 *	sockets.h	sockets that have a path, covered
 *	landlock.h	rules for a kernel that has Landlock
 *	privileges.h	capabilities and descriptors that are taken away
 *	calls.h		system calls that are taken away
 *	family.h	a namespace of processes, which ends with the command
 */
#ifndef IOGATE_CONFINE_H
#define IOGATE_CONFINE_H

#include <stdio.h>

#include "util/err.h"

/*
 * Runs a command that the kernel keeps to its targets:
 *
 *	iogate-engine --confine PLAN -- COMMAND [ARGUMENT…]
 *	iogate-engine --confine-probe
 *
 * PLAN is the path of a text of at most 64 KiB, as a rule /proc/self/fd/N of a memfd, which
 * no confined process can change. Its first line is "confine/1"; each other is a word, a
 * blank and a value. Empty lines are skipped; what is not known is an error.
 *
 *	place KIND ACCESS DEVICE INODE RDEV DISKSEQ SIZE PATH
 *		What the command may reach. KIND is block, file, directory, or new for a file
 *		that is not there yet; ACCESS is ro, rw, or rwl for a directory in which
 *		symbolic links, pipes and sockets may be made, too. DEVICE (major:minor of the
 *		filesystem) and INODE tell what must stand at PATH; of a new file they are its
 *		directory's. RDEV (major:minor), DISKSEQ and SIZE (bytes) tell a block device,
 *		0:0, 0 and 0 what is none; a DISKSEQ of 0 is not compared. PATH goes to the end
 *		of the line, is absolute and holds no link, "." or "..".
 *	read PATH	may be read and run, with all below; nothing where there is no PATH.
 *			Below a place it is what of it may not be written.
 *	set NAME=VALUE	a variable of the command's environment
 *	keep NAME	a variable that is handed on, where there is one. No other is.
 *	capability NAME	stays with root: dac_override, sys_nice, ipc_lock, setuid, setgid
 *	network host	Landlock lets it make and take TCP connections
 *	connect tcp PORT, bind tcp PORT
 *			Landlock lets it connect to this port of any address, or take
 *			connections on it, from its version 4 on; before, to and on all.
 *			Means something only without "require network"
 *	flush PATH	what the page cache holds of this block device, which is a place, is
 *			written and dropped before the command starts: that takes rights
 *			which the command does not have
 *	claim PATH	this block device, which is a place, is the command's alone until it ends:
 *			nobody mounts it or claims it meanwhile, nor does the command
 *	fd NUMBER	an open file that the command inherits beside 0, 1 and 2
 *	require LAYER	landlock, namespaces, read-only, network, capabilities, processes,
 *			calls or family: refuse where this kernel does not give it. Landlock and
 *			the capabilities are done as far as they go without it; namespaces, which
 *			read-only needs, a network of its own, which is an empty one, and the
 *			last three only when asked for. With "processes", what the command starts
 *			is in a namespace whose first process is the first that it starts: all
 *			others are killed when that one ends, whatever they have become. With
 *			"calls" it makes no socket, no ring of io_uring, and reaches no keyring.
 *			With "family" the command, too, is in such a namespace, and the launcher
 *			stays: it hands on SIGINT, SIGTERM, SIGHUP and SIGQUIT, and ends as the
 *			command does, once nothing that the command has started is left.
 *
 * In this order:
 *	1. Namespaces: mount, network, IPC, host name, processes. Without CAP_SYS_ADMIN in a user
 *	   namespace, where the kernel has them for everybody.
 *	2. Each place is opened with no link followed, and compared on the open descriptor
 *	   with what the plan says; a block device that is written is opened with O_EXCL, so
 *	   that whatever else has claimed it is seen. A new file is made with O_EXCL.
 *	   A descriptor of each device stays open: nobody can put another image behind a loop
 *	   device while the command runs.
 *	3. Every mount becomes read-only and without devices; /dev holds null, zero, full,
 *	   random, urandom and the places; over each place lies what was opened in step 2.
 *	   /dev/null lies over each socket that has a path, as far as it is found: those that
 *	   the kernel lists, and those below /run.
 *	4. Landlock: nothing but the places is written, nothing but them and what is to be
 *	   read is read or run; no TCP but on the ports of the plan; no signal and no
 *	   abstract socket leads out.
 *	5. No new privileges, capabilities dropped, SIGTERM when the parent dies, all other
 *	   descriptors closed, and the command takes this process's place (with "family" that of
 *	   a child).
 *
 * Exit statuses of its own, each with one line on stderr that begins with
 * "iogate-engine: confine: ": 2 for a plan or a call that is wrong, 3 for everything that
 * does not hold. Nothing was touched then.
 *
 * Sockets that come to be while the command runs, and those of other network namespaces outside
 * of /run, are not covered; "calls" alone keeps a command from them.
 *
 * What Landlock does not know is left to the mounts and the network namespace: chmod, chown,
 * utimes and extended attributes elsewhere (read-only mounts), UDP and raw sockets (no
 * network), reading what an open descriptor leads to (closed). A place that is itself an
 * alias of something that nobody meant (a hard link, a second loop device) cannot be seen
 * from here.
 */

enum { CONFINE_USAGE = 2, CONFINE_REFUSED = 3 };

/* Whether argv asks for one of the two; they are not mixed with job options. */
int confine_is_meant(int argc, char **argv);

/* Does not return when the command was started, or when the probe was printed with status
 * 0; else the exit status, with *err filled. */
int confine_main(int argc, char **argv, struct err *err);

/* One JSON object of what this kernel gives, each layer tried in a child of its own:
 * {"schema": "confine-probe/1", "landlock": 7, "namespaces": true, "user_namespace": false,
 *  "read_only": true, "network": true, "capabilities": true,
 *  "family": true}. "landlock" is its ABI, 0 for none; "user_namespace" whether the namespaces
 * need one; "capabilities" whether the command ends with none but those of the plan. */
void confine_probe(FILE *out);

#endif
