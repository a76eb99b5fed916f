/* SPDX-License-Identifier: MIT */
#ifndef BW_SWAP_RULES_H
#define BW_SWAP_RULES_H

/* The rules by which shaders of a program are replaced (breakwater exec --shader WHICH=FILE). The
 * debugger writes the file `rules` into its folder for agents (wire/agent_folders.h); the agent in
 * the program reads it once, and appends a record to the file `said` there for each shader that it
 * sees. Rules with machine code are read by breakwater-replay, too.
 * This code converts bytes to structs; callers read and write the files. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/vec.h"

#define BW_SWAP_RULES_FILE "rules"
#define BW_SWAP_SAID_FILE "said"
#define BW_SWAP_CODE_FILE "code" /* of each shader whose code has been saved: with a number */

enum { BW_SWAP_RULES_MAX = 64, BW_SWAP_FILE_MAX_B = 64 << 20, BW_SWAP_CODE_MAX_B = 1 << 20 };
enum bw_swap_kind { BW_SWAP_SPIRV = 1, BW_SWAP_CODE };
enum bw_swap_by { BW_SWAP_BY_NAME = 1, BW_SWAP_BY_HASH, BW_SWAP_BY_VA };

/* A range of bytes in the file; size_b 0: there are none. */
struct bw_swap_bytes {
	uint32_t at, size_b;
};
struct bw_swap_rule {
	char which[128]; /* as the user wrote it: a pattern as for fnmatch(3) */
	uint32_t kind, by;
	uint64_t number; /* the hash, or the address of the code */
	struct bw_swap_bytes spirv;
	/* machine code for waves of 32 and of 64 lanes; none: it does not assemble for these */
	struct bw_swap_bytes code[2];
	uint32_t vgprs[2]; /* that it uses */
	uint32_t lds_b;	   /* that a workgroup needs; 0: as many as before */
	/* SPIR-V in a replay, as the driver has compiled it for the capture's pipelines (see
	 * variant.h): so many structs, and their code after them */
	uint32_t n_variants;
	struct bw_swap_bytes variants;
};

struct bw_swap_rules {
	uint8_t *bytes; /* of the whole file; owned */
	size_t size_b;
	struct BW_VEC(struct bw_swap_rule) rules;
	bool saves; /* SPIR-V and code of all shaders are wanted in the folder */
};

/* The agent's reports, one record for each event; each is appended with one write(). */
enum bw_swap_event {
	BW_SWAP_CREATED = 1, /* a pipeline, or an OpenCL kernel */
	BW_SWAP_REPLACED,    /* ... by the rule's */
	BW_SWAP_REFUSED,     /* the rule's does not fit: text */
	BW_SWAP_SAVED,	     /* number: of the file that has its code */
};
struct bw_swap_said {
	uint32_t event, rule; /* rule: from 0; UINT32_MAX: none */
	uint64_t hash;	      /* of its SPIR-V; 0: not known */
	uint64_t code_va;     /* 0: not known */
	uint32_t pid, number;
	uint32_t lanes, rsrc1, rsrc2, pad; /* of the dispatch whose code was saved */
	char name[64], module[64], entry[64], file[64];
	char text[160];
};

/* The facts about a shader; texts may be "". */
struct bw_swap_shader {
	uint64_t hash, code_va; /* 0: not known */
	const char *name, *module, *entry, *file;
};

/* Fills in `by` and `number` from which. BW_E_INVALID: it is empty or too long. */
struct bw_error *bw_swap_which(const char *which, size_t n, struct bw_swap_rule *out) BW_MUST_CHECK;
/* The first rule of that kind that is for this shader; -1: none. */
int bw_swap_find(const struct bw_swap_rules *r, enum bw_swap_kind kind,
		 const struct bw_swap_shader *s);

/* Takes the bytes of a file in any case; BW_E_INVALID: it is not a file of rules, and *out is
 * empty. */
struct bw_error *bw_swap_rules_read(uint8_t *bytes, size_t size_b,
				    struct bw_swap_rules *out) BW_MUST_CHECK;
/* Appends bytes to those that the file is going to have. */
struct bw_error *bw_swap_rules_add(struct bw_swap_rules *r, const void *bytes, size_t size_b,
				   struct bw_swap_bytes *out) BW_MUST_CHECK;
/* The file of rules that were made so: its head, owned by the caller; r->bytes come after it. */
struct bw_error *bw_swap_rules_head(const struct bw_swap_rules *r, uint8_t **out,
				    size_t *out_size_b) BW_MUST_CHECK;
static inline const void *bw_swap_rules_at(const struct bw_swap_rules *r, struct bw_swap_bytes b)
{
	return r->bytes + b.at;
}
void bw_swap_rules_fini(struct bw_swap_rules *r);
/* Reads the file `rules` of a folder. BW_E_NOT_FOUND, BW_E_INVALID. */
struct bw_error *bw_swap_rules_load(const char *folder, struct bw_swap_rules *out) BW_MUST_CHECK;

/* ---- SPIR-V ---- */

/* Whether it begins as SPIR-V of this byte order does, and has instructions to its end. */
bool bw_swap_is_spirv(const void *code, size_t size_b);
/* The entry point of a compute shader: `wanted` where it has that, else its first one. Borrowed
 * from code; NULL: it has none. */
const char *bw_swap_entry(const uint32_t *code, size_t size_b, const char *wanted);

#endif
