/* SPDX-License-Identifier: MIT */
#ifndef BREAKWATER_WAVES_H
#define BREAKWATER_WAVES_H

/* Waves that are stopped, their registers and memory, and the dispatches that they belong to.
 * Everything here fails with BREAKWATER_E_STATE while the program runs. */

#include <breakwater/session.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Waves ---- */

/* Numbers of the stopped waves, ascending; a number is never used again while the program lives.
 * Writes no more than max of them; out_n: how many there are. */
struct breakwater_error *breakwater_waves(struct breakwater_session *s, uint32_t *out, size_t max,
					  size_t *out_n) BREAKWATER_MUST_CHECK;

struct breakwater_wave {
	size_t size_b; /* of this struct; set by the caller */
	uint64_t pc;
	uint64_t exec; /* the active lanes */
	uint32_t number;
	uint32_t lanes;				   /* 32 or 64 */
	uint32_t agent, queue, dispatch, inferior; /* numbers, as the prompt shows them */
	uint32_t workgroup[3];
	uint32_t wave_in_group;		  /* UINT32_MAX: it and the workgroup are not known */
	uint32_t se, sa, wgp, simd, slot; /* the place in the hardware */
	uint32_t n_vgprs;		  /* 0: given back, not readable */
	uint32_t reasons;		  /* enum breakwater_reason, of its last stop */
	uint32_t breakpoint;		  /* the one that it is at; 0: none */
	uint32_t in_barrier;		  /* 0 or 1 */
	uint32_t pc_is_imprecise;	  /* a memory violation that was reported late */
	uint64_t breakpoint_lanes; /* active lanes for which the breakpoint's condition held */
};
struct breakwater_error *breakwater_wave(struct breakwater_session *s, uint32_t number,
					 struct breakwater_wave *out) BREAKWATER_MUST_CHECK;

enum breakwater_wave_text {
	BREAKWATER_WAVE_NAME,	 /* "AMDGPU Wave 1:2:1:5 (2,0,0)/1" */
	BREAKWATER_WAVE_PLACE,	 /* "se0.sa0.wgp1.simd2.w3" */
	BREAKWATER_WAVE_REASONS, /* "BREAKPOINT|SINGLE_STEP" */
	BREAKWATER_WAVE_WHERE,	 /* "saxpy () at saxpy.s:20" */
};
/* out: the caller's. */
struct breakwater_error *breakwater_wave_text(struct breakwater_session *s, uint32_t number,
					      enum breakwater_wave_text what,
					      char **out) BREAKWATER_MUST_CHECK;
/* The work-item of a lane in its workgroup (x, y, z); BREAKWATER_E_NOT_FOUND where it has none. */
struct breakwater_error *breakwater_work_item(struct breakwater_session *s, uint32_t wave,
					      uint32_t lane, uint32_t out[3]) BREAKWATER_MUST_CHECK;

/* The wave and lane that expressions and commands refer to; 0 where no wave is stopped. */
struct breakwater_error *breakwater_focus(struct breakwater_session *s, uint32_t *out_wave,
					  uint32_t *out_lane) BREAKWATER_MUST_CHECK;
/* lane < 0: the first active one where the wave changes, else as it is. */
struct breakwater_error *breakwater_set_focus(struct breakwater_session *s, uint32_t wave,
					      int lane) BREAKWATER_MUST_CHECK;

/* ---- Registers ---- */

/* Names are those of the prompt: pc exec vcc scc m0 s4 s[4:7] v3 v[0:1] ttmp8 status ... A register
 * is a row of dwords, low one first; a vector register has one dword a lane, lane 0 first, and
 * v[0:1] is all lanes of v0, then those of v1. */
struct breakwater_error *breakwater_register_size(struct breakwater_session *s, uint32_t wave,
						  const char *name,
						  size_t *out_size_b) BREAKWATER_MUST_CHECK;
/* size_b: exactly that size. */
struct breakwater_error *breakwater_register_read(struct breakwater_session *s, uint32_t wave,
						  const char *name, void *out,
						  size_t size_b) BREAKWATER_MUST_CHECK;
/* The same; of a vector register, all lanes are written, active or not. */
struct breakwater_error *breakwater_register_write(struct breakwater_session *s, uint32_t wave,
						   const char *name, const void *data,
						   size_t size_b) BREAKWATER_MUST_CHECK;
/* One lane of a vector register (v3). */
struct breakwater_error *breakwater_lane_write(struct breakwater_session *s, uint32_t wave,
					       const char *name, uint32_t lane,
					       uint32_t value) BREAKWATER_MUST_CHECK;

/* ---- Memory ---- */

enum breakwater_space {
	BREAKWATER_SPACE_GLOBAL,
	BREAKWATER_SPACE_LDS,	  /* va: an offset in the LDS of the wave's workgroup */
	BREAKWATER_SPACE_PRIVATE, /* va: an offset in the scratch of the lane */
};
struct breakwater_address {
	size_t size_b;	   /* of this struct; set by the caller */
	uint64_t va;	   /* in the address space of the wave */
	uint32_t wave;	   /* 0: the focus, with its lane */
	uint32_t lane;	   /* PRIVATE */
	uint32_t space;	   /* enum breakwater_space */
	uint32_t reserved; /* 0 */
};
/* All of size_b bytes, or BREAKWATER_E_FAULT. */
struct breakwater_error *breakwater_memory_read(struct breakwater_session *s,
						const struct breakwater_address *at, void *out,
						size_t size_b) BREAKWATER_MUST_CHECK;
struct breakwater_error *breakwater_memory_write(struct breakwater_session *s,
						 const struct breakwater_address *at,
						 const void *data,
						 size_t size_b) BREAKWATER_MUST_CHECK;

/* ---- Dispatches ---- */

/* Numbers, ascending, as breakwater_waves gives them. */
struct breakwater_error *breakwater_dispatches(struct breakwater_session *s, uint32_t *out,
					       size_t max, size_t *out_n) BREAKWATER_MUST_CHECK;
enum breakwater_dispatch_state {
	BREAKWATER_DISPATCH_HELD,
	BREAKWATER_DISPATCH_RUNNING,
	BREAKWATER_DISPATCH_DONE,
	BREAKWATER_DISPATCH_FAILED,
};
struct breakwater_dispatch {
	size_t size_b; /* of this struct; set by the caller */
	uint32_t number;
	uint32_t state; /* enum breakwater_dispatch_state */
	uint32_t submission, queue, inferior;
	uint32_t groups[3]; /* workgroups; of an indirect dispatch 0 */
	uint32_t group[3];  /* work-items of a workgroup */
	uint32_t reserved;
	uint64_t code_va;
	uint64_t arguments_va; /* 0: not known */
};
struct breakwater_error *breakwater_dispatch(struct breakwater_session *s, uint32_t number,
					     struct breakwater_dispatch *out) BREAKWATER_MUST_CHECK;
/* The name of its kernel ("?" when unknown), the caller's. */
struct breakwater_error *breakwater_dispatch_kernel(struct breakwater_session *s, uint32_t number,
						    char **out) BREAKWATER_MUST_CHECK;

#ifdef __cplusplus
}
#endif
#endif
