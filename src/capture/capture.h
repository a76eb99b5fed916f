/* SPDX-License-Identifier: MIT */
#ifndef BW_CAPTURE_CAPTURE_H
#define BW_CAPTURE_CAPTURE_H

/* Captures of command streams (*.bwc): what a submission is made of, as bytes (record.c), in a file
 * (writer.h, reader.h), and what memory held at any submission (state.h). doc/capture.md describes
 * the file. Records also travel between the agent and `breakwater capture`
 * (wire/capture_proto.h). */

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/vec.h"

enum {
	BW_CAPTURE_PAGE_B = 4096,
	BW_CAPTURE_VERSION = 8,	       /* of records and files */
	BW_CAPTURE_VERSION_OLDEST = 1, /* that is read */
	/* the first one in which dispatches have what is known of their shader */
	BW_CAPTURE_VERSION_SHADERS = 2,
	/* ... and of what their pipeline was made (pipeline.h) */
	BW_CAPTURE_VERSION_PIPELINES = 3,
	/* ... in which results may be BW_CAPTURE_UNSEEN; before, their flags are 0 */
	BW_CAPTURE_VERSION_UNSEEN = 4,
	/* ... in which dispatches have what they were given, and spaces their objects */
	BW_CAPTURE_VERSION_GIVEN = 5,
	/* ... in which labels of dispatches are whole */
	BW_CAPTURE_VERSION_LABELS = 6,
	/* ... in which the record of a pipeline may have a code object, and buffers may be
	 * BW_CAPTURE_BUSY */
	BW_CAPTURE_VERSION_CODE = 7,
	/* ... in which draws are among the dispatches */
	BW_CAPTURE_VERSION_DRAWS = 8,
};
/* The limits of one buffer, and of all buffers of an address space: more than any GPU's memory. */
#define BW_CAPTURE_BUFFER_MAX_B (64ull << 30)
#define BW_CAPTURE_SPACE_MAX_B (256ull << 30)
enum {
	BW_CAPTURE_BOUND_MAX = 1024, /* of one dispatch */
	BW_CAPTURE_OBJECTS_MAX = 1 << 17,
	BW_CAPTURE_LABEL_MAX_B = 1 << 11, /* with the zero after it */
};

/* ---- What records are made of. Fixed sizes, little-endian, without holes. ---- */

struct bw_capture_summary {
	uint32_t number; /* from 1, in the order of the file */
	uint32_t space;	 /* the address space (DRM file), from 1 */
	uint32_t pid, ctx_id;
	/* AMDGPU_HW_IP_*, of the last IB; of context 0, which no program has: a queue of KFD with
	 * that number */
	uint32_t ip_type, ip_instance, ring;
	uint32_t n_ibs, n_dispatches;
	uint32_t frame;	    /* presents before it, plus one; 0: not known */
	uint64_t ib_b;	    /* bytes of its IBs, not of those that they call */
	uint64_t mapped_b;  /* of all buffers that are mapped */
	uint64_t changed_b; /* CPU writes since the state before, in whole pages */
	uint64_t time_ns;   /* CLOCK_MONOTONIC of the machine */
	char comm[16];
	/* From BW_CAPTURE_VERSION_DRAWS on. They are not among n_dispatches. */
	uint32_t n_draws, pad;
};

struct bw_capture_result {
	uint32_t number;
	int32_t result;	    /* 0, or the -errno of its fence or of the call */
	uint32_t has_ended; /* 0: it still ran when waiting for it was given up */
	uint32_t changed_pages;
	uint64_t time_ns;
	/* of one that failed: the page fault that the kernel had on record; status 0: none */
	uint64_t fault_va;
	uint32_t fault_status, flags; /* BW_CAPTURE_UNSEEN */
};
/* Nobody has looked at memory after it: what it has changed is in the result of a later
 * submission of the same address space, which has no such flag, beside what those between have
 * changed. */
enum { BW_CAPTURE_UNSEEN = 1 };

struct bw_capture_buffer {
	uint64_t id; /* never used again within an address space */
	uint64_t size_b;
	uint32_t domains; /* AMDGPU_GEM_DOMAIN_* */
	uint32_t flags;	  /* enum bw_capture_buffer_flags */
};
enum bw_capture_buffer_flags {
	BW_CAPTURE_USERPTR = 1, /* the program's own memory */
	/* the program writes it while the GPU works, without a call that would wait: memory of
	 * ROCm's runtime, with its queues and signals */
	BW_CAPTURE_BUSY = 2,
};

struct bw_capture_map {
	uint64_t va, size_b, offset_b;
	uint64_t buffer; /* 0: none (PRT) */
	uint32_t flags;	 /* AMDGPU_VM_PAGE_* */
	uint32_t pad;
};

/* Pages index .. index + count - 1 of the buffer now have the content of pages page, page + 1, ...
 * of the file; page 0: all of them are zero. */
struct bw_capture_run {
	uint64_t buffer, index, count, page;
};

struct bw_capture_ib {
	uint64_t va;
	uint32_t size_b, flags, ip_type, ip_instance, ring, pad;
};

/* A dispatch; or a draw, of whose vertex shader are the code, the names and the record. */
struct bw_capture_dispatch {
	uint64_t code_va, packet_va;
	uint64_t indirect_va; /* where groups are read from; 0: they are in the packet */
	uint32_t groups[3], group_size[3]; /* of a draw: 0 */
	char pipeline[64], label[64];	   /* "": not known; label: see bw_capture_label */
	/* The dispatch's shader; from BW_CAPTURE_VERSION_SHADERS on. */
	uint64_t hash; /* of its SPIR-V; 0: not known */
	char module[64], entry[64], file[64];
	/* The record of its pipeline, from BW_CAPTURE_VERSION_PIPELINES on; 0: there is none. */
	uint32_t made_of;
	/* Of a draw: the number of its element of the submission's `draws`, from 1; 0: it is a
	 * dispatch. */
	uint32_t draw;
	/* The dispatch's arguments, as parts of the submission's vectors; from
	 * BW_CAPTURE_VERSION_GIVEN on. */
	uint64_t block_va; /* the base of argument offsets; 0: none */
	uint32_t push_at, push_b;
	uint32_t bound_at, n_bound;
	uint32_t args_at, n_args;
	/* A label that is longer than `label` has room for, in the submission's `labels`, with a
	 * zero after it; label_b 0: `label` is complete. From BW_CAPTURE_VERSION_LABELS on. */
	uint32_t label_at, label_b;
};

/* What a draw has beside a dispatch: its numbers, and its pixel shader. */
struct bw_capture_draw {
	uint32_t n_vertices, n_instances; /* or indices; UINT32_MAX: read from memory */
	uint32_t n_draws, is_indexed;	  /* n_draws: as many as the packet has at most */
	uint64_t code_va, hash;
	char pipeline[64], module[64], entry[64], file[64];
	uint32_t made_of, pad;
};

/* A buffer that the API has bound: an element of a binding in a set. */
struct bw_capture_bound {
	uint32_t set, binding, element, type; /* VkDescriptorType */
	uint64_t va, size_b;		      /* va 0: not known */
	uint64_t at_va; /* in a descriptor buffer: of the descriptor, which says va; else 0 */
};

/* An argument of an OpenCL kernel, in the kernel's order. */
#define BW_CAPTURE_ARG_NOWHERE UINT32_MAX
enum bw_capture_arg_kind {
	BW_CAPTURE_ARG_OPAQUE, /* image, sampler */
	BW_CAPTURE_ARG_VALUE,
	BW_CAPTURE_ARG_BUFFER,
	BW_CAPTURE_ARG_LOCAL,
};
struct bw_capture_arg {
	uint32_t kind, offset_b; /* in the block; NOWHERE: not passed, or not known */
	uint32_t size_b, pad;
	char name[48], type[48]; /* "": not known */
};

/* A buffer or image of the program's API that lives when the submission is made. */
enum bw_capture_object_kind { BW_CAPTURE_OBJECT_BUFFER = 2, BW_CAPTURE_OBJECT_IMAGE };
struct bw_capture_object {
	uint32_t kind, id; /* ids of a kind are never used again in a process */
	uint64_t va, size_b;
	uint32_t dim[3], format, flags, pad;
	char name[64]; /* given by the program, else empty */
};

/* Another chunk of the call (AMDGPU_CHUNK_ID_*): fences, dependencies. */
struct bw_capture_chunk {
	uint32_t id, size_b;
	uint8_t *data; /* owned */
};

/* A submission and what has changed before it, since the state that the record before has left of
 * the same address space. */
struct bw_capture_submission {
	struct bw_capture_summary summary;
	bool has_maps; /* the mappings have changed: `maps` has all of them */
	/* where the kernel writes the fence's number for the program: 8 bytes; buffer 0: nowhere */
	uint64_t fence_buffer, fence_offset_b;
	struct BW_VEC(struct bw_capture_buffer) buffers; /* new ones; their content is zero */
	struct BW_VEC(uint64_t) gone;			 /* buffers, by id */
	struct BW_VEC(struct bw_capture_map) maps;
	struct bw_capture_runs BW_VEC(struct bw_capture_run) runs;
	struct BW_VEC(struct bw_capture_ib) ibs;
	struct BW_VEC(struct bw_capture_chunk) chunks;
	struct BW_VEC(struct bw_capture_dispatch) dispatches;
	/* Arguments of dispatches; from BW_CAPTURE_VERSION_GIVEN on. */
	struct BW_VEC(uint8_t) pushes;
	struct BW_VEC(struct bw_capture_bound) bound;
	struct BW_VEC(struct bw_capture_arg) args;
	bool has_objects; /* they have changed: `objects` has all of them */
	struct BW_VEC(struct bw_capture_object) objects;
	struct bw_capture_bytes BW_VEC(uint8_t) labels; /* from BW_CAPTURE_VERSION_LABELS on */
	/* Of the dispatches that are draws, in their order; from BW_CAPTURE_VERSION_DRAWS on. */
	struct BW_VEC(struct bw_capture_draw) draws;
};
void bw_capture_submission_fini(struct bw_capture_submission *s);

/* What a dispatch of that submission is if it is a draw; NULL: it is a dispatch. */
static inline struct bw_capture_draw *bw_capture_draw_of(const struct bw_capture_submission *s,
							 const struct bw_capture_dispatch *d)
{
	return d->draw ? &s->draws.data[d->draw - 1] : NULL;
}

/* The pixel shader of a draw, in those fields in which the dispatch has the vertex shader. */
struct bw_capture_dispatch bw_capture_pixel_shader(const struct bw_capture_draw *d);
void bw_capture_set_pixel_shader(struct bw_capture_draw *d,
				 const struct bw_capture_dispatch *shader);

/* Adds a dispatch, and makes it a draw if draw is not NULL. */
struct bw_error *bw_capture_add_work(struct bw_capture_submission *s,
				     const struct bw_capture_dispatch *d,
				     const struct bw_capture_draw *draw) BW_MUST_CHECK;

/* The name of a shader of a draw, for people: that of its source file, else of its pipeline. */
const char *bw_capture_shader_name(const char *pipeline, const char *file);

/* How a count of n of its dispatches and draws is called: "dispatch", "draws", "dispatches and
 * draws". */
const char *bw_capture_work_name(const struct bw_capture_submission *s, size_t n);

/* The label of a dispatch of that submission; "" where it has none. Borrowed. */
const char *bw_capture_label(const struct bw_capture_submission *s,
			     const struct bw_capture_dispatch *d);
/* text: n bytes, without a zero; of one that is too long the beginning and "...". */
struct bw_error *bw_capture_set_label(struct bw_capture_submission *s,
				      struct bw_capture_dispatch *d, const char *text,
				      size_t n) BW_MUST_CHECK;

/* Convert all but the summary to and from bytes. Decoding checks counts and sizes; the user of the
 * record checks the meaning of numbers (state.h). version: of the record, one that can be read.
 * out: empty before, and after an error. */
struct bw_error *bw_capture_submission_encode(const struct bw_capture_submission *s,
					      struct bw_capture_bytes *out) BW_MUST_CHECK;
struct bw_error *bw_capture_submission_decode(const void *bytes, size_t size_b, uint32_t version,
					      struct bw_capture_submission *out) BW_MUST_CHECK;
struct bw_error *bw_capture_runs_encode(const struct bw_capture_runs *runs,
					struct bw_capture_bytes *out) BW_MUST_CHECK;
struct bw_error *bw_capture_runs_decode(const void *bytes, size_t size_b,
					struct bw_capture_runs *out) BW_MUST_CHECK;
/* Adds one page, to the last run where that goes on so. */
struct bw_error *bw_capture_runs_add(struct bw_capture_runs *runs,
				     struct bw_capture_run one) BW_MUST_CHECK;

/* ---- hash.c ---- */

/* 128 bits of a page, by which equal ones are found; not made against people who construct two
 * pages with one hash. All zero: the page is zero. */
struct bw_capture_hash {
	uint64_t word[2];
};
struct bw_capture_hash bw_capture_hash_page(const void *page);
/* 64 bits of any bytes, by which damage is found. */
uint64_t bw_capture_check(const void *bytes, size_t size_b);

/* Whether all of the space's memory after the submission is known: a replay can begin there. */
static inline bool bw_capture_is_seen(const struct bw_capture_result *r)
{
	return !(r->flags & BW_CAPTURE_UNSEEN);
}

static inline bool bw_capture_hash_same(struct bw_capture_hash a, struct bw_capture_hash b)
{
	return a.word[0] == b.word[0] && a.word[1] == b.word[1];
}

/* "compute", "gfx", "SDMA", "ip 7" */
const char *bw_capture_ip_name(uint32_t ip_type);
/* "compute ring 0", and without the word "compute 0"; "AQL queue 2". */
void bw_capture_ring_text(const struct bw_capture_summary *s, bool with_word, char *out,
			  size_t room);
/* The end of a submission in words: "was done", "did not end", "failed with a page fault at 0x1000
 * (status 0x8)", "failed: the driver ended its waves". */
void bw_capture_how(const struct bw_capture_result *r, char *out, size_t room);

#endif
