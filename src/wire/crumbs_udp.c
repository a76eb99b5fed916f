/* SPDX-License-Identifier: MIT */
#include "wire/crumbs_udp.h"

#include <string.h>

/* "BWBC" and the version */
static const uint8_t magic[] = {'B', 'W', 'B', 'C', 1};
enum { KIND_AT = 5, OP_AT = 6, NUMBERS_AT = 8, N_NUMBERS = 11, WIDE_AT = 56, TEXTS_AT = 80 };

static void put_number(uint8_t *at, uint64_t v, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		at[i] = (uint8_t)(v >> (8 * i));
}

static uint64_t get_number(const uint8_t *at, unsigned n)
{
	uint64_t v = 0;
	for (unsigned i = 0; i < n; i++)
		v |= (uint64_t)at[i] << (8 * i);
	return v;
}

void bw_crumb_encode(const struct bw_crumb *c, uint8_t out[BW_CRUMB_B])
{
	const uint32_t numbers[N_NUMBERS] = {
		c->sequence,	    c->pid,   c->submission, c->stream, c->ib,
		c->n_marks,	    c->begun, c->ended,	     c->at_dw,	(uint32_t)c->dispatch,
		(uint32_t)c->result};
	memset(out, 0, BW_CRUMB_B);
	memcpy(out, magic, sizeof(magic));
	out[KIND_AT] = c->kind;
	out[OP_AT] = c->op;
	for (unsigned i = 0; i < N_NUMBERS; i++)
		put_number(out + NUMBERS_AT + 4 * i, numbers[i], 4);
	put_number(out + WIDE_AT, c->token, 8);
	put_number(out + WIDE_AT + 8, c->ib_va, 8);
	memcpy(out + TEXTS_AT, c->comm, BW_CRUMB_COMM_B);
	memcpy(out + TEXTS_AT + BW_CRUMB_COMM_B, c->pipeline, BW_CRUMB_PIPELINE_B);
	memcpy(out + TEXTS_AT + BW_CRUMB_COMM_B + BW_CRUMB_PIPELINE_B, c->label, BW_CRUMB_LABEL_B);
}
_Static_assert(TEXTS_AT + BW_CRUMB_COMM_B + BW_CRUMB_PIPELINE_B + BW_CRUMB_LABEL_B == BW_CRUMB_B,
	       "all of it is used");

bool bw_crumb_decode(const void *bytes, size_t n, struct bw_crumb *out)
{
	const uint8_t *at = bytes;
	uint32_t numbers[N_NUMBERS];
	if (n != BW_CRUMB_B || memcmp(at, magic, sizeof(magic)) != 0 || at[KIND_AT] < BW_CRUMB_AT ||
	    at[KIND_AT] > BW_CRUMB_GO_ON)
		return false;
	for (unsigned i = 0; i < N_NUMBERS; i++)
		numbers[i] = (uint32_t)get_number(at + NUMBERS_AT + 4 * i, 4);
	*out = (struct bw_crumb){.kind = at[KIND_AT],
				 .op = at[OP_AT],
				 .sequence = numbers[0],
				 .pid = numbers[1],
				 .submission = numbers[2],
				 .stream = numbers[3],
				 .ib = numbers[4],
				 .n_marks = numbers[5],
				 .begun = numbers[6],
				 .ended = numbers[7],
				 .at_dw = numbers[8],
				 .dispatch = (int32_t)numbers[9],
				 .result = (int32_t)numbers[10],
				 .token = get_number(at + WIDE_AT, 8),
				 .ib_va = get_number(at + WIDE_AT + 8, 8)};
	const uint8_t *texts = at + TEXTS_AT;
	memcpy(out->comm, texts, BW_CRUMB_COMM_B - 1);
	memcpy(out->pipeline, texts + BW_CRUMB_COMM_B, BW_CRUMB_PIPELINE_B - 1);
	memcpy(out->label, texts + BW_CRUMB_COMM_B + BW_CRUMB_PIPELINE_B, BW_CRUMB_LABEL_B - 1);
	return true;
}
