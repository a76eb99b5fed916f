/* SPDX-License-Identifier: MIT */
#ifndef BW_RECORD_DECOMPILE_H
#define BW_RECORD_DECOMPILE_H

/* Writes a submission of a capture as C (breakwater decompile): its parts (decompile_find.c), its
 * streams as calls (decompile_stream.c), its shaders as lines (decompile_shader.c), the arguments
 * of dispatches (decompile_notes.c), and the command (cli/decompile.c). The C calls functions of
 * cli/edit/breakwater_edit.h. The bytes of a capture are untrusted. */

#include "base/str.h"
#include "capture/seek.h"
#include "pm4/describe.h"
#include "pm4/scan.h"

/* The value of user data that the submission has not set; no program uses it. */
#define BW_DECOMPILE_NOT_SET 0xbadc0dedu
enum { BW_DECOMPILE_USER_DATA = 16 };

enum bw_decompile_kind { BW_DECOMPILE_PM4, BW_DECOMPILE_SDMA, BW_DECOMPILE_SHADER };

/* Bytes at an address that have a name in the C. */
struct bw_decompile_piece {
	enum bw_decompile_kind kind;
	char name[24], title[24]; /* "ib_0" and "IB_0": of its function or lines, of its number */
	bool is_called;		  /* not an IB of the call itself */
	uint64_t va;
	uint32_t size_b;
	uint32_t *dw;	/* owned; size_b bytes */
	unsigned lanes; /* of the waves that run the shader */
	/* code that cannot change its length, because it uses its own address */
	bool reads_pc;
	bool has_notes; /* of all its dispatches */
};

/* A comment before a packet. */
struct bw_decompile_note {
	size_t piece, at_dw;
	char *text; /* owned; lines */
};

struct bw_decompile {
	struct bw_capture_reader *r;
	struct bw_capture_space space; /* before the submission */
	struct bw_capture_submission sub;
	char gpu[24]; /* "gfx1100" */
	struct bw_pm4_names names;
	struct BW_VEC(struct bw_decompile_piece) pieces;
	struct BW_VEC(struct bw_decompile_note) notes; /* by piece and place */
	struct BW_VEC(uint32_t) ibs;		       /* for each IB of the call, its piece */
	struct BW_VEC(const struct bw_capture_dispatch *) dispatches; /* of sub, by packet */
	/* work: dispatches and draws, which have one count */
	unsigned n_called, n_shaders, n_dispatches, n_draws, n_work;
	uint64_t pieces_b;
	size_t next_note;
	/* while C is written: registers and calls that it has names for */
	struct BW_VEC(uint32_t) registers;
	struct BW_VEC(const void *) calls;
	struct bw_str enums, packets, code;
	bool packet_names[256];
};
void bw_decompile_fini(struct bw_decompile *d);

/* Fills pieces, notes and ibs from space and sub. */
struct bw_error *bw_decompile_find(struct bw_decompile *d) BW_MUST_CHECK;
/* The piece with these bytes; SIZE_MAX: none. size_b 0: any size. */
size_t bw_decompile_piece_at(const struct bw_decompile *d, uint64_t va, uint32_t size_b,
			     bool is_shader);

/* Appends a name for a comment, so that it can neither end the comment's line nor continue in the
 * next one. */
void bw_decompile_add_name(struct bw_str *out, const char *name);
/* The notes on the draw at which a scan is, whose packet is at packet_va: its shaders, by their
 * addresses, and names. The caller owns the text. */
char *bw_decompile_draw_text(struct bw_decompile *d, const struct bw_pm4_find *f,
			     uint64_t packet_va);
/* The notes on the dispatch at which a scan is, whose packet is at packet_va: its shader (SIZE_MAX:
 * not known), names, user data, and the memory to which that points. The caller owns the text. */
char *bw_decompile_dispatch_text(struct bw_decompile *d, const struct bw_pm4_find *f,
				 uint64_t packet_va, size_t shader);

/* ---- What appends to enums, packets and code ---- */

struct bw_error *bw_decompile_stream(struct bw_decompile *d, size_t piece) BW_MUST_CHECK;
struct bw_error *bw_decompile_shader(struct bw_decompile *d, size_t piece) BW_MUST_CHECK;
/* The size in bytes of the code at dw, up to its last instruction; n: dwords that are there. 0:
 * nothing can be decoded, or (*out_more) the code does not end within them. */
uint32_t bw_decompile_code_b(const char *gpu, uint64_t va, const uint32_t *dw, size_t n,
			     bool *out_more, bool *out_reads_pc);

#endif
