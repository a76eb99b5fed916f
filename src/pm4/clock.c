/* SPDX-License-Identifier: MIT */
#include "pm4/clock.h"

#include "pm4/pm4.h"
#include "pm4/sdma.h"

static bool of_sdma(const struct bw_pm4_step *s, const uint32_t *words,
		    struct bw_pm4_clock_write *out)
{
	struct bw_sdma_packet p;
	struct bw_sdma_timestamp_get get;
	struct bw_sdma_timestamp_get_global global;
	if (!bw_sdma_at(words, s->size_dw, 0, &p))
		return false;
	if (bw_sdma_timestamp_get_global(&p, &global))
		get.address = global.address;
	else if (!bw_sdma_timestamp_get(&p, &get))
		return false;
	*out = (struct bw_pm4_clock_write){get.address, 8};
	return true;
}

static bool of_release(const struct bw_pm4_release_mem *r, struct bw_pm4_clock_write *out)
{
	if (r->data_is != BW_PM4_DATA_CLOCK && r->data_is != BW_PM4_DATA_SYS_CLOCK)
		return false;
	*out = (struct bw_pm4_clock_write){r->address, 8};
	return true;
}

static bool of_copy(const struct bw_pm4_copy_data *c, struct bw_pm4_clock_write *out)
{
	if (c->source_is != BW_PM4_COPY_SRC_CLOCK && c->source_is != BW_PM4_COPY_SRC_SYS_CLOCK)
		return false;
	if (c->destination_is != BW_PM4_COPY_DST_MEM &&
	    c->destination_is != BW_PM4_COPY_DST_MEM_GRBM && c->destination_is != BW_PM4_COPY_L2)
		return false;
	*out = (struct bw_pm4_clock_write){c->destination & ~3ull, c->is_64 ? 8 : 4};
	return true;
}

bool bw_pm4_clock_write(const struct bw_pm4_step *s, const uint32_t *words,
			struct bw_pm4_clock_write *out)
{
	struct bw_pm4_packet p;
	struct bw_pm4_release_mem release;
	struct bw_pm4_copy_data copy;
	if (s->is_bad)
		return false;
	if (s->is_sdma)
		return of_sdma(s, words, out);
	if (!bw_pm4_at(words, s->size_dw, 0, &p))
		return false;
	if (bw_pm4_release_mem(&p, &release))
		return of_release(&release, out);
	return bw_pm4_copy_data(&p, &copy) && of_copy(&copy, out);
}
