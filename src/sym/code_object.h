/* SPDX-License-Identifier: MIT */
#ifndef BW_SYM_CODE_OBJECT_H
#define BW_SYM_CODE_OBJECT_H

/* AMDGPU code objects (ELF, doc/hardware/code-objects.md 1 to 3): kernels, their descriptors and
 * arguments, the loadable image, symbols. Input is hostile: every offset is checked. Immutable once
 * opened. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct bw_code_object;

enum bw_arg_kind { BW_ARG_BUFFER, BW_ARG_VALUE, BW_ARG_LDS_POINTER, BW_ARG_HIDDEN, BW_ARG_OTHER };

struct bw_kernel_arg {
	const char *name;	/* may be "" */
	const char *type_name;	/* "float*", "" if unknown */
	const char *value_kind; /* metadata's word: "global_buffer", "by_value",
				   "hidden_block_count_x" */
	enum bw_arg_kind kind;
	uint32_t offset_b, size_b;
	/* a driver's OpenCL kernel: the driver does not pass it, or its place is not known */
	bool is_absent;
};

/* kernel_code_properties (doc/hardware/code-objects.md 3) */
enum {
	BW_KCP_PRIVATE_BUFFER = 1 << 0,
	BW_KCP_DISPATCH_PTR = 1 << 1,
	BW_KCP_QUEUE_PTR = 1 << 2,
	BW_KCP_KERNARG_PTR = 1 << 3,
	BW_KCP_DISPATCH_ID = 1 << 4,
	BW_KCP_FLAT_SCRATCH_INIT = 1 << 5,
	BW_KCP_PRIVATE_SIZE = 1 << 6,
	BW_KCP_WAVE32 = 1 << 10,
	BW_KCP_DYNAMIC_STACK = 1 << 11,
};

/* The first of the user SGPRs that carry a property's value (one bit of BW_KCP_*); with 0: how many
 * SGPRs all properties take (doc/hardware/code-objects.md 3). */
unsigned bw_kcp_sgpr_of(unsigned properties, unsigned bit);

struct bw_kernel {
	const char *name;
	uint64_t entry;	     /* address of the first instruction in the image */
	uint64_t end;	     /* end of the symbol; equal to entry if not known */
	uint64_t descriptor; /* address of NAME.kd */
	uint32_t rsrc1, rsrc2, rsrc3;
	uint16_t properties; /* kernel_code_properties */
	uint32_t lds_b, scratch_b, kernarg_b;
	bool wave32;
	uint32_t vgprs;		 /* allocated, from rsrc1 */
	uint32_t max_group_size; /* .max_flat_workgroup_size; 1024 if not given */
	uint32_t reqd_group[3];	 /* .reqd_workgroup_size; 0 if not given */
	bool has_metadata;	 /* the arguments are known */
	const struct bw_kernel_arg *args;
	size_t n_args;
};

struct bw_symbol {
	const char *name;
	uint64_t addr, size_b;
	bool is_function; /* otherwise a label or an object */
};

/* Opens a code object, or the one for a GPU in an offload bundle. gpu: "gfx942"; NULL: not known,
 * and gfx1100. path: for messages. data is copied. */
struct bw_error *bw_code_object_open_for(const void *data, size_t size_b, const char *path,
					 const char *gpu,
					 struct bw_code_object **out) BW_MUST_CHECK;
struct bw_error *bw_code_object_load_for(const char *path, const char *gpu,
					 struct bw_code_object **out) BW_MUST_CHECK;
/* The same where the GPU is not known. */
struct bw_error *bw_code_object_open(const void *data, size_t size_b, const char *path,
				     struct bw_code_object **out) BW_MUST_CHECK;
struct bw_error *bw_code_object_load(const char *path, struct bw_code_object **out) BW_MUST_CHECK;
void bw_code_object_close(struct bw_code_object *co);

const char *bw_code_object_path(const struct bw_code_object *co);
/* Sets the path for messages: that of the source from which the code object was made. */
struct bw_error *bw_code_object_show_as(struct bw_code_object *co, const char *path) BW_MUST_CHECK;
/* The path of the file as which it was opened. */
const char *bw_code_object_file_path(const struct bw_code_object *co);
/* "gfx1100", or "gfx-0x41" style when the number has no name; from e_flags. */
const char *bw_code_object_gpu(const struct bw_code_object *co);
const struct bw_kernel *bw_code_object_kernels(const struct bw_code_object *co, size_t *out_n);
/* The kernel of that name; NULL: there is none. */
const struct bw_kernel *bw_code_object_kernel(const struct bw_code_object *co, const char *name);
/* The lines of the metadata's amdhsa.printf (doc/hardware/code-objects.md 5). */
const char *const *bw_code_object_printf_formats(const struct bw_code_object *co, size_t *out_n);
/* All symbols, sorted by address. */
const struct bw_symbol *bw_code_object_symbols(const struct bw_code_object *co, size_t *out_n);
/* The symbol that covers addr, or the nearest before it in the same section; NULL if none. */
/* Names of undefined symbols, each once, without weak declarations: of each variable that a kernel
 * has in the LDS, "kernel.variable", in objects of LLVM. Borrowed. */
const char *const *bw_code_object_undefined(const struct bw_code_object *co, size_t *out_n);
const struct bw_symbol *bw_code_object_symbol_at(const struct bw_code_object *co, uint64_t addr);

/* The image: bytes [0, size) to be placed at a multiple of 4096; addresses above are offsets in it.
 * Dynamic relocations the loader must apply (R_AMDGPU_RELATIVE64 and ABS64) are listed. */
const void *bw_code_object_image(const struct bw_code_object *co, size_t *out_size_b);
struct bw_reloc {
	uint64_t offset_b;
	uint64_t addend;
}; /* *(u64 *)(image + offset) = base + addend */
const struct bw_reloc *bw_code_object_relocs(const struct bw_code_object *co, size_t *out_n);
/* The ELF file's bytes, for readers of its debug information. */
const void *bw_code_object_file(const struct bw_code_object *co, size_t *out_size_b);

#endif
