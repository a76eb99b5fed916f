/* SPDX-License-Identifier: MIT */

/* The golden vectors tests/golden/isa/exec*.vec: one instruction each, or a few with "; " between,
 * and the whole architectural state before and after. Vector rows run a second time as wave64, both
 * halves alike. Text and words are held together by LLVM (tests/isa does the same for its rows),
 * and every row of the semantics must have a vector.
 *
 * NAME "TEXT" WORDS : STATE -> STATE, numbers in hex. A state is
 *   vN=LANES vN..M=LANES (a,b*30) aN=LANES
 *   sN=DWORDS ttmpN= vcc= vcc_lo= exec= m0= scc= mode= trapsts= pc=
 *   mem@OFFSET=DWORDS memory from HARNESS_BASE on lds=BYTES lds@OFFSET=DWORDS the group's LDS
 *   scratch=BYTES      of the wave, at SCRATCH       vgprs=N   the wave has
 *   align=MODE         SH_MEM_CONFIG.ALIGNMENT_MODE, else 3: unaligned
 *   w64 priv solo (not again in both halves of a wave64) rule=N,N (of doc/rules.md in decimal)
 *   stop=fatal|ended|...  how the run ends, if not by running out   fault=LANES
 * and what is not named stays as it was.
 *
 * Long file: one parser for the vectors of all generations. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../suite.h"
#include "harness.h"
#include "isa/text.h"
#include "isa/ops.h"
#include "vgpu/device/exec/core/exec_priv.h"

enum { LINE_B = 8192, MAX_LANES = 64, MAX_DW = 24, MAX_LDS_B = 0x10000, SCRATCH = 0x20000 };

enum tolerance { EXACT, ANYTHING, NAN32, NAN64_HI, ULP32, LOW16, LOW16_NAN };

struct state {
	uint32_t v[HARNESS_VGPRS][MAX_LANES];
	uint8_t tol[HARNESS_VGPRS][MAX_LANES]; /* enum tolerance, of an expectation */
	uint32_t s[BW_SGPR_COUNT];
	uint32_t scc, mode, trapsts;
	uint64_t pc;
	uint32_t lds_b, scratch_b, n_vgprs, align_mode;
	uint64_t fault_lanes;
	enum bw_run stop;
	bool has_mem; /* memory, LDS: the rest of it is compared too */
	uint8_t mem[HARNESS_PAGES * BW_PAGE_B], lds[MAX_LDS_B];
};

struct row {
	char name[64], text[400];
	uint32_t word[MAX_DW + 3];
	enum bw_isa_gen gen;
	unsigned n_dw, n_inst, lanes;
	bool w64, priv, mirror; /* mirror: the same again in lanes 32 to 63 */
	bool translated;	/* a row of gfx11 that gfx9 executes, see there */
	char *before, *after;
};

static unsigned line_no;
static const char *file_name;
static uint8_t covered[BW_OP_COUNT];

static unsigned n_wrong;

/* A wrong row is reported, and the rest of the file still runs; run_file fails in the end. */
#define CHECK(cond, ...)                                                                           \
	do {                                                                                       \
		if (!(cond)) {                                                                     \
			if (n_wrong++ < 40) {                                                      \
				print_error("%s:%u: ", file_name, line_no);                        \
				print_error(__VA_ARGS__);                                          \
				print_error("\n");                                                 \
			}                                                                          \
			return;                                                                    \
		}                                                                                  \
	} while (0)

static void parse_head(char *line, struct row *r)
{
	char *open = strchr(line, '"'), *close = open ? strchr(open + 1, '"') : NULL;
	char *colon = close ? strstr(close, " :") : NULL,
	     *arrow = colon ? strstr(colon, "->") : NULL;
	assert_non_null(arrow);
	*close = *colon = *arrow = '\0';
	snprintf(r->text, sizeof(r->text), "%s", open + 1);
	assert_int_equal(sscanf(line, "%63s", r->name), 1);
	char *p = close + 1;
	for (r->n_dw = 0; r->n_dw < MAX_DW; r->n_dw++) {
		char *end;
		uint32_t w = (uint32_t)strtoul(p, &end, 16);
		if (end == p)
			break;
		r->word[r->n_dw] = w;
		p = end;
	}
	r->before = colon + 2;
	r->after = arrow + 2;
	r->after[strcspn(r->after, "\n")] = '\0';
	r->w64 = strstr(r->before, "w64") != NULL;
	r->priv = strstr(r->before, "priv") != NULL;
}

static uint32_t parse_lane(char **p, uint8_t *out_tol)
{
	char *q = *p;
	uint32_t value = 0;
	*out_tol = EXACT;
	if (strncmp(q, "h16:nan", 7) == 0) {
		*out_tol = LOW16_NAN;
		q += 7;
	} else if (strncmp(q, "nan64", 5) == 0) {
		*out_tol = NAN64_HI;
		q += 5;
	} else if (strncmp(q, "nan", 3) == 0) {
		*out_tol = NAN32;
		q += 3;
	} else if (*q == '?') {
		*out_tol = ANYTHING;
		q++;
	} else {
		if (*q == '~') {
			*out_tol = ULP32;
			q++;
		} else if (strncmp(q, "h16:", 4) == 0) {
			*out_tol = LOW16;
			q += 4;
		}
		char *end;
		value = (uint32_t)strtoul(q, &end, 16);
		assert_ptr_not_equal(end, q);
		q = end;
	}
	if (*q == ',')
		q++;
	*p = q;
	return value;
}

static void set_lane(struct state *st, const struct row *r, unsigned n, unsigned l, uint32_t v,
		     uint8_t tol)
{
	st->v[n][l] = v;
	st->tol[n][l] = tol;
	if (r->mirror) {
		st->v[n][l + 32] = v;
		st->tol[n][l + 32] = tol;
	}
}

/* v2=1,2 or v0..3=7,8*30; returns the number of lanes. */
static unsigned parse_vgprs(const char *name, char *value, struct state *st, const struct row *r)
{
	unsigned at = name[0] == 'a' ? HARNESS_ACCUM_OFFSET : 0, lane = 0;
	unsigned first = at + (unsigned)strtoul(name + 1, NULL, 10);
	const char *dots = strstr(name, "..");
	unsigned last = dots ? at + (unsigned)strtoul(dots + 2, NULL, 10) : first;
	assert_true(last < HARNESS_VGPRS);
	for (char *p = value; *p;) {
		uint8_t tol;
		uint32_t v = parse_lane(&p, &tol);
		unsigned times = 1;
		if (*p == '*') {
			times = (unsigned)strtoul(p + 1, &p, 10);
			p += *p == ',';
		}
		assert_true(lane + times <= MAX_LANES);
		for (; times; times--, lane++)
			for (unsigned n = first; n <= last; n++)
				set_lane(st, r, n, lane, v, tol);
	}
	return lane;
}

static enum bw_run parse_stop(const char *name)
{
	static const char *const names[] = {
		[BW_RUN_QUANTUM] = "quantum", [BW_RUN_ENDED] = "ended",
		[BW_RUN_BARRIER] = "barrier", [BW_RUN_SLEEP] = "sleep",
		[BW_RUN_HALTED] = "halted",   [BW_RUN_FATAL] = "fatal",
	};
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(names[i], name) == 0)
			return (enum bw_run)i;
	fail_msg("stop=%s", name);
	return BW_RUN_QUANTUM;
}

static void parse_dwords(uint8_t *at, size_t room_b, const char *value)
{
	for (char *p = (char *)(uintptr_t)value; *p; at += 4, room_b -= 4) {
		uint8_t tol;
		uint32_t v = parse_lane(&p, &tol);
		assert_true(room_b >= 4 && tol == EXACT);
		memcpy(at, &v, 4);
	}
}

/* What is not a register. */
static bool parse_other(const char *key, const char *value, struct state *st)
{
	unsigned long at = strchr(key, '@') ? strtoul(strchr(key, '@') + 1, NULL, 16) : 0;
	uint64_t v = strtoull(value, NULL, 16);
	if (strcmp(key, "rule") == 0) {
		assert_true(strspn(value, "0123456789,") == strlen(value));
	} else if (strncmp(key, "mem@", 4) == 0) {
		assert_true(at < sizeof(st->mem));
		parse_dwords(st->mem + at, sizeof(st->mem) - at, value);
		st->has_mem = true;
	} else if (strncmp(key, "lds@", 4) == 0) {
		assert_true(at < sizeof(st->lds));
		parse_dwords(st->lds + at, sizeof(st->lds) - at, value);
		st->has_mem = true;
	} else if (strcmp(key, "lds") == 0) {
		assert_true(v <= MAX_LDS_B);
		st->lds_b = (uint32_t)v;
	} else if (strcmp(key, "scratch") == 0) {
		st->scratch_b = (uint32_t)v;
	} else if (strcmp(key, "vgprs") == 0) {
		st->n_vgprs = (uint32_t)strtoul(value, NULL, 10);
	} else if (strcmp(key, "align") == 0) {
		st->align_mode = 3 - ((uint32_t)v & 3);
	} else if (strcmp(key, "trapsts") == 0) {
		st->trapsts = (uint32_t)v;
	} else if (strcmp(key, "fault") == 0) {
		st->fault_lanes = v;
	} else if (strcmp(key, "stop") == 0) {
		st->stop = parse_stop(value);
	} else {
		return false;
	}
	return true;
}

/* "v2=1,2 s4=5 exec=3 ..." into a state; returns the longest list of lanes. */
static unsigned parse_state(const char *text, struct state *st, const struct row *r)
{
	char copy[LINE_B], *save = NULL;
	unsigned lanes = 0;
	snprintf(copy, sizeof(copy), "%s", text);
	for (char *t = strtok_r(copy, " ", &save); t; t = strtok_r(NULL, " ", &save)) {
		char *value = strchr(t, '=');
		if (!value)
			continue; /* w64, priv */
		*value++ = '\0';
		if (parse_other(t, value, st))
			continue;
		unsigned long n = strtoul(t + 1, NULL, 10);
		uint64_t v64 = strtoull(value, NULL, 16);
		if ((t[0] == 'v' || t[0] == 'a') && t[1] >= '0' && t[1] <= '9') {
			unsigned l = parse_vgprs(t, value, st, r);
			lanes = l > lanes ? l : lanes;
		} else if (strcmp(t, "scc") == 0) {
			st->scc = (uint32_t)v64;
		} else if (strcmp(t, "mode") == 0) {
			st->mode = (uint32_t)v64;
		} else if (strcmp(t, "pc") == 0) {
			st->pc = HARNESS_BASE + v64;
		} else if (strcmp(t, "m0") == 0) {
			st->s[125] = (uint32_t)v64;
		} else if (strcmp(t, "exec") == 0) {
			st->s[126] = (uint32_t)v64;
			if (r->mirror)
				st->s[127] = (uint32_t)v64;
			else if (r->w64 || v64 >> 32)
				st->s[127] = (uint32_t)(v64 >> 32);
		} else if (strcmp(t, "vcc") == 0 || strcmp(t, "vcc_lo") == 0) {
			st->s[106] = (uint32_t)v64;
			if (t[3] == '\0')
				st->s[107] = (uint32_t)(v64 >> 32);
			else if (r->mirror)
				st->s[107] = (uint32_t)v64;
		} else {
			unsigned code = t[0] == 't' ? 108 + (unsigned)strtoul(t + 4, NULL, 10)
						    : (unsigned)n;
			assert_true((t[0] == 's' || strncmp(t, "ttmp", 4) == 0) && code < 128);
			for (char *p = value; *p; code++) {
				uint8_t tol;
				st->s[code] = parse_lane(&p, &tol);
			}
		}
	}
	return lanes;
}

static bool lane_matches(uint32_t got, uint32_t want, enum tolerance tol)
{
	switch (tol) {
	case EXACT:
		return got == want;
	case ANYTHING:
		return true;
	case NAN32:
		return (got & 0x7fffffff) > 0x7f800000;
	case NAN64_HI:
		return (got & 0x7fffffff) >= 0x7ff00000; /* the payload may be in the low dword */
	case ULP32:
		return got == want || got == want + 1 || got + 1 == want;
	case LOW16:
		return (got & 0xffff) - want + 1 <= 2;
	case LOW16_NAN:
		return (got & 0x7fff) > 0x7c00;
	}
	return false;
}

static void compare(const struct harness *h, const struct state *want, const struct row *r)
{
	const struct bw_wave *w = h->w;
	CHECK(w->pc == want->pc, "%s: pc is %#llx, not %#llx", r->text,
	      (unsigned long long)(w->pc - HARNESS_BASE),
	      (unsigned long long)(want->pc - HARNESS_BASE));
	CHECK(w->scc == want->scc, "%s: SCC is %u", r->text, w->scc);
	CHECK(w->mode == want->mode, "%s: MODE is %#x, not %#x", r->text, w->mode, want->mode);
	for (unsigned i = 0; i < BW_SGPR_COUNT; i++)
		CHECK(w->s[i] == want->s[i], "%s: SGPR code %u is %#x, not %#x", r->text, i,
		      w->s[i], want->s[i]);
	for (unsigned n = 0; n < HARNESS_VGPRS; n++)
		for (unsigned l = 0; l < w->lanes; l++) {
			uint32_t got = w->v[n * w->lanes + l];
			CHECK(lane_matches(got, want->v[n][l], want->tol[n][l]),
			      "%s: v%u lane %u is %#x, not %#x (tolerance %u)", r->text, n, l, got,
			      want->v[n][l], want->tol[n][l]);
		}
	if (want->stop == BW_RUN_FATAL || want->trapsts) {
		CHECK(w->trapsts == want->trapsts, "%s: TRAPSTS is %#x", r->text, w->trapsts);
		CHECK(w->fault_lanes == want->fault_lanes, "%s: lanes %#llx fault", r->text,
		      (unsigned long long)w->fault_lanes);
	}
	for (unsigned i = 0; want->has_mem && i < sizeof(want->mem); i++)
		CHECK(h->mem[i] == want->mem[i], "%s: memory byte %#x is %#x, not %#x", r->text, i,
		      h->mem[i], want->mem[i]);
	for (unsigned i = 0; want->has_mem && i < MAX_LDS_B; i++)
		CHECK(h->wg.lds[i] == want->lds[i], "%s: LDS byte %#x is %#x, not %#x", r->text, i,
		      h->wg.lds[i], want->lds[i]);
}

/* Memory, LDS and scratch as the row wants them. */
static void set_memory(struct harness *h, const struct state *st)
{
	if (st->has_mem) {
		memcpy(h->mem, st->mem, sizeof(st->mem));
		memcpy(h->wg.lds, st->lds, sizeof(st->lds));
	}
	h->wg.lds_size_b = st->lds_b;
	h->w->n_vgprs = (uint16_t)st->n_vgprs;
	h->w->align_mode = (uint8_t)st->align_mode;
	h->w->scratch_size_b = st->scratch_b;
	h->w->flat_scratch = st->scratch_b ? HARNESS_BASE + SCRATCH : 0;
	h->w->status |= st->scratch_b ? BW_STATUS_SCRATCH_EN : 0;
}

/* What gfx9 does otherwise with a row of gfx11: a 16-bit result clears the upper half but for
 * some instructions (LLVM's zeroesHigh16BitsOfDest), and v_cmpx writes a mask, here VCC, too. */
static void expect_gfx9(struct state *want, const struct row *r, uint64_t exec)
{
	static const char *const keep[] = {"fmac_f16", "fmaak_f16", "fmamk_f16", "fma_mix"};
	struct bw_inst inst;
	assert_true(bw_isa_decode(r->gen, r->word, r->n_dw, &inst));
	const struct bw_op_info *info = bw_isa_op_info(inst.op);
	if (strncmp(r->name, "v_cmpx", 6) == 0)
		memcpy(&want->s[106], &want->s[126], 8);
	bool keeps = inst.op_sel & BW_OP_SEL_DST || r->name[0] != 'v' || info->dst[0].bits != 16 ||
		     info->class != BW_CLASS_MAP;
	for (size_t i = 0; i < sizeof(keep) / sizeof(keep[0]); i++)
		keeps = keeps || strstr(r->name, keep[i]);
	for (unsigned l = 0; l < MAX_LANES && !keeps; l++)
		if (exec >> l & 1)
			want->v[inst.dst][l] &= 0xffff;
}

static void run_row(struct harness *h, struct row *r, bool mirror)
{
	static struct state st, want;
	unsigned lanes = h->w->lanes;
	r->mirror = mirror;
	harness_reset(h);
	memset(&st, 0, sizeof(st));
	for (unsigned n = 0; n < HARNESS_VGPRS; n++)
		for (unsigned l = 0; l < lanes; l++)
			st.v[n][l] = 0xa5000000 | n << 8 | l;
	for (unsigned i = 0; i < 126; i++)
		st.s[i] = i == 124 ? 0 : 0x5a000000 | i;
	st.mode = h->w->mode;
	st.pc = HARNESS_BASE;
	st.n_vgprs = HARNESS_VGPRS;
	st.s[126] = 0xffffffff;
	st.s[127] = lanes == 64 ? 0xffffffff : 0x7e0e0e0e;
	unsigned n = parse_state(r->before, &st, r);
	if (n && !strstr(r->before, "exec=")) {
		uint64_t all = n == 64 ? ~0ull : (1ull << n) - 1;
		st.s[126] = (uint32_t)all;
		if (lanes == 64)
			st.s[127] = mirror ? (uint32_t)all : (uint32_t)(all >> 32);
	}
	memset(st.tol, 0, sizeof(st.tol));
	want = st;
	want.pc = HARNESS_BASE + r->n_dw * 4;
	parse_state(r->after, &want, r);
	if (r->translated)
		expect_gfx9(&want, r, ((uint64_t)st.s[127] << 32) | st.s[126]);

	for (unsigned v = 0; v < HARNESS_VGPRS; v++)
		memcpy(harness_v(h, v), st.v[v], lanes * 4);
	memcpy(h->w->s, st.s, sizeof(st.s));
	h->w->scc = st.scc;
	h->w->mode = st.mode;
	if (r->priv)
		h->w->status |= BW_STATUS_PRIV;
	memcpy(st.mem + HARNESS_CODE, r->word, r->n_dw * 4);
	memcpy(want.mem + HARNESS_CODE, r->word, r->n_dw * 4);
	set_memory(h, &st);
	h->w->trapsts = st.trapsts;
	harness_code(h, HARNESS_CODE, r->word, r->n_dw);
	bw_exec_flush_code(h->x);
	enum bw_run why = bw_exec_run(h->x, h->w, r->n_inst);
	CHECK(why == want.stop, "%s: stopped, %d", r->text, why);
	compare(h, &want, r);
}

static void squeeze(char *s)
{
	char *two;
	while ((two = strstr(s, "  ")) != NULL)
		memmove(two, two + 1, strlen(two));
}

/* Words and text agree, as LLVM reads them; and the first words are what the row's name says. */
static void check_text(struct bw_isa_text *text, struct row *r)
{
	char got[400] = "", want[400], line[200];
	struct bw_inst inst;
	bw_isa_text_set_lanes(text, r->w64 ? 64 : 32);
	for (unsigned at = 0; at < r->n_dw; at += inst.size_b / 4, r->n_inst++) {
		if (!bw_isa_decode(r->gen, r->word + at, r->n_dw - at, &inst)) {
			CHECK(strcmp(r->name, "illegal") == 0 && r->n_dw <= 3, "%s does not decode",
			      r->text);
			r->n_inst = 1;
			return;
		}
		const char *name = bw_isa_op_info(inst.op)->name;
		CHECK(at || strcmp(name, r->name) == 0, "%s decodes as %s", r->name, name);
		covered[inst.op] = 1;
		if (inst.fmt == BW_FMT_VOPD)
			covered[inst.op_y] = 1;
		bw_isa_text_line(text, r->word + at, inst.size_b, HARNESS_BASE + at * 4, line,
				 sizeof(line));
		size_t n = strlen(got);
		snprintf(got + n, sizeof(got) - n, "%s%s", at ? "; " : "", line);
	}
	snprintf(want, sizeof(want), "%s", r->text);
	squeeze(want);
	squeeze(got);
	if (strncmp(got, ".long", 5) != 0)
		CHECK(strcmp(got, want) == 0, "the words say: %s", got);
}

/* Halves can be alike only where nothing but VGPRs, VCC and EXEC is named. */
static bool can_mirror(const struct row *r)
{
	return r->name[0] == 'v' && !r->w64 && !strstr(r->before, " s") &&
	       !strstr(r->after, " s") && !strstr(r->before, "solo") &&
	       strncmp(r->name, "v_dual", 6) != 0;
}

/* A row in words of another generation. False: that does not have all of it, or does not execute
 * it. Hardware registers have other numbers and bits on gfx9 than on gfx11. */
static bool translate(struct row *r, enum bw_isa_gen gen)
{
	struct row to = *r;
	bool is_gfx11 = r->gen == BW_ISA_GFX11;
	if (is_gfx11 && strstr(r->text, "hwreg("))
		return false;
	to.gen = gen;
	to.translated = is_gfx11;
	to.n_dw = to.n_inst = 0;
	for (unsigned at = 0; at < r->n_dw; to.n_inst++) {
		struct bw_inst inst, again;
		if (!bw_isa_decode(r->gen, r->word + at, r->n_dw - at, &inst) ||
		    bw_exec_sem(inst.op)->kind == BW_SEM_ABSENT)
			return false;
		at += inst.size_b / 4;
		if (is_gfx11 && strncmp(r->name, "v_cmpx", 6) == 0)
			inst.dst = BW_SRC_VCC_LO;
		size_t n = bw_isa_encode(gen, &inst, to.word + to.n_dw);
		if (!n || !bw_isa_decode(gen, to.word + to.n_dw, n, &again) || again.op != inst.op)
			return false;
		to.n_dw += (unsigned)n;
	}
	*r = to;
	return true;
}

static bool is_scalar_alu(const struct row *r)
{
	enum bw_fmt fmt = bw_isa_op_info(bw_isa_op_by_name(r->name))->fmt;
	return fmt == BW_FMT_SOP1 || fmt == BW_FMT_SOP2 || fmt == BW_FMT_SOPC || fmt == BW_FMT_SOPK;
}

/* Rows of another generation in a wave64 of gfx9. */
static unsigned n_translated;

static void run_translated(struct harness *h, struct row r)
{
	bool mirror = r.gen == BW_ISA_GFX11 && can_mirror(&r);
	if ((!mirror && !r.w64 && !is_scalar_alu(&r)) || !translate(&r, h->gen))
		return;
	run_row(h, &r, mirror);
	n_translated++;
}

static void run_file(const char *name, enum bw_isa_gen gen, const char *gfx)
{
	char path[4096], line[LINE_B];
	const char *root = getenv("BREAKWATER_SOURCE");
	snprintf(path, sizeof(path), "%s/tests/golden/isa/%s", root ? root : ".", name);
	FILE *f = fopen(path, "r");
	assert_non_null(f);
	bool is_gfx11 = gen == BW_ISA_GFX11;
	struct harness *h32 = harness_create(32), *h64 = harness_create_gen(gen, 64),
		       *h942 = harness_create_gen(BW_ISA_GFX942, 64),
		       *h902 = harness_create_gen(BW_ISA_GFX902, 64);
	h32->wg.lds = calloc(1, MAX_LDS_B);
	h64->wg.lds = calloc(1, MAX_LDS_B);
	h942->wg.lds = calloc(1, MAX_LDS_B);
	h902->wg.lds = calloc(1, MAX_LDS_B);
	assert_true(h32->wg.lds && h64->wg.lds && h942->wg.lds && h902->wg.lds);
	struct bw_isa_text *text;
	assert_null(bw_isa_text_create(gfx, &text));
	unsigned n = 0;
	file_name = name;
	n_wrong = n_translated = 0;
	for (line_no = 1; fgets(line, sizeof(line), f); line_no++) {
		struct row r = {.gen = gen};
		if (line[0] == '#' || line[0] == '\n')
			continue;
		parse_head(line, &r);
		check_text(text, &r);
		bool mirror = can_mirror(&r);
		r.w64 = r.w64 || !is_gfx11;
		run_row(r.w64 ? h64 : h32, &r, false);
		if (mirror)
			run_row(h64, &r, true);
		if (is_gfx11)
			run_translated(h942, r);
		if (gen != BW_ISA_GFX902)
			run_translated(h902, r);
		n++;
	}
	fclose(f);
	print_message("%s: %u vectors, and %u times one on another generation\n", name, n,
		      n_translated);
	assert_true(n > 20);
	assert_int_equal(n_wrong, 0);
	bw_isa_text_destroy(text);
	harness_destroy(h32);
	harness_destroy(h64);
	harness_destroy(h942);
	harness_destroy(h902);
}

static void modelled(void **state)
{
	run_file("exec.vec", BW_ISA_GFX11, "gfx1100");
}

static void by_hand(void **state)
{
	run_file("exec-hand.vec", BW_ISA_GFX11, "gfx1100");
}

static void by_rule(void **state)
{
	run_file("exec-rules.vec", BW_ISA_GFX11, "gfx1100");
}

static void packed(void **state)
{
	run_file("exec-packed.vec", BW_ISA_GFX11, "gfx1100");
}

static void gfx942_alone(void **state)
{
	run_file("exec-gfx942.vec", BW_ISA_GFX942, "gfx942");
}

static void gfx902_alone(void **state)
{
	run_file("exec-gfx902.vec", BW_ISA_GFX902, "gfx902");
}

/* Rows whose effect is not one step of registers have tests of their own, in test_trap.c and with
 * the device; those of gfx942's matrix instructions are in test_mfma.c, which asks for a vector of
 * each. */
static const char *const elsewhere[] = {
	"s_endpgm",
	"s_endpgm_saved",
	"s_endpgm_ordered_ps_done",
	"s_setkill",
	"s_trap",
	"s_sethalt",
	"s_sleep",
	"s_barrier",
	"s_wakeup",
	"s_icache_inv",
	"s_sendmsg",
	"s_sendmsghalt",
	"s_code_end",
	"s_rfe_b64",
	"ds_gws_init",
	"ds_gws_barrier",
	"ds_gws_sema_v",
	"ds_gws_sema_br",
	"ds_gws_sema_p",
	"ds_gws_sema_release_all",
};

static bool has_vector_elsewhere(const char *name)
{
	for (size_t i = 0; i < sizeof(elsewhere) / sizeof(elsewhere[0]); i++)
		if (strcmp(name, elsewhere[i]) == 0)
			return true;
	return strncmp(name, "v_mfma_", 7) == 0 || strncmp(name, "v_smfmac_", 9) == 0;
}

/* The three tables joined: each opcode is executed or absent with a reason, each row has an opcode,
 * each executed one (memory has tests of its own) a vector. */
static void tables_join(void **state)
{
	unsigned count[BW_SEM_ABSENT + 1] = {0}, missing = 0;
	assert_null(bw_exec_sem_orphan());
	for (unsigned op = BW_OP_ILLEGAL + 1; op < BW_OP_COUNT; op++) {
		const struct bw_sem *sem = bw_exec_sem((enum bw_op)op);
		const char *name = bw_isa_op_info((enum bw_op)op)->name;
		if (!bw_isa_has_op(BW_ISA_GFX11, op) && !bw_isa_has_op(BW_ISA_GFX942, op) &&
		    !bw_isa_has_op(BW_ISA_GFX902, op)) {
			assert_int_equal(sem->kind, BW_SEM_NONE);
			continue;
		}
		count[sem->kind]++;
		if (sem->kind == BW_SEM_NONE) {
			print_error("%s has neither semantics nor a reason to be absent\n", name);
			missing++;
		} else if (sem->kind == BW_SEM_ABSENT) {
			assert_true(strlen(sem->absent->why) > 3);
		} else if (sem->kind != BW_SEM_MEM && !covered[op] && !has_vector_elsewhere(name)) {
			print_error("%s has no vector\n", name);
			missing++;
		}
	}
	print_message(
		"%u opcodes of gfx11, %u of gfx942, %u of gfx902: %u lanes, %u scalar, %u named functions, %u memory, %u VOPD "
		"halves, %u absent\n",
		BW_ISA_OPS_GFX11, BW_ISA_OPS_GFX942, BW_ISA_OPS_GFX902, count[BW_SEM_MAP],
		count[BW_SEM_SCALAR], count[BW_SEM_WAVE], count[BW_SEM_MEM], count[BW_SEM_DUAL],
		count[BW_SEM_ABSENT]);
	assert_int_equal(missing, 0);
}

TESTS(modelled, by_hand, by_rule, packed, gfx942_alone, gfx902_alone, tables_join);
