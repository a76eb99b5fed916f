/* SPDX-License-Identifier: MIT */
/* --shader WHICH=FILE of a replay, where FILE is SPIR-V: breakwater-launch-shader compiles it, and
 * the program's own SPIR-V, for each pipeline of the capture that WHICH names. That runs in a
 * process of its own and is captured; the capture has the code and the registers. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/util.h"
#include "capture/seek.h"
#include "compile/tool.h"
#include "inject/code_text.h"
#include "inject/swap_priv.h"
#include "kmd/kmd.h"
#include "pm4/scan.h"
#include "swap/bindings.h"
#include "swap/captured.h"
#include "swap/variant.h"

enum {
	CODE_MAX_B = BW_SWAP_CODE_MAX_B,
	VARIANTS_MAX = 64,
	PAGE_B = BW_CAPTURE_PAGE_B,
};

#define SH_INDEX(name) (BW_REG_GC_DW(COMPUTE_##name) - BW_PM4_SH_BEGIN_DW)

/* ---- What was seen of a dispatch ---- */

struct seen {
	bool is_found;
	struct bw_swap_program program;
	struct bw_swap_arguments arguments;
	uint64_t code_va;
	uint8_t *code; /* owned; with what lies after it */
	size_t code_b; /* of all that */
	size_t instructions_b;
};

struct look {
	struct bw_capture_reader *r;
	struct bw_capture_space space;
	struct bw_capture_submission sub;
	struct bw_pm4_ib_scan scan;
	const struct bw_capture_dispatch *wanted;
	struct seen *out;
};

static bool read_at(const struct look *l, uint64_t va, void *out, size_t size_b)
{
	struct bw_error *err = bw_capture_read(l->r, &l->space, va, out, size_b);
	bw_error_free(err);
	return !err;
}

static void take_arguments(const struct look *l, struct bw_swap_arguments *out)
{
	for (unsigned k = 0; k < BW_SWAP_USER_DATA; k++) {
		unsigned i = SH_INDEX(USER_DATA_0) + k;
		out->value[k] = l->scan.state.sh[i];
		out->set |= l->scan.state.sh_va[i] ? 1u << k : 0;
		/* the driver's 32-bit addresses are in one window with its code */
		uint64_t va = bw_join32(bw_hi32(l->out->code_va), out->value[k]);
		if (va % 4 == 0 && read_at(l, va, out->behind[k], BW_SWAP_BEHIND_B))
			out->leads |= 1u << k;
	}
}

static void take_dispatch(const struct look *l, const struct bw_pm4_find *found)
{
	const uint32_t *sh = l->scan.state.sh;
	struct seen *out = l->out;
	out->is_found = true;
	out->code_va = l->wanted->code_va;
	out->program = (struct bw_swap_program){
		.lanes = found->dispatch.initiator & BW_PM4_INIT_CS_W32_EN ? 32 : 64,
		.rsrc1 = sh[SH_INDEX(PGM_RSRC1)],
		.rsrc2 = sh[SH_INDEX(PGM_RSRC2)],
		.rsrc3 = sh[SH_INDEX(PGM_RSRC3)],
		.tmpring = sh[SH_INDEX(TMPRING_SIZE)],
		.threads = {sh[SH_INDEX(NUM_THREAD_X)], sh[SH_INDEX(NUM_THREAD_Y)],
			    sh[SH_INDEX(NUM_THREAD_Z)]}};
	take_arguments(l, &out->arguments);
}

static bool on_find(void *cookie, const struct bw_pm4_find *found, uint64_t packet_va)
{
	struct look *l = cookie;
	if (found->what == BW_PM4_FOUND_DISPATCH &&
	    bw_canonical(packet_va) == bw_canonical(l->wanted->packet_va))
		take_dispatch(l, found);
	return !l->out->is_found;
}

static bool read_ib(void *cookie, uint64_t va, uint32_t *out, size_t n)
{
	return read_at(cookie, bw_canonical(va), out, n * 4);
}

static struct bw_error *take_code(const struct look *l)
{
	struct seen *out = l->out;
	struct bw_code_text *text;
	size_t n = 0;
	out->code = malloc(CODE_MAX_B);
	if (!out->code)
		return bw_error_nomem();
	while (n < CODE_MAX_B && read_at(l, out->code_va + n, out->code + n, 256))
		n += 256;
	BW_TRY(bw_code_text_create(out->code, n, out->program.lanes, &text));
	out->instructions_b = bw_code_text_instructions(text);
	/* constants lie after the code, and nothing says where they end; what is after them does
	 * no harm */
	out->code_b = n;
	bw_code_text_free(text);
	return NULL;
}

/* The dispatch of the pipeline that has this name. out: zero. */
static struct bw_error *find_dispatch(struct bw_capture_reader *r, const char *pipeline,
				      struct seen *out)
{
	size_t n;
	struct bw_error *err = NULL;
	bw_capture_reader_entries(r, &n);
	struct look *l = calloc(1, sizeof(*l));
	if (!l)
		return bw_error_nomem();
	for (size_t i = 0; !err && !out->is_found && i < n; i++) {
		*l = (struct look){
			.r = r,
			.out = out,
			.scan = {.read = read_ib, .found = on_find, .cookie = l},
		};
		err = bw_capture_seek(r, i, &l->space, &l->sub);
		bw_vec_each(&l->sub.dispatches, d)
			if (!err && !strcmp(d->pipeline, pipeline))
				l->wanted = d;
		for (size_t k = 0; l->wanted && k < l->sub.ibs.len; k++)
			bw_pm4_scan_ib(&l->scan, l->sub.ibs.data[k].va,
				       l->sub.ibs.data[k].size_b / 4);
		if (!err && out->is_found)
			err = take_code(l);
		bw_capture_space_fini(&l->space);
		bw_capture_submission_fini(&l->sub);
	}
	free(l);
	if (!err && !out->is_found)
		err = bw_errorf(BW_E_INVALID, "nothing was seen of the code that the driver makes");
	return err;
}

/* ---- One pipeline ---- */

struct job {
	struct bw_capture_reader *r;
	const struct bw_swap_replay *of;
	const uint32_t *spirv;
	size_t spirv_b;
	struct bw_folder folder;
	struct BW_VEC(struct bw_swap_variant) variants;
	struct bw_capture_bytes code; /* of all of them; places are counted from its start */
};

static struct bw_error *path_of(const struct job *j, const char *name, char **out)
{
	return asprintf(out, "%s/%s", j->folder.path, name) < 0 ? bw_error_nomem() : NULL;
}

static struct bw_error *write_file(const struct job *j, const char *name, const void *bytes,
				   size_t size_b)
{
	_cleanup_free_ char *path = NULL;
	BW_TRY(path_of(j, name, &path));
	_cleanup_fclose_ FILE *f = fopen(path, "wbe");
	if (!f || fwrite(bytes, 1, size_b, f) != size_b || fflush(f))
		return bw_error_errno(errno, "cannot write %s", path);
	return NULL;
}

/* Why the program that compiles has failed: what it says itself, else in short. */
static struct bw_error *failure(const struct job *j)
{
	_cleanup_free_ char *path = NULL;
	char why[BW_SWAP_WHY_B] = "";
	BW_TRY(path_of(j, "why", &path));
	_cleanup_fclose_ FILE *f = fopen(path, "re");
	if (f && fgets(why, sizeof(why), f) && *why)
		return bw_errorf(BW_E_INVALID, "%s", why);
	return bw_errorf(BW_E_INVALID,
			 "the process of the driver ended while it compiled the shader");
}

static struct bw_error *run_driver(const struct job *j, const char *entry, const char *made)
{
	_cleanup_free_ char *launcher = NULL;
	char self[PATH_MAX];
	struct bw_error *err = bw_kmd_find_part("breakwater-launch-shader", &launcher);
	if (bw_error_catch(&err, BW_E_NOT_FOUND))
		return bw_errorf(BW_E_UNSUPPORTED,
				 "this Breakwater was built without shaders (Debian packages "
				 "libvulkan-dev and libspirv-cross-c-shared-dev)");
	BW_TRY(err);
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	if (n < 0)
		return bw_error_errno(errno, "/proc/self/exe");
	self[n] = '\0';
	const char *argv[16] = {self, "capture", "-o", made};
	size_t at = 4;
	if (j->of->gpu) {
		argv[at++] = "--gpu";
		argv[at++] = j->of->gpu;
	}
	const char *const rest[] = {"--", launcher, "--compile", j->folder.path, entry, NULL};
	memcpy(argv + at, rest, sizeof(rest));
	const struct bw_tool tool = {.source = "SPIR-V"};
	err = bw_tool_run(argv, &tool);
	if (bw_error_catch(&err, BW_E_INVALID))
		return failure(j);
	return err;
}

static struct bw_error *compile(struct job *j, const struct bw_capture_pipeline *p,
				struct seen *own, struct seen *other)
{
	_cleanup_free_ char *made = NULL;
	struct bw_capture_bytes record = {0};
	struct bw_capture_reader *r = NULL;
	const char *entry = bw_swap_entry(j->spirv, j->spirv_b, p->head.entry);
	BW_TRY(bw_folder_make(BW_FOLDER_RUN, &j->folder));
	struct bw_error *err = bw_capture_pipeline_encode(p, &record);
	if (!err)
		err = write_file(j, "record", record.data, record.len);
	bw_vec_free(&record);
	if (!err)
		err = write_file(j, "spirv", j->spirv, j->spirv_b);
	if (!err)
		err = path_of(j, "made.bwc", &made);
	if (!err)
		err = run_driver(j, entry ? entry : p->head.entry, made);
	if (!err)
		err = bw_capture_reader_open(made, &r);
	if (!err)
		err = find_dispatch(r, "own", own);
	if (!err)
		err = find_dispatch(r, "other", other);
	bw_capture_reader_close(r);
	bw_folder_remove(&j->folder);
	return err;
}

static struct bw_error *add_code(struct job *j, const uint8_t *code, size_t size_b,
				 struct bw_swap_bytes *out)
{
	*out = (struct bw_swap_bytes){(uint32_t)j->code.len, (uint32_t)size_b};
	BW_TRY(bw_vec_reserve(&j->code, j->code.len + size_b));
	memcpy(j->code.data + j->code.len, code, size_b);
	j->code.len += size_b;
	return NULL;
}

/* Pointers lead to push constants or to sets' addresses: as much as both have. */
static size_t behind_of(const struct bw_capture_pipeline *p)
{
	size_t push_b = 0, sets_b = p->sets.len * sizeof(uint32_t);
	bw_vec_each(&p->pushes, r)
		push_b = BW_MAX(push_b, (size_t)r->offset_b + r->size_b);
	return push_b && sets_b ? BW_MIN(push_b, sets_b) : BW_MAX(push_b, sets_b);
}

static const struct bw_capture_binding *binding_of(const struct bw_capture_pipeline *p,
						   const struct bw_swap_binding *wanted)
{
	const struct bw_capture_binding *b = p->bindings.data;
	for (size_t i = 0; i < p->sets.len; i++) {
		for (uint32_t k = 0; k < p->sets.data[i].n_bindings; k++, b++)
			if (i == wanted->set && b->binding == wanted->binding)
				return b;
	}
	return NULL;
}

static struct bw_error *check_binding(const struct bw_capture_pipeline *p,
				      const struct bw_swap_binding *wanted)
{
	const struct bw_capture_binding *b = binding_of(p, wanted);
	if (!b)
		return bw_errorf(BW_E_INVALID,
				 "it uses binding %u of set %u, which the pipeline's layout "
				 "does not have",
				 wanted->binding, wanted->set);
	uint32_t is = bw_swap_type_bit(b->type);
	if (!is || !wanted->types || (wanted->types & is))
		return NULL;
	return bw_errorf(BW_E_INVALID,
			 "it uses binding %u of set %u as %s, which is %s in the pipeline's layout",
			 wanted->binding, wanted->set, bw_swap_types_name(wanted->types),
			 bw_swap_types_name(is));
}

/* A driver takes a layout that has all that the shader uses, and does not look. */
static struct bw_error *check_layout(const struct job *j, const struct bw_capture_pipeline *p)
{
	struct bw_swap_bindings used = {0};
	struct bw_error *err = bw_swap_bindings(j->spirv, j->spirv_b, &used);
	bw_vec_each(&used, b)
		if (!err)
			err = check_binding(p, b);
	bw_vec_free(&used);
	return err;
}

static bool uses_scratch(const struct bw_swap_program *p)
{
	return BW_FIELD_GET(COMPUTE_PGM_RSRC2, SCRATCH_EN, p->rsrc2);
}

static struct bw_error *fill_variant(struct job *j, const struct bw_capture_pipeline *p,
				     struct bw_swap_variant *v)
{
	struct seen own = {0}, other = {0};
	struct bw_error *err =
		p->spirv.len ? check_layout(j, p)
			     : bw_errorf(BW_E_INVALID, "it is a kernel of ROCm, without SPIR-V");
	if (!err)
		err = compile(j, p, &own, &other);
	if (!err) {
		v->own = own.program;
		v->other = other.program;
		bool fits =
			bw_swap_arguments_fit(&own.arguments, &other.arguments, other.program.rsrc2,
					      behind_of(p), &v->moves, v->refusal);
		if (!fits && uses_scratch(&other.program) && !uses_scratch(&own.program))
			snprintf(v->refusal, sizeof(v->refusal),
				 "it needs scratch memory, and the program's own shader has none");
		err = add_code(j, own.code, own.instructions_b, &v->own_code);
	}
	if (!err)
		err = add_code(j, other.code, other.code_b, &v->other_code);
	free(own.code);
	free(other.code);
	return err;
}

/* An error of this pipeline alone is reported where it would be replaced. */
static struct bw_error *add_variant(struct job *j, uint32_t made_of)
{
	struct bw_swap_variant v = {.made_of = made_of};
	struct bw_capture_pipeline p = {0};
	struct bw_error *err = bw_capture_reader_pipeline(j->r, made_of, &p);
	if (!err)
		err = fill_variant(j, &p, &v);
	bw_capture_pipeline_fini(&p);
	if (err && (err->code == BW_E_INVALID || err->code == BW_E_NOT_FOUND)) {
		snprintf(v.refusal, sizeof(v.refusal), "%s", err->message);
		bw_error_free(err);
		err = NULL;
	}
	return err ? err : bw_vec_push(&j->variants, v);
}

/* ---- All of them ---- */

static bool has_variant(const struct job *j, uint32_t made_of)
{
	bw_vec_each(&j->variants, v)
		if (v->made_of == made_of)
			return true;
	return false;
}

static struct bw_error *add_variants(struct job *j, const struct bw_swap_rule *rule)
{
	struct bw_swap_rules one = {
		.rules = {.data = (struct bw_swap_rule *)(uintptr_t)rule, .len = 1}};
	size_t n;
	const struct bw_capture_entry *e = bw_capture_reader_entries(j->r, &n);
	struct bw_error *err = NULL;
	for (size_t i = 0; !err && i < n; i++) {
		struct bw_capture_submission sub = {0};
		if (!e[i].summary.n_dispatches)
			continue;
		err = bw_capture_reader_submission(j->r, &e[i], &sub);
		if (bw_error_catch(&err, BW_E_INVALID)) /* damaged: no replay runs it */
			continue;
		for (size_t k = 0; !err && k < sub.dispatches.len; k++) {
			const struct bw_capture_dispatch *d = &sub.dispatches.data[k];
			const struct bw_swap_shader shader = bw_swap_shader_of(d);
			if (d->draw || !d->made_of ||
			    bw_swap_find(&one, BW_SWAP_SPIRV, &shader) < 0 ||
			    has_variant(j, d->made_of))
				continue;
			err = j->variants.len < VARIANTS_MAX
				      ? add_variant(j, d->made_of)
				      : bw_errorf(BW_E_INVALID, "it is for more than %d pipelines",
						  VARIANTS_MAX);
		}
		bw_capture_submission_fini(&sub);
	}
	return err;
}

static struct bw_error *pack(struct job *j, struct bw_swap_rules *r, struct bw_swap_rule *rule)
{
	size_t head_b = j->variants.len * sizeof(*j->variants.data);
	_cleanup_free_ uint8_t *all = malloc(head_b + j->code.len + 1);
	if (!all)
		return bw_error_nomem();
	bw_vec_each(&j->variants, v) {
		v->own_code.at += (uint32_t)head_b;
		v->other_code.at += (uint32_t)head_b;
	}
	if (head_b)
		memcpy(all, j->variants.data, head_b);
	if (j->code.len)
		memcpy(all + head_b, j->code.data, j->code.len);
	rule->n_variants = (uint32_t)j->variants.len;
	return bw_swap_rules_add(r, all, head_b + j->code.len, &rule->variants);
}

struct bw_error *bw_swap_compile(const struct bw_swap_replay *of, struct bw_swap_rules *r,
				 struct bw_swap_rule *rule)
{
	struct job j = {.of = of, .folder = BW_FOLDER_INIT, .spirv_b = rule->spirv.size_b};
	_cleanup_free_ uint32_t *spirv = malloc(rule->spirv.size_b + 4);
	if (!spirv)
		return bw_error_nomem();
	memcpy(spirv, bw_swap_rules_at(r, rule->spirv), rule->spirv.size_b);
	j.spirv = spirv;
	BW_TRY(bw_capture_reader_open(of->capture, &j.r));
	struct bw_error *err = NULL;
	uint32_t version = bw_capture_reader_version(j.r);
	if (version < BW_CAPTURE_VERSION_PIPELINES)
		err = bw_errorf(BW_E_INVALID,
				"the capture is of version %u, which has no records of pipelines: "
				"FILE is .s, or the program is captured again",
				version);
	if (!err)
		err = add_variants(&j, rule);
	if (!err)
		err = pack(&j, r, rule);
	bw_capture_reader_close(j.r);
	bw_vec_free(&j.variants);
	bw_vec_free(&j.code);
	return err;
}
