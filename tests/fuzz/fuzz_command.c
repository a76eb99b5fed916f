/* SPDX-License-Identifier: MIT */

/* Lines as a user (or a script from somewhere) types them. Only commands that start programs or touch
 * files are left out. */

#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

static bool leaves_the_process(const char *line)
{
	line = bw_skip_blanks(line);
	char word[64];
	size_t len = strcspn(line, "/ \t\n\"'*$(");
	if (len >= sizeof(word))
		return false;
	memcpy(word, line, len);
	word[len] = '\0';
	size_t n;
	const struct bw_command *table = bw_commands(&n), *cmd;
	struct bw_error *err = bw_command_find(table, n, word, "command", &cmd);
	if (err) {
		bw_error_free(err);
		return false;
	}
	return cmd->run == bw_cmd_run || cmd->run == bw_cmd_source || cmd->run == bw_cmd_dump;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bw_cli c = {.output_fd = -1, .x_format = {.letter = 'x', .unit = 'w'}};
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
		if (!leaves_the_process(line))
			bw_error_free(bw_cli_execute(&c, line));
	}
	bw_error_free(err);
	bw_debug_destroy(c.debug);
	bw_out_destroy(c.out);
	bw_cli_free_blocks(&c);
	for (size_t i = 0; i < c.n_displays; i++)
		free(c.displays[i]);
	free(c.displays);
	free(c.list_file);
	fclose(sink);
	free(text);
	return 0;
}
