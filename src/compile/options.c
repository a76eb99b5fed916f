/* SPDX-License-Identifier: MIT */
/* Options of the command line that are for the compiler. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/util.h"
#include "compile/job.h"

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
static struct bw_error *take_cl(void *options, const char *option, const char *text)
{
	struct bw_compile_options *o = options;
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

static struct bw_error *take_level(void *options, const char *option, const char *value)
{
	return push_word(options, option, strlen(option));
}

/* One word, as glslang wants it. */
static struct bw_error *take_define(void *options, const char *option, const char *value)
{
	struct bw_str word = {0};
	bw_str_addf(&word, "%s%s", option, value);
	struct bw_error *err =
		word.failed ? bw_error_nomem() : push_word(options, bw_str_text(&word), word.len);
	bw_str_free(&word);
	return err;
}

const struct bw_option bw_compile_rows[] = {
	{"-O0, -O1, -O2, -O3", NULL,
	 "how far it optimizes (default: -O2 for .cl and .hip, -O0 for .c and .ll); -O0 of a shader or a "
	 "Vulkan program makes its compute shaders note their lines and local variables",
	 BW_CALL(take_level)},
	{"-D", "NAME[=VALUE]", "defines a macro", BW_CALL(take_define), .is_joined = true},
	{"-U", "NAME", "undefines it", BW_CALL(take_define), .is_joined = true},
	{"-I", "FOLDER", "looks for headers there", BW_CALL(take_define), .is_joined = true},
	{"--wave64", NULL, "waves of 64 lanes (also -mwavefrontsize64; default: 32)",
	 BW_FLAG(struct bw_compile_options, wave64), .also = "-mwavefrontsize64"},
	{"--cl-options", "\"...\"",
	 "any others, as for clBuildProgram: -cl-fast-relaxed-math, -cl-std=CL3.0",
	 BW_CALL(take_cl)},
	{0},
};

struct bw_error *bw_compile_note_first(void *options, char *const *words, size_t n)
{
	struct bw_compile_options *o = options;
	if (!o->first)
		o->first = words[0];
	return NULL;
}

void bw_compile_options_fini(struct bw_compile_options *o)
{
	bw_strings_free(&o->words);
	*o = (struct bw_compile_options){0};
}
