/* SPDX-License-Identifier: MIT */
/* Registers of waves as rows of dwords, and memory. */
#include "api/api_priv.h"

#include <stdlib.h>
#include <string.h>

#include <breakwater/waves.h>

#include "base/cleanup.h"
#include "base/util.h"
#include "debug/registers.h"

/* A register of a wave that can be read now. */
struct reg {
	const struct bw_wave_info *wave;
	struct bw_wave_reg r;
	size_t n_dw;
};

static struct bw_error *find_reg(struct breakwater_session *s, uint32_t wave, const char *name,
				 struct reg *out)
{
	struct bw_debug *d = s->session->debug;
	BW_TRY(bw_api_find_wave(s, wave, &out->wave));
	if (!name || !bw_wave_reg_parse(bw_debug_arch(d), name, &out->r))
		return bw_errorf(BW_E_NOT_FOUND, "There is no register \"%s\"", name ? name : "");
	out->n_dw = bw_wave_reg_is_vector(out->r) ? (size_t)out->r.count * out->wave->lanes
						  : bw_wave_reg_size_dw(out->r, out->wave);
	return NULL;
}

static struct bw_error *check_size(const struct reg *g, const char *name, size_t size_b)
{
	return size_b == g->n_dw * 4 ? NULL
				     : bw_errorf(BW_E_INVALID, "%s has %zu bytes, not %zu", name,
						 g->n_dw * 4, size_b);
}

static struct bw_wave_reg one_of(struct bw_wave_reg r, unsigned i)
{
	return (struct bw_wave_reg){r.cls, (uint16_t)(r.index + i), 1};
}

/* Of a wave64 the lanes are 64 dwords; the core gives 64 in any case. */
static struct bw_error *read_vector(struct bw_debug *d, const struct reg *g, uint32_t *out)
{
	uint32_t lanes[64];
	unsigned n;
	BW_TRY(bw_wave_vgpr_number(g->wave, g->r, &n));
	for (unsigned i = 0; i < g->r.count; i++) {
		BW_TRY(bw_debug_vgpr_read(d, g->wave->number, n + i, lanes));
		memcpy(out + (size_t)i * g->wave->lanes, lanes, (size_t)g->wave->lanes * 4);
	}
	return NULL;
}

static struct bw_error *read_reg(struct bw_debug *d, const struct reg *g, uint32_t *out)
{
	uint64_t value;
	if (bw_wave_reg_is_vector(g->r))
		return read_vector(d, g, out);
	if (g->r.cls == BW_REG_SGPR)
		return bw_debug_sgprs_read(d, g->wave->number, g->r.index, g->r.count, out);
	if (g->r.count > 1) {
		for (unsigned i = 0; i < g->r.count; i++) {
			BW_TRY(bw_debug_reg_read(d, g->wave->number, one_of(g->r, i), &value));
			out[i] = bw_lo32(value);
		}
		return NULL;
	}
	BW_TRY(bw_debug_reg_read(d, g->wave->number, g->r, &value));
	for (unsigned i = 0; i < g->n_dw; i++)
		out[i] = bw_half32(value, i);
	return NULL;
}

static struct bw_error *write_reg(struct bw_debug *d, const struct reg *g, const uint32_t *data)
{
	uint32_t number = g->wave->number;
	unsigned lanes = g->wave->lanes;
	if (bw_wave_reg_is_vector(g->r)) {
		unsigned n;
		BW_TRY(bw_wave_vgpr_number(g->wave, g->r, &n));
		for (unsigned i = 0; i < g->n_dw; i++)
			BW_TRY(bw_debug_vgpr_write(d, number, n + i / lanes, i % lanes, data[i]));
		return NULL;
	}
	if (g->r.count > 1) {
		for (unsigned i = 0; i < g->r.count; i++)
			BW_TRY(bw_debug_reg_write(d, number, one_of(g->r, i), data[i]));
		return NULL;
	}
	return bw_debug_reg_write(d, number, g->r, bw_join32(g->n_dw > 1 ? data[1] : 0, data[0]));
}

struct breakwater_error *breakwater_register_size(struct breakwater_session *s, uint32_t wave,
						  const char *name, size_t *out_size_b)
{
	struct reg g;
	struct bw_api_call call;
	struct bw_error *err = bw_api_enter(&call, s, BW_API_READS | BW_API_STOPPED);
	if (!err)
		err = find_reg(s, wave, name, &g);
	if (!err)
		*out_size_b = g.n_dw * 4;
	return bw_api_leave(&call, err);
}

/* The caller's buffer need not be aligned. */
static struct bw_error *transfer(struct breakwater_session *s, const struct reg *g, void *out,
				 const void *data)
{
	_cleanup_free_ uint32_t *words = calloc(g->n_dw, sizeof(*words));
	if (!words)
		return bw_error_nomem();
	if (!out) {
		memcpy(words, data, g->n_dw * 4);
		return write_reg(s->session->debug, g, words);
	}
	BW_TRY(read_reg(s->session->debug, g, words));
	memcpy(out, words, g->n_dw * 4);
	return NULL;
}

struct breakwater_error *breakwater_register_read(struct breakwater_session *s, uint32_t wave,
						  const char *name, void *out, size_t size_b)
{
	struct reg g;
	struct bw_api_call call;
	struct bw_error *err = bw_api_enter(&call, s, BW_API_READS | BW_API_STOPPED);
	if (!err)
		err = find_reg(s, wave, name, &g);
	if (!err)
		err = check_size(&g, name, size_b);
	if (!err)
		err = bw_error_wrap(transfer(s, &g, out, NULL), "reading %s of wave %u", name,
				    wave);
	return bw_api_leave(&call, err);
}

struct breakwater_error *breakwater_register_write(struct breakwater_session *s, uint32_t wave,
						   const char *name, const void *data,
						   size_t size_b)
{
	struct reg g;
	struct bw_api_call call;
	struct bw_error *err = bw_api_enter(&call, s, BW_API_STOPPED);
	if (!err)
		err = find_reg(s, wave, name, &g);
	if (!err)
		err = check_size(&g, name, size_b);
	if (!err)
		err = bw_error_wrap(transfer(s, &g, NULL, data), "writing %s of wave %u", name,
				    wave);
	return bw_api_leave(&call, err);
}

struct breakwater_error *breakwater_lane_write(struct breakwater_session *s, uint32_t wave,
					       const char *name, uint32_t lane, uint32_t value)
{
	struct reg g;
	struct bw_api_call call;
	struct bw_error *err = bw_api_enter(&call, s, BW_API_STOPPED);
	if (!err)
		err = find_reg(s, wave, name, &g);
	if (!err && (!bw_wave_reg_is_vector(g.r) || g.r.count != 1))
		err = bw_errorf(BW_E_INVALID, "%s is not one vector register", name);
	if (!err && lane >= g.wave->lanes)
		err = bw_errorf(BW_E_NOT_FOUND, "Invalid lane ID: %u (the wave has lanes 0 to %u)",
				lane, g.wave->lanes - 1u);
	unsigned n = 0;
	if (!err)
		err = bw_wave_vgpr_number(g.wave, g.r, &n);
	if (!err)
		err = bw_debug_vgpr_write(s->session->debug, wave, n, lane, value);
	return bw_api_leave(&call, err);
}

/* ---- Memory ---- */

static struct bw_error *read_address(const struct breakwater_address *at,
				     struct breakwater_address *out, enum bw_space *out_space)
{
	static const enum bw_space spaces[] = {
		[BREAKWATER_SPACE_GLOBAL] = BW_SPACE_GLOBAL,
		[BREAKWATER_SPACE_LDS] = BW_SPACE_LDS,
		[BREAKWATER_SPACE_PRIVATE] = BW_SPACE_PRIVATE,
	};
	if (!at || at->size_b < sizeof(*at))
		return bw_errorf(
			BW_E_INVALID,
			"size_b of the address is too small: set it to the size of the struct");
	*out = *at;
	if (out->space >= BW_ARRAY_SIZE(spaces))
		return bw_errorf(BW_E_INVALID, "%u is not an address space", out->space);
	*out_space = spaces[out->space];
	return NULL;
}

static struct bw_error *access_memory(struct breakwater_session *s,
				      const struct breakwater_address *address, void *out,
				      const void *data, size_t size_b)
{
	struct breakwater_address at = {0};
	struct bw_api_focus focus;
	enum bw_space space = BW_SPACE_GLOBAL;
	BW_TRY(read_address(address, &at, &space));
	struct bw_error *err = bw_api_focus_begin(
		&focus, s, at.wave, at.wave && space == BW_SPACE_PRIVATE ? (int)at.lane : -1);
	if (!err)
		err = out ? bw_debug_read(s->session->debug, space, at.va, out, size_b)
			  : bw_debug_write(s->session->debug, space, at.va, data, size_b);
	bw_api_focus_end(&focus);
	return err;
}

struct breakwater_error *breakwater_memory_read(struct breakwater_session *s,
						const struct breakwater_address *at, void *out,
						size_t size_b)
{
	struct bw_api_call call;
	struct bw_error *err = bw_api_enter(&call, s, BW_API_READS | BW_API_STOPPED);
	if (!err && size_b)
		err = access_memory(s, at, out, NULL, size_b);
	return bw_api_leave(&call, err);
}

struct breakwater_error *breakwater_memory_write(struct breakwater_session *s,
						 const struct breakwater_address *at,
						 const void *data, size_t size_b)
{
	struct bw_api_call call;
	struct bw_error *err = bw_api_enter(&call, s, BW_API_STOPPED);
	if (!err && size_b)
		err = access_memory(s, at, NULL, data, size_b);
	return bw_api_leave(&call, err);
}
