/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_CONFINE_FAMILY_H
#define IOGATE_CONFINE_FAMILY_H

#include "util/err.h"

/*
 * After namespaces_enter gave LAYER_FAMILY. Returns 0 in a new process, the second of the
 * namespace, which is to become the command; or -errno with *err in the caller, where there
 * is none.
 *
 * Else the caller stays and this does not return: it hands the command SIGINT, SIGTERM, SIGHUP and
 * SIGQUIT, ends as that does, and before it does all others of the namespace have ended. It ends
 * them as well when it is killed. `words` are its own arguments, which a list of processes shows:
 * those of the command are taken out.
 */
int family_start(char **words, struct err *err);

#endif
