/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_EXEC_CODE_H
#define BW_VGPU_EXEC_CODE_H

/* The cache of decoded code. One page of records for each page of code and kind of wave; records
 * are decoded when they are first executed. Each page keeps the words it was decoded from: after an
 * invalidation it is compared with memory and only what changed is decoded anew, so that
 * s_icache_inv is cheap. A cache belongs to one executor. */

#include "vgpu/device/exec/core/rec.h"

enum {
	BW_CODE_DW = BW_PAGE_B / 4,
	BW_CODE_TAIL_DW = 2, /* an instruction that starts in a page may end in the next one */
	BW_CODE_BUCKETS = 256,
	BW_CODE_PAGES_MAX = 256, /* 16 MiB of records; then the cache is emptied */
};

struct bw_tally_slot;

struct bw_code_arena {
	struct bw_code_arena *next;
	size_t used_b, size_b;
	uint8_t data[] __attribute__((aligned(64)));
};

struct bw_strict_op;
struct bw_init_op;
struct bw_blocks;
struct bw_compile;

struct bw_code_page {
	/* the last ones lead to the next page */
	struct bw_rec rec[BW_CODE_DW + BW_CODE_TAIL_DW + 1];
	uint32_t word[BW_CODE_DW + BW_CODE_TAIL_DW];
	unsigned n_words; /* with or without the tail */
	uint64_t va;
	struct bw_rec_ctx ctx;
	struct bw_strict_op **strict; /* strict mode: by record; else NULL (strict_priv.h) */
	struct bw_init_op **init;     /* the checker, likewise (init_priv.h) */
	bool excp; /* float exceptions are computed: ctx says so, or nearby code reads TRAPSTS */
	uint64_t generation, tlb_generation; /* when it was last compared with memory */
	struct bw_code_page *next;	     /* in its bucket */
	struct bw_code_arena *arena;
	/* beside rec, where executed instructions are counted; else NULL */
	struct bw_tally_slot *slot;
	/* compiled code that starts at records (compile/compile.h); NULL: none yet */
	struct bw_blocks *blocks;
};

struct bw_code {
	struct bw_code_page *bucket[BW_CODE_BUCKETS];
	struct bw_code_page *page; /* the one being executed */
	unsigned n_pages;
	uint8_t gen;		    /* bw_exec_host.gen */
	bool float_exceptions;	    /* bw_exec_host.float_exceptions */
	bool counts;		    /* pages have slots of tally.h */
	struct bw_compile *compile; /* NULL: all code is interpreted */
};

void bw_code_init(struct bw_code *c);
void bw_code_fini(struct bw_code *c);

/* Sets c->page to the page of pc for this wave, compared with memory if need be. False: not
 * executable, w->fault says why. */
bool bw_code_enter(struct bw_code *c, struct bw_wave *w, uint64_t pc);

/* Memory that lives as long as the page's records; zeroed, 64-byte aligned. */
void *bw_code_alloc(struct bw_code_page *p, size_t size_b);

/* Up to three words at a record for the decoder: how many there are. May look at the next page. */
unsigned bw_code_words(struct bw_code_page *p, struct bw_wave *w, unsigned index,
		       const uint32_t **out_words);

/* Makes all caches of all executors compare their pages with memory before they continue. Any
 * thread. */
void bw_code_invalidate(void);
uint64_t bw_code_generation(void);

static inline uint64_t bw_code_pc(const struct bw_code *c, const struct bw_rec *rec)
{
	return c->page->va + (uint64_t)(rec - c->page->rec) * 4;
}

#endif
