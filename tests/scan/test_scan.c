/* SPDX-License-Identifier: MIT */
/* Waves of generations that the virtual GPU is none of, as a kernel made up here gives them: files
 * as doc/hardware/kernel-interface.md 4.6 and 5.1 have them, wave data in the order of
 * gfx_v9_0_read_wave_data() and gfx_v10_0_read_wave_data() of Linux 6.12. */
#include "scan/scan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../suite.h"
#include "base/ip_version.h"
#include "base/util.h"
#include "kmd/kmd_priv.h"

/* ---- The kernel ---- */

enum { SEGMENT = 0x2000, N_VGPRS = 8 };

/* struct amdgpu_debugfs_gprwave_iocdata, and amdgpu_debugfs_regs2_iocdata_v2 */
struct gprwave_state {
	uint32_t gpr_or_wave, se, sh, cu, wave, simd, xcc_id, thread, vpgr_or_sgpr;
};
struct regs2_state {
	uint32_t use_srbm, use_grbm, pg_lock, se, sh, instance, me, pipe, queue, vmid, xcc_id;
};

/* One wave, and where it is: cu and simd as the kernel is asked for them. */
struct machine {
	struct bw_kmd kmd;
	uint32_t gca_config[5]; /* version, engines, -, CUs of an array, arrays of an engine */
	uint32_t se, sh, cu, simd, wave;
	const uint32_t *words; /* of its dump, with the type in front */
	size_t n_words;
	bool has_active;
	struct gprwave_state gprwave;
	struct regs2_state regs2;
	uint32_t index, sq_ind_index_dw, sq_ind_data_dw, sq_cmd_dw;
	uint32_t sq_cmd, commanded_instance;
};

struct file {
	struct bw_kmd_file base;
	enum { CONFIG, GPRWAVE, REGS2 } kind;
};

static struct machine *machine_of(struct bw_kmd *kmd)
{
	return BW_CONTAINER_OF(kmd, struct machine, kmd);
}

static int file_open(struct bw_kmd *kmd, bool sysfs, const char *path, int flags,
		     struct bw_kmd_file **out)
{
	static const char *const names[] = {"amdgpu_gca_config", "amdgpu_gprwave", "amdgpu_regs2"};
	for (unsigned i = 0; i < BW_ARRAY_SIZE(names); i++) {
		if (strcmp(path, names[i]) != 0)
			continue;
		struct file *f = calloc(1, sizeof(*f));
		assert_non_null(f);
		f->base.kmd = kmd;
		f->kind = i;
		*out = &f->base;
		return 0;
	}
	return -ENOENT;
}

static void file_close(struct bw_kmd_file *f)
{
	free(f);
}

static int file_ioctl(struct bw_kmd_file *f, uint32_t cmd, void *arg)
{
	struct machine *m = machine_of(f->kmd);
	if (BW_CONTAINER_OF(f, struct file, base)->kind == GPRWAVE)
		memcpy(&m->gprwave, arg, sizeof(m->gprwave));
	else
		memcpy(&m->regs2, arg, sizeof(m->regs2));
	return 0;
}

static bool is_there(const struct machine *m, uint32_t se, uint32_t sh, uint32_t cu)
{
	return se == m->se && sh == m->sh && cu == m->cu;
}

static ssize_t read_gprwave(struct machine *m, uint32_t *out, size_t n)
{
	const struct gprwave_state *s = &m->gprwave;
	bool here = is_there(m, s->se, s->sh, s->cu) && s->simd == m->simd && s->wave == m->wave;
	assert_int_equal(s->xcc_id, 0);
	memset(out, 0, n * 4);
	if (s->gpr_or_wave) {
		assert_true(here);
		for (uint32_t i = 0; i < n; i++)
			out[i] = s->vpgr_or_sgpr ? 0x1000 * s->thread + i : 0x500000 + i;
	} else {
		n = BW_MIN(n, m->n_words);
		if (here)
			memcpy(out, m->words, n * 4);
		out[0] = m->words[0];
	}
	return (ssize_t)(n * 4);
}

static ssize_t file_read(struct bw_kmd_file *f, uint64_t pos, void *out, size_t size_b)
{
	struct machine *m = machine_of(f->kmd);
	uint32_t value = 0;
	switch (BW_CONTAINER_OF(f, struct file, base)->kind) {
	case CONFIG:
		memcpy(out, m->gca_config, sizeof(m->gca_config));
		return sizeof(m->gca_config);
	case GPRWAVE:
		return read_gprwave(m, out, size_b / 4);
	case REGS2:
		assert_int_equal(pos, m->sq_ind_data_dw * 4ull);
		assert_int_equal(m->index, 0xa << 16); /* ACTIVE, of gfx10 */
		assert_true(m->has_active);
		if (is_there(m, m->regs2.se, m->regs2.sh, m->regs2.instance))
			value = 1u << m->wave;
		memcpy(out, &value, 4);
		return 4;
	}
	return -EINVAL;
}

static ssize_t file_write(struct bw_kmd_file *f, uint64_t pos, const void *data, size_t size_b)
{
	struct machine *m = machine_of(f->kmd);
	assert_int_equal(size_b, 4);
	if (pos == m->sq_ind_index_dw * 4ull) {
		memcpy(&m->index, data, 4);
		return 4;
	}
	assert_int_equal(pos, m->sq_cmd_dw * 4ull);
	memcpy(&m->sq_cmd, data, 4);
	m->commanded_instance = m->regs2.instance;
	return 4;
}

static const char *remedy(const struct bw_kmd *kmd, bool sysfs, int errnum)
{
	return NULL;
}

static const char *place(const struct bw_kmd *kmd, bool sysfs)
{
	return "here";
}

static const struct bw_kmd_ops ops = {.file_open = file_open,
				      .file_close = file_close,
				      .file_ioctl = file_ioctl,
				      .file_read = file_read,
				      .file_write = file_write,
				      .remedy = remedy,
				      .place = place};

static void start(struct machine *m, uint32_t version, struct bw_gpu *out)
{
	struct bw_gpu_block *gc = &out->block[0];
	struct bw_reg reg;
	m->kmd.ops = &ops;
	pthread_mutex_init(&m->kmd.regs_lock, NULL);
	out->kmd = &m->kmd;
	out->part.gc = version;
	out->n_blocks = 1;
	gc->ip = (struct bw_kmd_ip){.segment = {SEGMENT}, .n_segments = 1};
	assert_null(bw_regs_find("gc", version, &gc->block));
	assert_true(bw_gpu_find(out, "SQ_IND_INDEX", &reg, &m->sq_ind_index_dw));
	assert_true(bw_gpu_find(out, "SQ_IND_DATA", &reg, &m->sq_ind_data_dw));
	assert_true(bw_gpu_find(out, "SQ_CMD", &reg, &m->sq_cmd_dw));
}

static void stop(struct machine *m)
{
	bw_kmd_file_close(m->kmd.regs2);
	pthread_mutex_destroy(&m->kmd.regs_lock);
}

static void says(struct bw_error *err, const char *text)
{
	assert_non_null(err);
	if (!strstr(err->message, text))
		fail_msg("\"%s\" does not say \"%s\"", err->message, text);
	bw_error_free(err);
}

/* ---- gfx9 ---- */

/* VALID, HALT, SCC; VMID 5; 8 VGPRs */
static const uint32_t dump_gfx9[] = {1,	       0x12001, 0x4000, 0x7f,  0xffff0000, 0x1,
				     0x500000, 0xbf9f,	0xbf8c, 0x100, 0,	   0x800,
				     0,	       0,	0x55,	0x2f0};

static void gfx9(void **state)
{
	struct machine m = {.gca_config = {5, 2, 0, 3, 1},
			    .se = 1,
			    .cu = 2,
			    .simd = 3,
			    .wave = 9,
			    .words = dump_gfx9,
			    .n_words = BW_ARRAY_SIZE(dump_gfx9)};
	struct bw_gpu gpu = {0};
	struct bw_scan_waves waves = {0};
	char place_text[32], flags[64];
	start(&m, BW_IP_VERSION(9, 0, 1), &gpu);
	struct bw_scan s = {.gpu = &gpu, .vmid = -1, .reads_vgprs = true};
	assert_null(bw_scan_run(&s, &waves));
	assert_int_equal(waves.len, 1);
	const struct bw_scan_wave *w = &waves.data[0];
	bw_place_text(w->place, place_text);
	assert_string_equal(place_text, "se1.sa0.cu2.simd3.w9");
	assert_int_equal(w->wave.pc, 0x7f00004000);
	assert_int_equal(w->wave.exec, 0x1ffff0000);
	assert_int_equal(w->wave.lanes, 64);
	assert_int_equal(w->wave.space, 5);
	assert_true(bw_wave_get(&w->wave.state, BW_WF_HALTED));
	assert_true(bw_wave_get(&w->wave.state, BW_WF_ILLEGAL_INST));
	assert_int_equal(w->wave.state.reg[BW_WREG_INST_DW1], 0xbf8c);
	bw_arch_flags_text(w->wave.state.arch, BW_WREG_TRAPSTS, w->wave.state.reg[BW_WREG_TRAPSTS],
			   flags, sizeof(flags));
	assert_string_equal(flags, "ILLEGAL_INST");
	assert_int_equal(w->sgprs[7], 0x500007);
	assert_int_equal(w->wave.state.reg[BW_WREG_TTMP1], 0x500000 + 108 + 1);
	assert_int_equal(w->wave.n_vgprs, N_VGPRS);
	assert_int_equal(w->vgprs[3 * 64 + 33], 0x1000 * 33 + 3);

	/* SQ_CMD of Vega10: CMD 2:0, MODE 6:4, WAVE_ID 19:16, SIMD_ID 21:20 */
	assert_null(bw_scan_release(&gpu, &w->place));
	assert_int_equal(m.sq_cmd, 1 | 9 << 16 | 3 << 20);
	assert_int_equal(m.commanded_instance, 2);
	m.sq_cmd = 0;
	says(bw_scan_step(&gpu, &w->place), "gfx9 has no command for a single step");
	assert_int_equal(m.sq_cmd, 0);
	assert_null(bw_scan_halt_all(&gpu, true));
	assert_int_equal(m.sq_cmd, 1 | 1 << 4 | 1 << 8);
	assert_int_equal(m.commanded_instance, UINT32_MAX);
	bw_scan_free(&waves);

	s.places = "se?.sa0.cu1.*";
	assert_null(bw_scan_run(&s, &waves));
	assert_int_equal(waves.len, 0);
	bw_scan_free(&waves);

	/* a kernel whose data is laid out otherwise is not read as if it were this one */
	static const uint32_t later[BW_ARRAY_SIZE(dump_gfx9)] = {2, 0x10000};
	m.words = later;
	says(bw_scan_run(&s, &waves), "has wave data of type 2, and gfx9 has type 1");
	stop(&m);
}

/* ---- gfx10 ---- */

/* VALID; wave64; VMID 3; 8 VGPRs; of 10.3 and, but for the register of slots in use, of 10.1 */
static const uint32_t dump_gfx10[] = {2,     0x10000,	0x120,	0x80,  0xff, 0x1,
				      0x4e0, 0x3000000, 0xbf81, 0x100, 0,    0,
				      0,     1u << 11,	0,	0x77,  0xf0};

static void look_at_gfx10(uint32_t version, bool has_active)
{
	/* two WGPs in an array: the second, by its third SIMD */
	struct machine m = {.gca_config = {5, 1, 0, 4, 2},
			    .sh = 1,
			    .cu = 1 << 2 | 2,
			    .wave = 15,
			    .words = dump_gfx10,
			    .n_words = BW_ARRAY_SIZE(dump_gfx10),
			    .has_active = has_active};
	struct bw_gpu gpu = {0};
	struct bw_scan_waves waves = {0};
	char place_text[32];
	start(&m, version, &gpu);
	const struct bw_scan s = {.gpu = &gpu, .vmid = 3, .reads_vgprs = true};
	assert_null(bw_scan_run(&s, &waves));
	assert_int_equal(waves.len, 1);
	const struct bw_scan_wave *w = &waves.data[0];
	bw_place_text(w->place, place_text);
	assert_string_equal(place_text, "se0.sa1.wgp1.simd2.w15");
	assert_int_equal(w->wave.pc, 0x8000000120);
	assert_int_equal(w->wave.lanes, 64);
	assert_int_equal(w->wave.state.reg[BW_WREG_INST_DW0], 0xbf81);
	assert_int_equal(w->wave.state.reg[BW_WREG_MODE], 0xf0);
	assert_int_equal(w->wave.n_vgprs, N_VGPRS);
	assert_null(bw_scan_step(&gpu, &w->place));
	assert_int_equal(m.sq_cmd, 8 | 15 << 16); /* CMD 3:0, WAVE_ID 20:16 */
	assert_int_equal(m.commanded_instance, 6);
	bw_scan_free(&waves);

	const struct bw_scan other = {.gpu = &gpu, .vmid = 4};
	assert_null(bw_scan_run(&other, &waves));
	assert_int_equal(waves.len, 0);
	bw_scan_free(&waves);
	stop(&m);
}

static void gfx10(void **state)
{
	look_at_gfx10(BW_IP_VERSION(10, 3, 2), true);
	look_at_gfx10(BW_IP_VERSION(10, 1, 10), false); /* Navi10 */
	look_at_gfx10(BW_IP_VERSION(10, 1, 3), false);	/* BC-250 */
}

static void generations_that_are_not_known(void **state)
{
	struct machine m = {0};
	struct bw_gpu gpu = {0};
	struct bw_scan_waves waves = {0};
	start(&m, BW_IP_VERSION(9, 4, 2), &gpu);
	const struct bw_scan s = {.gpu = &gpu, .vmid = -1};
	says(bw_scan_run(&s, &waves), "waves of GC 9.4.2 are not known here");
	stop(&m);
}

TESTS(gfx9, gfx10, generations_that_are_not_known);
