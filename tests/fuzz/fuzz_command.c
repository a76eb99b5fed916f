/* SPDX-License-Identifier: MIT */

/* Lines as a user (or a script from somewhere) types them. Commands that start programs or
 * touch files are refused (confined). */

#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bw_cli c;
	FILE *sink = fopen("/dev/null", "w");
	char *text = malloc(size + 1);
	if (!sink || !text)
		abort();
	memcpy(text, data, size);
	text[size] = '\0';
	bw_cli_init(&c);
	c.confined = true;
	c.max_rounds = 100;
	struct bw_error *err = bw_cli_begin(&c, sink, size & 1);
	for (char *line = text, *next; !err && line && !c.quit; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		bw_error_free(bw_cli_execute(&c, line));
	}
	bw_error_free(err);
	bw_cli_fini(&c);
	fclose(sink);
	free(text);
	return 0;
}
