/* SPDX-License-Identifier: MIT */
#ifndef BW_GPUVM_FAULT_H
#define BW_GPUVM_FAULT_H

/* Decodes a page fault's status word by the version of the graphics IP alone, so that no GPU is
 * needed: fields, names of clients, and sentences for people who do not know the registers
 * (doc/hardware/page-tables.md 6). Pure. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"
#include "gpuvm/gpuvm.h"

enum bw_gpuvm_hub {
	BW_GPUVM_GC, /* gfxhub: shaders, command processor, from gfx10 on SDMA */
	BW_GPUVM_MM, /* mmhub: video, display, firmware, on gfx9 SDMA */
};

/* A GPU, as far as faults differ. Versions: base/ip_version.h. */
struct bw_gpuvm_part {
	enum bw_gpuvm_gen gen;
	uint32_t gc; /* the revision is 0 where the user gave none */
	uint32_t mm; /* version of the memory hub; 0: not known */
	/* "Navi31"; NULL: the version is not in the list, or names several */
	const char *chip;
};

/* "9.0", "9.4.3", "10.x", "11", "gfx90a", "gfx1100": BW_E_INVALID says what is accepted. */
struct bw_error *bw_gpuvm_part_parse(const char *text, struct bw_gpuvm_part *out) BW_MUST_CHECK;
/* "3.0.1": a version of the memory hub. */
bool bw_gpuvm_version_parse(const char *text, uint32_t *out);

/* One field of a status word. */
struct bw_gpuvm_status_field {
	const char *name; /* as the kernel's headers have it */
	uint8_t hi, lo;
	uint32_t value;
};
enum { BW_GPUVM_MAX_STATUS_FIELDS = 16 };
/* All fields, lowest bits first, with the upper ones of just this part. Returns how many. */
size_t bw_gpuvm_status_fields(const struct bw_gpuvm_part *part, enum bw_gpuvm_hub hub,
			      uint32_t status,
			      struct bw_gpuvm_status_field out[BW_GPUVM_MAX_STATUS_FIELDS]);

/* "TCP", "VCN"; NULL: the table of this part has no such client, or there is no table. */
const char *bw_gpuvm_client(const struct bw_gpuvm_part *part, enum bw_gpuvm_hub hub,
			    unsigned client, bool write);
/* The meaning of WALKER_ERROR in a status word; its numbers differ between generations. */
enum bw_gpuvm_walker_error {
	BW_GPUVM_WALKER_NONE,
	BW_GPUVM_WALKER_RANGE,	   /* the address is outside of the context */
	BW_GPUVM_WALKER_DIRECTORY, /* an entry of a directory (PDB0 to PDB3) is not valid */
	BW_GPUVM_WALKER_FURTHER,
	BW_GPUVM_WALKER_NACK,
	BW_GPUVM_WALKER_DUMMY_PAGE,
	BW_GPUVM_WALKER_RESERVED,
};
enum bw_gpuvm_walker_error bw_gpuvm_walker_error(enum bw_gpuvm_gen gen, unsigned walker_error);
/* The number of a meaning that has one alone: not of a directory. */
uint8_t bw_gpuvm_walker_number(enum bw_gpuvm_gen gen, enum bw_gpuvm_walker_error meaning);
/* The name of a WALKER_ERROR: "NACK" ..., "none" for 0; of a directory, bw_gpuvm_level_name(). */
const char *bw_gpuvm_walker_error_name(enum bw_gpuvm_gen gen, unsigned walker_error);

/* The source of a fault's report. */
enum bw_gpuvm_reporter {
	BW_GPUVM_HUB,	  /* a hub of gfx9 or later */
	BW_GPUVM_OLD_GPU, /* gfx6 to gfx8, whose status words are not decoded */
	BW_GPUVM_RUNTIME, /* ROCm's runtime, which knows an address and a reason in words */
};

/* The facts about a fault. The interrupt's entry has address, VMID and process; the status is read
 * from the hub's register afterwards, and may be empty (0), or another fault's by then. */
struct bw_gpuvm_fault_facts {
	enum bw_gpuvm_reporter reporter;
	struct bw_gpuvm_part part;
	enum bw_gpuvm_hub hub;
	bool has_status, has_address, is_retry;
	/* the generation is not known: names that differ between generations are left out */
	bool any_generation;
	/* it is one of two (gfx11 and gfx12.0 log the same): the kernel's name of a client, where
	 * there is one, is believed */
	bool is_guess;
	uint32_t status;
	uint64_t address;	   /* of the page */
	const char *kernel_client; /* the client's name as a kernel printed it, or NULL */
	const char *process;	   /* NULL: not known; "": only its number is */
	int64_t pid;
	int vmid;	    /* as the interrupt's entry says; -1: not known, the status' counts */
	bool is_write;	    /* of BW_GPUVM_OLD_GPU */
	const char *reason; /* of BW_GPUVM_RUNTIME, or NULL */
};

/* A fault in sentences, each without a newline; owned by the caller. */
struct bw_gpuvm_fault_story {
	struct bw_str headline; /* who did what where, and why that failed */
	struct bw_str who;	/* about the client, one clause */
	struct bw_str access;	/* "write", "instruction fetch", ... */
	struct bw_str why;	/* one clause */
	struct bw_str next;	/* what to look at, a line each */
};
/* The meaning of one field of the status: "write", "TCP: ...", ""; appended. */
void bw_gpuvm_fault_field(const struct bw_gpuvm_fault_facts *f,
			  const struct bw_gpuvm_status_field *field, struct bw_str *out);
void bw_gpuvm_fault_tell(const struct bw_gpuvm_fault_facts *f, struct bw_gpuvm_fault_story *out);
void bw_gpuvm_fault_story_free(struct bw_gpuvm_fault_story *s);

#endif
