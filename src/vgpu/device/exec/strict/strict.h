/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_EXEC_STRICT_H
#define BW_VGPU_EXEC_STRICT_H

/* Strict mode: the virtual GPU shows errors that otherwise only hardware would. Registers, LDS and
 * scratch start poisoned, loads arrive when the wave waits for them, caches keep stale lines,
 * hazards are detected; relying on any of these becomes a finding with its instruction and place.
 * One bw_strict belongs to a device. The executor chooses when it decodes: records of a strict
 * executor go through bw_h_strict, so that others do not pay for it.
 *
 * The same records make the trace of a deterministic device, a hash of all instructions with the
 * registers of those that touch memory. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa/op.h"
#include "vgpu/device/exec/core/wave.h"

struct bw_strict;
struct bw_strict_wave;	 /* a wave's state in strict mode: bw_wave.exec_private */
struct bw_strict_caches; /* of one WGP: scalar cache, vector caches of its CUs, two at most */

enum bw_strict_kind {
	BW_STRICT_WAIT,	  /* a register is used before its data have arrived */
	BW_STRICT_UNINIT, /* a register that was never written reaches memory */
	BW_STRICT_CODE,	  /* code was changed, the instruction cache has the old one */
	/* a cache answers the same load with the same stale line again and again */
	BW_STRICT_SPIN,
	BW_STRICT_HAZARD, /* a wait or another instruction is missing between two instructions */
	BW_STRICT_KINDS,
};

struct bw_strict_finding {
	enum bw_strict_kind kind;
	uint64_t pc, code_va; /* code_va: where the wave started */
	uint64_t count;
	uint32_t word[3];
	uint8_t n_words, vmid;
	const char *name; /* of the instruction; static */
	char text[256];	  /* one sentence: what is wrong, and what helps */
};

struct bw_strict_trace {
	uint64_t hash, instructions, accesses;
};

/* Whether the findings of a generation are known. */
bool bw_strict_knows(enum bw_isa_gen gen);
/* checks: findings, of a generation that it knows; trace: the hash. NULL: out of memory. */
struct bw_strict *bw_strict_create(enum bw_isa_gen gen, bool checks, bool trace);
void bw_strict_destroy(struct bw_strict *s);
bool bw_strict_checks(const struct bw_strict *s);

/* Called once for each new finding, from a worker thread. */
typedef void bw_strict_listener(void *cookie, const struct bw_strict_finding *f);
void bw_strict_listen(struct bw_strict *s, bw_strict_listener *fn, void *cookie);
/* Findings in the order in which they were first made, at most max of them; returns how many there
 * are. */
size_t bw_strict_findings(struct bw_strict *s, struct bw_strict_finding *out, size_t max);
void bw_strict_trace_read(struct bw_strict *s, struct bw_strict_trace *out);
const char *bw_strict_kind_name(enum bw_strict_kind kind);

/* A wave starts: its registers beyond the first n_sgprs and n_vgprs are poisoned. To be called when
 * the launch has filled them; exec_private is kept from wave to wave of a slot. sa: index of the
 * shader array, for its GL1; caches may be NULL: then nothing is stale. */
struct bw_strict_launch {
	unsigned n_sgprs, n_vgprs;
	unsigned sa, cu;
	struct bw_strict_caches *caches;
};
bool bw_strict_wave_begin(struct bw_strict *s, struct bw_wave *w,
			  const struct bw_strict_launch *launch);
void bw_strict_poison_lds(void *lds, size_t size_b);

/* Caches of a WGP; owned by s. NULL: out of memory. */
struct bw_strict_caches *bw_strict_caches_create(struct bw_strict *s);
/* The command processor's cache operations (ACQUIRE_MEM, RELEASE_MEM): everything that GCR_CNTL
 * names. Any thread. */
enum bw_strict_cache {
	BW_STRICT_SCALAR = 1,
	BW_STRICT_GL0 = 2, /* of gfx942: the vector L1 */
	BW_STRICT_GL1 = 4, /* of gfx11 alone */
	BW_STRICT_ALL = 7
};
void bw_strict_invalidate(struct bw_strict *s, unsigned caches);

#endif
