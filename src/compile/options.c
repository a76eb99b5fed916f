/* SPDX-License-Identifier: MIT */
/* Options of the command line that are for the compiler. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/util.h"
#include "compile/job.h"

const char bw_compile_options_help[] =
	"Compiler options, for a kernel that is source text; clang-19 gets them:\n"
	"  -O0, -O1, -O2, -O3      how far it optimizes (default: -O2 for .cl and .hip, -O0 for .c and .ll);\n"
	"                          -O0 of a shader makes it note its local variables\n"
	"  -D NAME[=VALUE], -U NAME, -I FOLDER\n"
	"  --wave64                waves of 64 lanes (also -mwavefrontsize64; default: 32)\n"
	"  --cl-options \"...\"      any others, as for clBuildProgram: -cl-fast-relaxed-math, -cl-std=CL3.0\n";

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
