/* SPDX-License-Identifier: MIT */
#ifndef BW_PM4_BUILD_H
#define BW_PM4_BUILD_H

/* Building PM4 command streams. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pm4/pm4.h"

/* A growing stream. Check `failed` (out of memory) once, at the end. */
struct bw_pm4_stream {
	uint32_t *data;
	size_t len, cap;
	bool failed;
};
void bw_pm4_stream_free(struct bw_pm4_stream *s);
void bw_pm4_put(struct bw_pm4_stream *s, uint32_t dw);
void bw_pm4_put_copies(struct bw_pm4_stream *s, uint32_t dw,
		       uint32_t n); /* n times the same dword */
void bw_pm4_put_words(struct bw_pm4_stream *s, const uint32_t *dw, size_t n); /* NULL: zeros */
void bw_pm4_put_header(struct bw_pm4_stream *s, enum bw_pm4_op op, uint32_t n_body);

#include "pm4/building.h" /* generated: bw_pm4_build_<form>() */

/* Appends the packet of a struct of pm4/packets.h:
 *
 *     BW_PM4_BUILD(s, event_write, .type = BW_PM4_EVENT_CS_PARTIAL_FLUSH, .index = 4); */
#define BW_PM4_BUILD(s, form, ...) bw_pm4_build_##form(s, &(struct bw_pm4_##form){__VA_ARGS__})

/* Appends a NOP of size_dw >= 1 dwords. */
void bw_pm4_put_nop(struct bw_pm4_stream *s, uint32_t size_dw);
void bw_pm4_put_sh(struct bw_pm4_stream *s, uint32_t addr_dw, const uint32_t *values, uint32_t n);
void bw_pm4_put_uconfig(struct bw_pm4_stream *s, uint32_t addr_dw, uint32_t value);
void bw_pm4_put_dispatch(struct bw_pm4_stream *s, const uint32_t dim[3], uint32_t initiator);
void bw_pm4_put_event(struct bw_pm4_stream *s, unsigned type, unsigned index);
void bw_pm4_put_write_reg(struct bw_pm4_stream *s, uint32_t addr_dw, uint32_t value);
void bw_pm4_put_write_mem(struct bw_pm4_stream *s, uint64_t va, const uint32_t *values, uint32_t n);
void bw_pm4_put_wait_reg(struct bw_pm4_stream *s, uint32_t addr_dw, uint32_t ref, uint32_t mask);
/* Writes `ref` to the first register, then waits until (second register & mask) == (ref & mask). */
void bw_pm4_put_write_wait_reg(struct bw_pm4_stream *s, uint32_t addr_dw, uint32_t addr2_dw,
			       uint32_t ref, uint32_t mask);
void bw_pm4_put_wait_mem(struct bw_pm4_stream *s, uint64_t va, unsigned function, uint32_t ref,
			 uint32_t mask);
void bw_pm4_put_indirect_buffer(struct bw_pm4_stream *s, uint64_t va, uint32_t size_dw,
				unsigned vmid, bool chain);
/* Appends an end-of-pipe fence: writes a 64-bit value, and raises an interrupt if asked. */
void bw_pm4_put_fence(struct bw_pm4_stream *s, uint64_t va, uint64_t value, bool interrupt);
void bw_pm4_put_acquire(struct bw_pm4_stream *s, uint32_t gcr);
/* GCR_CNTL of RADV's preamble (invalidate everything a shader reads through, code too) and of its
 * end (write back): doc/hardware/dispatch.md 2.1. */
enum { BW_PM4_GCR_BEFORE = 0xc3b1, BW_PM4_GCR_AFTER = 0xc030 };
/* Drivers make a command stream of so many dwords, or a multiple of it. */
enum { BW_PM4_IB_ALIGN_DW = 8 };

#endif
