/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/usage.h"

#include "cli/cmdline.h"
#include "util/version.h"

enum { NAME_COLUMN = 30 };

void usage_print(FILE *out)
{
	fprintf(out, "%s %s: runs fio job files on Linux storage\n\n"
		"  %s [commands] [job options] [job files, - is stdin]\n"
		"  %s --name=test --rw=randread --size=1g --bs=4k --runtime=10s\n\n",
		IOGATE_ENGINE_NAME, IOGATE_ENGINE_VERSION, IOGATE_ENGINE_NAME,
		IOGATE_ENGINE_NAME);
	for (const struct command *c = commands_all; c->name; c++) {
		const int width = fprintf(out, "  --%s%s%s%s", c->name,
					  c->value ? c->optional ? "[=" : "=" : "",
					  c->value ? c->value : "", c->optional ? "]" : "");

		fprintf(out, "%*s%s\n", NAME_COLUMN + 4 - width > 1 ? NAME_COLUMN + 4 - width : 1,
			"", c->help);
	}
	fprintf(out, "\n  %s --confine PLAN -- COMMAND [ARGUMENT...]\n"
		"    Run a command that the kernel confines to the places of a plan;\n"
		"    --confine-probe shows which layers this kernel has.\n"
		"    Exit status: 2 usage, 3 refused.\n",
		IOGATE_ENGINE_NAME);
	fprintf(out, "\nEvery job option is also --option=value; --cmdhelp lists them. Options "
		"before the\nfirst --name are defaults of all jobs.\n"
		"Exit status: 0 all jobs ran, 1 a job failed or the run was interrupted, "
		"2 usage,\n3 refused: a target is not the one expected.\n");
}
