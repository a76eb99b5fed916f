/* SPDX-License-Identifier: MIT */
/* Notes the arguments of a dispatch: user data, and the tables of addresses and descriptors that
 * user data point to. Memory has no types: a value is taken for an address or a descriptor by what
 * it would point to. So each line is a guess, except for the numbers in it. */
#include <inttypes.h>
#include <string.h>

#include "base/shown.h"
#include "base/util.h"
#include "isa/descriptor.h"
#include "record/decompile.h"
#include "regs/field.h"

enum { TABLE_DW = 64, LINES_MAX = 16 };

#define SH(state, reg) ((state)->sh[BW_REG_GC_DW(reg) - BW_PM4_SH_BEGIN_DW])

/* The mapping that an address lies in; NULL: none. */
static const struct bw_capture_map *map_of(const struct bw_decompile *d, uint64_t va)
{
	bw_vec_each(&d->space.maps, m)
		if (va >= m->va && va - m->va < m->size_b)
			return m;
	return NULL;
}

static void add_place(const struct bw_decompile *d, uint64_t va, struct bw_str *out)
{
	const struct bw_capture_map *m = map_of(d, va);
	if (m)
		bw_str_addf(out, "buffer %" PRIu64 " + 0x%" PRIx64, m->buffer,
			    va - m->va + m->offset_b);
}

/* ---- Tables ---- */

/* Describes the object at dw[0] of n; returns its number of dwords, 0: a plain number. */
static unsigned add_entry(const struct bw_decompile *d, const uint32_t *dw, unsigned n,
			  struct bw_str *out)
{
	uint64_t address = n >= 2 ? bw_canonical(bw_join32(dw[1], dw[0])) : 0;
	uint64_t image = n >= BW_IMAGE_DESC_DW ? bw_desc_256b(dw, BW_IMAGE_BASE_256B) : 0;
	if (n >= 2 && !(dw[1] >> 16) && address && map_of(d, address) &&
	    (n < 4 || bw_words_get(dw, BW_BUFFER_FORMAT) == 0)) {
		bw_str_addf(out, "address 0x%" PRIx64 ", ", address);
		add_place(d, address, out);
		return 2;
	}
	if (image && bw_words_get(dw, BW_IMAGE_TYPE) >= BW_IMAGE_1D && map_of(d, image)) {
		bw_str_addf(out,
			    "image descriptor: base 0x%" PRIx64 ", %" PRIu64 " x %" PRIu64
			    ", format %" PRIu64 ", swizzle mode %" PRIu64 ", ",
			    image, bw_words_get(dw, BW_IMAGE_WIDTH) + 1,
			    bw_words_get(dw, BW_IMAGE_HEIGHT) + 1,
			    bw_words_get(dw, BW_IMAGE_FORMAT), bw_words_get(dw, BW_IMAGE_SW_MODE));
		add_place(d, image, out);
		return BW_IMAGE_DESC_DW;
	}
	if (n < BW_BUFFER_DESC_DW || bw_words_get(dw, BW_BUFFER_TYPE))
		return 0;
	const struct bw_buffer_desc b = bw_buffer_desc_read(dw);
	if (!b.base || !b.n_records || !map_of(d, bw_canonical(b.base)))
		return 0;
	bw_str_addf(out, "buffer descriptor: base 0x%" PRIx64 ", stride %u, %u records, ",
		    bw_canonical(b.base), b.stride_b, b.n_records);
	add_place(d, bw_canonical(b.base), out);
	return BW_BUFFER_DESC_DW;
}

static void add_table(struct bw_decompile *d, uint64_t va, struct bw_str *out)
{
	uint32_t dw[TABLE_DW];
	const struct bw_capture_map *m = map_of(d, va);
	uint64_t left = m ? m->va + m->size_b - va : 0;
	unsigned n = (unsigned)BW_MIN(left / 4, (uint64_t)TABLE_DW), step, n_lines = 0;
	struct bw_error *err = bw_capture_read(d->r, &d->space, va, dw, n * 4);
	bw_error_free(err);
	for (unsigned i = 0; !err && i < n && n_lines < LINES_MAX; i += step ? step : 1) {
		struct bw_str entry = {0};
		step = add_entry(d, dw + i, n - i, &entry);
		if (step)
			bw_str_addf(out, "    +0x%02x: %s\n", i * 4, bw_str_text(&entry));
		n_lines += step != 0;
		bw_str_free(&entry);
	}
}

/* ---- Dispatches ---- */

/* An address in one or two words of user data: of 64 bits, or of 32 near the code, as RADV has its
 * descriptor sets. */
static unsigned address_of(const struct bw_decompile *d, const uint32_t *user, unsigned n,
			   uint64_t code_va, uint64_t *out)
{
	uint64_t near = bw_join32(bw_hi32(code_va), user[0]);
	if (n >= 2)
		*out = bw_canonical(bw_join32(user[1], user[0]));
	if (n >= 2 && user[1] && user[0] && !(user[0] & 3) && map_of(d, *out))
		return 2;
	*out = near;
	return code_va && !(user[0] & 3) && map_of(d, near) ? 1 : 0;
}

static void add_user_data(struct bw_decompile *d, const struct bw_pm4_scan *state, uint64_t code_va,
			  struct bw_str *out)
{
	const uint32_t *user = &SH(state, COMPUTE_USER_DATA_0);
	unsigned n = BW_FIELD_GET(COMPUTE_PGM_RSRC2, USER_SGPR, SH(state, COMPUTE_PGM_RSRC2));
	n = BW_MIN(n, (unsigned)BW_DECOMPILE_USER_DATA);
	for (unsigned i = 0; i < n;) {
		uint64_t va = 0;
		if (user[i] == BW_DECOMPILE_NOT_SET) {
			i++;
			continue;
		}
		unsigned step = address_of(d, user + i, n - i, code_va, &va);
		struct bw_str table = {0};
		if (step)
			add_table(d, va, &table);
		/* of a small number only a table that makes sense says that it is an address */
		if (step == 1 && user[i] < BW_CAPTURE_PAGE_B && !table.len)
			step = 0;
		if (step == 2)
			bw_str_addf(out, "  user data %u and %u: 0x%" PRIx64 ", ", i, i + 1, va);
		else if (step)
			bw_str_addf(out, "  user data %u: 0x%08x, address 0x%" PRIx64 ", ", i,
				    user[i], va);
		else if (user[i])
			bw_str_addf(out, "  user data %u: 0x%08x\n", i, user[i]);
		if (step) {
			add_place(d, va, out);
			bw_str_add(out, "\n");
			bw_str_add(out, bw_str_text(&table));
		}
		bw_str_free(&table);
		i += step ? step : 1;
	}
}

/* The capture's dispatch at va; NULL: there is none. */
static const struct bw_capture_dispatch *dispatch_at(const struct bw_decompile *d, uint64_t va)
{
	size_t lo = 0, hi = d->dispatches.len;
	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		if (d->dispatches.data[mid]->packet_va < va)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < d->dispatches.len && d->dispatches.data[lo]->packet_va == va
		       ? d->dispatches.data[lo]
		       : NULL;
}

void bw_decompile_add_name(struct bw_str *out, const char *name)
{
	const struct bw_shown shown = bw_shown(name);
	/* In C, "\\" can continue a comment in the next line, and "??" can begin a trigraph. An
	 * escape of bw_shown has digits after it and does not end a line. */
	for (const char *c = shown.text; *c; c++)
		if (*c == '\\' && (c[1] < '0' || c[1] > '3'))
			bw_str_add(out, "\\134");
		else if (c[0] == '?' && c[1] == '?')
			bw_str_add(out, "\\077");
		else
			bw_str_addn(out, c, 1);
}

char *bw_decompile_dispatch_text(struct bw_decompile *d, const struct bw_pm4_find *f,
				 uint64_t packet_va, size_t shader)
{
	struct bw_str out = {0};
	uint64_t code_va = shader == SIZE_MAX ? 0 : d->pieces.data[shader].va;
	bw_str_addf(&out, "Dispatch %u: %s", d->n_work,
		    code_va ? d->pieces.data[shader].name : "code that is not in the capture");
	const struct bw_capture_dispatch *one = dispatch_at(d, packet_va);
	if (one) {
		bw_str_add(&out, one->pipeline[0] ? ", pipeline " : "");
		bw_decompile_add_name(&out, one->pipeline);
		const char *label = bw_capture_label(&d->sub, one);
		bw_str_add(&out, label[0] ? ", label " : "");
		bw_decompile_add_name(&out, label);
	}
	bw_str_add(&out, "\n");
	add_user_data(d, f->state, code_va, &out);
	return bw_str_take(&out);
}

char *bw_decompile_draw_text(struct bw_decompile *d, const struct bw_pm4_find *f,
			     uint64_t packet_va)
{
	struct bw_str out = {0};
	const struct bw_capture_dispatch *one = dispatch_at(d, packet_va);
	bw_str_addf(&out, "Draw %u: ", d->n_work);
	if (f->draw.n == UINT32_MAX)
		bw_str_add(&out, "its numbers are in memory");
	else
		bw_str_addf(&out, "%u %s, %u instance%s", f->draw.n,
			    f->draw.is_indexed ? "indices" : "vertices", f->draw.n_instances,
			    f->draw.n_instances == 1 ? "" : "s");
	if (one && one->draw) {
		const struct bw_capture_draw *draw = bw_capture_draw_of(&d->sub, one);
		bw_str_add(&out, ", vertex shader ");
		bw_decompile_add_name(&out, bw_capture_shader_name(one->pipeline, one->file));
		bw_str_addf(&out, " at 0x%" PRIx64 ", pixel shader ", one->code_va);
		bw_decompile_add_name(&out, bw_capture_shader_name(draw->pipeline, draw->file));
		bw_str_addf(&out, " at 0x%" PRIx64, draw->code_va);
		const char *label = bw_capture_label(&d->sub, one);
		bw_str_add(&out, label[0] ? ", label " : "");
		bw_decompile_add_name(&out, label);
	}
	bw_str_add(&out, "\n");
	return bw_str_take(&out);
}
