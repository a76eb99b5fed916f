/* SPDX-License-Identifier: MIT */

/* Words of `breakwater run` and `attach`, a line each: editors send them, and programs that call
 * the library. Nothing is opened or started by reading them. */

#include "session/run_options.h"

#include <stdlib.h>
#include <string.h>

enum { WORDS_MAX = 256 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bw_run_options o = {.attach = size && data[0] & 1};
	char *text = malloc(size + 1);
	char *argv[WORDS_MAX + 1] = {text};
	int argc = 1;
	if (!text)
		abort();
	memcpy(text, data, size);
	text[size] = '\0';
	for (char *rest = text, *word; argc < WORDS_MAX && (word = strsep(&rest, "\n"));)
		argv[argc++] = word;
	argv[argc] = NULL;
	bw_error_free(bw_run_options_parse(&o, argc, argv));
	bw_run_options_fini(&o);
	free(text);
	return 0;
}
