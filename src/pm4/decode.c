/* SPDX-License-Identifier: MIT */
#include "pm4/pm4.h"

#include <assert.h>
#include <stdio.h>

#include "base/util.h"
#include "pm4/fields.h"
#include "pm4/sdma.h"

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

bool bw_pm4_is_known(const struct bw_pm4_packet *p)
{
	return p->kind == BW_PM4_TYPE2_PAD || (p->kind == BW_PM4_TYPE3 && bw_pm4_info(p->op));
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
	struct bw_pm4_load_sh_reg_index sh;
	struct bw_pm4_load_context_reg_index context;
	struct bw_pm4_load_uconfig_reg_index uconfig;
	if (bw_pm4_load_sh_reg_index(p, &sh))
		*out = (struct bw_pm4_load_reg){sh.address, sh.register_, sh.n_registers};
	else if (bw_pm4_load_context_reg_index(p, &context))
		*out = (struct bw_pm4_load_reg){context.address, context.register_,
						context.n_registers};
	else if (bw_pm4_load_uconfig_reg_index(p, &uconfig))
		*out = (struct bw_pm4_load_reg){uconfig.address, uconfig.register_,
						uconfig.n_registers};
	else
		return false;
	return true;
}

/* --- other bodies --- */

#include "pm4/flow.inc"

bool bw_pm4_wait(const struct bw_pm4_packet *p, struct bw_pm4_wait_reg_mem64 *out)
{
	struct bw_pm4_wait_reg_mem w;
	if (!bw_pm4_wait_reg_mem(p, &w))
		return bw_pm4_wait_reg_mem64(p, out);
	*out = (struct bw_pm4_wait_reg_mem64){
		.function = w.function,
		.in_memory = w.in_memory,
		.operation = w.operation,
		.engine = w.engine,
		.cache_policy = w.cache_policy,
		.address = w.address,
		.register_ = w.register_,
		.second_register = w.second_register,
		.reference = w.reference,
		.mask = w.mask,
		.poll_interval = w.poll_interval,
	};
	return true;
}

bool bw_pm4_compare(unsigned function, uint64_t value, uint64_t reference)
{
	switch (function) {
	case BW_PM4_LESS:
		return value < reference;
	case BW_PM4_LESS_EQUAL:
		return value <= reference;
	case BW_PM4_EQUAL:
		return value == reference;
	case BW_PM4_NOT_EQUAL:
		return value != reference;
	case BW_PM4_GREATER_EQUAL:
		return value >= reference;
	case BW_PM4_GREATER:
		return value > reference;
	default:
		return true;
	}
}
