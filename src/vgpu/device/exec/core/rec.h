/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_EXEC_REC_H
#define BW_VGPU_EXEC_REC_H

/* Decoded code. An instruction is decoded once into a record: the handler to jump to, where its
 * operands lie, and the decoded fields. Records belong to a code page (code.h) and are valid for
 * one kind of wave only: VMID, wave size, VGPR count and privilege are part of the page's key, so a
 * handler or a prepare function may bake them in. */

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "base/util.h"
#include "base/words.h"
#include "isa/inst.h"
#include "vgpu/device/exec/core/exec.h"
#include "vgpu/device/exec/core/wave.h"

enum {
	BW_LANES = 32,		  /* lanes handled at a time; a wave64 instruction is two halves */
	BW_HALF_B = 4 * BW_LANES, /* bytes of one VGPR in one half */
};

struct bw_rec;
struct bw_mem_row;
struct bw_map_row;
struct bw_scalar_row;
struct bw_exec;

/* The base that an operand offset is relative to: an index into bw_exec.base. */
enum bw_base {
	BW_BASE_ABS,   /* 0: the offset is a host address (constants, expanded to 32 lanes) */
	BW_BASE_WAVE,  /* struct bw_wave: scalar registers, SCC */
	BW_BASE_VGPR,  /* wave->v */
	BW_BASE_BCAST, /* bw_exec.bcast: scalar registers spread over 32 lanes before use */
	BW_BASE_COUNT,
};

/* Executes the instruction of rec and further ones, until the run loop has to act. left:
 * instructions that may still be executed, this one included, >= 1. vgpr: w->v, in a register
 * because most instructions need it. Returns the record to continue with, bw_exec.left updated;
 * NULL when bw_exec.exit says why to stop (wave->pc is then right). */
typedef const struct bw_rec *bw_handler(const struct bw_rec *rec, struct bw_wave *w,
					struct bw_exec *x, uint64_t left, uint8_t *vgpr);
#define BW_HANDLER(name)                                                                           \
	const struct bw_rec *name(const struct bw_rec *rec, struct bw_wave *w, struct bw_exec *x,  \
				  uint64_t left, uint8_t *vgpr)

/* Facts about the wave that a record may depend on. */
struct bw_rec_ctx {
	uint16_t n_vgprs; /* allocated; 0 after DEALLOC_VGPRS */
	/* gfx942: the first of them that is an AccVGPR */
	uint16_t accum_offset;
	uint8_t gen;   /* enum bw_isa_gen; the same in all pages of an executor */
	uint8_t lanes; /* 32 or 64 */
	uint8_t vmid;
	bool priv; /* STATUS.PRIV: TTMPs are there */
	bool excp; /* MODE.EXCP_EN has float exceptions in it, or all are wanted (excp.h) */
};

struct bw_rec {
	bw_handler *fn;
	union {
		const struct bw_map_row *map;
		const struct bw_mem_row *mem;
		const struct bw_scalar_row *scalar;
		const struct bw_rec *target; /* of a direct branch inside the page, or NULL */
		const char *why;	     /* of what is not executed: a static string */
	};
	/* Lives as long as the record. AccVGPRs have the numbers of the VGPRs that they are:
	 * bw_build_acc. */
	const struct bw_inst *inst;
	union {
		uint64_t off[4];  /* dst, src0, src1, src2, relative to bw_exec.base[base[i]] */
		uint64_t prep[4]; /* memory instructions: free for their prepare function */
	};
	uint8_t base[4]; /* enum bw_base */
	uint8_t size_dw;
	uint8_t bcast; /* bit i: src i is a scalar register to be spread */
	uint8_t form;  /* scalar rows: which of the handlers */
	uint8_t flags;
};
static_assert(sizeof(struct bw_rec) == 64, "one record, one cache line");

/* Memory instructions. One row an opcode, found by bw_exec_mem_row. */
enum bw_mem_result {
	BW_MEM_OK,
	BW_MEM_FAULT_PAGE,     /* translation or permission; wave->fault, fault_lanes are filled */
	BW_MEM_FAULT_APERTURE, /* no aperture, misaligned, out of the scratch area ...; the same */
	/* the operands ask for what the executor does not have; bw_exec.refused */
	BW_MEM_REFUSED,
};

/* Executes one memory instruction for the whole wave. On a fault it has had no effect on
 * registers. */
typedef enum bw_mem_result bw_mem_fn(struct bw_exec *x, struct bw_wave *w,
				     const struct bw_rec *rec);

struct bw_mem_row {
	const char *name; /* "global_load_b32" */
	bw_mem_fn *fn;
	/* Optional: fills rec->prep (and may replace nothing else) from rec->inst when the
	 * instruction is decoded. False: the operands make it an illegal instruction. */
	bool (*prepare)(struct bw_rec *rec, const struct bw_rec_ctx *ctx);
};

/* NULL: not a memory instruction, or one that is absent. Defined by memory.c. */
const struct bw_mem_row *bw_exec_mem_row(unsigned op);

/* The inside of an executor, as far as handlers and memory functions look at it. */
struct bw_fmode;
const struct bw_exec_host *bw_exec_host(const struct bw_exec *x);

/* M0 of the movrel instructions that take two indexes from it (rule 36), for base/words.h. */
#define BW_M0_INDEX_SRC 0, 10
#define BW_M0_INDEX_DST 16, 10

static inline uint32_t *bw_wave_vgpr(const struct bw_wave *w, unsigned n)
{
	return w->v + (size_t)n * w->lanes;
}

static inline uint64_t bw_wave_s64(const struct bw_wave *w, unsigned code)
{
	return code == BW_SRC_NULL ? 0 : bw_join32(w->s[code + 1], w->s[code]);
}

/* EXEC as the lanes see it: 32 bits in wave32. */
static inline uint64_t bw_wave_exec(const struct bw_wave *w)
{
	return w->lanes == 32 ? w->s[BW_SRC_EXEC_LO] : bw_wave_s64(w, BW_SRC_EXEC_LO);
}

#endif
