/* SPDX-License-Identifier: MIT */
#include "pm4/pm4.h"

#include <stdio.h>
#include <string.h>

#include "base/util.h"

static const struct bw_pm4_info infos[] = {
#include "pm4/opcodes.inc"
};

const struct bw_pm4_info *bw_pm4_info(unsigned op)
{
	size_t lo = 0, hi = BW_ARRAY_SIZE(infos);
	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		if (infos[mid].op == op)
			return &infos[mid];
		if (infos[mid].op < op)
			lo = mid + 1;
		else
			hi = mid;
	}
	return NULL;
}

const char *bw_pm4_name(unsigned op, char buf[16])
{
	const struct bw_pm4_info *info = bw_pm4_info(op);
	if (info)
		return info->name;
	snprintf(buf, 16, "opcode 0x%02x", op & 0xff);
	return buf;
}

unsigned bw_pm4_type(uint32_t header)
{
	return header >> 30;
}

unsigned bw_pm4_opcode(uint32_t header)
{
	return header >> 8 & 0xff;
}

uint32_t bw_pm4_size_dw(uint32_t header)
{
	uint32_t count = header >> 16 & 0x3fff;
	switch (bw_pm4_type(header)) {
	case 0:
		return count + 2;
	case 3:
		/* A NOP with the largest count is one dword: padding. */
		if (bw_pm4_opcode(header) == BW_PM4_NOP && count == 0x3fff)
			return 1;
		return count + 2;
	default:
		return 1;
	}
}

bool bw_pm4_at(const uint32_t *dw, size_t n_dw, size_t pos, struct bw_pm4_packet *out)
{
	*out = (struct bw_pm4_packet){0};
	if (pos >= n_dw)
		return false;
	uint32_t header = dw[pos];
	static const enum bw_pm4_kind kinds[] = {BW_PM4_TYPE0, BW_PM4_RESERVED, BW_PM4_TYPE2_PAD,
						 BW_PM4_TYPE3};
	*out = (struct bw_pm4_packet){
		.kind = kinds[bw_pm4_type(header)],
		.header = header,
		.size_dw = bw_pm4_size_dw(header),
		.body = dw + pos + 1,
	};
	if (out->kind == BW_PM4_TYPE3) {
		out->op = (uint8_t)bw_pm4_opcode(header);
		out->compute = header >> 1 & 1;
		out->predicate = header & 1;
	}
	out->n_body = out->size_dw - 1;
	return out->size_dw <= n_dw - pos;
}

static bool is(const struct bw_pm4_packet *p, enum bw_pm4_op op, uint32_t n_body)
{
	return p->kind == BW_PM4_TYPE3 && p->op == op && p->n_body >= n_body;
}

static uint64_t u64(const uint32_t *lo)
{
	return lo[0] | (uint64_t)lo[1] << 32;
}

/* --- registers --- */

enum set_form { PLAIN, PAIRS, PACKED };
static const struct {
	uint8_t op;
	enum set_form form;
	uint32_t base_dw;
} set_packets[] = {
	{BW_PM4_SET_CONFIG_REG, PLAIN, BW_PM4_CONFIG_BEGIN_DW},
	{BW_PM4_SET_SH_REG, PLAIN, BW_PM4_SH_BEGIN_DW},
	{BW_PM4_SET_SH_REG_INDEX, PLAIN, BW_PM4_SH_BEGIN_DW},
	{BW_PM4_SET_SH_REG_PAIRS, PAIRS, BW_PM4_SH_BEGIN_DW},
	{BW_PM4_SET_SH_REG_PAIRS_PACKED, PACKED, BW_PM4_SH_BEGIN_DW},
	{BW_PM4_SET_SH_REG_PAIRS_PACKED_N, PACKED, BW_PM4_SH_BEGIN_DW},
	{BW_PM4_SET_CONTEXT_REG, PLAIN, BW_PM4_CONTEXT_BEGIN_DW},
	{BW_PM4_SET_CONTEXT_REG_INDEX, PLAIN, BW_PM4_CONTEXT_BEGIN_DW},
	{BW_PM4_SET_CONTEXT_REG_PAIRS, PAIRS, BW_PM4_CONTEXT_BEGIN_DW},
	{BW_PM4_SET_CONTEXT_REG_PAIRS_PACKED, PACKED, BW_PM4_CONTEXT_BEGIN_DW},
	{BW_PM4_SET_UCONFIG_REG, PLAIN, BW_PM4_UCONFIG_BEGIN_DW},
	{BW_PM4_SET_UCONFIG_REG_INDEX, PLAIN, BW_PM4_UCONFIG_BEGIN_DW},
};

static int set_row(const struct bw_pm4_packet *p)
{
	for (size_t i = 0; i < BW_ARRAY_SIZE(set_packets); i++)
		if (p->kind == BW_PM4_TYPE3 && set_packets[i].op == p->op)
			return (int)i;
	return -1;
}

bool bw_pm4_set_reg_begin(const struct bw_pm4_packet *p, struct bw_pm4_set_reg *out)
{
	int row = set_row(p);
	if (row < 0 || p->n_body < 2)
		return false;
	*out = (struct bw_pm4_set_reg){.packet = p, .base_dw = set_packets[row].base_dw};
	switch (set_packets[row].form) {
	case PLAIN:
		out->n = p->n_body - 1;
		break;
	case PAIRS: /* offset, value, offset, value, ... */
		out->n = p->n_body / 2;
		break;
	case PACKED: /* count; then offsets of two registers, and their values */
		out->n = BW_MIN(p->body[0] & 0xffff, (p->n_body - 1) / 3 * 2);
		break;
	}
	return true;
}

bool bw_pm4_set_reg_next(struct bw_pm4_set_reg *s, uint32_t *out_addr_dw, uint32_t *out_value)
{
	const uint32_t *body = s->packet->body;
	if (s->i >= s->n)
		return false;
	uint32_t i = s->i++;
	switch (set_packets[set_row(s->packet)].form) {
	case PLAIN:
		*out_addr_dw = s->base_dw + (body[0] & 0xffff) + i;
		*out_value = body[1 + i];
		break;
	case PAIRS:
		*out_addr_dw = s->base_dw + (body[2 * i] & 0xffff);
		*out_value = body[2 * i + 1];
		break;
	case PACKED: {
		const uint32_t *group = body + 1 + i / 2 * 3;
		*out_addr_dw = s->base_dw + (group[0] >> (i & 1) * 16 & 0xffff);
		*out_value = group[1 + (i & 1)];
		break;
	}
	}
	return true;
}

bool bw_pm4_load_reg(const struct bw_pm4_packet *p, struct bw_pm4_load_reg *out)
{
	static const struct {
		enum bw_pm4_op op;
		uint32_t base_dw;
	} forms[] = {{BW_PM4_LOAD_SH_REG_INDEX, BW_PM4_SH_BEGIN_DW},
		     {BW_PM4_LOAD_CONTEXT_REG_INDEX, BW_PM4_CONTEXT_BEGIN_DW},
		     {BW_PM4_LOAD_UCONFIG_REG_INDEX, BW_PM4_UCONFIG_BEGIN_DW}};
	size_t form = 0;
	while (form < BW_ARRAY_SIZE(forms) && !is(p, forms[form].op, 4))
		form++;
	if (form == BW_ARRAY_SIZE(forms))
		return false;
	out->address = u64(p->body) & ~3ull;
	out->addr_dw = forms[form].base_dw + (p->body[2] & 0xffff);
	out->n = p->body[3] & 0x3fff;
	return true;
}

bool bw_pm4_set_base(const struct bw_pm4_packet *p, struct bw_pm4_set_base *out)
{
	if (!is(p, BW_PM4_SET_BASE, 3))
		return false;
	out->index = p->body[0] & 0xf;
	/* Vulkan lets arguments of an indirect dispatch lie at any multiple of 4. */
	out->address = u64(p->body + 1) & ~3ull;
	return true;
}

/* --- dispatch and control flow --- */

bool bw_pm4_dispatch_direct(const struct bw_pm4_packet *p, struct bw_pm4_dispatch *out)
{
	if (!is(p, BW_PM4_DISPATCH_DIRECT, 4))
		return false;
	memcpy(out->dim, p->body, sizeof(out->dim));
	out->initiator = p->body[3];
	return true;
}

bool bw_pm4_dispatch_indirect(const struct bw_pm4_packet *p, struct bw_pm4_dispatch_indirect *out)
{
	if (!is(p, BW_PM4_DISPATCH_INDIRECT, 2))
		return false;
	out->has_va = p->n_body >= 3;
	out->va_or_offset = out->has_va ? u64(p->body) : p->body[0];
	out->initiator = p->body[out->has_va ? 2 : 1];
	return true;
}

bool bw_pm4_indirect_buffer(const struct bw_pm4_packet *p, struct bw_pm4_indirect_buffer *out)
{
	if (!is(p, BW_PM4_INDIRECT_BUFFER, 3) && !is(p, BW_PM4_INDIRECT_BUFFER_CNST, 3))
		return false;
	out->va = u64(p->body) & ~3ull;
	out->size_dw = p->body[2] & 0xfffff;
	out->chain = p->body[2] >> 20 & 1;
	out->vmid = p->body[2] >> 24 & 0xf;
	return true;
}

bool bw_pm4_rewind(const struct bw_pm4_packet *p, bool *out_valid)
{
	if (!is(p, BW_PM4_REWIND, 1))
		return false;
	*out_valid = p->body[0] >> 31;
	return true;
}

bool bw_pm4_cond_exec(const struct bw_pm4_packet *p, struct bw_pm4_cond_exec *out)
{
	if (!is(p, BW_PM4_COND_EXEC, 4))
		return false;
	out->address = u64(p->body) & ~3ull;
	out->skip_dw = p->body[3] & 0x3fff;
	return true;
}

/* PRED_OP 18:16, DRAW_VISIBLE 8 (sid.h of Mesa). */
bool bw_pm4_set_predication(const struct bw_pm4_packet *p, struct bw_pm4_set_predication *out)
{
	if (!is(p, BW_PM4_SET_PREDICATION, 3))
		return false;
	out->op = p->body[0] >> 16 & 7;
	out->if_set = p->body[0] >> 8 & 1;
	out->address = u64(p->body + 1);
	return true;
}

/* --- synchronisation --- */

bool bw_pm4_event_write(const struct bw_pm4_packet *p, struct bw_pm4_event *out)
{
	if (!is(p, BW_PM4_EVENT_WRITE, 1))
		return false;
	out->type = p->body[0] & 0x3f;
	out->index = p->body[0] >> 8 & 0xf;
	out->has_address = p->n_body >= 3;
	out->address = out->has_address ? u64(p->body + 1) & ~7ull : 0;
	return true;
}

bool bw_pm4_release_mem(const struct bw_pm4_packet *p, struct bw_pm4_release_mem *out)
{
	if (!is(p, BW_PM4_RELEASE_MEM, 7))
		return false;
	const uint32_t *b = p->body;
	out->event = b[0] & 0x3f;
	out->event_index = b[0] >> 8 & 0xf;
	out->gcr = b[0] >> 12 & 0x1fff;
	out->dst_sel = b[1] >> 16 & 3;
	out->int_sel = b[1] >> 24 & 7;
	out->data_sel = (uint8_t)(b[1] >> 29);
	out->address = u64(b + 2);
	out->data = u64(b + 4);
	out->int_ctxid = b[6];
	return true;
}

bool bw_pm4_acquire_mem(const struct bw_pm4_packet *p, struct bw_pm4_acquire_mem *out)
{
	if (!is(p, BW_PM4_ACQUIRE_MEM, 7))
		return false;
	const uint32_t *b = p->body;
	out->size = (b[1] | (uint64_t)(b[2] & 0xff) << 32) << 8;
	out->base = (b[3] | (uint64_t)(b[4] & 0xffffff) << 32) << 8;
	out->pws = b[5] >> 31;
	out->gcr = b[6];
	return true;
}

bool bw_pm4_wait(const struct bw_pm4_packet *p, struct bw_pm4_wait *out)
{
	bool is_64 = is(p, BW_PM4_WAIT_REG_MEM64, 8);
	if (!is_64 && !is(p, BW_PM4_WAIT_REG_MEM, 6))
		return false;
	const uint32_t *b = p->body;
	*out = (struct bw_pm4_wait){
		.function = b[0] & 7,
		.is_memory = b[0] >> 4 & 1,
		.write_first = (b[0] >> 6 & 3) == 1,
		.is_64 = is_64,
		.ref = is_64 ? u64(b + 3) : b[3],
		.mask = is_64 ? u64(b + 5) : b[4],
	};
	if (out->is_memory) {
		out->address = u64(b + 1) & ~3ull;
	} else {
		out->address = b[1] & 0x3ffff;
		out->address2 = b[2] & 0x3ffff;
	}
	return true;
}

bool bw_pm4_wait_true(const struct bw_pm4_wait *w, uint64_t value)
{
	uint64_t v = value & w->mask;
	switch (w->function) {
	case 1:
		return v < w->ref;
	case 2:
		return v <= w->ref;
	case 3:
		return v == w->ref;
	case 4:
		return v != w->ref;
	case 5:
		return v >= w->ref;
	case 6:
		return v > w->ref;
	default:
		return true;
	}
}

/* --- data --- */

bool bw_pm4_write_data(const struct bw_pm4_packet *p, struct bw_pm4_write_data *out)
{
	if (!is(p, BW_PM4_WRITE_DATA, 4))
		return false;
	const uint32_t *b = p->body;
	out->dst_sel = b[0] >> 8 & 0xf;
	out->one_address = b[0] >> 16 & 1;
	out->address = out->dst_sel == BW_PM4_WRITE_REG ? b[1] & 0x3ffff : u64(b + 1) & ~3ull;
	out->data = b + 3;
	out->n = p->n_body - 3;
	return true;
}

bool bw_pm4_copy_data(const struct bw_pm4_packet *p, struct bw_pm4_copy_data *out)
{
	if (!is(p, BW_PM4_COPY_DATA, 5))
		return false;
	const uint32_t *b = p->body;
	out->src_sel = b[0] & 0xf;
	out->dst_sel = b[0] >> 8 & 0xf;
	out->is_64 = b[0] >> 16 & 1;
	out->src = u64(b + 1);
	out->dst = u64(b + 3);
	return true;
}

bool bw_pm4_dma_data(const struct bw_pm4_packet *p, struct bw_pm4_dma_data *out)
{
	if (!is(p, BW_PM4_DMA_DATA, 6))
		return false;
	const uint32_t *b = p->body;
	*out = (struct bw_pm4_dma_data){
		.src_sel = b[0] >> 29 & 3,
		.dst_sel = b[0] >> 20 & 3,
		.sync = b[0] >> 31,
		.src = u64(b + 1),
		.dst = u64(b + 3),
		.size_b = b[5] & 0x3ffffff,
		.src_is_reg = b[5] >> 26 & 1,
		.dst_is_reg = b[5] >> 27 & 1,
		.src_fixed = b[5] >> 28 & 1,
		.dst_fixed = b[5] >> 29 & 1,
	};
	return true;
}

bool bw_pm4_atomic_mem(const struct bw_pm4_packet *p, struct bw_pm4_atomic_mem *out)
{
	if (!is(p, BW_PM4_ATOMIC_MEM, 8))
		return false;
	const uint32_t *b = p->body;
	*out = (struct bw_pm4_atomic_mem){
		.op = b[0] & 0x1f,
		.is_64 = b[0] >> 5 & 1,
		.loop = (b[0] >> 8 & 0xf) == 1,
		.address = u64(b + 1),
		.src = u64(b + 3),
		.compare = u64(b + 5),
	};
	return true;
}

/* FUNCTION 2:0, POLL_SPACE 4, WRITE_SPACE 9:8 */
bool bw_pm4_cond_write(const struct bw_pm4_packet *p, struct bw_pm4_cond_write *out)
{
	if (!is(p, BW_PM4_COND_WRITE, 8))
		return false;
	const uint32_t *b = p->body;
	*out = (struct bw_pm4_cond_write){
		.poll = {.function = b[0] & 7,
			 .is_memory = b[0] >> 4 & 1,
			 .ref = b[3],
			 .mask = b[4]},
		.write_space = b[0] >> 8 & 3,
		.data = b[7],
	};
	out->poll.address = out->poll.is_memory ? u64(b + 1) & ~3ull : b[1] & 0x3ffff;
	out->write_address = out->write_space == 1 ? u64(b + 5) & ~3ull : b[5] & 0x3ffff;
	return true;
}

bool bw_pm4_reg_rmw(const struct bw_pm4_packet *p, struct bw_pm4_reg_rmw *out)
{
	const uint32_t *b = p->body;
	if (is(p, BW_PM4_CONTEXT_REG_RMW, 3)) {
		*out = (struct bw_pm4_reg_rmw){BW_PM4_CONTEXT_BEGIN_DW + (b[0] & 0xffff), ~b[1],
					       b[2] & b[1], false, false};
		return true;
	}
	if (!is(p, BW_PM4_REG_RMW, 3))
		return false;
	/* MOD_ADDR 17:0, OR_MASK_SRC 30, AND_MASK_SRC 31 */
	*out = (struct bw_pm4_reg_rmw){b[0] & 0x3ffff, b[1], b[2], b[0] >> 31, b[0] >> 30 & 1};
	return true;
}

bool bw_pm4_pred_exec(const struct bw_pm4_packet *p, struct bw_pm4_pred_exec *out)
{
	if (!is(p, BW_PM4_PRED_EXEC, 1))
		return false;
	out->n_dw = p->body[0] & 0x3fff;
	out->devices = (uint8_t)(p->body[0] >> 24);
	return true;
}
