/* SPDX-License-Identifier: MIT */
#include "launch/plan.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "base/util.h"
#include "launch/plan_priv.h"
#include "regs/field.h"
#include "sym/bundle.h"
#include "sym/demangle.h"

enum {
	GROUP_MAX = 1024,
	LDS_MAX_B = 64 << 10, /* of a workgroup on gfx11 */
	LDS_UNIT_B = 512,     /* RSRC2.LDS_SIZE on gfx11 */
	RAW_MAX_B = 64 << 20,
	DYNAMIC_STACK_B = 4096, /* more scratch for a lane whose depth the compiler did not know */
};

/* COMPUTE_PGM_RSRC1, 2 (doc/hardware/dispatch.md 3, doc/hardware/traps.md 6) */
/* What .amdhsa_kernel gives to assembly that says nothing (doc/rules.md 111): FLOAT_MODE 0xc0,
 * which is f32 denormals flushed and the others kept, DX10_CLAMP, IEEE, WGP_MODE, MEM_ORDERED. */
#define RSRC1_ASSEMBLED                                                                            \
	(BW_FIELD(COMPUTE_PGM_RSRC1, FLOAT_MODE, 0xc0) |                                           \
	 BW_FIELD_MASK(COMPUTE_PGM_RSRC1, DX10_CLAMP) |                                            \
	 BW_FIELD_MASK(COMPUTE_PGM_RSRC1, IEEE_MODE) |                                             \
	 BW_FIELD_MASK(COMPUTE_PGM_RSRC1, WGP_MODE) |                                              \
	 BW_FIELD_MASK(COMPUTE_PGM_RSRC1, MEM_ORDERED))

/* The first row is for GPUs of which nothing else is known. gfx942: 8 waves on each of 4 SIMDs
 * (AMDGPU.td of LLVM 19); units of 256 dwords (gc_9_4_3_sh_mask.h). */
static const struct bw_launch_gpu_kind gpu_kinds[] = {
	/* two SIMDs of 16 (mesa.md 2.2) */
	{"gfx1", 32, 256, false, true},
	{"gfx94", 32, 1024, true, false},
	/* 10 waves on each of 4 SIMDs (the same) */
	{"gfx902", 40, 1024, true, false, true},
};

static const struct bw_launch_gpu_kind *kind_of(const char *gfx)
{
	for (size_t i = 0; i < BW_ARRAY_SIZE(gpu_kinds); i++)
		if (bw_starts_with(gfx, gpu_kinds[i].gfx))
			return &gpu_kinds[i];
	return &gpu_kinds[0];
}

/* Files */

static struct bw_error *read_whole(const char *path, uint8_t **out, size_t *out_size_b)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	if (fd < 0 || fstat(fd, &st))
		return bw_error_errno(errno, "cannot open %s", path);
	if (!S_ISREG(st.st_mode))
		return bw_errorf(BW_E_INVALID, "%s is not a file", path);
	if (st.st_size == 0)
		return bw_errorf(BW_E_INVALID, "%s is empty", path);
	if (st.st_size > RAW_MAX_B)
		return bw_errorf(BW_E_INVALID, "%s is larger than %u MiB", path, RAW_MAX_B >> 20);
	size_t size_b = (size_t)st.st_size, done = 0;
	_cleanup_free_ uint8_t *data = malloc(size_b);
	if (!data)
		return bw_error_nomem();
	while (done < size_b) {
		ssize_t n = read(fd, data + done, size_b - done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return bw_error_errno(errno, "cannot read %s", path);
		if (n == 0)
			return bw_errorf(BW_E_INVALID, "%s became shorter while it was read", path);
		done += (size_t)n;
	}
	*out = bw_take(data);
	*out_size_b = size_b;
	return NULL;
}

static bool ends_with(const char *text, const char *tail)
{
	size_t n = strlen(text), t = strlen(tail);
	return n >= t && !strcmp(text + n - t, tail);
}

static struct bw_error *load(struct bw_launch_plan *p, const struct bw_launch_options *o,
			     const char *path, const char *gpu)
{
	_cleanup_free_ uint8_t *data = NULL;
	size_t size_b = 0;
	BW_TRY(read_whole(path, &data, &size_b));
	if ((size_b >= 4 && !memcmp(data, "\177ELF", 4)) || bw_bundle_is(data, size_b)) {
		if (o->has_raw)
			return bw_errorf(
				BW_E_INVALID,
				"%s is a code object: its kernel descriptor says what --vgprs, "
				"--sgprs, --lds, --scratch, --wave, --user-sgpr and --code-in say for a .bin",
				path);
		BW_TRY(bw_code_object_open_for(data, size_b, path, gpu, &p->co));
		return o->shown ? bw_code_object_show_as(p->co, o->shown) : NULL;
	}
	if (ends_with(path, ".s") || ends_with(path, ".S") || ends_with(path, ".cl"))
		return bw_errorf(BW_E_INVALID, "%s is source text: `breakwater run` assembles it",
				 path);
	if (!ends_with(path, ".bin"))
		return bw_errorf(BW_E_INVALID,
				 "%s is neither a code object (ELF) nor raw machine code (.bin); "
				 "`breakwater run --help` lists the kinds of files",
				 path);
	if (size_b % 4)
		return bw_errorf(BW_E_INVALID,
				 "%s: machine code comes in dwords, this file has %zu bytes", path,
				 size_b);
	if (o->kernel)
		return bw_errorf(BW_E_INVALID, "--kernel %s: raw machine code has no kernel names",
				 o->kernel);
	p->raw_image = bw_take(data);
	p->image = p->raw_image;
	p->image_b = size_b;
	const char *slash = strrchr(path, '/');
	p->name = strdup(slash ? slash + 1 : path);
	p->title = strdup(slash ? slash + 1 : path);
	return p->name && p->title ? NULL : bw_error_nomem();
}

struct bw_error *bw_launch_plan_check_gpu(const struct bw_launch_plan *plan, const char *gpu)
{
	if (!plan->co && !kind_of(gpu)->runs_raw)
		return bw_errorf(
			BW_E_UNSUPPORTED,
			"%s is machine code without a kernel descriptor, which runs on gfx11; "
			"this GPU is %s: give a code object, or the source",
			plan->name, gpu);
	if (!plan->co || !strcmp(bw_code_object_gpu(plan->co), gpu))
		return NULL;
	return bw_errorf(BW_E_INVALID,
			 "%s is built for %s; this GPU is %s: compile it with -mcpu=%s",
			 bw_code_object_path(plan->co), bw_code_object_gpu(plan->co), gpu, gpu);
}

/* Kernel */

struct names BW_VEC(char *);

/* "phys::dots" or "dots" for such a kernel. */
static bool is_called(const char *symbol, const char *name)
{
	_cleanup_free_ char *full = bw_demangle(symbol);
	return full && bw_name_is(full, name);
}

/* The kernel as users see it and can name it: "phys::dots", and with its parameters where another
 * one has that name; its symbol, of C and assembly. Owned; NULL: no memory. */
static char *title_of(const struct bw_code_object *co, const struct bw_kernel *k)
{
	size_t n, len, n_called = 0;
	const struct bw_kernel *all = bw_code_object_kernels(co, &n);
	char *full = bw_demangle(k->name);
	if (!full)
		return strdup(k->name);
	const char *base = bw_name_base(full, &len);
	_cleanup_free_ char *name = strndup(base, len);
	for (size_t i = 0; name && i < n; i++)
		n_called += is_called(all[i].name, name);
	if (n_called != 1)
		return full;
	free(full);
	return strdup(name);
}

/* By its name as it is, or by that of C++ where no other kernel is called the same. */
static const struct bw_kernel *kernel_named(const struct bw_code_object *co, const char *name,
					    size_t *out_n_called)
{
	size_t n;
	const struct bw_kernel *kernels = bw_code_object_kernels(co, &n);
	const struct bw_kernel *found = bw_code_object_kernel(co, name);
	*out_n_called = 0;
	for (size_t i = 0; !found && i < n; i++)
		*out_n_called += is_called(kernels[i].name, name);
	for (size_t i = 0; !found && i < n && *out_n_called == 1; i++)
		if (is_called(kernels[i].name, name))
			return &kernels[i];
	return found;
}

static void list_names(struct bw_str *s, const struct names *names)
{
	for (size_t i = 0; i < names->len && i < 32; i++)
		bw_str_addf(s, "%s%s", i ? ", " : "", names->data[i]);
	if (names->len > 32)
		bw_str_add(s, " and more");
}

/* ": did you mean a or b?" or ": there is a, b, c" */
static void add_names(struct bw_str *s, const char *word, const struct names *names)
{
	size_t near[3];
	size_t n = bw_nearest(word, (const char *const *)names->data, names->len, near, 3);
	if (n) {
		bw_str_add(s, "; did you mean ");
		for (size_t i = 0; i < n; i++) {
			bw_str_add_mark(s, i, n, " or ");
			bw_str_add(s, names->data[near[i]]);
		}
		bw_str_add(s, "?");
		return;
	}
	bw_str_add(s, names->len ? "; there is " : "");
	list_names(s, names);
}

static struct bw_error *invalid_text(struct bw_str *s)
{
	struct bw_error *err = bw_errorf(BW_E_INVALID, "%s", bw_str_text(s));
	bw_str_free(s);
	return err;
}

static struct bw_error *choose_kernel(struct bw_launch_plan *p, const char *name)
{
	size_t n, n_called = 0;
	const struct bw_kernel *kernels = bw_code_object_kernels(p->co, &n);
	const char *path = bw_code_object_path(p->co);
	if (!n)
		return bw_errorf(BW_E_INVALID, "%s has no kernel (no symbol NAME.kd)", path);
	if (name) {
		p->kernel = kernel_named(p->co, name, &n_called);
	} else if (n == 1) {
		p->kernel = &kernels[0];
	}
	if (!p->kernel) {
		struct names names = {0};
		struct bw_error *err = NULL;
		for (size_t i = 0; !err && i < n; i++) {
			if (n_called >= 2 && !is_called(kernels[i].name, name))
				continue;
			char *title = title_of(p->co, &kernels[i]);
			err = title ? bw_vec_push(&names, title) : bw_error_nomem();
			if (err)
				free(title);
		}
		struct bw_str s = {0};
		if (n_called > 1) {
			bw_str_addf(&s,
				    "%s has %zu kernels %s, choose one by its whole name: ", path,
				    n_called, name);
			list_names(&s, &names);
		} else if (name) {
			bw_str_addf(&s, "%s has no kernel %s", path, name);
			add_names(&s, name, &names);
		} else {
			bw_str_addf(&s, "%s has %zu kernels, choose one with --kernel: ", path, n);
			list_names(&s, &names);
		}
		bw_vec_each(&names, it)
			free(*it);
		bw_vec_free(&names);
		if (err) {
			bw_str_free(&s);
			return err;
		}
		return invalid_text(&s);
	}
	p->name = strdup(p->kernel->name);
	p->image = bw_code_object_image(p->co, &p->image_b);
	p->entry = p->kernel->entry;
	p->title = title_of(p->co, p->kernel);
	return p->name && p->title ? NULL : bw_error_nomem();
}

/* Sizes */

static uint64_t product(const uint32_t v[3])
{
	/* Each factor is at most 2^32: saturate rather than wrap. */
	__uint128_t all = (__uint128_t)v[0] * v[1] * v[2];
	return all > UINT64_MAX ? UINT64_MAX : (uint64_t)all;
}

static struct bw_error *choose_group(struct bw_launch_plan *p, const struct bw_launch_options *o)
{
	const struct bw_kernel *k = p->kernel;
	uint32_t most = k ? BW_MIN(k->max_group_size, (uint32_t)GROUP_MAX) : GROUP_MAX;
	const uint32_t *reqd = k && k->reqd_group[0] ? k->reqd_group : NULL;
	uint32_t fallback[3] = {BW_MIN(64u, most), 1, 1};
	memcpy(p->group, o->has_group ? o->group : reqd ? reqd : fallback, sizeof(p->group));
	uint64_t size = product(p->group);
	if (size > GROUP_MAX)
		return bw_errorf(BW_E_INVALID,
				 "--group %u,%u,%u is %llu work-items; a workgroup has at most %d",
				 p->group[0], p->group[1], p->group[2], (unsigned long long)size,
				 GROUP_MAX);
	if (reqd && memcmp(reqd, p->group, sizeof(p->group)))
		return bw_errorf(BW_E_INVALID, "kernel %s requires --group %u,%u,%u", p->title,
				 reqd[0], reqd[1], reqd[2]);
	if (size > most)
		return bw_errorf(
			BW_E_INVALID,
			"--group %u,%u,%u is %llu work-items; kernel %s is built for at most %u",
			p->group[0], p->group[1], p->group[2], (unsigned long long)size, p->title,
			most);
	return NULL;
}

static struct bw_error *choose_grid(struct bw_launch_plan *p, const struct bw_launch_options *o)
{
	if (o->has_grid && o->has_groups)
		return bw_errorf(BW_E_INVALID,
				 "give --grid (work-items) or --groups (workgroups), not both");
	if (!o->has_grid && !o->has_groups)
		return bw_errorf(BW_E_INVALID,
				 "how many work-items? give --grid X[,Y,Z], or --groups X[,Y,Z]");
	for (unsigned i = 0; i < 3; i++) {
		uint64_t items = o->has_grid ? o->grid[i] : (uint64_t)o->groups[i] * p->group[i];
		if (items > UINT32_MAX)
			return bw_errorf(
				BW_E_INVALID,
				"--groups %u of %u work-items each are more than 32 bits can count",
				o->groups[i], p->group[i]);
		p->grid[i] = (uint32_t)items;
		p->groups[i] = (uint32_t)((items + p->group[i] - 1) / p->group[i]);
	}
	return NULL;
}

/* Registers */

static struct bw_error *choose_registers_raw(struct bw_launch_plan *p,
					     const struct bw_launch_options *o)
{
	p->wave32 = o->wave != 64;
	p->properties = BW_KCP_KERNARG_PTR;
	p->user_sgpr_mask = o->user_sgpr_mask;
	memcpy(p->user_sgpr, o->user_sgpr, sizeof(p->user_sgpr));
	if (p->args.len && (o->user_sgpr_mask & 3))
		return bw_errorf(BW_E_INVALID,
				 "--user-sgpr: s[0:1] hold the address of the arguments");
	p->user_sgprs = o->user_sgpr_mask
				? BW_MAX(2u, 32u - (unsigned)__builtin_clz(o->user_sgpr_mask))
				: 2;
	p->lds_b += o->lds_b;
	p->scratch_b = o->scratch_b;
	p->code_in_gtt = o->code_in_gtt;
	/* RSRC1.VGPRS counts 8 registers of a wave32, 4 of a wave64. Not told, all of them: right
	 * for any code, and only fewer waves at a time. SGPRs are always all there (gfx10 and
	 * later). */
	unsigned vgprs = o->vgprs ? o->vgprs : 256, unit = p->wave32 ? 8 : 4;
	p->rsrc1 =
		RSRC1_ASSEMBLED | BW_FIELD(COMPUTE_PGM_RSRC1, VGPRS, (vgprs + unit - 1) / unit - 1);
	p->rsrc2 = BW_FIELD(COMPUTE_PGM_RSRC2, USER_SGPR, p->user_sgprs) |
		   BW_FIELD_MASK(COMPUTE_PGM_RSRC2, TGID_X_EN) |
		   BW_FIELD_MASK(COMPUTE_PGM_RSRC2, TGID_Y_EN) |
		   BW_FIELD_MASK(COMPUTE_PGM_RSRC2, TGID_Z_EN) |
		   BW_FIELD(COMPUTE_PGM_RSRC2, TIDIG_COMP_CNT, 2) |
		   BW_FIELD(COMPUTE_PGM_RSRC2, SCRATCH_EN, p->scratch_b != 0);
	return NULL;
}

static struct bw_error *choose_registers_kernel(struct bw_launch_plan *p)
{
	const struct bw_kernel *k = p->kernel;
	unsigned need = bw_kcp_sgpr_of(k->properties, 0);
	/* gfx11 and gfx942 have architected flat scratch: the hardware knows the base. */
	if (!p->gpu->scratch_in_sgprs &&
	    k->properties & (BW_KCP_PRIVATE_BUFFER | BW_KCP_FLAT_SCRATCH_INIT))
		return bw_errorf(BW_E_UNSUPPORTED,
				 "kernel %s wants a %s in SGPRs, which %s does not have", p->title,
				 k->properties & BW_KCP_PRIVATE_BUFFER ? "private segment buffer"
								       : "flat scratch base",
				 bw_code_object_gpu(p->co));
	p->rsrc1 = k->rsrc1;
	p->rsrc2 = k->rsrc2;
	p->rsrc3 = k->rsrc3;
	p->properties = k->properties;
	p->wave32 = k->wave32;
	p->user_sgprs = BW_FIELD_GET(COMPUTE_PGM_RSRC2, USER_SGPR, k->rsrc2);
	if (need > p->user_sgprs || p->user_sgprs > BW_LAUNCH_USER_SGPRS)
		return bw_errorf(BW_E_INVALID,
				 "the descriptor of kernel %s asks for %u user SGPRs and makes "
				 "room for %u (at most %d)",
				 p->title, need, p->user_sgprs, BW_LAUNCH_USER_SGPRS);
	p->scratch_b = k->scratch_b + (k->properties & BW_KCP_DYNAMIC_STACK ? DYNAMIC_STACK_B : 0);
	if (p->scratch_b)
		p->rsrc2 |= BW_FIELD_MASK(COMPUTE_PGM_RSRC2, SCRATCH_EN);
	return NULL;
}

static struct bw_error *choose_registers(struct bw_launch_plan *p,
					 const struct bw_launch_options *o)
{
	if (p->kernel)
		BW_TRY(choose_registers_kernel(p));
	else
		BW_TRY(choose_registers_raw(p, o));
	if (p->lds_b > LDS_MAX_B)
		return bw_errorf(BW_E_INVALID,
				 "%s wants %u bytes of LDS for a workgroup; there are %d", p->title,
				 p->lds_b, LDS_MAX_B);
	uint32_t lds = (p->lds_b + LDS_UNIT_B - 1) / LDS_UNIT_B;
	p->rsrc2 = BW_FIELD_SET(COMPUTE_PGM_RSRC2, LDS_SIZE, p->rsrc2, lds);
	/* Always: without it no trap handler can stop these waves. */
	p->rsrc2 |= BW_FIELD_MASK(COMPUTE_PGM_RSRC2, TRAP_PRESENT);
	uint64_t wave_b = (uint64_t)p->scratch_b * (p->wave32 ? 32 : 64);
	const uint32_t most_b = BW_FIELD_MAX(COMPUTE_TMPRING_SIZE, WAVESIZE) * 256;
	if (wave_b > most_b)
		return bw_errorf(
			BW_E_INVALID,
			"%s wants %u bytes of scratch for a lane; a wave can have %u in all",
			p->title, p->scratch_b, most_b);
	return NULL;
}

/* Outputs */

static struct bw_error *find_buffer(const struct bw_launch_plan *p, const char *option,
				    const char *name, size_t *out)
{
	struct names names = {0};
	for (size_t i = 0; i < p->args.len; i++) {
		const struct bw_plan_arg *a = &p->args.data[i];
		if (bw_plan_arg_is(a, name)) {
			bw_vec_free(&names);
			if (!a->value.is_buffer || a->kind == BW_ARG_VALUE)
				return bw_errorf(BW_E_INVALID,
						 "%s %s: that argument is not a buffer", option,
						 name);
			*out = i;
			return NULL;
		}
		if (a->kind != BW_ARG_BUFFER)
			continue;
		struct bw_error *err = bw_vec_push(&names, a->name);
		if (err) {
			bw_vec_free(&names);
			return err;
		}
	}
	struct bw_str s = {0};
	bw_str_addf(&s, "%s %s: no such argument", option, name);
	add_names(&s, name, &names);
	bw_vec_free(&names);
	return invalid_text(&s);
}

static struct bw_error *choose_outputs(struct bw_launch_plan *p, const struct bw_launch_options *o)
{
	for (size_t i = 0; i < o->prints.len; i++) {
		const struct bw_launch_pair *pair = &o->prints.data[i];
		struct bw_plan_output out = {.count = pair->count};
		BW_TRY(find_buffer(p, "--print", pair->name, &out.arg));
		uint64_t have = p->args.data[out.arg].value.count;
		if (out.count > have)
			return bw_errorf(BW_E_INVALID, "--print %s:%llu: %s has %llu element%s",
					 pair->name, (unsigned long long)out.count, pair->name,
					 (unsigned long long)have, have == 1 ? "" : "s");
		if (!out.count)
			out.count = have;
		BW_TRY(bw_vec_push(&p->prints, out));
	}
	for (size_t i = 0; i < o->dumps.len; i++) {
		const struct bw_launch_pair *pair = &o->dumps.data[i];
		struct bw_plan_output out = {.path = pair->value};
		BW_TRY(find_buffer(p, "--dump", pair->name, &out.arg));
		_cleanup_free_ char *folder = strdup(pair->value);
		if (!folder)
			return bw_error_nomem();
		char *slash = strrchr(folder, '/');
		if (slash)
			slash[slash == folder] = 0;
		if (access(slash ? folder : ".", W_OK))
			return bw_error_errno(errno, "--dump %s=%s: cannot write there", pair->name,
					      pair->value);
		BW_TRY(bw_vec_push(&p->dumps, out));
	}
	return NULL;
}

static struct bw_error *fill(struct bw_launch_plan *p, const struct bw_launch_options *o,
			     const char *path, const char *gpu)
{
	BW_TRY(load(p, o, path, gpu));
	if (gpu)
		BW_TRY(bw_launch_plan_check_gpu(p, gpu));
	p->gpu = kind_of(p->co ? bw_code_object_gpu(p->co) : "");
	if (p->co)
		BW_TRY(choose_kernel(p, o->kernel));
	BW_TRY(choose_group(p, o));
	BW_TRY(choose_grid(p, o));
	BW_TRY(bw_launch_plan_args(p, o));
	BW_TRY(choose_registers(p, o));
	return choose_outputs(p, o);
}

struct bw_error *bw_launch_plan_make(const struct bw_launch_options *options, const char *path,
				     const char *gpu, struct bw_launch_plan **out)
{
	struct bw_launch_plan *p = calloc(1, sizeof(*p));
	if (!p)
		return bw_error_nomem();
	struct bw_error *err = fill(p, options, path, gpu);
	if (err) {
		bw_launch_plan_free(p);
		return err;
	}
	*out = p;
	return NULL;
}

void bw_launch_plan_free(struct bw_launch_plan *plan)
{
	if (!plan)
		return;
	bw_vec_each(&plan->args, a) {
		free(a->name);
		bw_arg_value_fini(&a->value);
	}
	bw_vec_free(&plan->args);
	bw_vec_free(&plan->prints);
	bw_vec_free(&plan->dumps);
	free(plan->name);
	free(plan->title);
	free(plan->raw_image);
	bw_code_object_close(plan->co);
	free(plan);
}
