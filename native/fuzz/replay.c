/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "fuzz.h"

/* Runs a fuzz target over files, where there is no libFuzzer. */

enum { INPUT_MAX = 1 << 20 };

int main(int argc, char **argv)
{
	uint8_t *data = malloc(INPUT_MAX);

	for (int i = 1; data && i < argc; i++) {
		FILE *input = fopen(argv[i], "rb");

		if (!input) {
			perror(argv[i]);
			return 1;
		}
		LLVMFuzzerTestOneInput(data, fread(data, 1, INPUT_MAX, input));
		fclose(input);
	}
	free(data);
	printf("%s: %d inputs, %zu taken\n", argv[0], argc - 1, fuzz_taken);
	return argc < 2;
}
