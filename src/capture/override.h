/* SPDX-License-Identifier: MIT */
#ifndef BW_CAPTURE_OVERRIDE_H
#define BW_CAPTURE_OVERRIDE_H

/* Override files (*.bwo): what one submission of a capture is to be instead. The programs that
 * `breakwater decompile` writes make them, `breakwater replay --override` takes them;
 * doc/capture.md, "Override files", describes the bytes. Pure. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/vec.h"

enum {
	BW_OVERRIDE_VERSION = 1,
	BW_OVERRIDE_IBS_MAX = 256,
	BW_OVERRIDE_PARTS_MAX = 4096,
	BW_OVERRIDE_FILE_MAX_B = 256 << 20,
};

/* An IB of the call: where the capture has it, by which the submission is recognised, and what is
 * submitted instead. */
struct bw_override_ib {
	uint64_t captured_va, va;
	uint32_t captured_b, size_b; /* whole dwords; size_b may be 0: the IB is empty */
};

/* Bytes at an address of the GPU. New: memory that the capture does not have, from a multiple of
 * 4096; else what is mapped there is changed for as long as the submission runs. */
struct bw_override_part {
	uint64_t va, size_b;
	bool is_new;
	const uint8_t *bytes; /* borrowed from the file's bytes */
};

struct bw_override {
	uint32_t number; /* of the submission that it was made of */
	struct BW_VEC(struct bw_override_ib) ibs;
	struct BW_VEC(struct bw_override_part) parts;
};

/* Whether the bytes begin as an override file does; else they are a command stream. */
bool bw_override_is(const void *bytes, size_t size_b);
/* BW_E_INVALID says what is wrong with the file. out: empty before, and after an error; borrows
 * `bytes`, else freed by bw_override_fini. Addresses are not compared with any mapping. */
struct bw_error *bw_override_decode(const void *bytes, size_t size_b,
				    struct bw_override *out) BW_MUST_CHECK;
void bw_override_fini(struct bw_override *o);

#endif
