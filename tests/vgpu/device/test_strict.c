/* SPDX-License-Identifier: MIT */
/* Strict mode: each fault of kernels/strict.s is reported, and nothing else is. */
#include "rig.h"

#include <string.h>

#include "../../suite.h"
#include "base/util.h"
#include "vgpu/device/exec/strict/strict.h"

enum { WAIT_MS = 60000, FINDINGS = 64, IN = 7 };
#define LO(va) ((uint32_t)(va))
#define HI(va) ((uint32_t)((va) >> 32))

struct expected {
	enum bw_strict_kind kind;
	const char *name;
	unsigned offset_b; /* of the instruction in its fault */
	const char *words; /* in the sentence */
};

/* clang-format off */
static const struct fault {
	const char *what;
	unsigned number, groups, n;
	bool wave64;
	struct expected findings[2];
	bool has_out;
	uint32_t out; /* lane 0's result at offset 1024 */
} faults[] = {
	{"use before the wait", 0, 1, 1, false, {{BW_STRICT_WAIT, "v_add_nc_u32", 16, "s_waitcnt vmcnt(0)"}}, true, IN},
	{"loads in order", 1, 1, 0, false, {{0}}, true, IN + 1 + IN + 1},
	{"scalar loads", 2, 1, 1, false, {{BW_STRICT_WAIT, "s_add_u32", 20, "s_waitcnt lgkmcnt(0)"}}, false, 0},
	{"overwritten", 3, 1, 1, false, {{BW_STRICT_WAIT, "v_mov_b32", 12, "writes v2"}}, false, 0},
	{"unwritten data", 4, 1, 1, false, {{BW_STRICT_UNINIT, "global_store_b32", 4, "stores v9"}}, false, 0},
	{"unwritten address", 5, 1, 1, false, {{BW_STRICT_UNINIT, "global_load_b32", 8, "v8"}}, false, 0},
	{"half of the lanes", 6, 1, 1, false, {{BW_STRICT_UNINIT, "global_store_b32", 24, "16 lanes from 16 on"}}, true, 2},
	{"by way of scratch", 7, 1, 1, false, {{BW_STRICT_UNINIT, "global_store_b32", 28, "stores v2"}}, false, 0},
	{"scalar spin", 8, 1, 1, false, {{BW_STRICT_SPIN, "s_load_b32", 36, "s_dcache_inv"}}, true, 0},
	{"s_dcache_inv", 9, 1, 0, false, {{0}}, true, 1},
	{"vector spin", 10, 2, 1, false, {{BW_STRICT_SPIN, "global_load_b32", 68, "buffer_gl0_inv"}}, true, 0},
	{"buffer_gl0_inv", 11, 2, 0, false, {{0}}, true, 1},
	{"glc", 12, 2, 0, false, {{0}}, true, 1},
	{"patched code", 13, 1, 1, false, {{BW_STRICT_CODE, "s_mov_b32", 24, "0xbe880082"}}, true, 1},
	{"s_icache_inv", 14, 1, 0, false, {{0}}, true, 2},
	{"transcendental", 15, 1, 1, false, {{BW_STRICT_HAZARD, "v_add_f32", 4, "va_vdst(0)"}}, false, 0},
	{"transcendental, waited for", 16, 1, 0, false, {{0}}, false, 0},
	{"v_cmpx, v_permlane", 17, 1, 1, false, {{BW_STRICT_HAZARD, "v_permlane16_b32", 4, "v_cmpx"}}, false, 0},
	{"v_cmpx, v_mov, v_permlane", 18, 1, 0, false, {{0}}, false, 0},
	{"WMMA", 19, 1, 1, false, {{BW_STRICT_HAZARD, "v_wmma_f32_16x16x16_f16", 8, "matrix A"}}, false, 0},
	{"mask", 20, 1, 1, true, {{BW_STRICT_HAZARD, "s_mov_b64", 12, "sa_sdst(0)"}}, false, 0},
	{"forwarding", 21, 1, 1, true, {{BW_STRICT_HAZARD, "v_add_nc_u32", 12, "change of EXEC"}}, false, 0},
	/* IB_STS: lgkm 9:4, vm 15:10, vs 31:26 (rule 283); an s_load_b64 counts twice (279) */
	{"counters", 22, 1, 0, false, {{0}}, true, 2 << 4 | 3 << 10 | 1 << 26},
	{"poison", 23, 1, 0, false, {{0}}, true, 0xffb1d500},
	{"one source", 24, 1, 0, true, {{0}}, false, 0},
	{"two sources", 25, 1, 1, true, {{BW_STRICT_HAZARD, "v_lshlrev_b64", 12, "reads v2 and v6"}}, false, 0},
	{"EXEC of saveexec", 26, 1, 1, true, {{BW_STRICT_HAZARD, "v_add_nc_u32", 12, "change of EXEC"}}, false, 0},
	{"saveexec, waited for", 27, 1, 0, true, {{0}}, false, 0},
	{"EXEC of wrexec", 28, 1, 1, true, {{BW_STRICT_HAZARD, "v_add_nc_u32", 12, "change of EXEC"}}, false, 0},
	{"wrexec, waited for", 29, 1, 0, true, {{0}}, false, 0},
	{"VCC of a branch", 30, 1, 1, false, {{BW_STRICT_WAIT, "s_cbranch_vccz", 8, "reads vcc_lo"}}, false, 0},
	{"branch, waited for", 31, 1, 0, false, {{0}}, false, 0},
	{"VCC of v_div_fmas", 32, 1, 1, false, {{BW_STRICT_WAIT, "v_div_fmas_f32", 8, "reads vcc_lo"}}, false, 0},
	{"v_div_fmas, waited for", 33, 1, 0, false, {{0}}, false, 0},
	{"M0 of v_movrels", 34, 1, 1, false, {{BW_STRICT_WAIT, "v_movrels_b32", 4, "reads m0"}}, false, 0},
	{"v_movrels, waited for", 35, 1, 0, false, {{0}}, false, 0},
	{"M0 of LDS", 36, 1, 1, false, {{BW_STRICT_WAIT, "ds_load_addtid_b32", 4, "reads m0"}}, false, 0},
	{"M0 of LDS, waited for", 37, 1, 0, false, {{0}}, false, 0},
	{"EXEC of the VALU", 38, 1, 1, false, {{BW_STRICT_WAIT, "v_mov_b32", 4, "reads exec_lo"}}, false, 0},
	{"EXEC, waited for", 39, 1, 0, false, {{0}}, false, 0},
	{"EXEC of a branch", 40, 1, 1, false, {{BW_STRICT_WAIT, "s_cbranch_execz", 4, "reads exec_lo"}}, false, 0},
	{"masks in SGPRs", 41, 1, 0, false, {{0}}, false, 0},
	{"masks in VCC", 42, 1, 2, false,
	 {{BW_STRICT_WAIT, "v_cndmask_b32", 8, "reads vcc_lo"}, {BW_STRICT_WAIT, "v_cmp_lt_u32", 12, "writes vcc_lo"}}, false, 0},
	{"v_movreld", 43, 1, 0, false, {{0}}, false, 0},
	{"beside v_movreld", 44, 1, 1, false, {{BW_STRICT_UNINIT, "global_store_b32", 12, "stores v4"}}, false, 0},
	{"v_movrels", 45, 1, 1, false, {{BW_STRICT_WAIT, "v_movrels_b32", 16, "reads v7"}}, false, 0},
	{"beside v_movrels", 46, 1, 0, false, {{0}}, false, 0},
	{"v_movrelsd_2", 47, 1, 1, false, {{BW_STRICT_WAIT, "v_movrelsd_2_b32", 20, "reads v5"}}, false, 0},
	{"s_movrels", 48, 1, 1, false, {{BW_STRICT_WAIT, "s_movrels_b32", 12, "reads s11"}}, false, 0},
	{"s_movreld", 49, 1, 1, false, {{BW_STRICT_WAIT, "s_movreld_b32", 12, "writes s11"}}, false, 0},
	{"beside them", 50, 1, 0, false, {{0}}, false, 0},
	{"address by s_movreld", 51, 1, 0, false, {{0}}, false, 0},
	{"address by s_movrels", 52, 1, 1, false, {{BW_STRICT_UNINIT, "s_load_b32", 12, "s12"}}, false, 0},
};
/* clang-format on */

static uint64_t data_va(unsigned offset_b)
{
	return RIG_DATA + offset_b;
}

static void run(struct rig *r, const struct fault *f)
{
	uint32_t *data = rig_ptr(r, data_va(0));
	memset(data, 0, 4096);
	/* Faults 0 to 7 read numbers there, the others flags. */
	for (unsigned i = 0; f->number < 8 && i < 128; i++)
		data[i] = IN + i;
	struct rig_launch l = {.kernel = "strict",
			       .entry_b = f->number * 256,
			       .groups = {f->groups},
			       .threads = {f->wave64 ? 64 : 32},
			       .n_user = 2,
			       .user = {LO(data_va(0)), HI(data_va(0))},
			       .lds_b = 512,
			       .tmpring = 1 | 1 << 12,
			       .scratch = data_va(0x10000),
			       .wave64 = f->wave64};
	assert_true(rig_wait(r, 1, rig_launch(r, &l), WAIT_MS));
}

static void check(struct rig *r, const struct fault *f, unsigned before)
{
	static struct bw_strict_finding all[FINDINGS];
	size_t n = bw_strict_findings(bw_device_strict(r->dev), all, FINDINGS);
	for (size_t i = before; i < n; i++)
		print_message("%s: %s, %s +%d: %s\n", f->what, bw_strict_kind_name(all[i].kind),
			      all[i].name, (int)(all[i].pc - all[i].code_va), all[i].text);
	assert_int_equal(n - before, f->n);
	for (unsigned i = 0; i < f->n; i++) {
		const struct bw_strict_finding *got = &all[before + i];
		assert_int_equal(got->kind, f->findings[i].kind);
		assert_string_equal(got->name, f->findings[i].name);
		assert_int_equal(got->pc - got->code_va, f->findings[i].offset_b);
		assert_non_null(strstr(got->text, f->findings[i].words));
		assert_true(got->count >= 1);
	}
	const uint32_t *data = rig_ptr(r, data_va(0));
	if (f->has_out)
		assert_int_equal(data[256], f->out);
}

static void find_planted_faults(void **state)
{
	struct rig r;
	unsigned before = 0;
	rig_start(&r, &(struct bw_device_options){.strict = true, .threads = 1});
	for (size_t i = 0; i < BW_ARRAY_SIZE(faults); i++) {
		run(&r, &faults[i]);
		check(&r, &faults[i], before);
		before += faults[i].n;
	}
	rig_stop(&r);
}

/* What a late result leaves in its register until then, and further words of the last two
 * faults. */
static void old_values_and_poison(void **state)
{
	struct rig r;
	const uint32_t *data;
	rig_start(&r, &(struct bw_device_options){.strict = true, .threads = 1});
	data = rig_ptr(&r, data_va(0));
	run(&r, &faults[0]);
	assert_int_equal(data[512], 5 + 1);
	for (size_t i = 0; i < BW_ARRAY_SIZE(faults); i++) {
		if (faults[i].number == 22) {
			run(&r, &faults[i]);
			assert_int_equal(data[257], 2 << 4 | 1 << 10 | 1 << 26);
			assert_int_equal(data[258], 0);
		} else if (faults[i].number == 23) {
			run(&r, &faults[i]);
			assert_int_equal(data[257], 0xffb5c500);
		}
	}
	rig_stop(&r);
}

/* Nothing of that without strict mode. */
static void not_strict(void **state)
{
	struct rig r;
	rig_start(&r, NULL);
	assert_null(bw_device_strict(r.dev));
	run(&r, &faults[0]);
	assert_int_equal(((uint32_t *)rig_ptr(&r, data_va(0)))[512], IN + 1);
	rig_stop(&r);
}

/* The same program, deterministic, twice: the same trace. Another program: another one. */
static struct bw_strict_trace trace_of(const char *kernel, unsigned groups, uint32_t user2)
{
	struct rig r;
	struct bw_strict_trace t;
	rig_start(&r, &(struct bw_device_options){.deterministic = true, .trace = true});
	struct rig_launch l = {.kernel = kernel,
			       .groups = {groups},
			       .threads = {256},
			       .n_user = 3,
			       .user = {LO(RIG_DATA), HI(RIG_DATA), user2},
			       .lds_b = 1024};
	assert_true(rig_wait(&r, 1, rig_launch(&r, &l), WAIT_MS));
	bw_strict_trace_read(bw_device_strict(r.dev), &t);
	rig_stop(&r);
	return t;
}

static void deterministic_traces(void **state)
{
	static const struct {
		const char *kernel;
		unsigned groups;
	} runs[] = {{"barrier", 200}, {"ids", 300}, {"atomics", 200}};
	struct bw_strict_trace seen[BW_ARRAY_SIZE(runs)];
	for (size_t i = 0; i < BW_ARRAY_SIZE(runs); i++) {
		seen[i] = trace_of(runs[i].kernel, runs[i].groups, 256);
		struct bw_strict_trace again = trace_of(runs[i].kernel, runs[i].groups, 256);
		assert_true(seen[i].hash == again.hash);
		assert_true(seen[i].instructions > 1000 &&
			    seen[i].instructions == again.instructions);
		assert_true(seen[i].accesses > 1000 && seen[i].accesses == again.accesses);
		for (size_t k = 0; k < i; k++)
			assert_true(seen[k].hash != seen[i].hash);
	}
	struct bw_strict_trace other = trace_of("barrier", 200, 255);
	assert_true(other.instructions == seen[0].instructions && other.hash != seen[0].hash);
}

TESTS(find_planted_faults, old_values_and_poison, not_strict, deterministic_traces);
