/* SPDX-License-Identifier: MIT */
/* Assembly to a code object. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/util.h"
#include "compile/job.h"

/* Does a kernel descriptor in the source ask for wave64? The assembler must know it before it reads
 * the first instruction, and has no directive for it. */
static struct bw_error *asks_for_wave64(const char *path, bool *out)
{
	static const char directive[] = ".amdhsa_wavefront_size32";
	_cleanup_fclose_ FILE *f = fopen(path, "r");
	if (!f)
		return bw_error_errno(errno, "cannot read the kernel %s", path);
	_cleanup_free_ char *line = NULL;
	size_t cap = 0;
	*out = false;
	while (getline(&line, &cap, f) > 0) {
		const char *p = bw_skip_blanks(line);
		if (bw_starts_with(p, directive))
			*out |= *bw_skip_blanks(p + strlen(directive)) == '0';
	}
	return NULL;
}

/* The source's folder, where .include and #include search; owned. */
static char *folder_of(const char *source)
{
	const char *slash = strrchr(source, '/');
	return slash ? strndup(source, (size_t)(slash - source) + 1) : strdup(".");
}

struct bw_error *bw_compile_assembly(struct bw_compile_job *job)
{
	bool wave64 = bw_wants_wave64(job);
	if (!wave64)
		BW_TRY(asks_for_wave64(job->source, &wave64));
	_cleanup_free_ char *cpu = NULL, *folder = folder_of(job->source);
	if (!folder || asprintf(&cpu, "-mcpu=%s", job->gpu) < 0)
		return bw_error_nomem();
	const char *const args[] = {"-target",
				    "amdgcn-amd-amdhsa",
				    cpu,
				    "-g",
				    wave64 ? "-mwavefrontsize64" : "-mno-wavefrontsize64",
				    "-I",
				    folder,
				    "-x",
				    "assembler",
				    NULL};
	struct bw_strings words = {0};
	struct bw_str what = {0};
	bw_str_addf(&what, "does not assemble for %s", job->gpu);
	struct bw_error *err = bw_strings_add_all(&words, args);
	if (!err)
		err = bw_clang(job, &words, bw_str_text(&what));
	bw_str_free(&what);
	bw_strings_free(&words);
	return err;
}
