/* SPDX-License-Identifier: MIT */
/* --shader WHICH=FILE: what FILE is made to. SPIR-V for the driver, or machine code. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "arch/arch.h"
#include "base/cleanup.h"
#include "base/util.h"
#include "compile/job.h"
#include "compile/tool.h"
#include "inject/swap_priv.h"
#include "sym/code_object.h"

/* The resources that the code of FILE uses, as words after a label of the wrapper around it: LLVM
 * counts VGPRs itself, and the file says lds_bytes. */
static const char wrapper_end[] =
	"\n\t.text\nbreakwater_end:\n"
	"\t.section .rodata,\"a\"\n"
	"\t.p2align 2\n"
	"breakwater_numbers:\n"
	"\t.long .amdgcn.next_free_vgpr\n"
	"\t.ifdef lds_bytes\n\t.long lds_bytes\n\t.else\n\t.long 0\n\t.endif\n";

static struct bw_error *read_file(const char *path, uint8_t **out, size_t *out_size_b)
{
	struct stat st;
	_cleanup_fclose_ FILE *f = fopen(path, "rbe");
	if (!f || fstat(fileno(f), &st))
		return bw_error_errno(errno, "cannot read %s", path);
	if (!S_ISREG(st.st_mode) || st.st_size > BW_SWAP_FILE_MAX_B)
		return bw_errorf(BW_E_INVALID, "%s is not a regular file of at most %d MiB", path,
				 BW_SWAP_FILE_MAX_B >> 20);
	_cleanup_free_ uint8_t *bytes = malloc((size_t)st.st_size + 1);
	if (!bytes)
		return bw_error_nomem();
	if (fread(bytes, 1, (size_t)st.st_size, f) != (size_t)st.st_size)
		return bw_error_errno(errno, "cannot read %s", path);
	*out = bw_take(bytes);
	*out_size_b = (size_t)st.st_size;
	return NULL;
}

/* ---- SPIR-V ---- */

static struct bw_error *build_spirv(const char *file, struct bw_swap_rules *r,
				    struct bw_swap_rule *rule)
{
	const struct bw_compile_options none = {0};
	_cleanup_free_ char *made = NULL;
	_cleanup_free_ uint8_t *bytes = NULL;
	size_t size_b = 0;
	BW_TRY(bw_compile_shader(file, "main", &none, &made));
	BW_TRY(read_file(made ? made : file, &bytes, &size_b));
	if (!bw_swap_is_spirv(bytes, size_b))
		return bw_errorf(BW_E_INVALID, "%s is not SPIR-V", file);
	if (!bw_swap_entry((const uint32_t *)bytes, size_b, NULL))
		return bw_errorf(BW_E_INVALID, "%s has no compute shader", file);
	return bw_swap_rules_add(r, bytes, size_b, &rule->spirv);
}

/* ---- Assembly ---- */

static struct bw_error *write_wrapper(const char *path, const char *file)
{
	char real[PATH_MAX];
	if (!realpath(file, real))
		return bw_error_errno(errno, "cannot read %s", file);
	if (strpbrk(real, "\"\\\n"))
		return bw_errorf(BW_E_INVALID,
				 "%s: its path has a quotation mark, a backslash or a new line",
				 file);
	_cleanup_fclose_ FILE *f = fopen(path, "we");
	if (!f ||
	    fprintf(f, "\t.text\nbreakwater_begin:\n\t.include \"%s\"%s", real, wrapper_end) < 0 ||
	    fflush(f))
		return bw_error_errno(errno, "cannot write %s", path);
	return NULL;
}

static const struct bw_symbol *find_label(const struct bw_code_object *co, const char *name)
{
	size_t n;
	const struct bw_symbol *s = bw_code_object_symbols(co, &n);
	for (size_t i = 0; i < n; i++)
		if (!strcmp(s[i].name, name))
			return &s[i];
	return NULL;
}

/* The code between our labels, and the numbers. */
static struct bw_error *take_code(const struct bw_code_object *co, const char *file,
				  struct bw_swap_assembled *out)
{
	size_t size_b;
	uint32_t numbers[2];
	const uint8_t *image = bw_code_object_image(co, &size_b);
	const struct bw_symbol *begin = find_label(co, "breakwater_begin"),
			       *end = find_label(co, "breakwater_end"),
			       *at = find_label(co, "breakwater_numbers");
	if (!begin || !end || !at || begin->addr >= end->addr || end->addr > size_b ||
	    size_b < sizeof(numbers) || at->addr > size_b - sizeof(numbers) ||
	    (end->addr - begin->addr) % 4)
		return bw_errorf(BW_E_INVALID, "%s has no code in .text", file);
	memcpy(numbers, image + at->addr, sizeof(numbers));
	out->vgprs = numbers[0];
	out->lds_b = numbers[1];
	out->size_b = end->addr - begin->addr;
	out->bytes = malloc(out->size_b);
	if (!out->bytes)
		return bw_error_nomem();
	memcpy(out->bytes, image + begin->addr, out->size_b);
	return NULL;
}

struct bw_error *bw_swap_assemble(const char *file, bool is_wave64, struct bw_swap_assembled *out)
{
	const struct bw_compile_options options = {.wave64 = is_wave64};
	_cleanup_free_ char *wrapper = NULL, *object = NULL;
	struct bw_code_object *co = NULL;
	BW_TRY(bw_temporary_file(file, ".wrap.s", &wrapper));
	BW_TRY(bw_temporary_object(file, &object));
	BW_TRY(write_wrapper(wrapper, file));
	struct bw_compile_job job = {.source = file,
				     .input = wrapper,
				     .gpu = bw_arch_default_gfx(),
				     .options = &options,
				     .object = object};
	BW_TRY(bw_compile_assembly(&job));
	BW_TRY(bw_code_object_load(object, &co));
	struct bw_error *err = take_code(co, file, out);
	bw_code_object_close(co);
	return err;
}

/* Assembles for waves of 32 lanes (half 0) or 64. */
static struct bw_error *assemble_for(const char *file, unsigned half, struct bw_swap_rules *r,
				     struct bw_swap_rule *rule)
{
	struct bw_swap_assembled a = {0};
	BW_TRY(bw_swap_assemble(file, half, &a));
	struct bw_error *err = NULL;
	if (a.size_b > BW_SWAP_CODE_MAX_B)
		err = bw_errorf(BW_E_INVALID, "%s has more than %u KiB of code", file,
				BW_SWAP_CODE_MAX_B >> 10);
	if (!err)
		err = bw_swap_rules_add(r, a.bytes, a.size_b, &rule->code[half]);
	rule->vgprs[half] = a.vgprs;
	rule->lds_b = a.lds_b;
	free(a.bytes);
	return err;
}

static size_t n_errors(const struct bw_error *err)
{
	size_t n = 0;
	for (const char *at = err->message; (at = strstr(at, "error:")); at++)
		n++;
	return n;
}

/* The wave size of the dispatch is known only at run time, so the file is assembled for both sizes,
 * if possible. */
static struct bw_error *build_code(const char *file, struct bw_swap_rules *r,
				   struct bw_swap_rule *rule)
{
	struct bw_error *err64 = assemble_for(file, 1, r, rule);
	struct bw_error *err32 = assemble_for(file, 0, r, rule);
	if (!err64 || !err32) {
		bw_error_free(err64);
		bw_error_free(err32);
		return NULL;
	}
	bool is_64 = n_errors(err64) <= n_errors(err32);
	bw_error_free(is_64 ? err32 : err64);
	return is_64 ? err64 : err32;
}

/* ---- A rule ---- */

static bool is_assembly(const char *file)
{
	size_t n = strlen(file);
	return n > 2 && (!strcmp(file + n - 2, ".s") || !strcmp(file + n - 2, ".S"));
}

struct bw_error *bw_swap_build(const char *word, const struct bw_swap_replay *of,
			       struct bw_swap_rules *r, const char **out_file)
{
	struct bw_swap_rule rule = {0};
	const char *equals = strchr(word, '='), *file = equals ? equals + 1 : "";
	if (!equals || !*file)
		return bw_errorf(BW_E_INVALID, "--shader wants WHICH=FILE, not \"%s\"", word);
	BW_TRY(bw_error_wrap(bw_swap_which(word, (size_t)(equals - word), &rule), "--shader %s",
			     word));
	rule.kind = is_assembly(file) ? BW_SWAP_CODE : BW_SWAP_SPIRV;
	if (rule.kind == BW_SWAP_SPIRV && !bw_is_shader(file))
		return bw_errorf(BW_E_INVALID,
				 "--shader %s: FILE is .spv, .spvasm, .comp, .glsl, .hlsl or .s",
				 word);
	if (rule.kind == BW_SWAP_SPIRV && rule.by == BW_SWAP_BY_VA && !of)
		return bw_errorf(BW_E_INVALID,
				 "--shader %s: an address is of machine code, and FILE is .s then",
				 word);
	struct bw_error *err = rule.kind == BW_SWAP_CODE ? build_code(file, r, &rule)
							 : build_spirv(file, r, &rule);
	if (!err && of && rule.kind == BW_SWAP_SPIRV)
		err = bw_swap_compile(of, r, &rule);
	BW_TRY(bw_error_wrap(err, "--shader %.*s", (int)(equals - word), word));
	*out_file = file;
	return bw_vec_push(&r->rules, rule);
}
