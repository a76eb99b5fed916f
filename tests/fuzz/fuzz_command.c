/* SPDX-License-Identifier: MIT */

/* Lines as a user (or a script from somewhere) types them. Commands that start programs or
 * touch files are refused (confined). */

#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bw_cli c = {.output_fd = -1,
			   .x_format = {.letter = 'x', .unit = 'w'},
			   .confined = true,
			   .max_rounds = 100};
	FILE *sink = fopen("/dev/null", "w");
	char *text = malloc(size + 1);
	if (!sink || !text)
		abort();
	memcpy(text, data, size);
	text[size] = '\0';
	struct bw_error *err = bw_debug_create(&c.debug);
	if (!err)
		err = bw_out_create(sink, size & 1, &c.out);
	for (char *line = text, *next; !err && line && !c.quit; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		bw_error_free(bw_cli_execute(&c, line));
	}
	bw_error_free(err);
	bw_debug_destroy(c.debug);
	if (c.out)
		bw_terminal_end(&c);
	bw_out_destroy(c.out);
	bw_cli_free_blocks(&c);
	bw_cli_free_displays(&c);
	free(c.list_file);
	fclose(sink);
	free(text);
	return 0;
}
