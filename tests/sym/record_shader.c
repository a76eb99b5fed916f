/* SPDX-License-Identifier: MIT */
/* record_shader IN.spv OUT.spv: the shader with a record of its variables, for tests. */
#include <stdio.h>
#include <stdlib.h>

#include "sym/spirv_record.h"

enum { WORDS_MAX = 1 << 20 };

int main(int argc, char **argv)
{
	struct bw_spirv_words out = {0};
	uint32_t *words = malloc(WORDS_MAX * sizeof(*words));
	FILE *in = argc == 3 ? fopen(argv[1], "rb") : NULL;
	FILE *to = argc == 3 ? fopen(argv[2], "wb") : NULL;
	if (!words || !in || !to) {
		fprintf(stderr, "usage: record_shader IN.spv OUT.spv\n");
		return 2;
	}
	size_t n = fread(words, 4, WORDS_MAX, in);
	struct bw_error *err = bw_spirv_record(words, n, &out);
	int status = 0;
	if (err) {
		fprintf(stderr, "%s\n", err->message);
		bw_error_free(err);
		status = 1;
	} else if (!out.len) { /* there is nothing to note */
		status = fwrite(words, 4, n, to) == n ? 0 : 3;
	} else if (fwrite(out.data, 4, out.len, to) != out.len) {
		status = 3;
	}
	bw_vec_free(&out);
	free(words);
	fclose(in);
	if (fclose(to))
		status = 3;
	return status;
}
