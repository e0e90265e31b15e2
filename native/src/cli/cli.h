/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The room cli: the command line. main.c alone prints and exits; it puts the other rooms
 * together.
 *
 *	cmdline.h	argv to what is asked for, by the table of commands
 *	commands_parts.h	functions of that table that stand in files of their own
 *	profile.h	--profile: jobs that stand in no job file
 *	debug.h		--debug
 *	self_tests.h	--crctest, --cpuclock-test, --idle-prof=calibrate
 *	usage.h		--help
 *	textfile.h	the files that a command line names
 *	eta.h		the line on a terminal that shows how a run is doing
 */
#ifndef IOGATE_CLI_H
#define IOGATE_CLI_H
#endif
