/* SPDX-License-Identifier: MIT */
/* Errors that the sanitizers report: "wild memory" reads a block that is freed, "wild shift" shifts
 * too far, "wild hang" does not end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	const char *what = argc == 2 ? argv[1] : "";
	volatile int by = 40;
	char *volatile block = calloc(1, 16);
	int result = 0;
	free(block);
	if (!strcmp(what, "memory"))
		result = block[0];
	if (!strcmp(what, "shift"))
		result = 1 << by;
	printf("%s %d\n", what, result == 77);
	fflush(stdout);
	if (!strcmp(what, "hang"))
		pause();
	return 0;
}
