/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_EXEC_MEM_IMG_H
#define BW_VGPU_EXEC_MEM_IMG_H

/* Functions that image instructions share: the address registers by their meaning, the descriptor,
 * reading texels, and results that reach registers only when every lane's texels could be read. */

#include "vgpu/device/exec/core/exec_priv.h"
#include "image/image.h"
#include "vgpu/device/exec/memory/comp.h"
#include "vgpu/device/exec/memory/set.h"
#include "vgpu/device/exec/memory/span.h"

/* The dword that TFE and LWE add to a result: TEXEL_FAIL in bit 0, with the level that failed above
 * it (manual 10.1.1). */
static inline uint32_t bw_img_texel_fail(uint32_t level)
{
	return 1 | level << 16;
}

enum bw_img_flag {
	BW_IMG_MIP = 1 << 0, /* loads and stores: the level is the last address component */
	BW_IMG_RAW = 1 << 1, /* no conversion: the texel's dwords */
	BW_IMG_SIGN = 1 << 2,
	BW_IMG_MSAA = 1 << 3,
	BW_IMG_RESINFO = 1 << 4,
	BW_IMG_O = 1 << 5, /* samples */
	BW_IMG_B = 1 << 6,
	BW_IMG_C = 1 << 7,
	BW_IMG_D = 1 << 8,
	BW_IMG_G16 = 1 << 9,
	BW_IMG_L = 1 << 10,
	BW_IMG_LZ = 1 << 11,
	BW_IMG_CL = 1 << 12,
	BW_IMG_GATHER = 1 << 13,
	BW_IMG_LOD = 1 << 14,
	BW_IMG_SAMPLE = 1 << 15, /* set for all of them */
	BW_IMG_H = 1 << 16,	 /* gathers four texels of a row */
};

enum { BW_IMG_MAX_ADDR = 13, BW_IMG_BLOCKS = 8 };

/* The record: registers by number, those out of range already v0. The address is a row of dwords:
 * offset, bias, compare value, derivatives, body (rule 435); these are where each begins. */
struct bw_img_prep {
	uint8_t addr[BW_IMG_MAX_ADDR];
	uint16_t data[4];
	uint16_t dst;
	uint8_t bias, compare, grad, body;
	bool has_status; /* a register follows the data: TFE, and LWE of samples */
	bool is_nop;
};
static_assert(sizeof(struct bw_img_prep) <= sizeof(((struct bw_rec *)0)->prep),
	      "fits into a record");

static inline const struct bw_img_prep *bw_img_prep(const struct bw_rec *rec)
{
	return (const struct bw_img_prep *)(const void *)rec->prep;
}

/* n_load: registers returned for DMASK components; n_store: registers of data. */
bool bw_img_prepare(struct bw_rec *rec, const struct bw_rec_ctx *ctx, unsigned flags,
		    unsigned n_load, unsigned n_store);
/* Coordinates of DIM without level: 1 to 4. */
unsigned bw_img_n_coords(unsigned dim);

/* One instruction being executed. Large; on the stack, and not initialised as a whole. */
struct bw_img {
	struct bw_wave *w;
	const struct bw_inst *in;
	const struct bw_img_prep *p;
	struct bw_apertures ap;
	const struct bw_image *im; /* in the executor's cache, until the next instruction */
	uint64_t exec;
	uint32_t out[64][4];  /* results by lane */
	uint32_t status[64];  /* TFE and LWE */
	bool not_resident;    /* since it was last cleared */
	struct bw_img_block { /* decoded ones, by a hash of their address */
		uint64_t va;  /* ~0: none */
		uint32_t texel[16][4];
	} block[BW_IMG_BLOCKS];
	struct bw_span span;
};

/* Fills all but out; BW_MEM_REFUSED when the descriptor is of no use. */
enum bw_mem_result bw_img_begin(struct bw_img *i, struct bw_exec *x, struct bw_wave *w,
				const struct bw_rec *rec);

/* Component k of the address body, as an integer or a float. */
uint32_t bw_img_body_u32(const struct bw_img *i, unsigned k, unsigned lane);
float bw_img_body_f32(const struct bw_img *i, unsigned k, unsigned lane);
static inline uint32_t bw_img_addr(const struct bw_img *i, unsigned dword, unsigned lane)
{
	return bw_wave_vgpr(i->w, i->p->addr[dword])[lane];
}

/* Reads size_b bytes for a lane; false: a fault, recorded in span. */
bool bw_img_fetch(struct bw_img *i, unsigned lane, uint64_t va, unsigned size_b, uint8_t *out);
struct bw_texel_place {
	uint32_t x, y, z, sample;
	unsigned level;
	bool inside; /* of the image */
};
/* The components of a texel that is in range, in the order of memory, with the numbers of format
 * f. */
bool bw_img_texel(struct bw_img *i, unsigned lane, const struct bw_format *f,
		  const struct bw_texel_place *at, uint32_t rgba[4]);
/* The value of a texel outside of the image. */
void bw_img_nothing(const struct bw_format *f, uint32_t rgba[4]);

/* Results of the DMASK components go to registers: rgba of each lane is in out. */
void bw_img_write(const struct bw_img *i, const struct bw_format *f);
/* n components of each lane, as they are in out. */
void bw_img_write_n(const struct bw_img *i, const struct bw_format *f, unsigned n);

#endif
