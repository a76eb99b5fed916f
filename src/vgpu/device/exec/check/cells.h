/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_EXEC_CHECK_CELLS_H
#define BW_VGPU_EXEC_CHECK_CELLS_H

/* The cells of the dispatch whose instruction is being executed. */

#include "vgpu/device/exec/check/check_priv.h"

/* check.c. Makes the page of that byte the step's; it has none: out of memory. */
void bw_check_turn_to_page(struct bw_check *c, const uint8_t *host);

/* The page that has the cell of a byte of the host's; NULL: out of memory. */
static inline struct bw_shadow_page *bw_check_page(struct bw_check *c, const uint8_t *host)
{
	const struct bw_check_step *s = &c->step;
	if (!s->page || s->page_number != (uintptr_t)host / BW_SHADOW_PAGE_B)
		bw_check_turn_to_page(c, host);
	return s->page;
}

/* A plain load or store of a whole dword; false: bw_shadow_enter has to do it. */
static inline bool bw_check_load_whole(struct bw_check *c, const uint8_t *host,
				       struct bw_shadow_row *row, unsigned lane)
{
	const unsigned i = bw_shadow_index(host);
	struct bw_shadow_page *page = bw_check_page(c, host);
	if (!page)
		return true;
	struct bw_shadow_cell cell = bw_shadow_get(page, i);
	if (!bw_shadow_load_whole(&cell, row, lane))
		return false;
	bw_shadow_put_word(&c->shadow, &page->load, i, cell.load);
	return true;
}

static inline bool bw_check_store_whole(struct bw_check *c, const uint8_t *host,
					struct bw_shadow_row *row, unsigned lane, bool is_silent)
{
	const unsigned i = bw_shadow_index(host);
	struct bw_shadow_page *page = bw_check_page(c, host);
	if (!page)
		return true;
	struct bw_shadow_cell cell = bw_shadow_get(page, i);
	if (!bw_shadow_store_whole(&cell, row, lane, is_silent))
		return false;
	bw_shadow_put(&c->shadow, page, i, &cell);
	return true;
}

/* A plain load, whose first lane's place a compare-and-swap may follow. */
static inline void bw_check_note_load(const struct bw_check_step *s, const uint8_t *host)
{
	struct bw_check_wave *w = s->loads;
	w->load[w->next_load++ % BW_CHECK_LOADS] =
		(struct bw_check_load){(uint64_t)(uintptr_t)host / 4, s->place};
}

#endif
