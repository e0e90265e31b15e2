/* SPDX-License-Identifier: Apache-2.0 */
#include "worker/written.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FEWEST = 1024 };

/* Room for one more: what was read is forgotten first. */
static int make_room(struct written *w)
{
	const uint32_t room = w->room ? w->room * 2 : FEWEST;
	struct written_block *blocks;

	if (w->first > w->count / 2) {
		w->count -= w->first;
		memmove(w->blocks, w->blocks + w->first, w->count * sizeof(*w->blocks));
		w->first = 0;
		return 0;
	}
	blocks = realloc(w->blocks, room * sizeof(*blocks));
	if (!blocks)
		return -ENOMEM;
	w->blocks = blocks;
	w->room = room;
	return 0;
}

int written_add_trimmed(struct written *w, const struct written_block *block)
{
	if (w->count == w->room && make_room(w))
		return -ENOMEM;
	w->blocks[w->count] = *block;
	w->blocks[w->count].trimmed = true;
	w->blocks[w->count++].index = w->index;
	return 0;
}

int written_add(struct written *w, const struct written_block *block)
{
	const int code = written_add_trimmed(w, block);

	if (code)
		return code;
	w->blocks[w->count - 1].trimmed = false;
	w->index++;
	return 0;
}

/* What failed is among the last ones. */
void written_forget(struct written *w, uint32_t index)
{
	for (uint32_t i = w->count; i > w->first; i--) {
		if (w->blocks[i - 1].index == index && !w->blocks[i - 1].trimmed) {
			w->blocks[i - 1].length = 0;
			return;
		}
	}
}

/* A trim comes before the write of its index. */
static bool earlier(const struct written_block *a, const struct written_block *b)
{
	return a->index < b->index || (a->index == b->index && a->trimmed && !b->trimmed);
}

static int by_place(const void *left, const void *right)
{
	const struct written_block *a = left, *b = right;

	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	if (a->offset != b->offset)
		return a->offset < b->offset ? -1 : 1;
	return earlier(a, b) ? -1 : earlier(b, a);
}

static bool overlap(const struct written_block *a, const struct written_block *b)
{
	return a->file == b->file && a->offset < b->offset + b->length &&
	       b->offset < a->offset + a->length;
}

/* Of two that overlap, the earlier is no longer whole; its length stays for those that follow. */
static void mark_older(const struct written *w, bool *old)
{
	uint64_t longest = 0;

	for (uint32_t i = w->first; i < w->count; i++) {
		const struct written_block *block = &w->blocks[i];

		longest = block->length > longest ? block->length : longest;
		for (uint32_t j = i; j > w->first; j--) {
			const struct written_block *other = &w->blocks[j - 1];

			if (other->file != block->file ||
			    other->offset + longest <= block->offset)
				break;
			if (overlap(other, block))
				old[earlier(other, block) ? j - 1 : i] = true;
		}
	}
}

void written_sort(struct written *w)
{
	bool *old = calloc(w->count + 1, sizeof(*old));
	uint32_t kept = w->first;

	qsort(w->blocks + w->first, written_left(w), sizeof(*w->blocks), by_place);
	if (old)
		mark_older(w, old);
	for (uint32_t i = w->first; i < w->count; i++) {
		if (w->blocks[i].length && !(old && old[i]))
			w->blocks[kept++] = w->blocks[i];
	}
	w->count = kept;
	free(old);
}

const struct written_block *written_next(const struct written *w)
{
	return w->first < w->count ? &w->blocks[w->first] : NULL;
}

void written_release(struct written *w)
{
	free(w->blocks);
	*w = (struct written){ .blocks = NULL };
}
