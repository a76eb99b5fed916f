/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_EXEC_MEM_H
#define BW_VGPU_EXEC_MEM_H

/* Memory instructions: scalar loads, FLAT, GLOBAL and SCRATCH, LDS, buffers. Each format has a
 * table of rows made from its sem/NAME.def; memory.c joins them with the opcodes by name. Values
 * that depend on the instruction alone are computed once, by the prepare functions, and stored in
 * the record. */

#include <string.h>

#include "base/util.h"
#include "isa/descriptor.h"
#include "vgpu/device/exec/memory/set.h"
#include "vgpu/device/exec/core/rec.h"

struct bw_mem_table {
	const struct bw_mem_row *row;
	size_t n;
};
extern const struct bw_mem_table bw_mem_smem;
#ifdef BW_MEM_SET
extern const struct bw_mem_table bw_mem_flat, bw_mem_ds, bw_mem_buf, bw_mem_tbuf, bw_mem_img,
	bw_mem_sample, bw_mem_lds, bw_mem_ray;
#else
extern const struct bw_mem_table bw_mem_flat_v1, bw_mem_ds_v1, bw_mem_buf_v1, bw_mem_tbuf_v1,
	bw_mem_img_v1, bw_mem_sample_v1, bw_mem_lds_v1, bw_mem_ray_v1;
extern const struct bw_mem_table bw_mem_flat_check_v1, bw_mem_ds_check_v1, bw_mem_buf_check_v1,
	bw_mem_tbuf_check_v1, bw_mem_img_check_v1;
extern const struct bw_mem_table bw_mem_flat_check_v3, bw_mem_ds_check_v3, bw_mem_buf_check_v3,
	bw_mem_tbuf_check_v3, bw_mem_img_check_v3;
extern const struct bw_mem_table bw_mem_flat_v3, bw_mem_ds_v3, bw_mem_buf_v3, bw_mem_tbuf_v3,
	bw_mem_img_v3, bw_mem_sample_v3, bw_mem_lds_v3, bw_mem_ray_v3;
#endif

/* Where a scalar load of n_dw dwords begins, and how many of them are read from memory. */
uint64_t bw_smem_va(const struct bw_wave *w, const struct bw_rec *rec, bool is_buffer,
		    unsigned n_dw, unsigned *out_n_dw);

/* The descriptor of a scalar buffer load: where its range begins, and how large it is. */
void bw_smem_buffer(const struct bw_wave *w, const struct bw_rec *rec, uint64_t *out_base,
		    uint64_t *out_range_b);

/* The same of its dwords. in_bytes: NUM_RECORDS counts bytes whatever the stride. */
static inline uint64_t bw_smem_range(const uint32_t descriptor[4], bool in_bytes,
				     uint64_t *out_range_b)
{
	uint64_t stride_b = bw_words_get(descriptor, BW_BUFFER_STRIDE);
	*out_range_b = bw_words_get(descriptor, BW_BUFFER_NUM_RECORDS) *
		       (stride_b && !in_bytes ? stride_b : 1);
	return bw_words_get(descriptor, BW_BUFFER_BASE);
}

/* Cache control and probes: no effect in a model without caches. */
bw_mem_fn bw_mem_nothing;

/* The contents of a vector memory record: registers by number; v0 is in place of those that the
 * wave does not have (rule 40, for each dword). */
struct bw_mem_prep {
	union {
		int32_t imm;	  /* byte offset as the format extends it */
		uint32_t step[2]; /* DS two-address forms: byte offsets */
	};
	uint16_t addr[2];  /* dwords of the address */
	uint16_t data[4];  /* dwords of DATA, DATA0 */
	uint16_t data2[4]; /* of DATA1 */
	uint16_t dst;
	uint8_t saddr;	 /* SGPR code, BW_SRC_NULL for none */
	bool is_nop : 1; /* a destination register is out of range (rules 39, 44, 45) */
	bool sve : 1;
	bool has_return : 1; /* atomics: GLC */
	bool denormals : 1;  /* additions of f32 in memory do not flush them: gfx942 */
};
static_assert(sizeof(struct bw_mem_prep) <= sizeof(((struct bw_rec *)0)->prep),
	      "fits into a record");

static inline const struct bw_mem_prep *bw_mem_prep(const struct bw_rec *rec)
{
	return (const struct bw_mem_prep *)(const void *)rec->prep;
}

/* The contents of a scalar memory record. dst: of stores, what they store. */
struct bw_smem_prep {
	uint8_t dst;
	uint8_t n_write; /* dwords that have a register to go to */
	uint8_t sbase;
	uint8_t soffset;
	bool in_bytes;	 /* gfx942: NUM_RECORDS counts bytes whatever the stride */
	bool has_return; /* atomics: GLC */
	int32_t imm;
};
static_assert(sizeof(struct bw_smem_prep) <= sizeof(((struct bw_rec *)0)->prep),
	      "fits into a record");

static inline const struct bw_smem_prep *bw_smem_prep(const struct bw_rec *rec)
{
	return (const struct bw_smem_prep *)(const void *)rec->prep;
}

static inline struct bw_mem_prep *bw_mem_prep_begin(struct bw_rec *rec,
						    const struct bw_rec_ctx *ctx)
{
	struct bw_mem_prep *p = (struct bw_mem_prep *)(void *)rec->prep;
	memset(p, 0, sizeof(*p));
	p->imm = rec->inst->imm;
	p->dst = rec->inst->dst;
	p->denormals = ctx->gen == BW_ISA_GFX942;
	/* Nothing can be moved without VGPRs. */
	p->is_nop = ctx->n_vgprs == 0;
	return p;
}

static inline void bw_mem_prep_src(uint16_t *out, unsigned first, unsigned n,
				   const struct bw_rec_ctx *ctx)
{
	for (unsigned i = 0; i < n; i++)
		out[i] = (uint16_t)(first + i < ctx->n_vgprs ? first + i : 0);
}

static inline void bw_mem_prep_dst(struct bw_mem_prep *p, unsigned n, const struct bw_rec_ctx *ctx)
{
	if (p->dst + n > ctx->n_vgprs)
		p->is_nop = true;
}

/* One lane's operand of 4 or 8 bytes. */
static inline uint64_t bw_lane_get(const struct bw_wave *w, const uint16_t *reg, unsigned lane,
				   unsigned size_b)
{
	uint64_t value = bw_wave_vgpr(w, reg[0])[lane];
	return size_b == 8 ? bw_join32(bw_wave_vgpr(w, reg[1])[lane], value) : value;
}

static inline void bw_lane_set(const struct bw_wave *w, unsigned dst, unsigned lane, uint64_t value,
			       unsigned size_b)
{
	bw_wave_vgpr(w, dst)[lane] = (uint32_t)value;
	if (size_b == 8)
		bw_wave_vgpr(w, dst + 1)[lane] = bw_hi32(value);
}

/* A scalar register by operand code. The TTMPs of a wave without privilege read 0 (rule 30). */
static inline uint32_t bw_mem_sgpr(const struct bw_wave *w, unsigned code)
{
	bool hidden = code >= BW_SRC_TTMP0 && code < BW_SRC_NULL && !(w->status & BW_STATUS_PRIV);
	return hidden ? 0 : w->s[code];
}

/* 64 bits from an aligned pair: the low bit of the number is ignored (rule 32). */
static inline uint64_t bw_mem_sgpr64(const struct bw_wave *w, unsigned code)
{
	code &= ~1u;
	if (code == BW_SRC_NULL)
		return 0;
	return bw_join32(bw_mem_sgpr(w, code + 1), bw_mem_sgpr(w, code));
}

/* A descriptor of four dwords (isa/descriptor.h). The low bits of its number are ignored. */
static inline void bw_mem_descriptor4(const struct bw_wave *w, const struct bw_inst *in,
				      uint32_t out[4])
{
	for (unsigned i = 0; i < 4; i++)
		out[i] = bw_mem_sgpr(w, (in->srsrc & ~3u) + i);
}

#endif
