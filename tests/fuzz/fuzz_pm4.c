/* SPDX-License-Identifier: MIT */
/* Any bytes as a command stream: every packet through every decoder, and the scanner. */
#include <stdint.h>
#include <string.h>

#include "base/util.h"
#include "pm4/calls.h"
#include "pm4/pm4.h"
#include "pm4/scan.h"
#include "pm4/walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static uint64_t sum;

static bool found(void *cookie, const struct bw_pm4_find *f)
{
	sum += f->pos_dw + f->dispatch.dim[0] + f->flow.size_dw + f->state->sh[0x212];
	return true;
}

static void decode_all(const struct bw_pm4_packet *p)
{
	struct bw_pm4_set_reg set;
	struct bw_pm4_load_reg load;
	struct bw_pm4_wait_reg_mem64 wait;
	uint32_t addr, value;
	char buf[16];
	sum += (uint8_t)bw_pm4_name(p->op, buf)[0];
#define FORM(form, n)                                                                              \
	{                                                                                          \
		struct bw_pm4_##form v;                                                            \
		sum += bw_pm4_##form(p, &v);                                                       \
	}
#include "pm4/forms.inc"
	if (bw_pm4_wait(p, &wait))
		sum += bw_pm4_compare(wait.function, sum & wait.mask, wait.reference);
	sum += bw_pm4_load_reg(p, &load) + bw_pm4_flow(p).skip_dw;
	if (bw_pm4_set_reg_begin(p, &set))
		while (bw_pm4_set_reg_next(&set, &addr, &value))
			sum += addr + value;
}

struct input {
	const uint8_t *bytes;
	size_t n;
};

/* What is called and chained lies in the same bytes. */
static bool read_words(void *cookie, uint64_t va, uint32_t *out, size_t n)
{
	const struct input *in = cookie;
	size_t at = va % 4096;
	if (at > in->n || n * 4 > in->n - at)
		return false;
	memcpy(out, in->bytes + at, n * 4);
	return true;
}

static void walk(const uint8_t *bytes, size_t n, bool is_sdma)
{
	struct input in = {bytes, n};
	const struct bw_pm4_walk_stream streams[] = {{0, n / 4, is_sdma}, {16, n / 8, is_sdma}};
	const struct bw_pm4_walk w = {streams, BW_ARRAY_SIZE(streams), read_words, &in};
	struct bw_pm4_steps steps = {0};
	char buf[32];
	uint32_t n_unseen = 0;
	bw_error_free(bw_pm4_walk(&w, &steps, &n_unseen));
	bw_vec_each(&steps, s)
		sum += bw_pm4_step_nop(s, 0, s->header) + (uint8_t)bw_pm4_step_name(s, buf)[0];
	sum += n_unseen;
	bw_vec_free(&steps);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	static uint32_t dw[0x8000];
	static struct bw_pm4_scan scan;
	size_t n_dw = BW_MIN(n / 4, BW_ARRAY_SIZE(dw));
	struct bw_pm4_packet p;
	/* An exact copy, so that a read behind the end is seen. */
	uint32_t *exact = n_dw ? memcpy(dw + BW_ARRAY_SIZE(dw) - n_dw, bytes, n_dw * 4) : dw;
	memset(&scan, 0, sizeof(scan));
	bw_pm4_find_dispatches(&scan, exact, n_dw, found, NULL);
	for (size_t pos = 0; bw_pm4_at(exact, n_dw, pos, &p); pos += p.size_dw) {
		uint32_t flags;
		decode_all(&p);
		const struct bw_pm4_call *c = bw_pm4_call_of(exact + pos, p.size_dw, false, &flags);
		for (const struct bw_pm4_call_field *f = c ? c->fields : NULL; f && f->name; f++)
			sum += bw_pm4_call_get(f, exact + pos);
	}
	walk(bytes, n, false);
	walk(bytes, n, true);
	return 0;
}
