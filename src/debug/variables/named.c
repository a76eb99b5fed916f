// SPDX-License-Identifier: MIT
/* Variables and enumerators by the names that users type. Names of C++ in namespaces are whole in
 * the debug information ("zoo::in::j"); a function of a namespace means them without it. */
#include "base/cleanup.h"
#include "base/str.h"
#include "debug/variables.h"
#include "debug/variables/variables_priv.h"
#include "sym/demangle.h"
#include "sym/frames.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_NAME_B = 512 };

/* ---- Namespaces ---- */

/* The length of the scope before `name` in `full`: for i, 5 in "zoo::i" and 0 in "i"; -1: it is
 * another name. */
static int scope_before(const char *full, const char *name)
{
	size_t n = strlen(full), m = strlen(name);
	if (n < m || strcmp(full + n - m, name) != 0)
		return -1;
	if (n > m && (n < m + 2 || memcmp(full + n - m - 2, "::", 2) != 0))
		return -1;
	return n > MOST_NAME_B ? -1 : (int)(n - m);
}

/* The name of the frame's function with its scope, "zoo::f": names without a scope in its code are
 * looked for in zoo, then outside of it. NULL: not a C++ function. The caller owns it. */
static char *function_name(const struct bw_variables_frame *f)
{
	struct bw_frame_info info;
	size_t n;
	if (!bw_lines_frame(f->lines, f->addr, f->level, &info) || !info.linkage_name)
		return NULL;
	_cleanup_free_ char *full = bw_demangle(info.linkage_name);
	if (!full)
		return NULL;
	const char *base = bw_name_base(full, &n);
	return strndup(base, n);
}

/* Finds a variable in a namespace: in the innermost one around the function, otherwise the only
 * variable of that name, which "using" may have brought in. */
static const struct bw_variable *in_namespace(const struct bw_variables_frame *f,
					      const struct bw_variable *list, size_t n,
					      const char *name, bool *out_is_around)
{
	const struct bw_variable *around = NULL, *any = NULL;
	unsigned n_any = 0;
	int longest = 0;
	_cleanup_free_ char *function = NULL;
	for (size_t i = 0; i < n; i++) {
		int scope = list[i].is_static ? scope_before(list[i].name, name) : -1;
		if (scope <= 0)
			continue;
		if (!n_any++)
			function = function_name(f);
		any = &list[i];
		if (scope > longest && function && !strncmp(function, any->name, (size_t)scope)) {
			longest = scope;
			around = any;
		}
	}
	*out_is_around = around;
	return around ? around : n_any == 1 ? any : NULL;
}

const struct bw_variable *bw_variables_find(struct bw_debug *d, const struct bw_variables_frame *f,
					    const char *name)
{
	const struct bw_variable *list, *same = NULL;
	size_t n;
	bool is_global = bw_starts_with(name, "::"), is_around = false;
	if (is_global)
		name += 2;
	struct bw_error *err = bw_variables_list(d, f, &list, &n);
	if (err) { /* damaged information: the name is not known then */
		bw_error_free(err);
		return NULL;
	}
	for (size_t i = 0; i < n && !same; i++)
		if ((!is_global || list[i].is_static) && strcmp(list[i].name, name) == 0)
			same = &list[i];
	if (is_global || (same && !same->is_static))
		return same;
	/* a namespace around the function has the name before what is outside of it */
	const struct bw_variable *inside = in_namespace(f, list, n, name, &is_around);
	return same && !is_around ? same : inside;
}

/* ---- Enumerators ---- */

/* The enumeration that t is, of which t consists, or to which t points. */
static const struct bw_ctype *enum_in(const struct bw_ctype *t)
{
	for (unsigned depth = 0; depth < 8 && t; depth++) {
		t = bw_ctype_strip(t);
		if (t->kind == BW_CTYPE_ENUM)
			return t;
		if (t->kind != BW_CTYPE_POINTER && t->kind != BW_CTYPE_ARRAY)
			return NULL;
		t = t->elem;
	}
	return NULL;
}

/* An enumerator as users write it: "green", "zoo::color::green", "zoo::red". */
struct wanted {
	const char *name; /* its last part */
	char *scope;	  /* "zoo::color", "zoo"; NULL: none. Owned */
};

static void wanted_fini(struct wanted *w)
{
	free(w->scope);
}

static struct wanted wanted_of(const char *name)
{
	if (bw_starts_with(name, "::"))
		name += 2;
	size_t at = bw_last_part(name);
	return (struct wanted){.name = name + at, .scope = at ? strndup(name, at - 2) : NULL};
}

/* Whether an enumeration of that name has its enumerators in the scope: they are in the
 * enumeration's scope and, without "class", also in the scope around it. */
static bool is_in_scope(const char *type, const char *scope)
{
	size_t at = type ? bw_last_part(type) : 0;
	if (!scope || !type)
		return !scope;
	if (scope_before(type, scope) >= 0)
		return true;
	_cleanup_free_ char *around = at ? strndup(type, at - 2) : NULL;
	return around && scope_before(around, scope) >= 0;
}

static bool enumerator_of(const struct bw_ctype *t, const struct wanted *w,
			  const struct bw_ctype **out_type, int64_t *out_value)
{
	const struct bw_ctype *e = enum_in(t);
	if (!e || !is_in_scope(e->name, w->scope))
		return false;
	for (size_t i = 0; i < e->n_enumerators; i++) {
		if (!e->enumerators[i].name || strcmp(e->enumerators[i].name, w->name) != 0)
			continue;
		*out_type = e;
		*out_value = e->enumerators[i].value;
		return true;
	}
	return false;
}

/* The struct that t is, of which t consists, or to which t points. */
static const struct bw_ctype *struct_in(const struct bw_ctype *t)
{
	for (unsigned depth = 0; depth < 8 && t; depth++) {
		t = bw_ctype_strip(t);
		if (t->kind == BW_CTYPE_STRUCT || t->kind == BW_CTYPE_UNION)
			return t;
		if (t->kind != BW_CTYPE_POINTER && t->kind != BW_CTYPE_ARRAY)
			return NULL;
		t = t->elem;
	}
	return NULL;
}

bool bw_variables_enumerator(struct bw_debug *d, const struct bw_variables_frame *f,
			     const char *name, const struct bw_ctype **out_type, int64_t *out_value)
{
	const struct bw_variable *list;
	size_t n;
	_cleanup_(wanted_fini) struct wanted w = wanted_of(name);
	if (w.scope && enumerator_of(bw_debug_type_named(d, w.scope), &w, out_type, out_value))
		return true;
	struct bw_error *err = bw_variables_list(d, f, &list, &n);
	for (size_t i = 0; !err && i < n; i++) {
		if (enumerator_of(list[i].type, &w, out_type, out_value))
			return true;
		const struct bw_ctype *s = struct_in(list[i].type);
		for (size_t m = 0; s && m < s->n_members; m++)
			if (enumerator_of(s->members[m].type, &w, out_type, out_value))
				return true;
	}
	bw_error_free(err);
	return false;
}
