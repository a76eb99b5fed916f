/* SPDX-License-Identifier: MIT */
/* The step that compares every register of a wave: as saved by the trap handler, and as the wave
 * has it after it was resumed. */
#include "selftest/selftest_priv.h"

#include "base/cleanup.h"
#include "base/util.h"
#include "debug/registers.h"
#include "selftest/kernels/save.h"

enum { LANES = 32, N_WORDS = SAVE_ROWS * LANES, SHOWN = 8 };

/* The rows of the kernel after those of VGPRs and SGPRs. */
static const struct {
	const char *name;
	uint32_t value;
	bool by_lane; /* value + lane */
} last_rows[] = {{"SCC", 1, false},
		 {"EXEC", SAVE_EXEC, false},
		 {"VCC", SAVE_VCC, false},
		 {"M0", SAVE_M0, false},
		 {"LDS", SAVE_LDS, true}};

static uint32_t expected_vgpr(uint32_t n, uint32_t lane)
{
	return n ? (n << 24) + (n << 16) + lane : lane * 4;
}

static uint32_t expected_sgpr(uint32_t n)
{
	return 0x51000000 + n;
}

static void expected_row(uint32_t row, uint32_t lane, char name[16], uint32_t *out)
{
	if (row < SAVE_VGPRS) {
		snprintf(name, 16, "v%u", row);
		*out = expected_vgpr(row, lane);
	} else if (row < SAVE_VGPRS + SAVE_SGPRS) {
		uint32_t n = SAVE_FIRST_SGPR + row - SAVE_VGPRS;
		snprintf(name, 16, "s%u", n);
		*out = expected_sgpr(n);
	} else {
		uint32_t i = row - SAVE_VGPRS - SAVE_SGPRS;
		snprintf(name, 16, "%s", last_rows[i].name);
		*out = last_rows[i].value + (last_rows[i].by_lane ? lane : 0);
	}
}

/* Counts words that differ; the first ones become values of the report. */
struct mismatches {
	struct bw_selftest_program *p;
	const char *when;
	uint32_t n, n_compared;
	char first[96];
};

static void compare(struct mismatches *m, const char *name, int lane, uint32_t got,
		    uint32_t expected)
{
	char what[32], text[96];
	m->n_compared++;
	if (got == expected)
		return;
	snprintf(what, sizeof(what), lane < 0 ? "%s" : "%s of lane %d", name, lane);
	snprintf(text, sizeof(text), "%s is 0x%08x, not 0x%08x", what, got, expected);
	if (!m->n)
		snprintf(m->first, sizeof(m->first), "%s", text);
	if (m->n++ < SHOWN)
		bw_selftest_value(m->p->w, m->when, "%s", text);
}

static struct bw_error *judge(const struct mismatches *m)
{
	bw_selftest_value(m->p->w, m->when, "%u words compared, %u differ", m->n_compared, m->n);
	return m->n ? bw_errorf(BW_E_STATE, "%s, %u of %u words differ: %s", m->when, m->n,
				m->n_compared, m->first)
		    : NULL;
}

static struct bw_error *read_special(struct bw_selftest_program *p, uint32_t wave, const char *name,
				     uint64_t *out)
{
	struct bw_wave_reg reg;
	if (!bw_wave_reg_parse(bw_debug_arch(p->session.debug), name, &reg))
		return bw_errorf(BW_E_NOT_FOUND, "There is no register \"%s\"", name);
	return bw_debug_reg_read(p->session.debug, wave, reg, out);
}

static struct bw_error *compare_saved(struct bw_selftest_program *p, uint32_t wave)
{
	static const struct {
		const char *name;
		uint32_t value;
	} special[] = {{"scc", 1}, {"exec_lo", SAVE_EXEC}, {"vcc_lo", SAVE_VCC}, {"m0", SAVE_M0}};
	struct mismatches m = {.p = p, .when = "As the trap handler has saved them"};
	struct bw_debug *d = p->session.debug;
	uint32_t lanes[64], sgprs[SAVE_SGPRS], lds[LANES];
	char name[16];
	for (uint32_t n = 0; n < SAVE_VGPRS; n++) {
		BW_TRY(bw_debug_vgpr_read(d, wave, n, lanes));
		snprintf(name, sizeof(name), "v%u", n);
		for (uint32_t lane = 0; lane < LANES; lane++)
			compare(&m, name, (int)lane, lanes[lane], expected_vgpr(n, lane));
	}
	BW_TRY(bw_debug_sgprs_read(d, wave, SAVE_FIRST_SGPR, SAVE_SGPRS, sgprs));
	for (uint32_t i = 0; i < SAVE_SGPRS; i++) {
		snprintf(name, sizeof(name), "s%u", SAVE_FIRST_SGPR + i);
		compare(&m, name, -1, sgprs[i], expected_sgpr(SAVE_FIRST_SGPR + i));
	}
	for (size_t i = 0; i < BW_ARRAY_SIZE(special); i++) {
		uint64_t value;
		BW_TRY(read_special(p, wave, special[i].name, &value));
		compare(&m, special[i].name, -1, (uint32_t)value, special[i].value);
	}
	BW_TRY(bw_debug_read(d, BW_SPACE_LDS, 0, lds, sizeof(lds)));
	for (uint32_t i = 0; i < LANES; i++)
		compare(&m, "LDS word", (int)i, lds[i], SAVE_LDS + i);
	return judge(&m);
}

static struct bw_error *compare_restored(struct bw_selftest_program *p)
{
	struct mismatches m = {.p = p, .when = "After the wave was resumed"};
	_cleanup_free_ uint32_t *words = calloc(N_WORDS, sizeof(*words));
	if (!words)
		return bw_error_nomem();
	BW_TRY(bw_selftest_output(p, words, N_WORDS));
	for (uint32_t i = 0; i < N_WORDS; i++) {
		char name[16];
		uint32_t expected;
		expected_row(i / LANES, i % LANES, name, &expected);
		compare(&m, name, (int)(i % LANES), words[i], expected);
	}
	return judge(&m);
}

static struct bw_error *compare_all(struct bw_selftest_program *p)
{
	struct bw_stop stop;
	BW_TRY(bw_selftest_await(p, BW_REASON_DEBUG_TRAP,
				 "The wave has passed s_trap 3 without entering the trap handler",
				 &stop));
	BW_TRY(compare_saved(p, stop.wave));
	BW_TRY(bw_selftest_finish(p));
	return compare_restored(p);
}

struct bw_error *bw_selftest_step_save(void *work)
{
	char buffer[32];
	snprintf(buffer, sizeof(buffer), "zeros:%d:u32", N_WORDS);
	const struct bw_selftest_launch launch = {.kernel = "save",
						  .vgprs = SAVE_VGPRS,
						  .sgprs = SAVE_FIRST_SGPR + SAVE_SGPRS,
						  .lds_b = 512,
						  .groups = 1,
						  .buffer = buffer};
	return bw_selftest_with(work, &launch, compare_all);
}
