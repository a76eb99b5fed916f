/* SPDX-License-Identifier: MIT */
#ifndef BW_CRASH_DUMP_H
#define BW_CRASH_DUMP_H

/* The text of an amdgpu devcoredump, of Linux 6.1, 6.12 and 7.1 (doc/hardware/devcoredump.md),
 * line by line. Untrusted: what is not understood is kept, what is damaged is reported with its
 * line, and memory is bounded by the limits below. Pure: the caller reads the file. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "gpuvm/fault.h"

enum {
	BW_CRASH_MAX_REGISTERS = 1 << 18,
	BW_CRASH_MAX_WORDS = 1 << 23, /* of all rings and IBs */
	BW_CRASH_MAX_NOTES = 200,
	BW_CRASH_MAX_BLOCKS = 4096,
	BW_CRASH_MAX_RINGS = 512,
	BW_CRASH_TEXT_B = 96,
};

/* RADV: no devcoredump, but a hang report of that driver (report.h). */
enum bw_crash_style { BW_CRASH_LINUX_6_1, BW_CRASH_LINUX_6_12, BW_CRASH_LINUX_7, BW_CRASH_RADV };

/* A version of an IP block: "GC[1][0]: v11.0.0.0.0". */
struct bw_crash_ip {
	char name[16];
	unsigned type, instance;
	uint32_t version; /* base/ip_version.h */
};

/* The block whose registers were read: "gfx_v11_0", and "mec 0, pipe 0, queue 0" in it, or "". */
struct bw_crash_block {
	char ip[32], part[48];
	unsigned line;
};
struct bw_crash_register {
	uint32_t block; /* in blocks */
	uint32_t value;
	char name[48]; /* without mm or reg */
};

struct bw_crash_words BW_VEC(uint32_t);
struct bw_crash_ring {
	char name[32];
	uint64_t rptr, wptr, mask, size_dw; /* as printed; RADV: mask and size are 0 */
	uint64_t first_dw;		    /* RADV: where the first of the words is */
	bool no_pointers;		    /* RADV: umr does not say where they are */
	unsigned line;
	struct bw_crash_words words;
};
struct bw_crash_ib {
	unsigned index, line;
	uint64_t va, size_dw; /* va 0: RADV does not say */
	unsigned vmid;	      /* as umr says; 0: not known */
	bool is_sdma;
	/* RADV: the word after which it has not been executed, as the trace points say */
	bool has_reached;
	uint64_t reached_dw;
	struct bw_crash_words words;
};

struct bw_crash_note {
	unsigned line;
	char text[BW_CRASH_TEXT_B];
};

enum bw_crash_vram { BW_CRASH_VRAM_UNKNOWN, BW_CRASH_VRAM_SKIPPED, BW_CRASH_VRAM_IS_LOST };

struct bw_crash_dump {
	unsigned line; /* of its banner */
	enum bw_crash_style style;
	bool has_version_line, has_pasid, has_discovery;
	char kernel[64], module[32], time[40]; /* RADV: kernel is Mesa's version */
	uint64_t pasid, vmid;
	char process[64], thread[64];
	int64_t pid, tgid;
	int64_t device_id;
	bool has_timeout, has_fault;
	unsigned timeout_ip;
	char timeout_ring[32];
	enum bw_gpuvm_hub fault_hub;
	uint64_t fault_address;
	uint32_t fault_status;
	enum bw_crash_vram vram;
	uint64_t n_nul_b; /* bytes after the text, which is then cut off there */
	struct BW_VEC(struct bw_crash_ip) ips;
	struct BW_VEC(struct bw_crash_block) blocks;
	struct BW_VEC(struct bw_crash_register) registers;
	struct BW_VEC(struct bw_crash_ring) rings;
	struct BW_VEC(struct bw_crash_ib) ibs;
	struct BW_VEC(struct bw_crash_note) facts; /* sizes, firmware, VBIOS: lines as they are */
	struct BW_VEC(struct bw_crash_note) unknown, damaged;
	unsigned n_unknown, n_damaged, n_left_out;
	uint64_t n_words; /* kept, of all rings and IBs */
	/* of parsing */
	unsigned section, last_line;
	uint64_t next_offset;
	/* words or registers belong to a ring, IB or block that was left out */
	bool dropping;
	bool failed;
};

/* "**** AMDGPU Device Coredump ****" somewhere in the line. */
bool bw_crash_is_banner(const char *text, size_t n);
/* One line after the banner. False: not of a dump, as far as one can tell; the caller may try it
 * as a line of a log and call bw_crash_dump_unknown. */
bool bw_crash_dump_line(struct bw_crash_dump *d, const char *text, size_t n, unsigned number);
void bw_crash_dump_unknown(struct bw_crash_dump *d, const char *text, size_t n, unsigned number);
/* Once after the last line: counts are compared, and the kernel is told by what there was. */
void bw_crash_dump_end(struct bw_crash_dump *d);
void bw_crash_dump_free(struct bw_crash_dump *d);

/* The version of a block ("GC", "MMHUB"); 0: the dump does not have it. For GC also by the name of
 * the block of registers. */
uint32_t bw_crash_ip_version(const struct bw_crash_dump *d, const char *name);
/* The first register of this name in blocks whose part begins with `part`. */
bool bw_crash_register_value(const struct bw_crash_dump *d, const char *name, const char *part,
			     uint32_t *out);

#endif
