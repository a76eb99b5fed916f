/* SPDX-License-Identifier: MIT */
#include "cli/compile.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/util.h"

const char bw_compile_options_help[] =
	"Compiler options, for a kernel that is source text; clang-19 gets them:\n"
	"  -O0, -O1, -O2, -O3      how far it optimizes (default: -O2 for .cl and .hip, -O0 for .c and .ll);\n"
	"                          -O0 of a shader makes it note its local variables\n"
	"  -D NAME[=VALUE], -U NAME, -I FOLDER\n"
	"  --wave64                waves of 64 lanes (also -mwavefrontsize64; default: 32)\n"
	"  --cl-options \"...\"      any others, as for clBuildProgram: -cl-fast-relaxed-math, -cl-std=CL3.0\n";

/* ---- Options ---- */

static struct bw_error *push_word(struct bw_compile_options *o, const char *text, size_t n)
{
	_cleanup_free_ char *copy = strndup(text, n);
	if (!copy)
		return bw_error_nomem();
	BW_TRY(bw_vec_push(&o->words, copy));
	bw_take(copy);
	return NULL;
}

/* "-DA='1 2' -I \"x y\"", as a shell splits it without its expansions. */
static struct bw_error *push_split(struct bw_compile_options *o, const char *text)
{
	_cleanup_free_ char *word = malloc(strlen(text) + 1);
	if (!word)
		return bw_error_nomem();
	for (const char *p = text; *p;) {
		if (isspace((unsigned char)*p)) {
			p++;
			continue;
		}
		size_t n = 0;
		char quote = 0;
		for (; *p && (quote || !isspace((unsigned char)*p)); p++) {
			if (quote ? *p == quote : *p == '"' || *p == '\'')
				quote = quote ? 0 : *p;
			else if (*p == '\\' && quote != '\'' && p[1])
				word[n++] = *++p;
			else
				word[n++] = *p;
		}
		if (quote)
			return bw_errorf(BW_E_INVALID, "--cl-options: the %c has no end: %s", quote,
					 text);
		BW_TRY(push_word(o, word, n));
	}
	return NULL;
}

static bool is_level(const char *word)
{
	return word[0] == '-' && word[1] == 'O' && word[2] >= '0' && word[2] <= '3' && !word[3];
}

struct bw_error *bw_compile_options_take(struct bw_compile_options *o, int argc, char *const *argv,
					 int *index, bool *out_taken)
{
	const char *word = argv[*index], *value = NULL;
	static const char cl_options[] = "--cl-options";
	size_t cl_len = strlen(cl_options);
	bool is_cl = !strncmp(word, cl_options, cl_len) && (!word[cl_len] || word[cl_len] == '=');
	bool is_define = word[0] == '-' && word[1] && strchr("DUI", word[1]);
	*out_taken = true;
	if (!o->first)
		o->first = word;
	if (is_cl && word[cl_len]) {
		value = word + cl_len + 1;
	} else if (is_cl || (is_define && !word[2])) {
		if (*index + 1 >= argc)
			return bw_errorf(BW_E_INVALID, "%s needs a value", word);
		value = argv[++*index];
	}
	++*index;
	if (is_cl)
		return push_split(o, value);
	if (is_define) {
		BW_TRY(push_word(o, word, strlen(word)));
		return value ? push_word(o, value, strlen(value)) : NULL;
	}
	if (is_level(word))
		return push_word(o, word, strlen(word));
	if (!strcmp(word, "--wave64") || !strcmp(word, "-mwavefrontsize64")) {
		o->wave64 = true;
		return NULL;
	}
	--*index;
	*out_taken = false;
	if (o->first == word)
		o->first = NULL;
	return NULL;
}

void bw_compile_options_fini(struct bw_compile_options *o)
{
	bw_compile_words_free(&o->words);
	*o = (struct bw_compile_options){0};
}

/* ---- Languages ---- */

#define KERNELS                                                                                    \
	".s, .cl, .hip, .cpp, .c, .ll, .bc, .co, .hsaco, .bin, .comp, .hlsl, .spv or .spvasm"

static const struct language {
	const char *suffix, *name;
	struct bw_error *(*build)(struct bw_compile_job *job); /* NULL: not supported */
} languages[] = {
	{".s", "assembly", bw_cli_assemble},
	{".S", "assembly", bw_cli_assemble},
	{".cl", "OpenCL C", bw_cli_compile_opencl},
	{".hip", "HIP", bw_cli_compile_hip},
	{".cpp", "C++", bw_cli_compile_hip},
	{".cc", "C++", bw_cli_compile_hip},
	{".cxx", "C++", bw_cli_compile_hip},
	{".c", "C", bw_cli_compile_c},
	{".ll", "LLVM IR", bw_cli_compile_ir},
	{".bc", "LLVM bitcode", bw_cli_compile_ir},
	{".cu", "CUDA", NULL},
};

static const struct language *language_of(const char *kernel)
{
	size_t n = strlen(kernel);
	for (size_t i = 0; i < BW_ARRAY_SIZE(languages); i++) {
		size_t m = strlen(languages[i].suffix);
		if (n > m && !strcmp(kernel + n - m, languages[i].suffix))
			return &languages[i];
	}
	return NULL;
}

bool bw_cli_is_kernel(const char *path)
{
	static const char *const compiled[] = {".co", ".hsaco", ".bin"};
	size_t n = strlen(path);
	for (size_t i = 0; i < BW_ARRAY_SIZE(compiled); i++) {
		size_t m = strlen(compiled[i]);
		if (n > m && !strcmp(path + n - m, compiled[i]))
			return true;
	}
	return language_of(path) != NULL;
}

struct bw_error *bw_cli_build_kernel(const char *kernel, const char *gpu,
				     const struct bw_compile_options *o, struct bw_str *said,
				     char **out_path)
{
	const struct language *l = language_of(kernel);
	if (!l && o->first)
		return bw_errorf(BW_E_INVALID,
				 "%s is for kernels that are source text; %s is compiled already",
				 o->first, kernel);
	if (!l) {
		*out_path = NULL;
		return NULL;
	}
	if (!l->build)
		return bw_errorf(BW_E_UNSUPPORTED,
				 "%s: %s is not supported yet; a kernel is " KERNELS, kernel,
				 l->name);
	struct bw_compile_job job = {.source = kernel, .gpu = gpu, .options = o, .said = said};
	BW_TRY(bw_cli_temporary_object(kernel, &job.object));
	struct bw_error *err = l->build(&job);
	if (err)
		free(job.object);
	else
		*out_path = job.object;
	return err;
}
