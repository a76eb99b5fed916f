/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_DEVICE_DRAW_PRIV_H
#define BW_VGPU_DEVICE_DRAW_PRIV_H

/* Shared by the files that draw: draw.c goes from round to round; draw_state.c and draw_target.c
 * read the registers; draw_geometry.c makes subgroups, draw_hull.c patches and subgroups of
 * those, and draw_shapes.c shapes of their exports; draw_pixels.c finds the covered pixels, and
 * draw_merge.c tests and stores what they export, both on several threads (draw_parts.c);
 * draw_wave.c runs the waves. */

#include "vgpu/device/draw.h"
#include "vgpu/device/draw_look.h"
#include "vgpu/device/draw_state.h"
#include "vgpu/device/draw_tiles.h"
#include "vgpu/device/task_ring.h"

enum { BW_DRAW_WHY = 200 };

/* ---- draw_geometry.c ---- */
struct bw_draw_vertex {
	uint32_t id, instance; /* or of a patch: in its group, and in the draw */
	float u, v;	       /* the place in the patch */
};
struct bw_draw_subgroup {
	unsigned n_vertices, n_primitives;
	uint32_t ring_unit; /* where its attributes begin */
	uint32_t outputs;   /* where those of its patches begin */
	uint32_t order;	    /* its number, where they have one */
	uint32_t mesh[3];   /* which group of a mesh shader it is */
	/* launched by a task shader: its entry in the ring, and the groups of that */
	uint32_t entry, entry_groups[3];
	struct bw_draw_vertex vertex[BW_DRAW_VERTICES];
	uint8_t primitive[BW_DRAW_VERTICES][BW_DRAW_CORNERS];
	uint32_t primitive_id[BW_DRAW_VERTICES];
	uint8_t edges[BW_DRAW_VERTICES]; /* of a primitive: bw_assembler */
	/* of a primitive: with several, it is there for each */
	uint8_t gs_instance[BW_DRAW_VERTICES];
	/* exports of its waves */
	uint32_t position[BW_DRAW_POSITIONS][4][BW_DRAW_VERTICES];
	bool has_position[BW_DRAW_VERTICES];
	uint32_t out_primitive[BW_DRAW_VERTICES];
	bool has_primitive[BW_DRAW_VERTICES];
	/* a primitive's own layer and viewport */
	uint32_t out_place[BW_DRAW_VERTICES];
	bool has_place[BW_DRAW_VERTICES];
};
/* Values of one input's components at the three corners: as P0, P10 and P20. */
struct bw_draw_plane {
	uint32_t p[3];
};
struct bw_draw_primitive {
	struct bw_triangle t;
	uint32_t layer;
	struct bw_draw_plane (*planes)[4]; /* by input */
};
/* Fields of a primitive's export: its vertices' numbers in the subgroup, and whether the line from
 * each to the next one is an edge. */
#define BW_DRAW_PRIM_VERTEX(i) 10 * (i), 9
#define BW_DRAW_PRIM_IS_EDGE(i) 10 * (i) + 9, 1
/* The most subgroups of a round: those that have an order run one after the other. */
unsigned bw_draw_max_subgroups(const struct bw_draw *d);
/* Vertices that the subgroup may export. */
unsigned bw_draw_out_vertices(const struct bw_draw_state *s, const struct bw_draw_subgroup *g);
/* Makes the next subgroups; of a mesh shader. False: d->why. */
bool bw_draw_make_subgroups(struct bw_draw *d);
bool bw_draw_make_mesh_groups(struct bw_draw *d);
/* The group of that number, of a grid. */
void bw_draw_begin_mesh_group(const struct bw_draw *d, struct bw_draw_subgroup *g,
			      const uint32_t size[3], uint32_t number);

/* ---- draw_task.c ---- */
/* Of a mesh shader that a task shader launches: as many groups as there are by now. */
bool bw_draw_make_task_groups(struct bw_draw *d);
/* The user SGPRs of a wave: its group's entry. */
void bw_draw_set_task(const struct bw_draw *d, const struct bw_draw_subgroup *g, uint32_t *user);
/* The waves of all groups that were made have ended: their entries are free. False: d->why. */
bool bw_draw_free_tasks(struct bw_draw *d);

/* For draw_hull.c, too. The next primitive becomes d->begun. False: there is none, (d->why) it
 * cannot be read, or (d->budget) the search took long. */
bool bw_draw_next_primitive(struct bw_draw *d);
/* Adds d->begun for each thread that the geometry shader has for it. False: no room is left. */
bool bw_draw_add_begun(struct bw_draw *d, struct bw_draw_subgroup *g, unsigned n_corners);
/* Whether the attributes of a further subgroup have room after unit. */
bool bw_draw_has_room(const struct bw_draw *d, uint32_t unit);
/* An empty subgroup; a full one, whose attributes begin at *unit, which becomes their end. */
void bw_draw_begin_subgroup(struct bw_draw_subgroup *g);
void bw_draw_end_subgroup(struct bw_draw *d, struct bw_draw_subgroup *g, uint32_t *unit);

/* ---- draw_hull.c ---- */
struct bw_draw_hull_group {
	unsigned n_patches;
	struct bw_draw_vertex vertex[BW_DRAW_VERTICES]; /* n_in of each patch */
	uint32_t patch_id[BW_DRAW_VERTICES];
	/* All levels are 0 or 1, and not in memory: what its waves said; else -1 */
	_Atomic int message;
};
/* Makes the next groups of patches. False: d->why. */
bool bw_draw_make_patches(struct bw_draw *d);
/* Makes the next subgroups of the patches of the round. False: d->why. */
bool bw_draw_divide_patches(struct bw_draw *d);

/* ---- draw_shapes.c ---- */
/* Makes d->primitives of what the subgroups exported. False: d->why. */
bool bw_draw_make_primitives(struct bw_draw *d);

/* ---- draw_pixels.c ---- */
struct bw_draw_quad {
	uint32_t primitive; /* in d->primitives */
	int32_t x, y;	    /* of the first of its four pixels */
	int8_t sample;	    /* that it is for; -1: for all */
	uint8_t covered[4]; /* samples */
};
/* Quads of one primitive in one block of pixels. */
enum { BW_DRAW_BLOCK = 16, BW_DRAW_BLOCKS = 64 };
struct bw_draw_block {
	uint32_t primitive;
	int32_t x, y;
	bool is_filled; /* the primitive covers all of it */
	unsigned n_quads;
	struct bw_draw_quad quad[BW_DRAW_BLOCK / 2 * BW_DRAW_BLOCK / 2];
};
struct bw_draw_pixel_wave {
	unsigned n_quads;
	struct bw_draw_quad quad[BW_DRAW_QUADS];
	uint64_t live;			      /* lanes, at the last export */
	uint64_t written[BW_DRAW_COLORS + 1]; /* lanes, by output: colours, then MRTZ */
	uint32_t *output;		      /* of d->outputs: [output][component][lane] */
};
/* Fills waves from where it stopped the last time. True: the primitives are done. False: there is
 * no room, or (d->why) it cannot go on. */
bool bw_draw_find_pixels(struct bw_draw *d);
/* Offset of a sample (-1: of the centre) in the pixel, in 1/256 pixel. */
enum { BW_DRAW_SIXTEENTH = BW_RASTER_SUBPIXELS / 16 };
static inline int bw_draw_sample_x(const struct bw_draw_state *s, int sample)
{
	return (8 + (sample < 0 ? 0 : s->sample_x[sample])) * BW_DRAW_SIXTEENTH;
}
static inline int bw_draw_sample_y(const struct bw_draw_state *s, int sample)
{
	return (8 + (sample < 0 ? 0 : s->sample_y[sample])) * BW_DRAW_SIXTEENTH;
}

/* The sample's place on the screen, in pixels. */
static inline double bw_draw_sample_at_x(const struct bw_draw_state *s, int32_t x, int sample)
{
	return x + (double)bw_draw_sample_x(s, sample) / BW_RASTER_SUBPIXELS;
}
static inline double bw_draw_sample_at_y(const struct bw_draw_state *s, int32_t y, int sample)
{
	return y + (double)bw_draw_sample_y(s, sample) / BW_RASTER_SUBPIXELS;
}

/* ---- draw_parts.c ---- */
/* The tiles of a round that one thread works on (draw_tiles.h). */
struct bw_draw_part {
	struct bw_draw *d; /* what all share is not changed meanwhile, but for the watched pixel */
	struct bw_tlb *tlb;
	unsigned number, n;
	float depth_before;    /* what bw_draw_test() has found */
	bool stencil_failed;   /* in bw_draw_test() */
	uint64_t n_passed;     /* samples that are counted */
	char why[BW_DRAW_WHY]; /* it cannot go on */
};
/* Synchronised with invalidations. */
static inline struct bw_tlb *bw_draw_part_tlb(const struct bw_draw_part *p)
{
	bw_tlb_sync(p->tlb);
	return p->tlb;
}
/* Runs a function for each part of the work, or (few pixels, or a pixel is watched) for one part
 * that is all of it. False: d->why. */
typedef bool bw_draw_part_fn(struct bw_draw_part *p);
bool bw_draw_in_parts(struct bw_draw *d, bool is_much, bw_draw_part_fn *fn);
static inline bool bw_draw_has_tile(const struct bw_draw_part *p, int32_t x, int32_t y)
{
	return p->n == 1 || bw_tile_part((uint32_t)x, (uint32_t)y, p->n) == p->number;
}

/* ---- draw_merge.c ---- */
struct bw_draw_sample {
	uint32_t x, y, layer, sample;
	bool is_front;
	float z;
	uint8_t stencil; /* reference */
};
/* Tests depth and stencil, and writes them. *out_passes. False: p->why. */
bool bw_draw_test(struct bw_draw_part *p, const struct bw_draw_sample *at, bool *out_passes);
/* The same for samples of one pixel (mask), of which at has what they have in common. */
bool bw_draw_test_pixel(struct bw_draw_part *p, const struct bw_draw_sample *at, uint32_t mask,
			const float z[BW_IMAGE_SAMPLES], uint32_t *out_passes);
/* Stores what the pixel waves of the round exported. False: d->why. */
bool bw_draw_merge(struct bw_draw *d);
/* A lane's export of a colour as RGBA of 32 bits. v: of the output, as `output` of the wave has
 * it. */
void bw_draw_unpack_export(const uint32_t *v, unsigned format, unsigned lane, uint32_t rgba[4]);

/* ---- draw_wave.c ---- */
/* Starts the round's waves. NULL, or the reason why they can never run. */
enum bw_draw_stage { BW_DRAW_STAGE_VERTICES, BW_DRAW_STAGE_PIXELS, BW_DRAW_STAGE_HULL };
const char *bw_draw_submit(struct bw_draw *d, enum bw_draw_stage stage);

struct bw_draw {
	_Atomic unsigned n_refs; /* the queue, and the dispatch of its round */
	atomic_bool done;	 /* the round */
	struct bw_queue *q;
	struct bw_device *dev;
	unsigned vmid;
	uint64_t packet_va; /* 0: in a ring */
	uint32_t round;	    /* number of the one that runs, of those of its queue */
	uint32_t first_round;
	/* for debuggers: its number in their list, and the pixel whose events are noted */
	uint32_t number;
	struct bw_draws_pixel watched;
	struct bw_draw_call call;
	struct bw_draw_state state;
	struct bw_draw_targets targets;
	enum {
		BW_DRAW_BEGINS,
		BW_DRAW_HULL_RUN,
		BW_DRAW_PATCHES,
		BW_DRAW_VERTICES_RUN,
		BW_DRAW_PIXELS,
		BW_DRAW_PIXELS_RUN
	} phase;
	enum bw_draw_stage runs; /* what the waves of this round are */

	/* the next vertex */
	struct bw_assembler assembler;
	uint32_t instance, at, primitive_id;
	unsigned budget; /* vertices of this round that may still be looked at */
	bool has_begun;	 /* a primitive is held back that the last subgroup had no room for */
	struct bw_draw_vertex begun[BW_RASTER_CORNERS];
	uint32_t begun_id, begun_instance; /* instance: of the geometry shader */
	uint8_t begun_edges;

	/* patches of the round, and the next one that is divided */
	struct bw_draw_hull_group *hull; /* BW_DRAW_HULL_GROUPS */
	unsigned n_hull, hull_group, patch;
	struct bw_tess *tess; /* of that patch, once divided; its next primitive */
	bool is_divided;
	unsigned tess_primitive;

	/* of a task shader's ring: the entry that is read, and how much of it has been */
	struct {
		struct bw_task_ring ring;
		uint64_t entry;
		bool has_entry, has_begun, is_over, waits;
		uint32_t groups[3], at, n;
		uint32_t unit;	/* bw_draw_end_subgroup() */
		uint64_t freed; /* the first entry that is not free */
		uint32_t n_all; /* groups so far */
	} task;

	struct bw_draw_subgroup *subgroups; /* BW_DRAW_SUBGROUPS */
	unsigned n_subgroups;
	uint32_t n_ordered; /* subgroups of all rounds */
	struct bw_draw_primitive *primitives;
	struct bw_draw_plane (*planes)[4];
	unsigned n_primitives, primitives_size;

	/* the next pixels */
	unsigned primitive;
	int32_t x, y; /* of a block */
	bool in_primitive;
	struct bw_draw_block *blocks; /* BW_DRAW_BLOCKS */
	unsigned n_blocks;
	struct bw_draw_pixel_wave *waves; /* BW_DRAW_PIXEL_WAVES */
	unsigned n_waves;
	uint32_t *outputs;
	char why[BW_DRAW_WHY];
};

/* Adds to pipeline statistics. */
static inline void bw_draw_count(struct bw_draw *d, enum bw_count which, uint64_t n)
{
	if (d->q->counts_on)
		d->q->counts[which] += n;
}

/* Whether what becomes of this pixel is noted. */
static inline bool bw_draw_is_watched(const struct bw_draw *d, int32_t x, int32_t y)
{
	return d->watched.on && x == d->watched.x && y == d->watched.y;
}

/* The address of the packet that the queue executes; 0: it is in a ring. */
static inline uint64_t bw_draw_packet_va(const struct bw_queue *q)
{
	return q->depth ? bw_canonical(q->level[q->depth].va +
				       (uint64_t)q->level[q->depth].pos_dw * 4)
			: 0;
}

static inline struct bw_tlb *bw_draw_tlb(const struct bw_draw *d)
{
	return bw_cp_tlb(d->dev, d->vmid);
}

#endif
