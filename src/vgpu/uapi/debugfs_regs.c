/* SPDX-License-Identifier: MIT */
/* The register and wave files of debugfs, with the kernel's positions, sizes and errors, and with
 * the defects that clients will meet on hardware (doc/hardware/kernel-interface.md 4 and 6) unless
 * the server was told to leave them out. */
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>

#include "arch/arch.h"
#include "vgpu/device/register_own.h"
#include "vgpu/device/register_window.h"
#include "vgpu/uapi/files.h"
#include "vgpu/uapi/gpu.h"
#include "vgpu/uapi/uapi_priv.h"

enum { MAX_ACCESS_B = 4096 };
enum {
	REGS2_SET_STATE = 0xc0282000,
	REGS2_SET_STATE_V2 = 0xc02c2001,
	GPRWAVE_SET_STATE = 0xc0242000,
	REGS2_STATE_B = 40,
	REGS2_STATE_V2_B = 44,
	GPRWAVE_STATE_B = 36,
};
static uint64_t field(uint64_t pos, unsigned hi, unsigned lo)
{
	return bw_bits(pos, hi, lo);
}

static bool bank_valid(struct bw_uapi *u, const struct bw_bank *b)
{
	return !b->use_grbm || ((b->sa == ~0u || b->sa < u->profile->sa_per_se) &&
				(b->se == ~0u || b->se < u->profile->n_se));
}

static void access_reg(struct bw_uapi *u, const struct bw_bank *bank, uint32_t addr_dw,
		       uint8_t *out, const uint8_t *in)
{
	uint32_t v = 0;
	if (in)
		memcpy(&v, in, sizeof(v));
	if (u->window && in)
		bw_own_window_write(u->window, bank, addr_dw, v);
	else if (u->window)
		v = bw_own_window_read(u->window, bank, addr_dw);
	else if (in)
		bw_device_reg_write(u->dev, bank, addr_dw, v);
	else
		v = bw_device_reg_read(u->dev, bank, addr_dw);
	if (out)
		memcpy(out, &v, sizeof(v));
}

/* Register reads or writes one after the other; `out` or `in` is NULL. */
static void access_regs(struct bw_uapi *u, const struct bw_bank *bank, uint32_t addr_b,
			size_t size_b, uint8_t *out, const uint8_t *in)
{
	pthread_mutex_lock(&u->grbm_lock);
	for (size_t i = 0; i < size_b; i += 4)
		access_reg(u, bank, (addr_b + (uint32_t)i) / 4, out ? out + i : NULL,
			   in ? in + i : NULL);
	pthread_mutex_unlock(&u->grbm_lock);
}

/* ---- amdgpu_regs: the position says which bank ---- */

static int64_t regs_op(struct bw_file *f, uint8_t *out, const uint8_t *in, size_t size_b,
		       uint64_t *pos)
{
	uint64_t p = *pos;
	bool grbm = field(p, 62, 62), srbm = field(p, 61, 61);
	if ((size_b | p) & 3 || (grbm && srbm))
		return -EINVAL;
	uint32_t a = (uint32_t)field(p, 33, 24), b = (uint32_t)field(p, 43, 34),
		 c = (uint32_t)field(p, 53, 44);
	struct bw_bank bank = {.use_grbm = grbm,
			       .use_srbm = srbm,
			       .me = a,
			       .pipe = b,
			       .queue = c,
			       .vmid = (uint32_t)field(p, 58, 54)};
	bank.se = a == 0x3ff ? ~0u : a;
	bank.sa = b == 0x3ff ? ~0u : b;
	bank.instance = c == 0x3ff ? ~0u : c;
	/* The bank bits are gone from the position even if the access then fails. */
	*pos = p & 0x3fffff;
	if (size_b > MAX_ACCESS_B || !bank_valid(f->u, &bank))
		return -EINVAL;
	access_regs(f->u, &bank, (uint32_t)*pos, size_b, out, in);
	*pos = f->u->options.no_defects ? p + size_b : *pos + size_b;
	return (int64_t)size_b;
}

static int64_t regs_read(struct bw_file *f, void *out, size_t size_b, uint64_t *pos)
{
	return regs_op(f, out, NULL, size_b, pos);
}

static int64_t regs_write(struct bw_file *f, const void *data, size_t size_b, uint64_t *pos)
{
	return regs_op(f, NULL, data, size_b, pos);
}

const struct bw_file_ops bw_regs_ops = {regs_read, regs_write, NULL};

/* ---- amdgpu_regs2: the bank is the file's state ---- */

static int64_t regs2_op(struct bw_file *f, uint8_t *out, const uint8_t *in, size_t size_b,
			uint64_t pos)
{
	uint32_t offset = (uint32_t)pos; /* truncated, and the position never moves */
	if ((size_b | offset) & 3 || size_b > MAX_ACCESS_B)
		return -EINVAL;
	pthread_mutex_lock(&f->lock);
	struct bw_bank bank = {
		.use_grbm = f->regs2.use_grbm,
		.use_srbm = f->regs2.use_srbm,
		.se = f->regs2.se,
		.sa = f->regs2.sh,
		.instance = f->regs2.instance,
		.me = f->regs2.me,
		.pipe = f->regs2.pipe,
		.queue = f->regs2.queue,
		.vmid = f->regs2.vmid,
	};
	bool is_valid = bank_valid(f->u, &bank);
	if (is_valid)
		access_regs(f->u, &bank, offset, size_b, out, in);
	pthread_mutex_unlock(&f->lock);
	return is_valid ? (int64_t)size_b : -EINVAL;
}

static int64_t regs2_read(struct bw_file *f, void *out, size_t size_b, uint64_t *pos)
{
	return regs2_op(f, out, NULL, size_b, *pos);
}

static int64_t regs2_write(struct bw_file *f, const void *data, size_t size_b, uint64_t *pos)
{
	return regs2_op(f, NULL, data, size_b, *pos);
}

static int regs2_ioctl(struct bw_file *f, struct bw_file_call *c)
{
	uint32_t cmd = c->cmd;
	if (cmd != REGS2_SET_STATE && cmd != REGS2_SET_STATE_V2)
		return -EINVAL;
	pthread_mutex_lock(&f->lock);
	uint32_t vmid = f->regs2.vmid;
	memcpy(&f->regs2, c->arg, cmd == REGS2_SET_STATE ? REGS2_STATE_B : REGS2_STATE_V2_B);
	if (cmd == REGS2_SET_STATE) {
		/* Defect a: V1 of 6.12 drops the VMID. */
		if (!f->u->options.no_defects)
			f->regs2.vmid = vmid;
		f->regs2.xcc = 0;
	}
	pthread_mutex_unlock(&f->lock);
	return 0;
}

const struct bw_file_ops bw_regs2_ops = {regs2_read, regs2_write, regs2_ioctl};

/* ---- waves ---- */

struct wave_place {
	uint32_t se, sh, cu, wave;
	uint32_t simd; /* gfx9, whose CUs are selected; later a part of `cu` */
};

static struct bw_bank wave_bank(const struct wave_place *w)
{
	return (struct bw_bank){.use_grbm = true, .se = w->se, .sa = w->sh, .instance = w->cu};
}

static const struct bw_arch *arch_of(const struct bw_uapi *u)
{
	return bw_arch_of(u->profile->gc.version);
}

/* n registers from an index of SQ_IND on; grbm_lock held. */
static void read_ind(struct bw_uapi *u, const struct wave_place *w, uint32_t index, uint32_t thread,
		     uint32_t n, uint32_t *out)
{
	struct bw_bank bank = wave_bank(w);
	const struct bw_arch *arch = arch_of(u);
	if (u->window) {
		bw_register_window_wave(u->window, &bank,
					bw_arch_ind_run(arch, index, w->wave, thread) |
						bw_arch_put(arch->ind.simd, w->simd),
					n, out);
		return;
	}
	bw_wreg_bank(u, &bank, BW_REG_SQ_IND_INDEX,
		     BW_FIELD(SQ_IND_INDEX, WAVE_ID, w->wave) |
			     BW_FIELD(SQ_IND_INDEX, WORKITEM_ID, thread) |
			     BW_FIELD_MASK(SQ_IND_INDEX, AUTO_INCR) |
			     BW_FIELD(SQ_IND_INDEX, INDEX, index));
	for (uint32_t i = 0; i < n; i++)
		out[i] = bw_rreg_bank(u, &bank, BW_REG_SQ_IND_DATA);
}

enum { MAX_WAVE_WORDS = 32 };

/* The type of wave data, then the words that go with it (doc/hardware/kernel-interface.md 4.6). */
static unsigned read_wave(struct bw_uapi *u, const struct wave_place *w,
			  uint32_t out[MAX_WAVE_WORDS])
{
	const struct bw_arch *arch = arch_of(u);
	out[0] = arch->gprwave_type;
	for (unsigned i = 0; i < arch->n_gprwave; i++)
		read_ind(u, w, arch->reg[arch->gprwave[i]].ind, 0, 1, &out[1 + i]);
	return arch->n_gprwave + 1u;
}

static int64_t gprwave_read(struct bw_file *f, void *out, size_t size_b, uint64_t *pos)
{
	struct bw_uapi *u = f->u;
	if (size_b > MAX_ACCESS_B || (size_b | *pos) & 3)
		return -EINVAL;
	/* The kernel does not take the file's lock here (defect c); that is not copied. */
	pthread_mutex_lock(&f->lock);
	struct wave_place w = {f->gprwave.se, f->gprwave.sh, f->gprwave.cu, f->gprwave.wave,
			       f->gprwave.simd};
	bool gprs = f->gprwave.gpr_or_wave, vgprs = f->gprwave.vgpr;
	uint32_t thread = f->gprwave.thread;
	pthread_mutex_unlock(&f->lock);

	uint32_t data[MAX_ACCESS_B / 4] = {0};
	uint32_t n = (uint32_t)(size_b / 4);
	pthread_mutex_lock(&u->grbm_lock);
	if (!gprs) {
		n = read_wave(u, &w, data);
	} else {
		/* Defect b: the byte position is taken as the number of the first register, and the
		 * data are then indexed by it once more. */
		uint32_t first = (uint32_t)(u->options.no_defects ? *pos / 4 : *pos);
		read_ind(u, &w,
			 (vgprs ? arch_of(u)->ind.vgprs : arch_of(u)->ind.sgprs) + (first & 0xffff),
			 vgprs ? thread : 0, n, data);
	}
	pthread_mutex_unlock(&u->grbm_lock);
	if (!n)
		return -EINVAL;
	uint64_t skip = gprs && u->options.no_defects ? 0 : *pos;
	size_t done = skip >= 4ull * n ? 0 : BW_MIN(size_b, (size_t)(4ull * n - skip));
	if (done)
		memcpy(out, (uint8_t *)data + skip, done);
	*pos += done;
	return (int64_t)done;
}

static int gprwave_ioctl(struct bw_file *f, struct bw_file_call *c)
{
	if (c->cmd != GPRWAVE_SET_STATE)
		return -EINVAL;
	pthread_mutex_lock(&f->lock);
	memcpy(&f->gprwave, c->arg, GPRWAVE_STATE_B);
	/* The struct has {thread, vpgr_or_sgpr} after xcc_id, as ours. */
	pthread_mutex_unlock(&f->lock);
	return 0;
}

const struct bw_file_ops bw_gprwave_ops = {gprwave_read, NULL, gprwave_ioctl};

static int64_t wave_read(struct bw_file *f, void *out, size_t size_b, uint64_t *pos)
{
	uint64_t p = *pos;
	if ((size_b | p) & 3)
		return -EINVAL;
	uint32_t offset = (uint32_t)field(p, 6, 0), data[MAX_WAVE_WORDS];
	struct wave_place w = {(uint32_t)field(p, 14, 7), (uint32_t)field(p, 22, 15),
			       (uint32_t)field(p, 30, 23), (uint32_t)field(p, 36, 31),
			       (uint32_t)field(p, 44, 37)};
	pthread_mutex_lock(&f->u->grbm_lock);
	unsigned n = read_wave(f->u, &w, data);
	pthread_mutex_unlock(&f->u->grbm_lock);
	size_t done = offset >= 4 * n ? 0 : BW_MIN(size_b, (size_t)(4 * n - offset));
	if (done)
		memcpy(out, (uint8_t *)data + offset, done);
	return (int64_t)done; /* the position stays */
}

const struct bw_file_ops bw_wave_ops = {wave_read, NULL, NULL};

static int64_t gpr_read(struct bw_file *f, void *out, size_t size_b, uint64_t *pos)
{
	uint64_t p = *pos;
	if (size_b > MAX_ACCESS_B || (size_b | p) & 3)
		return -EINVAL;
	uint32_t data[MAX_ACCESS_B / 4] = {0};
	struct wave_place w = {(uint32_t)field(p, 19, 12), (uint32_t)field(p, 27, 20),
			       (uint32_t)field(p, 35, 28), (uint32_t)field(p, 43, 36),
			       (uint32_t)field(p, 51, 44)};
	bool sgprs = field(p, 61, 60) != 0;
	pthread_mutex_lock(&f->u->grbm_lock);
	read_ind(f->u, &w,
		 (sgprs ? arch_of(f->u)->ind.sgprs : arch_of(f->u)->ind.vgprs) +
			 (uint32_t)field(p, 11, 2),
		 sgprs ? 0 : (uint32_t)field(p, 59, 52), (uint32_t)(size_b / 4), data);
	pthread_mutex_unlock(&f->u->grbm_lock);
	memcpy(out, data, size_b);
	return (int64_t)size_b;
}

const struct bw_file_ops bw_gpr_ops = {gpr_read, NULL, NULL};
