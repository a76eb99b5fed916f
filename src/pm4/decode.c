/* SPDX-License-Identifier: MIT */
#include "pm4/pm4.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "pm4/fields.h"

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

bool bw_pm4_starts_waves(unsigned op)
{
	const struct bw_pm4_info *info = bw_pm4_info(op);
	return info && info->starts_waves;
}

unsigned bw_pm4_type(uint32_t header)
{
	return bw_words_get(&header, BW_PM4_HEADER_TYPE);
}

unsigned bw_pm4_opcode(uint32_t header)
{
	return bw_words_get(&header, BW_PM4_HEADER_OPCODE);
}

uint32_t bw_pm4_header(unsigned op, uint32_t n_body)
{
	uint32_t header = 0;
	assert(n_body >= 1 && n_body <= BW_PM4_COUNT_MAX + 1);
	bw_words_put(&header, BW_PM4_HEADER_TYPE, 3);
	bw_words_put(&header, BW_PM4_HEADER_COUNT, n_body - 1);
	bw_words_put(&header, BW_PM4_HEADER_OPCODE, op);
	return header;
}

uint32_t bw_pm4_as_nop(uint32_t header)
{
	uint32_t n_body = (uint32_t)bw_words_get(&header, BW_PM4_HEADER_COUNT) + 1;
	return bw_pm4_header(BW_PM4_NOP, n_body);
}

uint32_t bw_pm4_size_dw(uint32_t header)
{
	uint32_t count = bw_words_get(&header, BW_PM4_HEADER_COUNT);
	switch (bw_pm4_type(header)) {
	case 0:
		return count + 2;
	case 3:
		/* A NOP with the largest count is one dword: padding. */
		if (bw_pm4_opcode(header) == BW_PM4_NOP && count == BW_PM4_COUNT_MAX)
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
		out->compute = bw_words_get(&header, BW_PM4_HEADER_COMPUTE);
		out->predicate = bw_words_get(&header, BW_PM4_HEADER_PREDICATE);
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
	return bw_join32(lo[1], lo[0]);
}

/* --- registers --- */

bool bw_pm4_set_reg_begin(const struct bw_pm4_packet *p, struct bw_pm4_set_reg *out)
{
	const struct bw_pm4_info *info = p->kind == BW_PM4_TYPE3 ? bw_pm4_info(p->op) : NULL;
	if (!info || p->n_body < 2)
		return false;
	*out = (struct bw_pm4_set_reg){.packet = p, .info = info};
	switch (info->sets) {
	case BW_PM4_SETS_PLAIN:
		out->n = p->n_body - 1;
		break;
	case BW_PM4_SETS_PAIRS: /* offset, value, offset, value, ... */
		out->n = p->n_body / 2;
		break;
	case BW_PM4_SETS_PACKED: /* count; then offsets of two registers, and their values */
		out->n = (uint32_t)BW_MIN(bw_words_get(p->body, BW_PM4_PACKED_COUNT),
					  (uint64_t)(p->n_body - 1) / 3 * 2);
		break;
	default:
		return false;
	}
	return true;
}

bool bw_pm4_set_reg_next(struct bw_pm4_set_reg *s, uint32_t *out_addr_dw, uint32_t *out_value)
{
	const uint32_t *body = s->packet->body;
	if (s->i >= s->n)
		return false;
	uint32_t i = s->i++;
	switch (s->info->sets) {
	case BW_PM4_SETS_PLAIN:
		*out_addr_dw = s->info->sets_from_dw + bw_words_get(body, BW_PM4_REG_OFFSET) + i;
		s->value = &body[1 + i];
		break;
	case BW_PM4_SETS_PAIRS:
		*out_addr_dw =
			s->info->sets_from_dw + bw_words_get(&body[2 * i], BW_PM4_REG_OFFSET);
		s->value = &body[2 * i + 1];
		break;
	default: { /* packed */
		const uint32_t *group = body + 1 + i / 2 * 3;
		*out_addr_dw = s->info->sets_from_dw + bw_half16(group[0], i & 1);
		s->value = &group[1 + (i & 1)];
		break;
	}
	}
	*out_value = *s->value;
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
	out->addr_dw =
		forms[form].base_dw + bw_words_get(p->body, BW_PM4_LOAD_SH_REG_INDEX_REGISTER);
	out->n = bw_words_get(p->body, BW_PM4_LOAD_SH_REG_INDEX_N_REGISTERS);
	return true;
}

bool bw_pm4_set_base(const struct bw_pm4_packet *p, struct bw_pm4_set_base *out)
{
	if (!is(p, BW_PM4_SET_BASE, 3))
		return false;
	out->index = bw_words_get(p->body, BW_PM4_SET_BASE_INDEX);
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
	out->size_dw = bw_words_get(p->body, BW_PM4_INDIRECT_BUFFER_N_DW);
	out->chain = bw_words_get(p->body, BW_PM4_INDIRECT_BUFFER_CHAIN);
	out->vmid = bw_words_get(p->body, BW_PM4_INDIRECT_BUFFER_VMID);
	return true;
}

bool bw_pm4_rewind(const struct bw_pm4_packet *p, bool *out_valid)
{
	if (!is(p, BW_PM4_REWIND, 1))
		return false;
	*out_valid = bw_words_get(p->body, BW_PM4_REWIND_VALID);
	return true;
}

bool bw_pm4_cond_exec(const struct bw_pm4_packet *p, struct bw_pm4_cond_exec *out)
{
	if (!is(p, BW_PM4_COND_EXEC, 4))
		return false;
	out->address = u64(p->body) & ~3ull;
	out->skip_dw = bw_words_get(p->body, BW_PM4_COND_EXEC_N_DW);
	return true;
}

bool bw_pm4_set_predication(const struct bw_pm4_packet *p, struct bw_pm4_set_predication *out)
{
	if (!is(p, BW_PM4_SET_PREDICATION, 3))
		return false;
	out->op = bw_words_get(p->body, BW_PM4_SET_PREDICATION_OPERATION);
	out->if_set = bw_words_get(p->body, BW_PM4_SET_PREDICATION_DRAW_VISIBLE);
	out->address = u64(p->body + 1);
	return true;
}

/* --- synchronisation --- */

bool bw_pm4_event_write(const struct bw_pm4_packet *p, struct bw_pm4_event *out)
{
	if (!is(p, BW_PM4_EVENT_WRITE, 1))
		return false;
	out->type = bw_words_get(p->body, BW_PM4_EVENT_WRITE_TYPE);
	out->index = bw_words_get(p->body, BW_PM4_EVENT_WRITE_INDEX);
	out->has_address = p->n_body >= 3;
	out->address = out->has_address ? u64(p->body + 1) & ~7ull : 0;
	return true;
}

bool bw_pm4_release_mem(const struct bw_pm4_packet *p, struct bw_pm4_release_mem *out)
{
	if (!is(p, BW_PM4_RELEASE_MEM, 7))
		return false;
	const uint32_t *b = p->body;
	out->event = bw_words_get(b, BW_PM4_RELEASE_MEM_EVENT);
	out->event_index = bw_words_get(b, BW_PM4_RELEASE_MEM_INDEX);
	out->gcr = bw_words_get(b, BW_PM4_RELEASE_MEM_GCR);
	out->dst_sel = bw_words_get(b, BW_PM4_RELEASE_MEM_DESTINATION);
	out->int_sel = bw_words_get(b, BW_PM4_RELEASE_MEM_INTERRUPT);
	out->data_sel = bw_words_get(b, BW_PM4_RELEASE_MEM_DATA_IS);
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
	out->size = bw_words_get(b, BW_PM4_ACQUIRE_MEM_SIZE_256B) * 256;
	out->base = bw_words_get(b, BW_PM4_ACQUIRE_MEM_BASE_256B) * 256;
	out->pws = bw_words_get(b, BW_PM4_ACQUIRE_MEM_PWS);
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
		.function = bw_words_get(b, BW_PM4_WAIT_REG_MEM_FUNCTION),
		.is_memory = bw_words_get(b, BW_PM4_WAIT_REG_MEM_IN_MEMORY),
		.write_first = bw_words_get(b, BW_PM4_WAIT_REG_MEM_OPERATION) == 1,
		.is_64 = is_64,
		.ref = is_64 ? u64(b + 3) : b[3],
		.mask = is_64 ? u64(b + 5) : b[4],
	};
	if (out->is_memory) {
		out->address = u64(b + 1) & ~3ull;
	} else {
		out->address = bw_words_get(&b[1], BW_PM4_REG_ADDR);
		out->address2 = bw_words_get(&b[2], BW_PM4_REG_ADDR);
	}
	return true;
}

bool bw_pm4_wait_true(const struct bw_pm4_wait *w, uint64_t value)
{
	uint64_t v = value & w->mask;
	switch (w->function) {
	case BW_PM4_LESS:
		return v < w->ref;
	case BW_PM4_LESS_EQUAL:
		return v <= w->ref;
	case BW_PM4_EQUAL:
		return v == w->ref;
	case BW_PM4_NOT_EQUAL:
		return v != w->ref;
	case BW_PM4_GREATER_EQUAL:
		return v >= w->ref;
	case BW_PM4_GREATER:
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
	out->dst_sel = bw_words_get(b, BW_PM4_WRITE_DATA_DESTINATION);
	out->one_address = bw_words_get(b, BW_PM4_WRITE_DATA_ONE_ADDRESS);
	out->address = out->dst_sel == BW_PM4_WRITE_REG ? bw_words_get(&b[1], BW_PM4_REG_ADDR)
							: u64(b + 1) & ~3ull;
	out->data = b + 3;
	out->n = p->n_body - 3;
	return true;
}

uint32_t bw_pm4_reg_of(uint64_t address)
{
	const uint32_t dw = bw_lo32(address);
	return (uint32_t)bw_words_get(&dw, BW_PM4_REG_ADDR);
}

bool bw_pm4_copy_data(const struct bw_pm4_packet *p, struct bw_pm4_copy_data *out)
{
	if (!is(p, BW_PM4_COPY_DATA, 5))
		return false;
	const uint32_t *b = p->body;
	out->src_sel = bw_words_get(b, BW_PM4_COPY_DATA_SOURCE_IS);
	out->dst_sel = bw_words_get(b, BW_PM4_COPY_DATA_DESTINATION_IS);
	out->is_64 = bw_words_get(b, BW_PM4_COPY_DATA_IS_64);
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
		.src_sel = bw_words_get(b, BW_PM4_DMA_DATA_SOURCE_IS),
		.dst_sel = bw_words_get(b, BW_PM4_DMA_DATA_DESTINATION_IS),
		.sync = bw_words_get(b, BW_PM4_DMA_DATA_SYNC),
		.src = u64(b + 1),
		.dst = u64(b + 3),
		.size_b = bw_words_get(b, BW_PM4_DMA_DATA_BYTES),
		.src_is_reg = bw_words_get(b, BW_PM4_DMA_DATA_SOURCE_IS_REGISTER),
		.dst_is_reg = bw_words_get(b, BW_PM4_DMA_DATA_DESTINATION_IS_REGISTER),
		.src_fixed = bw_words_get(b, BW_PM4_DMA_DATA_SOURCE_FIXED),
		.dst_fixed = bw_words_get(b, BW_PM4_DMA_DATA_DESTINATION_FIXED),
	};
	return true;
}

bool bw_pm4_atomic_mem(const struct bw_pm4_packet *p, struct bw_pm4_atomic_mem *out)
{
	if (!is(p, BW_PM4_ATOMIC_MEM, 8))
		return false;
	const uint32_t *b = p->body;
	*out = (struct bw_pm4_atomic_mem){
		.op = bw_words_get(b, BW_PM4_ATOMIC_MEM_OPERATION),
		.is_64 = bw_words_get(b, BW_PM4_ATOMIC_MEM_IS_64),
		.loop = bw_words_get(b, BW_PM4_ATOMIC_MEM_COMMAND) == 1,
		.address = u64(b + 1),
		.src = u64(b + 3),
		.compare = u64(b + 5),
	};
	return true;
}

bool bw_pm4_cond_write(const struct bw_pm4_packet *p, struct bw_pm4_cond_write *out)
{
	if (!is(p, BW_PM4_COND_WRITE, 8))
		return false;
	const uint32_t *b = p->body;
	*out = (struct bw_pm4_cond_write){
		.poll = {.function = bw_words_get(b, BW_PM4_COND_WRITE_FUNCTION),
			 .is_memory = bw_words_get(b, BW_PM4_COND_WRITE_IN_MEMORY),
			 .ref = b[3],
			 .mask = b[4]},
		.write_space = bw_words_get(b, BW_PM4_COND_WRITE_WRITE_SPACE),
		.data = b[7],
	};
	out->poll.address =
		out->poll.is_memory ? u64(b + 1) & ~3ull : bw_words_get(&b[1], BW_PM4_REG_ADDR);
	out->write_address =
		out->write_space == 1 ? u64(b + 5) & ~3ull : bw_words_get(&b[5], BW_PM4_REG_ADDR);
	return true;
}

bool bw_pm4_reg_rmw(const struct bw_pm4_packet *p, struct bw_pm4_reg_rmw *out)
{
	const uint32_t *b = p->body;
	if (is(p, BW_PM4_CONTEXT_REG_RMW, 3)) {
		*out = (struct bw_pm4_reg_rmw){BW_PM4_CONTEXT_BEGIN_DW +
						       bw_words_get(b, BW_PM4_REG_OFFSET),
					       ~b[1], b[2] & b[1], false, false};
		return true;
	}
	if (!is(p, BW_PM4_REG_RMW, 3))
		return false;
	*out = (struct bw_pm4_reg_rmw){bw_words_get(b, BW_PM4_REG_ADDR), b[1], b[2],
				       bw_words_get(b, BW_PM4_REG_RMW_AND_MASK_IS_REGISTER),
				       bw_words_get(b, BW_PM4_REG_RMW_OR_MASK_IS_REGISTER)};
	return true;
}

bool bw_pm4_pred_exec(const struct bw_pm4_packet *p, struct bw_pm4_pred_exec *out)
{
	if (!is(p, BW_PM4_PRED_EXEC, 1))
		return false;
	out->n_dw = bw_words_get(p->body, BW_PM4_PRED_EXEC_N_DW);
	out->devices = bw_words_get(p->body, BW_PM4_PRED_EXEC_DEVICES);
	return true;
}
