/* SPDX-License-Identifier: MIT */
#ifndef BW_GPUVM_GPUVM_H
#define BW_GPUVM_GPUVM_H

/* GPUVM address translation, gfx9 to gfx12.1: entry layouts, the apertures of VMID 0 and the walk,
 * as in doc/hardware/page-tables.md 2 to 5. A walk reads table memory through a callback and gives
 * one range with a verdict: mapped where, or which entry at which level says why not. Pure: it owns
 * nothing, keeps no state, and checks every value that comes from table memory or registers. */

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

enum bw_gpuvm_gen {
	BW_GPUVM_GFX9,
	BW_GPUVM_GFX10,
	BW_GPUVM_GFX11,
	BW_GPUVM_GFX12,
	BW_GPUVM_GFX12_1,
};
/* The units of the registers with the bounds of the framebuffer and of AGP (MC_VM_FB_LOCATION_*,
 * FB_OFFSET, AGP_*), of the system aperture, and of a context (doc/hardware/page-tables.md 5). */
enum {
	BW_GPUVM_FB_UNIT_B = 1 << 24,
	BW_GPUVM_APERTURE_UNIT_B = 1 << 18,
	BW_GPUVM_PAGE_B = 1 << 12,
};

/* The generation of a GC version (base/ip_version.h). False: a version without a known layout.
 */
bool bw_gpuvm_gen_of(uint32_t gc_version, enum bw_gpuvm_gen *out_gen);
/* The first GC version of a generation. */
uint32_t bw_gpuvm_gen_first_gc(enum bw_gpuvm_gen gen);
/* "gfx11", "gfx12.1" */
const char *bw_gpuvm_gen_name(enum bw_gpuvm_gen gen);
/* The number of bits of an address. */
unsigned bw_gpuvm_va_bits(enum bw_gpuvm_gen gen);

/* Register values of one hub and VMID as read, without any shift. On gfx12.1, where the location
 * and aperture registers are pairs, LO | HI << 32. */
struct bw_gpuvm_regs {
	uint32_t cntl;		   /* VM_CONTEXTn_CNTL */
	uint64_t base, start, end; /* VM_CONTEXTn_PAGE_TABLE_{BASE,START,END}_ADDR, LO | HI << 32 */
	uint64_t fb_offset;	   /* MC_VM_FB_OFFSET */
	uint64_t fb_base, fb_top;  /* MC_VM_FB_LOCATION_{BASE,TOP} */
	uint64_t agp_base, agp_bot, agp_top;
	uint64_t sys_low, sys_high; /* MC_VM_SYSTEM_APERTURE_{LOW,HIGH}_ADDR */
	uint32_t mx_l1_tlb_cntl;    /* MC_VM_MX_L1_TLB_CNTL; VMID 0 only */
};

/* A context's registers decoded: addresses in bytes. */
struct bw_gpuvm_context {
	enum bw_gpuvm_gen gen;
	unsigned vmid;
	bool enabled;
	unsigned depth, block; /* PAGE_TABLE_DEPTH, PAGE_TABLE_BLOCK_SIZE */
	uint64_t base;	       /* as a directory entry */
	uint64_t start, end;   /* first and last byte */
	uint64_t fb_offset;
	uint64_t fb_base, fb_end; /* last byte; end < base: no framebuffer (ZFB) */
	uint64_t agp_base, agp_bot, agp_end;
	uint64_t sys_low, sys_end;
	unsigned access_mode; /* MX_L1_TLB_CNTL.SYSTEM_ACCESS_MODE */
};
void bw_gpuvm_context_init(struct bw_gpuvm_context *c, enum bw_gpuvm_gen gen, unsigned vmid,
			   const struct bw_gpuvm_regs *regs);

/* One entry, all fields a generation has. Below gfx12 a PTE and a PDE cannot be told apart by their
 * bits: the walk knows. */
struct bw_gpuvm_entry {
	uint64_t raw;
	uint64_t base; /* directory: 64-byte granular; leaf: 4 KiB granular */
	bool valid, system, coherent, tmz, execute, read, write;
	bool leaf; /* P, gfx12: IS_PTE */
	bool prt, further, tfs, log, noalloc, dcc;
	uint8_t frag, bfs, mtype;
};
struct bw_gpuvm_entry bw_gpuvm_pde(enum bw_gpuvm_gen gen, uint64_t raw);
struct bw_gpuvm_entry bw_gpuvm_pte(enum bw_gpuvm_gen gen, uint64_t raw);
/* One field of an entry, for display. */
struct bw_gpuvm_entry_field {
	const char *name;
	uint8_t hi, lo;
	uint64_t value;
};
enum { BW_GPUVM_MAX_ENTRY_FIELDS = 20 };
/* All fields that the generation has, lowest bits first; is_directory: decodes it as a directory
 * entry, else as an entry that maps a page. Returns the number of fields. */
size_t bw_gpuvm_entry_fields(enum bw_gpuvm_gen gen, bool is_directory, uint64_t raw,
			     struct bw_gpuvm_entry_field out[BW_GPUVM_MAX_ENTRY_FIELDS]);
/* The fields that are set, in short: "V S X R W FRAG 9 MTYPE UC" or "V BFS 9". Appended. */
void bw_gpuvm_entry_flags(enum bw_gpuvm_gen gen, bool is_directory, uint64_t raw,
			  struct bw_str *out);
/* "NC", "RW", "CC", "UC", ... as the generation calls it. */
const char *bw_gpuvm_mtype_name(enum bw_gpuvm_gen gen, unsigned mtype);

/* 8 bytes of table memory at a VRAM offset, or at a bus address when system. False: cannot be read.
 */
typedef bool bw_gpuvm_read_fn(void *cookie, bool system, uint64_t address, uint64_t *out_entry);

enum bw_gpuvm_verdict {
	BW_GPUVM_MAPPED,
	BW_GPUVM_UNTRANSLATED, /* VMID 0, by an aperture: mapped without a table */
	BW_GPUVM_NOT_VALID,    /* the entry at `at` is not valid */
	BW_GPUVM_PRT,	       /* not valid and marked partially resident: reads 0, no fault */
	BW_GPUVM_NO_RETRY,     /* the entry is one of the driver's "invalid, final" patterns */
	BW_GPUVM_OUT_OF_RANGE, /* outside PAGE_TABLE_START..END */
	BW_GPUVM_NOT_CANONICAL,
	BW_GPUVM_CONTEXT_DISABLED,
	BW_GPUVM_POWERED_OFF,  /* the base register reads all ones */
	BW_GPUVM_UNREADABLE,   /* the entry at `at` could not be read */
	BW_GPUVM_DEFAULT_PAGE, /* VMID 0, in the system aperture but in neither FB nor AGP */
	BW_GPUVM_MISPLACED,    /* gfx9: P where entries are pages, or F where they are not */
};

/* Levels as the walk names them: 0 is the PTB, n the directory PDBn-1, 255 the second table that a
 * "further" entry leads to. */
enum { BW_GPUVM_LEVEL_PTB = 0, BW_GPUVM_LEVEL_FURTHER = 255, BW_GPUVM_MAX_STEPS = 10 };

struct bw_gpuvm_step {
	uint8_t level;
	bool system;
	uint64_t address; /* of the entry: VRAM offset or bus address */
	uint64_t value;
	uint64_t index; /* in its block */
};

struct bw_gpuvm_range {
	enum bw_gpuvm_gen gen;
	enum bw_gpuvm_verdict verdict;
	uint64_t va, size_b; /* the page, or the hole that this entry leaves; includes the address
				asked */
	uint64_t address;    /* mapped: of byte `va`; VRAM offset or bus address */
	bool system;
	uint8_t level;		     /* of the leaf */
	struct bw_gpuvm_entry entry; /* leaf, or the entry that failed; zero when none was read */
	unsigned n_steps;
	struct bw_gpuvm_step
		step[BW_GPUVM_MAX_STEPS]; /* entries read, root first; the last one is `entry` */
};

/* Translates one address. Always fills out_range; true: the address is mapped. Addresses of the
 * upper half may be given sign-extended or, as kernel logs print them, with zeros above bit 47
 * (56). */
bool bw_gpuvm_walk(const struct bw_gpuvm_context *c, bw_gpuvm_read_fn *read, void *cookie,
		   uint64_t va, struct bw_gpuvm_range *out_range);

/* Whether the i-th step of the walk is an entry that leads to a table; else it maps a page, or
 * would if it were valid. */
bool bw_gpuvm_step_is_directory(const struct bw_gpuvm_context *c, const struct bw_gpuvm_range *r,
				unsigned i);

enum bw_gpuvm_access { BW_GPUVM_READ = 1, BW_GPUVM_WRITE = 2, BW_GPUVM_EXECUTE = 4 };
bool bw_gpuvm_allows(const struct bw_gpuvm_range *r, unsigned access);

/* The fields of VM_L2_PROTECTION_FAULT_STATUS that this access gets (doc/hardware/page-tables.md
 * 6.2); both 0 when it is allowed. */
struct bw_gpuvm_fault {
	uint8_t walker_error, permission;
	bool mapping_error;
};
struct bw_gpuvm_fault bw_gpuvm_fault_of(const struct bw_gpuvm_range *r, unsigned access);

/* "PDB0", "PTB", "PTB (further)" */
const char *bw_gpuvm_level_name(unsigned level);
/* One clause: "the PTB entry 0x10 at vram 0x3f8 is not valid", "the page is mapped without write
 * permission (PTB entry ...)", "mapped". */
void bw_gpuvm_explain(const struct bw_gpuvm_range *r, unsigned access, struct bw_str *out);

/* VM_L2_PROTECTION_FAULT_STATUS, decoded (doc/hardware/page-tables.md 6.1). */
struct bw_gpuvm_status {
	bool more, mapping_error, write, atomic;
	uint8_t walker_error, permission, vmid;
	uint16_t client;
};
struct bw_gpuvm_status bw_gpuvm_status_decode(enum bw_gpuvm_gen gen, uint32_t status);
/* One field of it, in the order of the word: its value, and a word that has this alone (what the
 * value has too many bits of is cut off). */
enum bw_gpuvm_status_part {
	BW_GPUVM_STATUS_MORE,
	BW_GPUVM_STATUS_WALKER_ERROR,
	BW_GPUVM_STATUS_PERMISSION,
	BW_GPUVM_STATUS_MAPPING_ERROR,
	BW_GPUVM_STATUS_CLIENT,
	BW_GPUVM_STATUS_WRITE,
	BW_GPUVM_STATUS_ATOMIC,
	BW_GPUVM_STATUS_VMID,
	BW_GPUVM_STATUS_VF,
};
uint32_t bw_gpuvm_status_get(enum bw_gpuvm_gen gen, enum bw_gpuvm_status_part part,
			     uint32_t status);
uint32_t bw_gpuvm_status_put(enum bw_gpuvm_gen gen, enum bw_gpuvm_status_part part, uint32_t value);
/* Client of the graphics hub ("TCP", "SQC (inst)", ...), "unknown" beyond the table. */
const char *bw_gpuvm_gfxhub_client(enum bw_gpuvm_gen gen, unsigned client);

#endif
