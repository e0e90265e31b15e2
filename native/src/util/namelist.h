/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_NAMELIST_H
#define IOGATE_NAMELIST_H

#include <stdint.h>

/* Lists of file names: separated by ':'; `\:` is a colon of the name itself, and what has no name
 * is left out. */
uint32_t namelist_count(const char *list);
/* Entry `index`, which is below the count, unescaped: malloced, or NULL without memory. */
char *namelist_entry(const char *list, uint32_t index);

#endif
