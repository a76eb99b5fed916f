/* SPDX-License-Identifier: MIT */
#ifndef BW_TESTS_VULKAN_DRAW_SCENES_H
#define BW_TESTS_VULKAN_DRAW_SCENES_H

/* The scenes of draw_scenes: what each draws, its vertices, and its pictures as bytes. */

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <vulkan/vulkan.h>

enum { WIDTH = 100, HEIGHT = 76, MAX_TARGETS = 3, N_VERTICES = 120, TEXTURE = 16 };

enum blend { NO_BLEND, BLEND_OVER, BLEND_ADD, BLEND_CONSTANT, BLEND_MAX, BLEND_DUAL, LOGIC_XOR };

struct scene {
	const char *name, *frag, *vert; /* vert NULL: scene.vert */
	const char *geom, *tesc, *tese, *mesh, *task;
	uint32_t groups[3]; /* of a mesh or task shader; indirect: of the first draw */
	uint32_t patch;	    /* vertices of one */
	VkPrimitiveTopology topology;
	uint32_t first, count;
	/* 1, 2 or 4 bytes; 0: no indices. They go backwards; with restart each 8th restarts. */
	unsigned index_b;
	bool restart;
	int32_t vertex_offset;
	uint32_t first_instance, instances; /* 0: one */
	VkFormat formats[MAX_TARGETS];	    /* without: RGBA8 */
	bool linear;
	VkFormat depth;
	VkCompareOp compare;
	enum blend blend;
	VkColorComponentFlags mask; /* 0: all */
	VkCullModeFlags cull;
	VkFrontFace front;
	VkSampleCountFlagBits samples;
	bool sample_shading, depth_clamp, discards_all, stencil, bias, provoking_last;
	float clip; /* clip distance is x - this */
	bool has_clip, flipped, scissored, behind, indirect;
	unsigned n_draws; /* of an indirect draw, each with the next vertices; 0: one */
	bool counted;	  /* their number is in memory, and one less */
	bool viewports;	  /* three, which the vertex shader chooses from */
	VkPolygonMode polygon;
	VkLineRasterizationModeEXT lines;
	float width; /* of lines; 0: 1 */
	bool alpha_to_coverage;
	uint32_t layers; /* of the first target, each a picture of its own; 0: no array */
};

extern const struct scene scenes[];
extern const size_t n_scenes;

/* Positions and colours: a large triangle, and others of all sizes. */
void scene_vertices(bool behind, float out[N_VERTICES][8]);
uint32_t scene_index(const struct scene *s, uint32_t i);
unsigned scene_texel_b(VkFormat f);
/* A line and the texels, with 8 bits a component. */
void scene_write(FILE *out, const char *name, unsigned target, VkFormat format,
		 const uint8_t *texels);

#endif
