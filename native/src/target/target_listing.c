/* SPDX-License-Identifier: Apache-2.0 */
#include "target/target_listing.h"

#include <errno.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

static int add(struct target_listing *l, const char *path)
{
	const uint32_t n = l->count;
	char **larger = l->paths;

	if (!(n & (n + 1)))	/* full: capacities are 1, 3, 7, 15, ... */
		larger = realloc(l->paths, (2 * (size_t)n + 1) * sizeof(*larger));
	if (!larger)
		return -ENOMEM;
	l->paths = larger;
	l->paths[n] = strdup(path);
	if (!l->paths[n])
		return -ENOMEM;
	l->count++;
	return 0;
}

static int visit(struct target_listing *l, const FTSENT *entry)
{
	switch (entry->fts_info) {
	case FTS_F:
		return entry->fts_level ? add(l, entry->fts_path) : -ENOTDIR;
	case FTS_DNR:
	case FTS_ERR:
	case FTS_NS:
		return -entry->fts_errno;
	default:
		return entry->fts_level || entry->fts_info == FTS_D || entry->fts_info == FTS_DP
		       ? 0 : -ENOTDIR;
	}
}

int target_listing_make(struct target_listing *l, const char *folder)
{
	char *copy = strdup(folder), *const roots[] = { copy, NULL };
	FTS *tree = copy ? fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, by_name) : NULL;
	FTSENT *entry;
	int ret = tree ? 0 : -ENOMEM;

	*l = (struct target_listing){ 0 };
	while (!ret && (entry = fts_read(tree)))
		ret = visit(l, entry);
	if (tree)
		fts_close(tree);
	free(copy);
	return ret;
}

void target_listing_release(struct target_listing *l)
{
	for (uint32_t i = 0; i < l->count; i++)
		free(l->paths[i]);
	free(l->paths);
	*l = (struct target_listing){ 0 };
}
