/* SPDX-License-Identifier: MIT */
#ifndef BW_TESTS_ISA_GFX9_NAMES_H
#define BW_TESTS_ISA_GFX9_NAMES_H

/* The names that data/isa has for instructions of gfx9: those of gfx11 where the instruction is
 * there, too. For tests that ask LLVM. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/util.h"
#include "isa/inst.h"
#include "isa/ops.h"

/* clang-format off */
static const char *const gfx9_whole[][2] = {
	{"s_ff1_i32_b32", "s_ctz_i32_b32"}, {"s_ff1_i32_b64", "s_ctz_i32_b64"},
	{"s_flbit_i32_b32", "s_clz_i32_u32"}, {"s_flbit_i32_b64", "s_clz_i32_u64"},
	{"s_flbit_i32", "s_cls_i32"}, {"s_flbit_i32_i64", "s_cls_i32_i64"},
	{"v_addc_co_u32", "v_add_co_ci_u32"}, {"v_subb_co_u32", "v_sub_co_ci_u32"}, {"v_subbrev_co_u32", "v_subrev_co_ci_u32"},
	{"v_add_u32", "v_add_nc_u32"}, {"v_sub_u32", "v_sub_nc_u32"}, {"v_subrev_u32", "v_subrev_nc_u32"},
	{"v_add_u16", "v_add_nc_u16"}, {"v_sub_u16", "v_sub_nc_u16"},
	{"v_add_i32", "v_add_nc_i32"}, {"v_sub_i32", "v_sub_nc_i32"}, {"v_add_i16", "v_add_nc_i16"}, {"v_sub_i16", "v_sub_nc_i16"},
	{"v_ffbh_u32", "v_clz_i32_u32"}, {"v_ffbl_b32", "v_ctz_i32_b32"}, {"v_ffbh_i32", "v_cls_i32"},
	{"v_cvt_flr_i32_f32", "v_cvt_floor_i32_f32"}, {"v_cvt_rpi_i32_f32", "v_cvt_nearest_i32_f32"},
	{"v_mul_legacy_f32", "v_mul_dx9_zero_f32"}, {"v_dot2c_f32_f16", "v_dot2acc_f32_f16"},
	{"v_mad_mix_f32", "v_fma_mix_f32"}, {"v_mad_mixlo_f16", "v_fma_mixlo_f16"}, {"v_mad_mixhi_f16", "v_fma_mixhi_f16"},
};
/* Parts of names, in their order; `at` is what the name begins with. */
static const struct { const char *at, *part, *instead; } gfx9_parts[] = {
	{"s_", "_andn1_", "_and_not0_"}, {"s_", "_orn1_", "_or_not0_"}, {"s_", "_andn2_", "_and_not1_"}, {"s_", "_orn2_", "_or_not1_"},
	{"s_load_", "dword", "b32"}, {"s_buffer_load_", "dword", "b32"},
	{"v_cvt_pk", "v_cvt_pkrtz", "v_cvt_pk_rtz"}, {"v_cvt_pk", "v_cvt_pknorm", "v_cvt_pk_norm"},
	{"v_cmp", "_tru_", "_t_"},
	{"ds_read", "ds_read2st64", "ds_load_2addr_stride64"}, {"ds_read", "ds_read2", "ds_load_2addr"}, {"ds_read", "ds_read", "ds_load"},
	{"ds_write", "ds_write2st64", "ds_store_2addr_stride64"}, {"ds_write", "ds_write2", "ds_store_2addr"}, {"ds_write", "ds_write", "ds_store"},
	{"ds_wrxchg", "ds_wrxchg2st64", "ds_storexchg_2addr_stride64"}, {"ds_wrxchg", "ds_wrxchg2", "ds_storexchg_2addr"}, {"ds_wrxchg", "ds_wrxchg", "ds_storexchg"},
};
/* After flat_, global_, scratch_ and buffer_. */
static const char *const gfx9_memory[][2] = {
	{"ubyte_d16_hi", "d16_hi_u8"}, {"ubyte_d16", "d16_u8"}, {"sbyte_d16_hi", "d16_hi_i8"}, {"sbyte_d16", "d16_i8"},
	{"byte_d16_hi", "d16_hi_b8"}, {"short_d16_hi", "d16_hi_b16"}, {"short_d16", "d16_b16"},
	{"ubyte", "u8"}, {"sbyte", "i8"}, {"ushort", "u16"}, {"sshort", "i16"}, {"byte", "b8"}, {"short", "b16"},
	{"dwordx2", "b64"}, {"dwordx3", "b96"}, {"dwordx4", "b128"}, {"dword", "b32"},
};
static const char *const gfx9_atomics[][2] = {
	{"smin", "min_i"}, {"smax", "max_i"}, {"umin", "min_u"}, {"umax", "max_u"}, {"add", "add_u"}, {"sub", "sub_u"}, {"inc", "inc_u"},
	{"dec", "dec_u"}, {"swap", "swap_b"}, {"cmpswap", "cmpswap_b"}, {"and", "and_b"}, {"or", "or_b"}, {"xor", "xor_b"},
};
/* clang-format on */

static void gfx9_memory_name(char *name, size_t name_b)
{
	static const char *const kinds[] = {"load_lds_", "load_", "store_"};
	char *rest = strchr(name, '_') + 1;
	size_t room = name_b - (size_t)(rest - name);
	for (size_t k = 0; k < BW_ARRAY_SIZE(kinds); k++) {
		if (!bw_starts_with(rest, kinds[k]))
			continue;
		char *what = rest + strlen(kinds[k]), hi[40];
		for (size_t i = 0; i < BW_ARRAY_SIZE(gfx9_memory); i++)
			if (!strcmp(what, gfx9_memory[i][0])) {
				strcpy(what, gfx9_memory[i][1]);
				return;
			}
		if (sscanf(what, "format_d16_%39s", hi) == 1) {
			bool is_hi = bw_starts_with(hi, "hi_");
			snprintf(what, room - strlen(kinds[k]), "d16_%sformat_%s",
				 is_hi ? "hi_" : "", hi + (is_hi ? 3 : 0));
		}
		return;
	}
	if (!bw_starts_with(rest, "atomic_"))
		return;
	char *what = rest + strlen("atomic_");
	char *x2 = strstr(what, "_x2");
	size_t n = x2 ? (size_t)(x2 - what) : strlen(what);
	for (size_t i = 0; i < BW_ARRAY_SIZE(gfx9_atomics); i++)
		if (strlen(gfx9_atomics[i][0]) == n && !memcmp(what, gfx9_atomics[i][0], n)) {
			snprintf(what, room - strlen("atomic_"), "%s%s", gfx9_atomics[i][1],
				 x2 ? "64" : "32");
			return;
		}
}

static void gfx9_scalar_load(char *name)
{
	char *x = strstr(name, "b32x");
	if (x)
		sprintf(x, "b%d", 32 * atoi(x + 4));
}

/* LLVM's name without its _e32 and the like becomes the one of data/isa. */
static void gfx9_rename(char *name, size_t name_b)
{
	/* Rows that differ from those of their own name. */
	char forked[100];
	snprintf(forked, sizeof(forked), "%.90s_gfx9", name);
	if (bw_isa_op_by_name(forked) != BW_OP_ILLEGAL) {
		snprintf(name, name_b, "%s", forked);
		return;
	}
	for (size_t i = 0; i < BW_ARRAY_SIZE(gfx9_whole); i++)
		if (!strcmp(name, gfx9_whole[i][0])) {
			snprintf(name, name_b, "%s", gfx9_whole[i][1]);
			return;
		}
	for (size_t i = 0; i < BW_ARRAY_SIZE(gfx9_parts); i++) {
		char *at = strstr(name, gfx9_parts[i].part), whole[100];
		if (!bw_starts_with(name, gfx9_parts[i].at) || !at)
			continue;
		snprintf(whole, sizeof(whole), "%.*s%s%.60s", (int)(at - name), name,
			 gfx9_parts[i].instead, at + strlen(gfx9_parts[i].part));
		snprintf(name, name_b, "%.99s", whole);
		break;
	}
	gfx9_scalar_load(name);
	if (bw_starts_with(name, "flat_") || bw_starts_with(name, "global_") ||
	    bw_starts_with(name, "scratch_") || bw_starts_with(name, "buffer_") ||
	    bw_starts_with(name, "tbuffer_"))
		gfx9_memory_name(name, name_b);
}

#endif
