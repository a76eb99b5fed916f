/* SPDX-License-Identifier: MIT */
#include "base/util.h"
#include "sym/variables.h"

#include <dirent.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../suite.h"
#include "opened.h"

/* Variables of the samples and where they are: what llvm-dwarfdump-19 prints for them and what
 * llvm-objdump-19 shows of their code (doc/hardware/code-objects.md 7). */

static struct bw_variable *visible(const struct opened *o, uint64_t addr, unsigned level,
				   size_t *out_n)
{
	struct bw_variable *all = NULL;
	struct bw_error *err = bw_lines_variables(o->lines, addr, level, &all, out_n);
	if (err)
		fail_msg("%s", err->message);
	return all;
}

/* "out in k n": names at an address, those of files in parentheses. */
static void check_visible(const struct opened *o, uint64_t addr, unsigned level, const char *wanted)
{
	size_t n;
	char got[512] = "";
	struct bw_variable *all = visible(o, addr, level, &n);
	for (size_t i = 0; i < n; i++)
		snprintf(got + strlen(got), sizeof(got) - strlen(got),
			 all[i].is_static ? "%s(%s)" : "%s%s", i ? " " : "", all[i].name);
	if (strcmp(got, wanted) != 0)
		fail_msg("at %#llx: %s", (unsigned long long)addr, got);
	free(all);
}

static struct bw_variable variable(const struct opened *o, uint64_t addr, const char *name)
{
	size_t n;
	struct bw_variable *all = visible(o, addr, 0, &n), v = {0};
	for (size_t i = 0; i < n && !v.name; i++)
		if (!strcmp(all[i].name, name))
			v = all[i];
	free(all);
	if (!v.name)
		fail_msg("no %s at %#llx", name, (unsigned long long)addr);
	return v;
}

static void print_piece(char *out, size_t out_b, enum bw_location_kind kind,
			const struct bw_location_piece *p)
{
	static const char *const bases[] = {"", "s32+", "s33+"};
	switch (kind) {
	case BW_LOC_OPTIMIZED_OUT:
		snprintf(out, out_b, "out");
		break;
	case BW_LOC_UNKNOWN:
		snprintf(out, out_b, "unknown");
		break;
	case BW_LOC_VGPR:
		snprintf(out, out_b, "v%u", p->reg);
		break;
	case BW_LOC_SGPR:
		snprintf(out, out_b, "s%u", p->reg);
		break;
	case BW_LOC_PRIVATE:
		snprintf(out, out_b, "P[%s%lld]", bases[p->base], (long long)p->offset);
		break;
	case BW_LOC_LDS:
		snprintf(out, out_b, "LDS[%lld]", (long long)p->offset);
		break;
	case BW_LOC_GLOBAL:
		snprintf(out, out_b, "image[%#llx]", (unsigned long long)p->offset);
		break;
	case BW_LOC_BOUND:
	case BW_LOC_PUSH:
	case BW_LOC_BUILTIN:
	case BW_LOC_RECORD:
	case BW_LOC_LAUNCH:
		break; /* of shaders alone */
	case BW_LOC_CONSTANT:
		snprintf(out, out_b, "%lld", (long long)p->value);
		break;
	case BW_LOC_COMPUTED:
		snprintf(out, out_b, "computed");
		break;
	}
}

/* "P[s33+24]", "v3", "out", "v1:4 out:4", "LDS offset unknown" */
static const char *print_location(const struct bw_location *at)
{
	static char text[512];
	size_t len = 0;
	struct bw_location_piece whole = {at->kind, at->reg, at->base, at->offset, at->value, 0};
	if (at->kind == BW_LOC_UNKNOWN)
		return at->why;
	print_piece(text, sizeof(text), at->kind, &whole);
	for (unsigned i = 0; i < at->n_pieces; i++) {
		print_piece(text + len, sizeof(text) - len, at->piece[i].kind, &at->piece[i]);
		len += strlen(text + len);
		len += (size_t)snprintf(text + len, sizeof(text) - len, ":%u%s",
					at->piece[i].size_b, i + 1 < at->n_pieces ? " " : "");
	}
	return text;
}

static struct bw_location located(const struct opened *o, uint64_t addr, const char *name)
{
	struct bw_variable v = variable(o, addr, name);
	struct bw_location at;
	bw_variable_location(o->lines, &v, addr, NULL, &at);
	assert_true(at.start <= addr && addr < at.end);
	return at;
}

static void check_location(const struct opened *o, uint64_t addr, const char *name,
			   const char *wanted)
{
	struct bw_location at = located(o, addr, name);
	if (strcmp(print_location(&at), wanted) != 0)
		fail_msg("%s at %#llx: %s, not %s", name, (unsigned long long)addr,
			 print_location(&at), wanted);
}

struct expected {
	const char *name, *where;
};

static void check_all(const struct opened *o, uint64_t addr, const struct expected *e, size_t n)
{
	for (size_t i = 0; i < n; i++)
		check_location(o, addr, e[i].name, e[i].where);
}
#define CHECK_ALL(o, addr, ...)                                                                    \
	check_all(o, addr, (const struct expected[]){__VA_ARGS__},                                 \
		  sizeof((const struct expected[]){__VA_ARGS__}) / sizeof(struct expected))

static void unoptimised(void **state)
{
	struct opened o = opened("kern_nolib.O0");
	CHECK_ALL(&o, 0x1da4, {"out", "P[s33+0]"}, {"in", "P[s33+8]"}, {"k", "P[s33+16]"},
		  {"n", "P[s33+20]"}, {"lid", "P[s33+24]"}, {"gid", "P[s33+28]"},
		  {"acc", "P[s33+32]"}, {"it", "P[s33+36]"}, {"v4", "P[s33+48]"},
		  {"i", "P[s33+80]"}, {"tile", "LDS[0]"});
	check_visible(&o, 0x1da4, 0, "i out in k n tile lid gid acc it v4");
	check_visible(&o, 0x1c18, 0, "out in k n tile lid gid acc it v4");
	check_visible(&o, 0x1c1c, 0, "i out in k n tile lid gid acc it v4");
	check_visible(&o, 0x1fc4, 0, "i out in k n tile lid gid acc it v4");
	check_visible(&o, 0x1fc8, 0, "out in k n tile lid gid acc it v4");
	check_visible(&o, 0x2090, 0, "a b t");
	check_visible(&o, 0x2090, 1, "");
	check_visible(&o, 0x1da4, 1, "");
	check_visible(&o, 0, 0, "");
	check_visible(&o, UINT64_MAX, 0, "");

	struct bw_variable i = variable(&o, 0x1da4, "i"), n = variable(&o, 0x1da4, "n");
	assert_true(n.is_param && !i.is_param && !n.is_static);
	assert_true(i.scope > n.scope);
	assert_int_equal(i.decl_line, 21);
	assert_int_equal(i.type->kind, BW_CTYPE_INT);
	assert_string_equal(variable(&o, 0x1da4, "it").type->name, "item_t");
	assert_int_equal(variable(&o, 0x1da4, "tile").type->size_b, 256);
	closed(o);
}

static void optimised(void **state)
{
	static const char *const objects[] = {"kern_nolib.O2", "kern_nolib.dwarf4"};
	for (size_t i = 0; i < 2; i++) {
		struct opened o = opened(objects[i]);
		CHECK_ALL(&o, 0x17a8, {"lid", "v3"}, {"gid", "v1"}, {"acc", "v2"}, {"out", "out"},
			  {"in", "out"}, {"k", "out"}, {"n", "out"}, {"it", "out"}, {"v4", "out"},
			  {"i", "out"});
		check_location(&o, 0x1730, "acc", "0");
		check_location(&o, 0x1804, "acc", "out");
		check_location(&o, 0x1850, "acc", "v7");
		check_location(&o, 0x18c0, "acc", "v2");
		check_location(&o, 0x1990, "acc", "v2");
		check_location(&o, 0x1780, "i", "0");
		check_location(&o, 0x1a24, "a", "v0");
		check_location(&o, 0x1a24, "b", "v1");
		check_location(&o, 0x1a2c, "a", "out");
		check_location(&o, 0x1a2c, "b", "v1");
		/* where it holds; the gap between two entries */
		struct bw_location at = located(&o, 0x1804, "acc");
		assert_int_equal(at.start, 0x1800);
		assert_int_equal(at.end, 0x1810);
		at = located(&o, 0x1850, "acc");
		assert_int_equal(at.start, 0x1810);
		assert_int_equal(at.end, 0x186c);
		closed(o);
	}
}

static void wave64(void **state)
{
	struct opened o = opened("kern_nolib.w64");
	struct bw_location at = located(&o, 0x1718, "lid");
	assert_string_equal(print_location(&at), "v3");
	assert_int_equal(at.start, 0x1718);
	assert_int_equal(at.end, 0x1a38);
	closed(o);
}

static void no_frame_base(void **state)
{
	struct opened o = opened("dyn.O2");
	struct bw_variable p;
	struct bw_location at;
	check_location(&o, 0x16e0, "arr", "P[0]");
	assert_int_equal(variable(&o, 0x16e0, "arr").type->size_b, 64);
	p = variable(&o, 0x1710, "p");
	at = located(&o, 0x1710, "p");
	assert_string_equal(print_location(&at), "v0");
	assert_int_equal(at.start, 0x1710);
	assert_int_equal(at.end, 0x1738);
	assert_int_equal(p.type->kind, BW_CTYPE_POINTER);
	assert_int_equal(p.type->address_class, BW_ADDRESS_PRIVATE);
	assert_int_equal(p.type->size_b, 4);
	closed(o);
	o = opened("nest.O2");
	check_location(&o, 0x16a8, "x", "v4");
	check_location(&o, 0x16a8, "y", "v0");
	closed(o);
}

static uint64_t after_prologue(const struct opened *o, const char *kernel)
{
	const struct bw_kernel *k = bw_code_object_kernel(o->co, kernel);
	assert_non_null(k);
	return bw_lines_after_prologue(o->lines, k->entry, k->end);
}

static void lds(void **state)
{
	/* offsets: those of ds_store in the assembly that clang-19 writes for these files */
	static const char *const objects[] = {"two.O0", "two.O2", "lds.O0", "lds.O2"};
	for (size_t i = 0; i < BW_ARRAY_SIZE(objects); i++) {
		struct opened o = opened(objects[i]);
		if (i < 2) {
			uint64_t addr = after_prologue(&o, "two");
			CHECK_ALL(&o, addr, {"a", "LDS[0]"}, {"b", "LDS[256]"});
		} else {
			uint64_t addr = after_prologue(&o, "lds");
			CHECK_ALL(&o, addr, {"c", "LDS[52]"}, {"s", "LDS[56]"},
				  {"words", "LDS[16]"}, {"d", "LDS[64]"}, {"v", "LDS[144]"},
				  {"p", "LDS[96]"}, {"q", "LDS[128]"}, {"wide", "LDS[0]"});
			addr = after_prologue(&o, "promoted");
			CHECK_ALL(&o, addr, {"first", "LDS[0]"}, {"second", "LDS[256]"});
		}
		closed(o);
	}
	struct opened o = opened("types.hip.O2");
	check_location(&o, after_prologue(&o, "_Z5typesPN6shapes6circleEPfi"), "part", "LDS[0]");
	closed(o);
}

static void plain_c(void **state)
{
	struct opened o = opened("ckern.O0");
	CHECK_ALL(&o, 0x1a7c, {"lid", "P[s33+12]"}, {"s", "P[s33+16]"}, {"i", "P[s33+20]"});
	check_visible(&o, 0x1a78, 0, "out n lid s");
	check_visible(&o, 0x1a7c, 0, "i out n lid s");
	check_visible(&o, 0x1ca4, 0, "i out n lid s");
	check_visible(&o, 0x1ca8, 0, "out n lid s");
	closed(o);
}

static void address_spaces(void **state)
{
	static const struct {
		const char *name;
		enum bw_address_class class;
		uint64_t size_b;
	} rows[] = {
		{"l", BW_ADDRESS_LOCAL, 4},	{"p", BW_ADDRESS_PRIVATE, 4},
		{"g", BW_ADDRESS_GENERIC, 8},	{"c", BW_ADDRESS_GENERIC, 8},
		{"gen", BW_ADDRESS_GENERIC, 8},
	};
	struct opened o = opened("asp.O0");
	size_t n;
	const struct bw_symbol *s = bw_code_object_symbols(o.co, &n);
	while (n && strcmp(s->name, "use") != 0) {
		n--;
		s++;
	}
	assert_true(n);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bw_variable v = variable(&o, s->addr + 64, rows[i].name);
		assert_int_equal(v.type->kind, BW_CTYPE_POINTER);
		assert_int_equal(v.type->address_class, rows[i].class);
		assert_int_equal(v.type->size_b, rows[i].size_b);
	}
	closed(o);
}

/* Variables of files, and of constants in memory. */
static void of_files(void **state)
{
	struct opened o = opened("types.cl"), hip = opened("types.hip.O0");
	uint64_t addr = after_prologue(&o, "types");
	check_visible(&o, addr, 0, "all n i mine (table)");
	check_visible(&o, 0, 0, "(table)");
	struct bw_location at = located(&o, addr, "table");
	size_t image_b;
	const uint8_t *image = bw_code_object_image(o.co, &image_b);
	int32_t words[4];
	assert_int_equal(at.kind, BW_LOC_GLOBAL);
	assert_true(at.offset > 0 && (uint64_t)at.offset + sizeof(words) <= image_b);
	memcpy(words, image + at.offset, sizeof(words));
	for (int i = 0; i < 4; i++)
		assert_int_equal(words[i], i + 1);
	addr = after_prologue(&hip, "_Z5typesPN6shapes6circleEPfi");
	check_visible(&hip, addr, 0, "c out n part lane b p (scale) (lanes)");
	at = located(&hip, addr, "scale");
	image = bw_code_object_image(hip.co, &image_b);
	float three;
	assert_int_equal(at.kind, BW_LOC_GLOBAL);
	memcpy(&three, image + at.offset, sizeof(three));
	assert_true(three == 3.0f);
	check_location(&hip, addr, "lanes", "32");
	closed(o);
	closed(hip);
}

/* Of two of a name, the one of the unit with the code comes first. */
static void of_units(void **state)
{
	struct opened o = opened("units");
	size_t image_b;
	const uint8_t *image = bw_code_object_image(o.co, &image_b);
	static const struct {
		const char *kernel, *names;
		int32_t first;
	} rows[] = {{"other", "n out i (table) (table)", 7},
		    {"types", "all n i mine (table) (table)", 1}};
	for (size_t i = 0; i < 2; i++) {
		uint64_t addr = after_prologue(&o, rows[i].kernel);
		int32_t first;
		check_visible(&o, addr, 0, rows[i].names);
		struct bw_location at = located(&o, addr, "table");
		assert_int_equal(at.kind, BW_LOC_GLOBAL);
		memcpy(&first, image + at.offset, sizeof(first));
		assert_int_equal(first, rows[i].first);
	}
	closed(o);
}

/* An inlined function has names and types from its abstract function, and its variables
 * without a place are there too. */
static void inlined(void **state)
{
	struct opened o = opened("types.hip.O2"), scale = opened("scale.O2");
	bool seen = false;
	size_t n;
	struct bw_function f;
	const struct bw_kernel *k = bw_code_object_kernels(o.co, &n);
	for (uint64_t addr = k->entry; addr < k->end; addr += 4) {
		if (!bw_lines_function_at(o.lines, addr, &f) || strcmp(f.name, "dot") != 0)
			continue;
		seen = true;
		check_visible(&o, addr, 0, "a b (scale) (lanes)");
		check_visible(&o, addr, 1, "c out n part lane b p (scale) (lanes)");
		struct bw_variable a = variable(&o, addr, "a");
		assert_true(a.type->is_reference);
		assert_string_equal(bw_ctype_strip(a.type->elem)->name, "shapes::point");
		check_location(&o, addr, "a", "out");
	}
	assert_true(seen);
	/* a struct in several registers, of which some are gone */
	check_location(&o, 0x1758, "b", "v1:4 v6:4 out:4 v2:4");
	check_location(&o, 0x1770, "b", "out:4 v6:4 out:4 v2:4");
	check_location(&o, 0x17bc, "b", "out:4 v6:4 out:8");
	check_location(&o, 0x17bc, "p", "v4:4 out:4");
	closed(o);

	k = bw_code_object_kernel(scale.co, "launch");
	seen = false;
	for (uint64_t addr = k->entry; addr < k->end; addr += 4) {
		assert_true(bw_lines_function_at(scale.lines, addr, &f));
		if (!f.is_inlined)
			continue;
		seen = true;
		check_visible(&scale, addr, 0, "n k out");
		check_visible(&scale, addr, 1, "out n start");
		check_visible(&scale, addr, 2, "");
		check_location(&scale, addr, "n", "78");
	}
	assert_true(seen);
	closed(scale);
}

/* ---- All locations of many kernels; test_locations.py compares them with llvm-dwarfdump ---- */

struct survey {
	size_t n[BW_LOC_COMPUTED + 1], n_objects, n_pieces;
};

static void count(struct survey *s, const char *object, const struct bw_variable *v, uint64_t addr,
		  const struct bw_location *at)
{
	assert_true(at->kind <= BW_LOC_COMPUTED);
	assert_true(at->start <= addr && addr < at->end);
	s->n[at->kind] += !at->n_pieces;
	s->n_pieces += at->n_pieces > 0;
	if (at->kind == BW_LOC_UNKNOWN) {
		assert_true(*at->why);
		print_message("%s: %s at %#llx: %s\n", object, v->name, (unsigned long long)addr,
			      at->why);
	}
	if (at->kind == BW_LOC_VGPR)
		assert_true(at->reg < 256);
	uint64_t size_b = 0;
	for (unsigned i = 0; i < at->n_pieces; i++) {
		assert_true(at->piece[i].kind != BW_LOC_UNKNOWN);
		size_b += at->piece[i].size_b;
	}
	if (at->n_pieces)
		assert_int_equal(size_b, v->type->size_b);
}

/* Each variable at each place where its location changes. */
static void survey_object(struct survey *s, const char *object, const struct opened *o)
{
	const struct bw_symbol *f;
	size_t n_symbols;
	f = bw_code_object_symbols(o->co, &n_symbols);
	s->n_objects++;
	for (size_t k = 0; k < n_symbols; k++) {
		for (uint64_t addr = f[k].addr; f[k].is_function && addr < f[k].addr + f[k].size_b;
		     addr += 4) {
			size_t n;
			struct bw_variable *all = visible(o, addr, 0, &n);
			for (size_t i = 0; i < n; i++) {
				struct bw_location at;
				bw_variable_location(o->lines, &all[i], addr, NULL, &at);
				if (at.start == addr || addr == f[k].addr)
					count(s, object, &all[i], addr, &at);
			}
			free(all);
		}
	}
}

static void all_are_known(void **state)
{
	struct survey s = {0};
	DIR *folder = opendir(getenv("BREAKWATER_SAMPLES"));
	assert_non_null(folder);
	for (struct dirent *e; (e = readdir(folder));) {
		size_t len = strlen(e->d_name);
		if (strncmp(e->d_name, "survey.", 7) != 0 || len < 3 ||
		    strcmp(e->d_name + len - 3, ".co") != 0)
			continue;
		char name[256];
		snprintf(name, sizeof(name), "%.*s", (int)(len - 3), e->d_name);
		struct opened o = opened(name);
		survey_object(&s, name, &o);
		closed(o);
	}
	closedir(folder);
	print_message("%zu objects: %zu optimized out, %zu unknown, %zu in VGPRs, %zu in SGPRs, "
		      "%zu private, %zu in the LDS, %zu global, %zu constant, %zu computed, %zu in "
		      "pieces\n",
		      s.n_objects, s.n[BW_LOC_OPTIMIZED_OUT], s.n[BW_LOC_UNKNOWN], s.n[BW_LOC_VGPR],
		      s.n[BW_LOC_SGPR], s.n[BW_LOC_PRIVATE], s.n[BW_LOC_LDS], s.n[BW_LOC_GLOBAL],
		      s.n[BW_LOC_CONSTANT], s.n[BW_LOC_COMPUTED], s.n_pieces);
	assert_true(s.n[BW_LOC_COMPUTED] > 20);
	assert_true(s.n_objects >= 58);
	assert_true(s.n[BW_LOC_VGPR] > 100 && s.n[BW_LOC_PRIVATE] > 100);
}

TESTS(unoptimised, optimised, wave64, no_frame_base, lds, plain_c, address_spaces, of_files,
      of_units, inlined, all_are_known);
