/* SPDX-License-Identifier: MIT */
#include "sym/code_object.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../suite.h"
#include "samples.h"

static const struct bw_kernel *only_kernel(const struct bw_code_object *co)
{
	size_t n;
	const struct bw_kernel *k = bw_code_object_kernels(co, &n);
	assert_int_equal(n, 1);
	return k;
}

/* Values: doc/hardware/code-objects.md 3 and 6, from llvm-readelf-19 and
 * llvm-objdump-19; the scratch of ckern from --notes. */
static void descriptors(void **state)
{
	static const struct {
		const char *object, *kernel;
		uint32_t rsrc1, rsrc2, properties, vgprs, lds_b, scratch_b, kernarg_b;
		bool wave32;
	} rows[] = {
		{"kern_nolib.O0", "kern", 0x60af0103, 0x39b, 0x41a, 32, 256, 112, 280, true},
		{"kern_nolib.O2", "kern", 0x60af0100, 0x9e, 0x408, 8, 256, 0, 24, true},
		{"ckern.O0", "ckern", 0x60af0101, 0x139b, 0x41a, 16, 0, 72, 272, true},
		{"add", "add", 0x60ac0000, 0x84, 0x408, 8, 0, 0, 0, true},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bw_code_object *co = sample(rows[i].object);
		const struct bw_kernel *k = only_kernel(co);
		assert_string_equal(bw_code_object_gpu(co), "gfx1100");
		assert_string_equal(k->name, rows[i].kernel);
		assert_int_equal(k->rsrc1, rows[i].rsrc1);
		assert_int_equal(k->rsrc2, rows[i].rsrc2);
		assert_int_equal(k->properties, rows[i].properties);
		assert_int_equal(k->vgprs, rows[i].vgprs);
		assert_int_equal(k->lds_b, rows[i].lds_b);
		assert_int_equal(k->scratch_b, rows[i].scratch_b);
		assert_int_equal(k->kernarg_b, rows[i].kernarg_b);
		assert_int_equal(k->wave32, rows[i].wave32);
		assert_ptr_equal(bw_code_object_kernel(co, rows[i].kernel), k);
		assert_null(bw_code_object_kernel(co, "nobody"));
		bw_code_object_close(co);
	}
}

static void places(void **state)
{
	/* #20 */
	struct bw_code_object *co = sample("kern_nolib.O0");
	const struct bw_kernel *k = only_kernel(co);
	assert_int_equal(k->descriptor, 0x980);
	assert_int_equal(k->entry, 0x1a00);
	assert_int_equal(k->end, 0x1a00 + 1624);
	assert_int_equal(k->reqd_group[0], 64);
	assert_int_equal(k->reqd_group[1], 1);
	assert_int_equal(k->max_group_size, 64);
	assert_true(k->has_metadata);
	/* the image: the descriptor's bytes stand where the address says, so does the code */
	size_t image_b, file_b, n;
	const uint8_t *image = bw_code_object_image(co, &image_b);
	uint32_t lds_b;
	assert_true(image_b >= 0x3280 + 0x70);
	memcpy(&lds_b, image + 0x980, 4);
	assert_int_equal(lds_b, 256);
	const uint8_t *file = bw_code_object_file(co, &file_b);
	assert_memory_equal(image + 0x1a00, file + 0xa00, 0x880);
	bw_code_object_relocs(co, &n);
	assert_int_equal(n, 0);
	bw_code_object_close(co);
	/* #19 */
	co = sample("add");
	k = only_kernel(co);
	assert_int_equal(k->entry, 0x1300);
	assert_int_equal(k->end, 0x1324);
	assert_false(k->has_metadata);
	assert_int_equal(k->n_args, 0);
	assert_int_equal(k->max_group_size, 1024);
	assert_int_equal(k->reqd_group[0], 0);
	bw_code_object_close(co);
}

/* The wave size is in the descriptor alone: both objects say 0x41 in e_flags
 * (doc/hardware/code-objects.md 1). */
static void wave_size(void **state)
{
	struct bw_code_object *co = sample("kern_nolib.w64");
	const struct bw_kernel *k = only_kernel(co);
	assert_string_equal(bw_code_object_gpu(co), "gfx1100");
	assert_false(k->wave32);
	/* (rsrc1[5:0] + 1) * 4 */
	assert_int_equal(k->vgprs, ((k->rsrc1 & 63) + 1) * 4);
	bw_code_object_close(co);
}

static void arguments(void **state)
{
	struct bw_code_object *co = sample("kern_nolib.O0");
	const struct bw_kernel *k = only_kernel(co);
	static const struct {
		const char *type;
		enum bw_arg_kind kind;
		uint32_t offset_b, size_b;
	} rows[] = {{"int*", BW_ARG_BUFFER, 0, 8},
		    {"int*", BW_ARG_BUFFER, 8, 8},
		    {"float", BW_ARG_VALUE, 16, 4},
		    {"int", BW_ARG_VALUE, 20, 4}};
	for (size_t i = 0; i < 4; i++) {
		assert_string_equal(k->args[i].type_name, rows[i].type);
		assert_int_equal(k->args[i].kind, rows[i].kind);
		assert_int_equal(k->args[i].offset_b, rows[i].offset_b);
		assert_int_equal(k->args[i].size_b, rows[i].size_b);
	}
	/* the hidden block starts at the next multiple of 8: 24; queue_ptr is at + 200
	 * (doc/hardware/code-objects.md 2) */
	bool block_count = false, queue_ptr = false;
	for (size_t i = 4; i < k->n_args; i++) {
		const struct bw_kernel_arg *a = &k->args[i];
		assert_int_equal(a->kind, BW_ARG_HIDDEN);
		block_count |= !strcmp(a->value_kind, "hidden_block_count_x") &&
			       a->offset_b == 24 && a->size_b == 4;
		queue_ptr |= !strcmp(a->value_kind, "hidden_queue_ptr") && a->offset_b == 224 &&
			     a->size_b == 8;
	}
	assert_true(block_count && queue_ptr);
	bw_code_object_close(co);
}

/* Assembly with .amdgpu_metadata: what meta.s says. */
static void metadata_by_hand(void **state)
{
	struct bw_code_object *co = sample("meta");
	const struct bw_kernel *k = only_kernel(co);
	assert_string_equal(k->name, "scale");
	assert_true(k->has_metadata);
	assert_false(k->wave32);
	assert_int_equal(k->vgprs, 40);
	assert_int_equal(k->lds_b, 1024);
	assert_int_equal(k->scratch_b, 16);
	assert_int_equal(k->kernarg_b, 16);
	assert_int_equal(k->max_group_size, 256);
	assert_int_equal(k->reqd_group[0], 64);
	assert_int_equal(k->reqd_group[1], 2);
	assert_int_equal(k->reqd_group[2], 1);
	assert_int_equal(k->n_args, 3);
	assert_string_equal(k->args[0].name, "out");
	assert_string_equal(k->args[0].type_name, "float*");
	assert_int_equal(k->args[0].kind, BW_ARG_BUFFER);
	assert_string_equal(k->args[1].name, "factor");
	assert_int_equal(k->args[1].kind, BW_ARG_VALUE);
	assert_int_equal(k->args[2].kind, BW_ARG_LDS_POINTER);
	assert_string_equal(k->args[2].type_name, "");
	bw_code_object_close(co);
}

static const char *name_at(const struct bw_code_object *co, uint64_t addr)
{
	const struct bw_symbol *s = bw_code_object_symbol_at(co, addr);
	return s ? s->name : "none";
}

static void symbols(void **state)
{
	struct bw_code_object *co = sample("kern_nolib.O0");
	size_t n;
	const struct bw_symbol *s = bw_code_object_symbols(co, &n);
	assert_true(n >= 4);
	for (size_t i = 1; i < n; i++)
		assert_true(s[i - 1].addr <= s[i].addr);
	assert_string_equal(name_at(co, 0x1a00), "kern");
	assert_string_equal(name_at(co, 0x2057), "kern");
	assert_string_equal(name_at(co, 0x2058), "helper");
	assert_string_equal(name_at(co, 0x20cb), "helper");
	/* the padding behind it is still .text; the gap before .text is nothing's */
	assert_string_equal(name_at(co, 0x20cc), "helper");
	assert_string_equal(name_at(co, 0x1900), "none");
	assert_string_equal(name_at(co, 0), "none");
	assert_string_equal(name_at(co, UINT64_MAX), "none");
	assert_true(bw_code_object_symbol_at(co, 0x2058)->is_function);
	assert_false(bw_code_object_symbol_at(co, 0x980)->is_function);
	bw_code_object_close(co);
	/* a label inside of a function does not hide the function */
	co = sample("meta");
	assert_string_equal(name_at(co, 0x1508), "scale");
	assert_string_equal(name_at(co, 0x1513), "scale");
	s = bw_code_object_symbols(co, &n);
	bool label = false;
	for (size_t i = 0; i < n; i++)
		label |= !strcmp(s[i].name, "loop") && s[i].addr == 0x1508 && !s[i].is_function;
	assert_true(label);
	bw_code_object_close(co);
}

/* Offsets: llvm-readelf-19 -r; the weak symbol stays 0. */
static void relocations(void **state)
{
	struct bw_code_object *co = sample("relocs");
	size_t n, image_b;
	const struct bw_reloc *r = bw_code_object_relocs(co, &n);
	uint64_t table = 0, local = 0;
	size_t n_sym;
	const struct bw_symbol *s = bw_code_object_symbols(co, &n_sym);
	for (size_t i = 0; i < n_sym; i++) {
		if (!strcmp(s[i].name, "table"))
			table = s[i].addr;
		if (!strcmp(s[i].name, "local"))
			local = s[i].addr;
	}
	assert_true(table && local == table + 24);
	assert_int_equal(n, 2);
	assert_int_equal(r[0].offset_b, table);
	assert_int_equal(r[0].addend, local + 4);
	assert_int_equal(r[1].offset_b, table + 8);
	assert_int_equal(r[1].addend, table);
	bw_code_object_image(co, &image_b);
	assert_true(table + 24 <= image_b);
	bw_code_object_close(co);
}

static void check_refused(struct bw_error *err, enum bw_error_code code, const char *part)
{
	assert_non_null(err);
	assert_int_equal(err->code, code);
	if (!strstr(err->message, part))
		fail_msg("'%s' does not say '%s'", err->message, part);
	bw_error_free(err);
}

static void refused(void **state)
{
	struct bw_code_object *co = NULL;
	check_refused(bw_code_object_load("/nonexistent/x.co", &co), BW_E_SYSTEM,
		      "cannot open /nonexistent/x.co: No such file or directory");
	check_refused(bw_code_object_load("/dev/null", &co), BW_E_INVALID,
		      "/dev/null: not a file that can be read");
	check_refused(bw_code_object_load("/", &co), BW_E_INVALID, "not a file that can be read");
	check_refused(bw_code_object_load(sample_path("missing"), &co), BW_E_UNSUPPORTED,
		      "needs the symbol 'elsewhere'");
	check_refused(bw_code_object_load(sample_path("relocatable"), &co), BW_E_UNSUPPORTED,
		      "link it first");
	check_refused(bw_code_object_open("", 0, "empty", &co), BW_E_INVALID,
		      "empty: not a code object");
	check_refused(bw_code_object_open("hello, world\n", 13, "text", &co), BW_E_INVALID,
		      "not an ELF file");
	check_refused(bw_code_object_open("\177ELF\2\1", 6, "short", &co), BW_E_INVALID,
		      "ends inside the ELF header");
	check_refused(bw_code_object_open("__CLANG_OFFLOAD_BUNDLE__xxxxxxxx", 32, "b", &co),
		      BW_E_INVALID, "damaged offload bundle");
	assert_null(co);
}

/* This test itself: an ELF file, for the wrong machine. */
static void refused_host_program(void **state)
{
	char path[4096];
	struct bw_code_object *co = NULL;
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);
	assert_true(n > 0);
	path[n] = 0;
	check_refused(bw_code_object_load(path, &co), BW_E_INVALID, "not for an AMD GPU");
	assert_null(co);
}

static void another_gpu(void **state)
{
	struct bw_code_object *co = sample("gfx900");
	const struct bw_kernel *k = only_kernel(co);
	assert_string_equal(bw_code_object_gpu(co), "gfx900");
	assert_false(k->wave32);
	assert_int_equal(k->vgprs, 12); /* .amdhsa_next_free_vgpr 9, in granules of 4 */
	bw_code_object_close(co);
}

static void gpu_without_name(void **state)
{
	struct bw_code_object *co = sample("add"), *changed = NULL;
	size_t size_b;
	const uint8_t *file = bw_code_object_file(co, &size_b);
	uint8_t *copy = malloc(size_b);
	memcpy(copy, file, size_b);
	copy[0x30] = 0xee; /* e_flags */
	assert_null(bw_code_object_open(copy, size_b, "changed", &changed));
	assert_string_equal(bw_code_object_gpu(changed), "gfx-0xee");
	assert_string_equal(bw_code_object_path(changed), "changed");
	bw_code_object_close(changed);
	bw_code_object_close(co);
	bw_code_object_close(NULL);
	free(copy);
}

TESTS(descriptors, places, wave_size, arguments, metadata_by_hand, symbols, relocations, refused,
      refused_host_program, another_gpu, gpu_without_name);
