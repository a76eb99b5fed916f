/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_EXEC_MEM_SET_H
#define BW_VGPU_EXEC_MEM_SET_H

/* Vector memory instructions are compiled twice, for any x86-64 (BW_MEM_SET v1) and for those with
 * AVX2 (v3); memory.c chooses a set of tables. Those that the checker follows are compiled for
 * both once more (check_v1, check_v3, with BW_MEM_CHECK), so that the others do not pay for it.
 * Functions that only the files of a set call are named after the set. */

#ifdef BW_MEM_SET
#define BW_MEM_NAME__(name, set) name##_##set
#define BW_MEM_NAME_(name, set) BW_MEM_NAME__(name, set)
#define BW_MEM_NAME(name) BW_MEM_NAME_(name, BW_MEM_SET)

#define bw_mem_flat BW_MEM_NAME(bw_mem_flat)
#define bw_mem_ds BW_MEM_NAME(bw_mem_ds)
#define bw_mem_buf BW_MEM_NAME(bw_mem_buf)
#define bw_mem_tbuf BW_MEM_NAME(bw_mem_tbuf)
#define bw_buf_locate BW_MEM_NAME(bw_buf_locate)
#define bw_buf_format BW_MEM_NAME(bw_buf_format)
#define bw_buf_clear_tfe BW_MEM_NAME(bw_buf_clear_tfe)
#define bw_mem_lds BW_MEM_NAME(bw_mem_lds)
#define bw_mem_ray BW_MEM_NAME(bw_mem_ray)
#define bw_mem_img BW_MEM_NAME(bw_mem_img)
#define bw_mem_sample BW_MEM_NAME(bw_mem_sample)
#define bw_img_n_coords BW_MEM_NAME(bw_img_n_coords)
#define bw_img_prepare BW_MEM_NAME(bw_img_prepare)
#define bw_img_begin BW_MEM_NAME(bw_img_begin)
#define bw_img_body_u32 BW_MEM_NAME(bw_img_body_u32)
#define bw_img_body_f32 BW_MEM_NAME(bw_img_body_f32)
#define bw_img_fetch BW_MEM_NAME(bw_img_fetch)
#define bw_img_texel BW_MEM_NAME(bw_img_texel)
#define bw_img_nothing BW_MEM_NAME(bw_img_nothing)
#define bw_img_write BW_MEM_NAME(bw_img_write)
#define bw_img_write_n BW_MEM_NAME(bw_img_write_n)
#define bw_span_atomic BW_MEM_NAME(bw_span_atomic)
#define bw_span_locate_va BW_MEM_NAME(bw_span_locate_va)
#define bw_span_locate_lds BW_MEM_NAME(bw_span_locate_lds)
#define bw_span_locate_private BW_MEM_NAME(bw_span_locate_private)
#define bw_span_locate_sink BW_MEM_NAME(bw_span_locate_sink)
#define bw_span_locate_global BW_MEM_NAME(bw_span_locate_global)
#define bw_span_locate_half BW_MEM_NAME(bw_span_locate_half)
#define bw_span_violation BW_MEM_NAME(bw_span_violation)
#define bw_span_refuse_half BW_MEM_NAME(bw_span_refuse_half)
#define bw_span_add_piece BW_MEM_NAME(bw_span_add_piece)
#define bw_span_set_align BW_MEM_NAME(bw_span_set_align)
#define bw_span_check BW_MEM_NAME(bw_span_check)
#define bw_span_touch BW_MEM_NAME(bw_span_touch)
#endif

#endif
