// SPDX-License-Identifier: MIT
/* Values of variables: read from where they are, and written there. */
#include "debug/frames.h"
#include "debug/variables/variables_priv.h"
#include "debug/waves/waves_priv.h"

#include <stdio.h>
#include <string.h>

void bw_debug_flat_space(enum bw_space *space, uint64_t *addr)
{
	if (*space == BW_SPACE_GLOBAL && bw_access_aperture(*addr, space))
		*addr = (uint32_t)*addr;
}

struct bw_error *bw_variables_missing(const struct bw_value *v)
{
	const struct bw_value none = {.is_missing = true, .bytes = v->bytes};
	return bw_value_need_number(&none);
}

/* ---- Pieces ---- */

/* Finds address space and address of a piece. False: it is not in memory, or the address is not
 * known. */
static bool memory_of(const struct bw_variables_frame *f, const struct bw_location_piece *p,
		      struct bw_place_at *out)
{
	*out = (struct bw_place_at){.va = (uint64_t)p->offset};
	switch (p->kind) {
	case BW_LOC_PRIVATE:
		out->space = BW_SPACE_PRIVATE;
		if (p->base != BW_BASE_ZERO && !f->has_stack)
			return false;
		out->va = (uint32_t)(p->offset + (p->base == BW_BASE_S32   ? f->s32
						  : p->base == BW_BASE_S33 ? f->s33
									   : 0));
		return true;
	case BW_LOC_LDS:
		out->space = BW_SPACE_LDS;
		return true;
	case BW_LOC_GLOBAL:
		out->space = BW_SPACE_GLOBAL;
		out->va += f->base;
		return true;
	case BW_LOC_OPTIMIZED_OUT:
	case BW_LOC_UNKNOWN:
	case BW_LOC_VGPR:
	case BW_LOC_SGPR:
	case BW_LOC_CONSTANT:
	case BW_LOC_COMPUTED:
	case BW_LOC_BOUND:
	case BW_LOC_PUSH:
	case BW_LOC_BUILTIN:
	case BW_LOC_RECORD:
	case BW_LOC_LAUNCH:
		break;
	}
	return false;
}

static struct bw_location_piece whole(const struct bw_location *l, uint64_t size_b)
{
	return (struct bw_location_piece){.kind = l->kind,
					  .reg = l->reg,
					  .base = l->base,
					  .offset = l->offset,
					  .value = l->value,
					  .size_b = (unsigned)size_b};
}

static struct bw_error *read_registers(const struct bw_value_of *x,
				       const struct bw_location_piece *p, uint8_t *out,
				       bool *out_known)
{
	uint32_t slot = x->wave->info.slot, lanes[64], word;
	*out_known = false;
	for (unsigned at = 0; at < p->size_b; at += 4) {
		unsigned reg = p->reg + at / 4;
		if (p->kind == BW_LOC_VGPR) {
			if (reg >= bw_wave_plain_vgprs(&x->wave->info) ||
			    x->lane >= x->wave->info.lanes)
				return NULL;
			BW_TRY(bw_target_read_vgpr(x->d->target, slot, reg, lanes));
			word = lanes[x->lane];
		} else {
			if (reg >= 108) /* s0 to s105, VCC */
				return NULL;
			BW_TRY(bw_target_read_sgprs(x->d->target, slot, reg, 1, &word));
		}
		memcpy(out + at, &word, BW_MIN(4u, p->size_b - at));
	}
	*out_known = true;
	return NULL;
}

/* Reads a register of a caller: the functions that it called have saved it, or not changed it. */
static struct bw_error *read_outer(const struct bw_value_of *x, const struct bw_variables_frame *f,
				   const struct bw_location_piece *p, uint8_t *out, bool *out_known)
{
	uint32_t lanes[64], word;
	*out_known = false;
	for (unsigned at = 0; at < p->size_b; at += 4) {
		unsigned reg = p->reg + at / 4;
		uint64_t known = 0;
		enum bw_frame_reg_place place = BW_FRAME_REG_UNKNOWN;
		if (p->kind == BW_LOC_VGPR && reg < 256) {
			BW_TRY(bw_debug_frame_vgpr(x->d, f->frame, reg, lanes, &known));
			if (!(known >> x->lane & 1))
				return NULL;
			word = lanes[x->lane];
		} else {
			if (p->kind == BW_LOC_SGPR && reg < 106)
				BW_TRY(bw_debug_frame_sgpr(x->d, f->frame, reg, &word, &place));
			if (place == BW_FRAME_REG_UNKNOWN)
				return NULL;
		}
		memcpy(out + at, &word, BW_MIN(4u, p->size_b - at));
	}
	*out_known = true;
	return NULL;
}

/* Reads a value that the debug information computes from registers. */
static struct bw_error *read_computed(const struct bw_value_of *x,
				      const struct bw_variables_frame *f, struct bw_bytes *b)
{
	const struct bw_location *l = &b->location;
	uint32_t regs[BW_LOC_STEPS_MAX] = {0};
	uint64_t value;
	bool known = x->wave;
	for (unsigned i = 0; i < l->n_steps && known; i++) {
		const struct bw_location_piece p = {.kind = l->step[i].is_vgpr ? BW_LOC_VGPR
									       : BW_LOC_SGPR,
						    .reg = l->step[i].reg,
						    .size_b = 4};
		uint8_t *word = (uint8_t *)&regs[i];
		if (!bw_location_step_is_register(&l->step[i]))
			continue;
		BW_TRY(f->is_outer ? read_outer(x, f, &p, word, &known)
				   : read_registers(x, &p, word, &known));
	}
	if (known && b->size_b <= sizeof(value) && bw_location_compute(l, regs, &value)) {
		memcpy(b->data, &value, b->size_b);
		memset(b->known, 1, b->size_b);
	}
	return NULL;
}

/* Reads one piece into b, at offset_b. Bytes that cannot be read are marked as not known, with the
 * reason. */
static struct bw_error *read_piece(const struct bw_value_of *x, const struct bw_variables_frame *f,
				   const struct bw_location_piece *p, struct bw_bytes *b,
				   size_t offset_b)
{
	struct bw_place_at at;
	bool known = false;
	struct bw_location_piece part = *p;
	if (offset_b >= b->size_b)
		return NULL;
	part.size_b = (unsigned)BW_MIN((size_t)p->size_b, b->size_b - offset_b);
	switch (p->kind) {
	case BW_LOC_CONSTANT: {
		uint64_t sign = (int64_t)p->value < 0 ? ~0ull : 0;
		for (size_t i = 0; i < part.size_b; i += 8)
			memcpy(b->data + offset_b + i, i ? &sign : &p->value,
			       BW_MIN(part.size_b - i, (size_t)8));
		known = true;
		break;
	}
	case BW_LOC_VGPR:
	case BW_LOC_SGPR:
		if (f->is_outer && x->wave)
			BW_TRY(read_outer(x, f, &part, b->data + offset_b, &known));
		if (f->is_outer && !known)
			snprintf(b->why, sizeof(b->why),
				 "the register of this frame is not known: a called function may "
				 "have changed it");
		else if (!f->is_outer && x->wave)
			BW_TRY(read_registers(x, &part, b->data + offset_b, &known));
		break;
	case BW_LOC_PRIVATE:
	case BW_LOC_LDS:
	case BW_LOC_GLOBAL:
		if (memory_of(f, p, &at)) {
			BW_TRY(bw_wave_mem_read(
				x->d, &(struct bw_wave_mem){x->wave, x->lane, at.space, at.va},
				b->data + offset_b, part.size_b));
			known = true;
		} else {
			snprintf(b->why, sizeof(b->why), "the stack of this frame is not known");
		}
		break;
	case BW_LOC_COMPUTED:
		return read_computed(x, f, b);
	case BW_LOC_OPTIMIZED_OUT:
	case BW_LOC_UNKNOWN:
	case BW_LOC_BOUND:
	case BW_LOC_PUSH:
	case BW_LOC_BUILTIN:
	case BW_LOC_RECORD:
	case BW_LOC_LAUNCH:
		break;
	}
	if (known)
		memset(b->known + offset_b, 1, part.size_b);
	return NULL;
}

/* ---- Values ---- */

static bool all_known(const struct bw_bytes *b, size_t at, size_t n)
{
	return at <= b->size_b && n <= b->size_b - at && !memchr(b->known + at, 0, n);
}

void bw_variables_decode(struct bw_value *v)
{
	size_t n = v->bit_size ? (v->bit_offset + v->bit_size + 7u) / 8 : v->type.size_b;
	if (v->type.kind == BW_TYPE_AGGREGATE || v->type.kind == BW_TYPE_VOID)
		return;
	v->is_missing = !all_known(v->bytes, v->bytes_at, n);
	if (!v->is_missing)
		v->bits = bw_type_decode(&v->type, v->bytes->data + v->bytes_at, v->bit_offset,
					 v->bit_size);
}

static struct bw_error *check_size(uint64_t size_b)
{
	if (size_b <= BW_VALUE_MAX_B)
		return NULL;
	return bw_errorf(BW_E_INVALID,
			 "value requires %llu bytes, which is more than max-value-size",
			 (unsigned long long)size_b);
}

struct bw_error *bw_variables_load(const struct bw_value_of *x, const struct bw_ctype *type,
				   struct bw_place_at at, struct bw_value *out)
{
	struct bw_value v = {.type = bw_type_of(type),
			     .place = BW_PLACE_MEMORY,
			     .space = at.space,
			     .va = at.va,
			     .lane = (int)x->lane,
			     .bit_offset = (uint8_t)at.bit_offset,
			     .bit_size = (uint8_t)at.bit_size};
	uint8_t bytes[16] = {0};
	size_t n = at.bit_size ? (at.bit_offset + at.bit_size + 7u) / 8 : v.type.size_b;
	if (v.type.kind == BW_TYPE_VOID)
		return bw_errorf(BW_E_INVALID, "Attempt to take contents of a non-pointer value.");
	if (v.type.kind != BW_TYPE_AGGREGATE && !x->skip) {
		BW_TRY(bw_wave_mem_read(
			x->d, &(struct bw_wave_mem){x->wave, x->lane, at.space, at.va}, bytes, n));
		v.bits = bw_type_decode(&v.type, bytes, at.bit_offset, at.bit_size);
	}
	*out = v;
	return NULL;
}

/* Replaces a C++ reference by the value to which it refers. Frees v. */
static struct bw_error *refer(const struct bw_value_of *x, struct bw_value *v, struct bw_value *out)
{
	const struct bw_ctype *t = v->type.ctype ? bw_ctype_strip(v->type.ctype) : NULL;
	bool refers = t && t->kind == BW_CTYPE_POINTER && t->is_reference && t->elem &&
		      bw_type_of(t->elem).kind != BW_TYPE_VOID && !v->is_missing;
	if (!refers) {
		*out = *v;
		return NULL;
	}
	struct bw_place_at at = {.space = v->type.space, .va = v->bits};
	bw_value_fini(v);
	bw_debug_flat_space(&at.space, &at.va);
	return bw_variables_load(x, t->elem, at, out);
}

struct bw_error *bw_variables_at(const struct bw_value_of *x, const struct bw_variables_frame *f,
				 const struct bw_ctype *type, const struct bw_location *l,
				 struct bw_value *out)
{
	struct bw_value v = {.type = bw_type_of(type), .lane = (int)x->lane};
	uint64_t size_b = bw_type_size(&v.type);
	struct bw_place_at at;
	struct bw_location_piece one = whole(l, size_b);
	if (!l->n_pieces && memory_of(f, &one, &at))
		return bw_variables_load(x, type, at, out);
	if (x->skip) {
		*out = v;
		return NULL;
	}
	BW_TRY(check_size(size_b));
	v.place = BW_PLACE_PIECES;
	v.bytes = bw_bytes_new(size_b);
	if (!v.bytes)
		return bw_error_nomem();
	v.bytes->location = *l;
	if (f->is_outer) /* nothing can be written there */
		v.place = BW_PLACE_NONE;
	if (l->kind == BW_LOC_UNKNOWN)
		snprintf(v.bytes->why, sizeof(v.bytes->why), "%s", l->why);
	struct bw_error *err = l->n_pieces ? NULL : read_piece(x, f, &one, v.bytes, 0);
	size_t offset_b = 0;
	for (unsigned i = 0; !err && i < l->n_pieces; i++) {
		err = read_piece(x, f, &l->piece[i], v.bytes, offset_b);
		offset_b += l->piece[i].size_b;
	}
	if (err) {
		bw_value_fini(&v);
		return err;
	}
	bw_variables_decode(&v);
	*out = v;
	return NULL;
}

static struct bw_error *value_of(const struct bw_value_of *x, const struct bw_variables_frame *f,
				 const struct bw_variable *variable, struct bw_value *out)
{
	struct bw_location l = {0};

	if (bw_type_of(variable->type).kind == BW_TYPE_VOID) {
		char name[BW_TYPE_NAME_MAX];
		bw_ctype_name(variable->type, name, sizeof(name));
		if (!strcmp(name, "image")) /* a type of SPIR-V */
			return bw_errorf(
				BW_E_UNSUPPORTED,
				"'%s' is an image: \"dump image FILE.png %s\" writes its "
				"texels as a picture, \"info descriptors\" says where they "
				"are",
				variable->name, variable->name);
		if (!strcmp(name, "texel buffer"))
			return bw_errorf(BW_E_UNSUPPORTED,
					 "'%s' is a texel buffer: \"print buffer %s as float[]\" "
					 "shows what is in it, \"info descriptors\" its format",
					 variable->name, variable->name);
		return bw_errorf(BW_E_UNSUPPORTED, "'%s' has a type that is not supported: %s",
				 variable->name, name);
	}
	bw_variable_location(f->lines, variable, f->addr, f->kernel, &l);
	bw_variables_correct(x->d, f, variable, &l);
	if (l.kind == BW_LOC_BOUND || l.kind == BW_LOC_PUSH || l.kind == BW_LOC_BUILTIN)
		return bw_variables_of_shader(x, &l, variable->type, out);
	if (l.kind == BW_LOC_RECORD)
		return bw_variables_recorded(x, f, &l, variable->type, out);
	if (l.kind == BW_LOC_LAUNCH)
		return bw_variables_launch_value(x, (uint32_t)l.offset, variable->type, out);
	return bw_variables_at(x, f, variable->type, &l, out);
}

struct bw_error *bw_variables_value(const struct bw_value_of *x, const struct bw_variables_frame *f,
				    const struct bw_variable *variable, struct bw_value *out)
{
	struct bw_value v;
	BW_TRY(value_of(x, f, variable, &v));
	return refer(x, &v, out);
}

static struct bw_error *part_of(const struct bw_value_of *x, const struct bw_value *v,
				const struct bw_ctype *type, struct bw_member_at at,
				struct bw_value *out)
{
	at.offset_b += at.bit_offset / 8;
	at.bit_offset %= 8;
	if (v->bytes) {
		struct bw_value part = {.type = bw_type_of(type),
					.lane = v->lane,
					.place =
						v->place == BW_PLACE_VAR ? BW_PLACE_NONE : v->place,
					.space = v->space,
					.va = v->va + at.offset_b,
					.bit_offset = (uint8_t)at.bit_offset,
					.bit_size = (uint8_t)at.bit_size,
					.bytes_at = v->bytes_at + (uint32_t)at.offset_b};
		if (at.offset_b > v->bytes->size_b ||
		    bw_type_size(&part.type) > v->bytes->size_b - v->bytes_at - at.offset_b)
			return bw_errorf(BW_E_NOT_FOUND, "no such vector element");
		part.bytes = bw_bytes_ref(v->bytes);
		bw_variables_decode(&part);
		*out = part;
		return NULL;
	}
	if (v->place == BW_PLACE_MEMORY) {
		struct bw_place_at there = {v->space, v->va + at.offset_b, at.bit_offset,
					    at.bit_size};
		if (v->space != BW_SPACE_GLOBAL)
			there.va = (uint32_t)there.va;
		return bw_variables_load(x, type, there, out);
	}
	*out = (struct bw_value){.type = bw_type_of(type)}; /* x->skip */
	return NULL;
}

struct bw_error *bw_variables_part(const struct bw_value_of *x, const struct bw_value *v,
				   const struct bw_ctype *type, struct bw_member_at at,
				   struct bw_value *out)
{
	struct bw_value part;
	BW_TRY(part_of(x, v, type, at, &part));
	return refer(x, &part, out);
}

struct bw_error *bw_variables_fetch(const struct bw_value_of *x, struct bw_value *v)
{
	uint64_t size_b = bw_type_size(&v->type);
	if (v->type.kind != BW_TYPE_AGGREGATE || v->bytes || v->place != BW_PLACE_MEMORY)
		return NULL;
	BW_TRY(check_size(size_b));
	struct bw_bytes *b = bw_bytes_new(size_b);
	if (!b)
		return bw_error_nomem();
	const struct bw_wave_mem at = {x->wave, v->lane < 0 ? x->lane : (unsigned)v->lane, v->space,
				       v->va};
	struct bw_error *err = bw_wave_mem_read(x->d, &at, b->data, size_b);
	if (err) {
		bw_bytes_unref(b);
		return err;
	}
	memset(b->known, 1, size_b);
	v->bytes = b;
	v->bytes_at = 0;
	return NULL;
}

/* ---- Assignment ---- */

static struct bw_error *write_registers(const struct bw_value_of *x,
					const struct bw_location_piece *p, size_t at,
					const uint8_t *bytes, size_t size_b)
{
	uint32_t slot = x->wave->info.slot, lanes[64], word;
	for (size_t done = 0; done < size_b;) {
		size_t from = at + done;
		unsigned reg = p->reg + (unsigned)(from / 4), in = from % 4;
		size_t n = BW_MIN(size_b - done, (size_t)(4 - in));
		bool vector = p->kind == BW_LOC_VGPR;
		if (vector &&
		    (reg >= bw_wave_plain_vgprs(&x->wave->info) || x->lane >= x->wave->info.lanes))
			return bw_errorf(BW_E_NOT_FOUND, "the wave has no v%u", reg);
		if (vector) {
			BW_TRY(bw_target_read_vgpr(x->d->target, slot, reg, lanes));
			word = lanes[x->lane];
		} else {
			BW_TRY(bw_target_read_sgprs(x->d->target, slot, reg, 1, &word));
		}
		memcpy((uint8_t *)&word + in, bytes + done, n);
		if (vector)
			BW_TRY(bw_target_write_vgpr(x->d->target, slot, reg, x->lane, word));
		else
			BW_TRY(bw_wave_reg_write(
				x->d, x->wave, (struct bw_wave_reg){BW_REG_SGPR, (uint16_t)reg, 1},
				word));
		done += n;
	}
	return NULL;
}

static struct bw_error *not_assignable(const struct bw_value *place, enum bw_location_kind kind)
{
	if (kind == BW_LOC_CONSTANT)
		return bw_errorf(BW_E_INVALID, "Left operand of assignment is not an lvalue: the "
					       "compiler made it a constant");
	if (kind == BW_LOC_COMPUTED)
		return bw_errorf(BW_E_INVALID, "Left operand of assignment is not an lvalue: the "
					       "compiler computes it from registers");
	if (kind == BW_LOC_RECORD)
		return bw_errorf(BW_E_INVALID,
				 "Left operand of assignment is not an lvalue: this is what "
				 "the shader has noted of it; where the driver "
				 "keeps the variable is not known");
	return bw_variables_missing(place);
}

static struct bw_error *store_pieces(const struct bw_value_of *x, const struct bw_value *place,
				     const uint8_t *bytes, size_t size_b)
{
	const struct bw_location *l = &place->bytes->location;
	struct bw_location_piece one = whole(l, place->bytes->size_b);
	const struct bw_location_piece *p = l->n_pieces ? l->piece : &one;
	size_t n = l->n_pieces ? l->n_pieces : 1, start = 0, done = 0;
	if (!x->wave)
		return bw_errorf(BW_E_STATE, "No wave is stopped");
	for (int pass = 0; pass < 2; pass++) { /* nothing is written if a part cannot be written */
		start = done = 0;
		for (size_t i = 0; i < n && done < size_b; start += p[i++].size_b) {
			size_t at = place->bytes_at + done;
			if (at < start || at >= start + p[i].size_b)
				continue;
			size_t part = BW_MIN(size_b - done, start + p[i].size_b - at);
			bool reg = p[i].kind == BW_LOC_VGPR || p[i].kind == BW_LOC_SGPR;
			if (!reg ||
			    (p[i].kind == BW_LOC_SGPR && p[i].reg + (at - start) / 4 >= 106))
				return not_assignable(place, p[i].kind);
			if (pass)
				BW_TRY(write_registers(x, &p[i], at - start, bytes + done, part));
			done += part;
		}
		if (done < size_b)
			return bw_variables_missing(place);
	}
	memcpy(place->bytes->data + place->bytes_at, bytes, size_b);
	return NULL;
}

struct bw_error *bw_variables_store(const struct bw_value_of *x, const struct bw_value *place,
				    const uint8_t *bytes, size_t size_b)
{
	if (place->place == BW_PLACE_PIECES)
		return store_pieces(x, place, bytes, size_b);
	return bw_wave_mem_write(
		x->d,
		&(struct bw_wave_mem){x->wave, place->lane < 0 ? x->lane : (unsigned)place->lane,
				      place->space, place->va},
		bytes, size_b);
}
