/* SPDX-License-Identifier: MIT */
#ifndef BW_CLI_WAVE_SYMBOLS_H
#define BW_CLI_WAVE_SYMBOLS_H

/* What runs at an address, for commands without a session: code objects are recognized by their
 * bytes in GPU memory. One thread. */

#include "base/vec.h"
#include "cli/look_memory.h"
#include "sym/code_object.h"

enum { BW_WAVE_VMIDS = 16 };

struct bw_wave_symbols {
	struct bw_look *look;
	struct bw_kmd *kmd; /* NULL until it is opened */
	struct bw_wave_code BW_VEC(struct bw_code_object *) code;
	struct {
		bool is_looked_at, has_process, is_open;
		struct bw_kmd_client process;
		struct bw_look_memory memory;
	} vmid[BW_WAVE_VMIDS];
	/* the last answer: waves at the same place ask one after the other */
	struct {
		bool is_valid, is_known;
		unsigned vmid;
		uint64_t pc;
		char text[160];
	} last;
};

/* A code object that may run, by the user's word. */
struct bw_error *bw_wave_symbols_add(struct bw_wave_symbols *s, const char *path) BW_MUST_CHECK;
/* l and kmd are borrowed. */
void bw_wave_symbols_open(struct bw_wave_symbols *s, struct bw_look *l, struct bw_kmd *kmd);
void bw_wave_symbols_close(struct bw_wave_symbols *s);
/* The process of a VMID; its code objects are known from then on. NULL: not known. */
const struct bw_kmd_client *bw_wave_symbols_process(struct bw_wave_symbols *s, unsigned vmid);
/* "saxpy+60" for an address of a VMID; false where its code is not known. */
bool bw_wave_symbols_at(struct bw_wave_symbols *s, unsigned vmid, uint64_t pc, struct bw_str *out);

#endif
