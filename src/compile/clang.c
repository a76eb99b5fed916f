/* SPDX-License-Identifier: MIT */
/* clang on a job: its words, and what all languages have in common. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/build_names.h"
#include "base/cleanup.h"
#include "base/util.h"
#include "compile/job.h"
#include "compile/tool.h"

/* Does clang's driver have to do all itself? It does where a word lets it stop before linking, is
 * about linking, or is of HIP, whose driver links in its own way. */
static bool needs_driver(const char *word)
{
	static const char *const words[] = {"-c", "-S", "-E", "-r", "-shared", "-static"};
	static const char *const starts[] = {"-emit-", "-Wl,", "-Xlinker", "-fuse-ld",
					     "-flto",  "-l",   "-L",	   "--offload-arch"};
	for (size_t i = 0; i < BW_ARRAY_SIZE(words); i++)
		if (!strcmp(word, words[i]))
			return true;
	for (size_t i = 0; i < BW_ARRAY_SIZE(starts); i++)
		if (bw_starts_with(word, starts[i]))
			return true;
	return false;
}

/* Links like clang's driver for this target. */
static struct bw_error *link_object(const struct bw_compile_job *job, const char *object)
{
	const char *const argv[] = {BW_LLD, "--no-undefined", "-shared", object,
				    "-o",   job->object,      NULL};
	const struct bw_tool tool = {.source = job->source,
				     .what = "does not link",
				     .package = BW_LLD_PACKAGE,
				     .said = job->said};
	return bw_tool_run(argv, &tool);
}

/* clang's driver starts clang again for each step where there are several, and loading it takes
 * longer than compiling a kernel. With -c it compiles itself, and we run the linker: a third of the
 * time is saved. */
struct bw_error *bw_clang(const struct bw_compile_job *job, const struct bw_strings *args,
			  const char *what)
{
	const char *given = getenv("BREAKWATER_CLANG");
	size_t n = 0, n_last = 0;
	while (job->last && job->last[n_last])
		n_last++;
	_cleanup_free_ char *object = NULL;
	_cleanup_free_ const char **argv =
		calloc(args->len + job->options->words.len + n_last + 6, sizeof(*argv));
	if (!argv || asprintf(&object, "%s.o", job->object) < 0)
		return bw_error_nomem();
	bool is_given = given && given[0];
	argv[n++] = is_given ? given : BW_CLANG;
	bw_vec_each(args, a)
		argv[n++] = *a;
	/* The user's come last, so that they win. */
	bw_vec_each(&job->options->words, a)
		argv[n++] = *a;
	for (size_t i = 0; i < n_last; i++)
		argv[n++] = job->last[i];
	/* Another clang has another linker. */
	bool is_whole = is_given;
	for (size_t i = 1; i < n; i++)
		is_whole |= needs_driver(argv[i]);
	if (!is_whole)
		argv[n++] = "-c";
	argv[n++] = job->input ? job->input : job->source;
	argv[n++] = "-o";
	argv[n++] = is_whole ? job->object : object;
	const struct bw_tool tool = {.source = job->source,
				     .what = what,
				     .package = BW_CLANG,
				     .variable = is_given ? "BREAKWATER_CLANG" : NULL,
				     .said = job->said};
	struct bw_error *err = bw_tool_run(argv, &tool);
	if (!err && !is_whole)
		err = link_object(job, object);
	if (!is_whole)
		unlink(object);
	return err;
}

struct bw_error *bw_clang_with_library(const struct bw_compile_job *job,
				       const struct bw_strings *args, const char *library)
{
	struct bw_error *err = bw_clang(job, args, "does not compile");
	if (!err || library || !strstr(err->message, "undefined"))
		return err;
	struct bw_error *more = bw_errorf(
		err->code,
		"%s\nThe device library, which has the functions of OpenCL C and of mathematics, is not "
		"installed: " BW_DEVICE_LIBRARY_INSTALL,
		err->message);
	bw_error_free(err);
	return more;
}

struct bw_error *bw_clang_common(const struct bw_compile_job *job, struct bw_strings *args)
{
	_cleanup_free_ char *cpu = NULL;
	if (asprintf(&cpu, "-mcpu=%s", job->gpu) < 0)
		return bw_error_nomem();
	const char *const words[] = {
		"-target", "amdgcn-amd-amdhsa",
		cpu,	   "-nogpulib",
		"-g",	   bw_wants_wave64(job) ? "-mwavefrontsize64" : "-mno-wavefrontsize64",
		NULL};
	return bw_strings_add_all(args, words);
}

struct bw_error *bw_clang_prelude(const char *object, const unsigned char *text, size_t size_b,
				  char **out_path)
{
	_cleanup_free_ char *path = NULL;
	if (asprintf(&path, "%s.h", object) < 0)
		return bw_error_nomem();
	_cleanup_fclose_ FILE *f = fopen(path, "we");
	if (!f || fwrite(text, 1, size_b, f) != size_b || fflush(f))
		return bw_errorf(BW_E_SYSTEM, "cannot write %s", path);
	*out_path = bw_take(path);
	return NULL;
}

/* ---- Languages that need no more ---- */

static struct bw_error *compile_as(const struct bw_compile_job *job, const char *language)
{
	struct bw_strings args = {0};
	const char *const words[] = {"-x", language, NULL};
	struct bw_error *err = bw_clang_common(job, &args);
	if (!err)
		err = bw_strings_add_all(&args, words);
	if (!err)
		err = bw_clang_with_library(job, &args, "");
	bw_strings_free(&args);
	return err;
}

struct bw_error *bw_compile_c(struct bw_compile_job *job)
{
	return compile_as(job, "c");
}

struct bw_error *bw_compile_ir(struct bw_compile_job *job)
{
	return compile_as(job, "ir");
}
