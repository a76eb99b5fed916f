// SPDX-License-Identifier: MIT
/* Completion: words that begin with what was typed. */
#include "debug/dispatches/dispatches_priv.h"
#include "debug/expressions.h"
#include "debug/expressions/expr_priv.h"
#include "debug/registers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "base/string_list.h"
#include "debug/variables.h"
#include "sym/demangle.h"
#include "sym/lines.h"

static void add_word(struct bw_strings *w, const char *prefix, const char *lead, const char *name)
{
	char *word;
	if (asprintf(&word, "%s%s", lead, name) < 0)
		return;
	bool wanted = bw_starts_with(word, prefix);
	for (size_t i = 0; wanted && i < w->len; i++)
		wanted = strcmp(w->data[i], word) != 0;
	struct bw_error *err = wanted ? bw_vec_push(w, word) : NULL;
	if (err || !wanted)
		free(word);
	bw_error_free(err);
}

static char **finish_words(struct bw_strings *w)
{
	struct bw_error *err = bw_vec_push(w, NULL);
	if (!err)
		return w->data;
	bw_error_free(err);
	bw_strings_free(w);
	return NULL;
}

static void add_symbols(struct bw_debug *d, struct bw_strings *w, const char *prefix)
{
	bw_vec_each(&d->code->modules, m) {
		size_t n;
		const struct bw_symbol *s = bw_module_symbols(*m, &n);
		for (size_t i = 0; i < n; i++) {
			const char *full = bw_module_pretty(*m, &s[i]);
			size_t base_b;
			if (full == s[i].name) {
				add_word(w, prefix, "", s[i].name);
				continue;
			}
			/* C++ names without result type and parameters, as users type them */
			const char *base = bw_name_base(full, &base_b);
			_cleanup_free_ char *name = strndup(base, base_b);
			if (name)
				add_word(w, prefix, "", name);
		}
	}
}

/* Adds names of kernels' arguments: only of kernels in assembly, for which the name alone is
 * enough, or of all. */
static void add_args(struct bw_debug *d, struct bw_strings *w, const char *prefix, const char *lead,
		     bool assembly)
{
	bw_vec_each(&d->code->modules, m) {
		size_t n;
		const struct bw_kernel *k = bw_module_kernels(*m, &n);
		for (size_t i = 0; i < n; i++)
			for (size_t a = 0; a < k[i].n_args; a++)
				if (k[i].args[a].kind != BW_ARG_HIDDEN && k[i].args[a].name[0] &&
				    (!assembly || bw_kernel_is_assembly(*m, &k[i])))
					add_word(w, prefix, lead, k[i].args[a].name);
	}
}

static void add_members(struct bw_strings *w, const char *prefix, const char *lead,
			const struct bw_ctype *t, unsigned depth)
{
	enum { MAX_DEPTH = 8 };
	for (size_t i = 0; depth < MAX_DEPTH && i < t->n_members; i++) {
		const struct bw_cmember *m = &t->members[i];
		/* members of an anonymous struct and of a base class count as the struct's own */
		if (!m->name || m->is_base)
			add_members(w, prefix, lead, bw_ctype_strip(m->type), depth + 1);
		else
			add_word(w, prefix, lead, m->name);
	}
}

/* Completes "item.at[0]." with the members of its type; of a pointer, with those of its target. */
static bool complete_members(struct bw_debug *d, struct bw_strings *w, const char *prefix)
{
	const char *dot = strrchr(prefix, '.'), *arrow = NULL;
	for (const char *p = prefix; (p = strstr(p, "->")); p += 2)
		arrow = p;
	size_t base_b = (size_t)((arrow > dot ? arrow : dot) - prefix);
	if ((!dot && !arrow) || !base_b)
		return false;
	_cleanup_free_ char *base = strndup(prefix, base_b);
	_cleanup_free_ char *lead = strndup(prefix, base_b + (prefix[base_b] == '.' ? 1 : 2));
	struct bw_value v = {0};
	struct bw_expr_error where = {0};
	bool is_type = false;
	struct bw_error *err =
		base && lead ? bw_debug_eval_type(d, base, &v, &is_type, &where) : NULL;
	const struct bw_ctype *t = err || is_type ? NULL : v.type.ctype;
	t = t ? bw_ctype_strip(t) : NULL;
	if (t && t->kind == BW_CTYPE_POINTER)
		t = bw_ctype_strip(t->elem);
	if (t)
		add_members(w, prefix, lead, t, 0);
	bw_error_free(err);
	bw_value_fini(&v);
	return t != NULL;
}

/* Completes "$v1" with numbered registers of the focus wave, which are too many for "$" alone. */
static void add_numbered(struct bw_debug *d, struct bw_strings *w, const char *prefix)
{
	const struct bw_wave_info *wave = bw_debug_focus(d);
	const char cls = prefix[1];
	if (!wave || !cls || !strchr("vas", cls) || prefix[2 + strspn(prefix + 2, "0123456789")])
		return;
	const unsigned plain = bw_wave_plain_vgprs(wave);
	const unsigned n = cls == 'v'	? plain
			   : cls == 'a' ? wave->n_vgprs - plain
					: bw_debug_n_sgprs(d);
	for (unsigned i = 0; i < n; i++) {
		char name[16];
		snprintf(name, sizeof(name), "%c%u", prefix[1], i);
		add_word(w, prefix, "$", name);
	}
}

char **bw_debug_complete_expr(struct bw_debug *d, const char *prefix)
{
	struct bw_strings w = {0};
	if (bw_starts_with(prefix, "$_launch.")) {
		add_args(d, &w, prefix, "$_launch.", false);
		return finish_words(&w);
	}
	if (prefix[0] == '$') {
		add_word(&w, prefix, "$", "_launch.");
		const struct bw_arch *arch = bw_debug_arch(d);
		char name[24];
		for (uint16_t i = 0; i < BW_REG_SPECIAL_COUNT; i++) {
			bw_wave_reg_name(arch, (struct bw_wave_reg){BW_REG_SPECIAL, i, 1}, name);
			add_word(&w, prefix, "$", name);
		}
		for (unsigned i = 0; i < BW_WREG_COUNT; i++)
			if (arch->reg[i].name)
				add_word(&w, prefix, "$", arch->reg[i].name);
		for (size_t i = 0; bw_expr_internal_name(i); i++)
			add_word(&w, prefix, "$", bw_expr_internal_name(i));
		bw_vec_each(&d->vars->all, v)
			add_word(&w, prefix, "$", v->name);
		add_numbered(d, &w, prefix);
		return finish_words(&w);
	}
	if (complete_members(d, &w, prefix))
		return finish_words(&w);
	const struct bw_variable *list;
	size_t n = 0;
	struct bw_error *err = bw_debug_variables(d, &list, &n);
	bw_error_free(err);
	for (size_t i = 0; !err && i < n; i++)
		add_word(&w, prefix, "", list[i].name);
	static const char *const functions[] = {"as_double(", "as_float(", "as_int(", "as_uint(",
						"sizeof("};
	for (size_t i = 0; prefix[0] && i < BW_ARRAY_SIZE(functions); i++)
		add_word(&w, prefix, "", functions[i]);
	add_args(d, &w, prefix, "", true);
	add_symbols(d, &w, prefix);
	return finish_words(&w);
}

size_t bw_debug_word_start(const char *text, size_t n)
{
	unsigned depth = 0; /* depth of brackets; an index is part of the word if it is closed */
	for (; n; n--) {
		char c = text[n - 1];
		bool is_arrow = c == '>' && n > 1 && text[n - 2] == '-';
		if (c == ']')
			depth++;
		else if (c == '[' && depth)
			depth--;
		else if (!depth && !is_arrow && strchr(" \t(,=+*/&|<>!~[", c))
			break;
	}
	return n;
}

/* Adds, after "FILE:", the lines that have code. */
static void add_lines(struct bw_strings *w, const struct bw_lines *l, const char *prefix)
{
	enum { LAST_LINE = 20000, MOST = 200 };
	const char *colon = strrchr(prefix, ':');
	if (!colon || colon == prefix || colon[-1] == ':')
		return;
	_cleanup_free_ char *file = strndup(prefix, (size_t)(colon - prefix));
	unsigned line = 0, n = 0;
	uint64_t addr;
	for (unsigned at = 1; file && at < LAST_LINE && n < MOST; at = line + 1) {
		char word[300];
		if (!bw_lines_find(l, file, at, &addr, 1, &line) || line < at)
			return;
		snprintf(word, sizeof(word), "%s:%u", file, line);
		n += !strncmp(word, prefix, strlen(prefix));
		add_word(w, prefix, "", word);
	}
}

char **bw_debug_complete_where(struct bw_debug *d, const char *prefix)
{
	struct bw_strings w = {0};
	add_symbols(d, &w, prefix);
	bw_vec_each(&d->code->modules, m) {
		const char *const *files;
		size_t n = (*m)->lines ? bw_lines_files((*m)->lines, &files) : 0;
		for (size_t i = 0; i < n; i++) {
			const char *slash = strrchr(files[i], '/');
			char name[256];
			snprintf(name, sizeof(name), "%s:", slash ? slash + 1 : files[i]);
			if (strcmp(name, prefix) != 0)
				add_word(&w, prefix, "", name);
		}
		if ((*m)->lines)
			add_lines(&w, (*m)->lines, prefix);
	}
	return finish_words(&w);
}

void bw_debug_free_words(char **words)
{
	for (char **p = words; p && *p; p++)
		free(*p);
	free(words);
}
