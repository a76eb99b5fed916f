/* SPDX-License-Identifier: MIT */
#ifndef BW_SCAN_SYMBOLS_H
#define BW_SCAN_SYMBOLS_H

/* What runs at an address of a GPU that is looked at: code objects that ROCm's runtime has loaded
 * are where its list says (loaded.h), others are recognized by their bytes in GPU memory. One
 * thread. */

#include "base/vec.h"
#include "base/str.h"
#include "gpu/opened.h"
#include "gpu/space.h"
#include "sym/code_object.h"

struct bw_scan_loaded_code {
	unsigned vmid;
	uint64_t base;
	struct bw_code_object *co; /* owned */
};

struct bw_scan_symbols {
	const struct bw_gpu *gpu; /* borrowed; NULL until it is opened */
	struct bw_scan_code BW_VEC(struct bw_code_object *) code;
	struct BW_VEC(struct bw_scan_loaded_code) loaded;
	struct {
		bool is_looked_at, has_process, is_open;
		struct bw_kmd_client process;
		struct bw_gpu_space space;
	} vmid[BW_GPU_VMIDS];
	/* the last answer: waves at the same place ask one after the other */
	struct {
		bool is_valid, is_known;
		unsigned vmid;
		uint64_t pc;
		char text[160];
	} last;
};

/* A code object that may run, by the user's word. */
struct bw_error *bw_scan_symbols_add(struct bw_scan_symbols *s, const char *path) BW_MUST_CHECK;
void bw_scan_symbols_close(struct bw_scan_symbols *s);
/* The process of a VMID; its code objects are known from then on. NULL: not known. */
const struct bw_kmd_client *bw_scan_symbols_process(struct bw_scan_symbols *s, unsigned vmid);
/* Appends "saxpy+60" for an address of a VMID; false where its code is not known. */
bool bw_scan_symbols_at(struct bw_scan_symbols *s, unsigned vmid, uint64_t pc, struct bw_str *out);
/* Appends "saxpy" in the same way. */
bool bw_scan_symbols_name(struct bw_scan_symbols *s, unsigned vmid, uint64_t pc,
			  struct bw_str *out);

/* The code objects that ROCm's runtime has loaded in a process; without it, those that the words of
 * its command line name, seen from its folder. fn takes each of them; damaged ones are left out. */
typedef struct bw_error *bw_scan_code_fn(void *cookie, struct bw_code_object *co);
struct bw_error *bw_scan_code_of(pid_t pid, bw_scan_code_fn *fn, void *cookie) BW_MUST_CHECK;

#endif
