/* SPDX-License-Identifier: Apache-2.0 */
#include "target/proc_text.h"

#include <stdio.h>

void proc_unescape(char *s)
{
	char *out = s;

	for (; *s; s++) {
		unsigned value;

		if (*s == '\\' && sscanf(s + 1, "%3o", &value) == 1) {
			*out++ = (char)value;
			s += 3;
		} else {
			*out++ = *s;
		}
	}
	*out = '\0';
}
