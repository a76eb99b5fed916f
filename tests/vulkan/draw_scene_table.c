/* SPDX-License-Identifier: MIT */
#include "draw_scenes.h"

#include <math.h>
#include <string.h>

#include "base/float_bits.h"
#include "base/small_float.h"
#include "base/util.h"

#define PATCHES(n) .topology = VK_PRIMITIVE_TOPOLOGY_PATCH_LIST, .patch = n
#define TRIS .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST
#define BRESENHAM .lines = VK_LINE_RASTERIZATION_MODE_BRESENHAM_EXT
#define RECTANGULAR .lines = VK_LINE_RASTERIZATION_MODE_RECTANGULAR_EXT
const struct scene scenes[] = {
	{"triangle", "flat", TRIS, .count = 3},
	{"many", "flat", TRIS, .count = N_VERTICES},
	{"smooth", "smooth", TRIS, .count = 30},
	{"noperspective", "noperspective", TRIS, .count = 30},
	{"linear", "flat", TRIS, .count = 30, .linear = true},
	{"bgra", "flat", TRIS, .count = 30, .formats = {VK_FORMAT_B8G8R8A8_UNORM}},
	{"srgb", "smooth", TRIS, .count = 12, .formats = {VK_FORMAT_R8G8B8A8_SRGB}},
	{"half", "smooth", TRIS, .count = 12, .formats = {VK_FORMAT_R16G16B16A16_SFLOAT}},
	{"float", "smooth", TRIS, .count = 12, .formats = {VK_FORMAT_R32G32B32A32_SFLOAT}},
	{"rgb10", "smooth", TRIS, .count = 12, .formats = {VK_FORMAT_A2B10G10R10_UNORM_PACK32}},
	{"rgb565", "flat", TRIS, .count = 12, .formats = {VK_FORMAT_R5G6B5_UNORM_PACK16}},
	{"targets", "targets", TRIS, .count = 30,
	 .formats = {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R16G16B16A16_SFLOAT,
		     VK_FORMAT_R8G8B8A8_UINT}},
	{"signed", "signed", TRIS, .count = 30, .formats = {VK_FORMAT_R8G8B8A8_SINT}},
	{"indexed", "flat", TRIS, .count = 60, .index_b = 2},
	{"indexed_32", "flat", TRIS, .count = 60, .index_b = 4, .vertex_offset = 30},
	{"instances", "flat", TRIS, .count = 9, .index_b = 2, .instances = 5, .first_instance = 1,
	 .depth = VK_FORMAT_D32_SFLOAT, .compare = VK_COMPARE_OP_LESS},
	{"points", "point", .topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST, .count = 60},
	{"strip", "flat", .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP, .count = 20},
	{"strip_last", "flat", .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP, .count = 20,
	 .provoking_last = true},
	{"fan", "flat", .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN, .count = 12},
	{"restart", "flat", .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP, .count = 60,
	 .index_b = 2, .restart = true},
	{"depth32", "flat", TRIS, .count = N_VERTICES, .depth = VK_FORMAT_D32_SFLOAT,
	 .compare = VK_COMPARE_OP_LESS},
	{"depth16", "flat", TRIS, .count = N_VERTICES, .depth = VK_FORMAT_D16_UNORM,
	 .compare = VK_COMPARE_OP_GREATER_OR_EQUAL},
	{"depth_export", "depth", TRIS, .count = 60, .depth = VK_FORMAT_D32_SFLOAT,
	 .compare = VK_COMPARE_OP_LESS},
	{"depth_clamp", "flat", TRIS, .count = 60, .depth = VK_FORMAT_D32_SFLOAT,
	 .compare = VK_COMPARE_OP_LESS, .depth_clamp = true},
	{"bias", "flat", TRIS, .count = 60, .depth = VK_FORMAT_D32_SFLOAT,
	 .compare = VK_COMPARE_OP_LESS, .bias = true},
	{"stencil", "flat", TRIS, .count = 60, .depth = VK_FORMAT_D32_SFLOAT_S8_UINT,
	 .compare = VK_COMPARE_OP_LESS, .stencil = true},
	{"discards", "discards", TRIS, .count = 60, .depth = VK_FORMAT_D32_SFLOAT,
	 .compare = VK_COMPARE_OP_LESS},
	{"cull_back", "flat", TRIS, .count = 60, .cull = VK_CULL_MODE_BACK_BIT},
	{"cull_front", "flat", TRIS, .count = 60, .cull = VK_CULL_MODE_FRONT_BIT,
	 .front = VK_FRONT_FACE_CLOCKWISE},
	{"facing", "facing", TRIS, .count = 30, .formats = {VK_FORMAT_R16G16B16A16_SFLOAT}},
	{"derivative", "derivative", TRIS, .count = 12},
	{"over", "flat", TRIS, .count = 60, .blend = BLEND_OVER},
	{"over_half", "flat", TRIS, .count = 30, .blend = BLEND_OVER,
	 .formats = {VK_FORMAT_R16G16B16A16_SFLOAT}},
	{"over_srgb", "flat", TRIS, .count = 30, .blend = BLEND_OVER,
	 .formats = {VK_FORMAT_R8G8B8A8_SRGB}},
	{"add", "flat", TRIS, .count = 30, .blend = BLEND_ADD},
	{"constant", "flat", TRIS, .count = 30, .blend = BLEND_CONSTANT},
	{"max", "flat", TRIS, .count = 30, .blend = BLEND_MAX},
	{"dual", "dual", TRIS, .count = 30, .blend = BLEND_DUAL},
	{"logic", "flat", TRIS, .count = 30, .blend = LOGIC_XOR},
	{"mask", "flat", TRIS, .count = 30,
	 .mask = VK_COLOR_COMPONENT_R_BIT | VK_COLOR_COMPONENT_B_BIT},
	{"flipped", "flat", TRIS, .count = 60, .flipped = true, .cull = VK_CULL_MODE_BACK_BIT},
	{"scissored", "flat", TRIS, .count = 60, .scissored = true},
	{"behind", "smooth", TRIS, .count = 30, .behind = true, .depth = VK_FORMAT_D32_SFLOAT,
	 .compare = VK_COMPARE_OP_LESS},
	{"clipped", "flat", TRIS, .count = 60, .has_clip = true, .clip = 0.1f},
	{"textured", "texture", TRIS, .count = 12},
	{"array", "array", TRIS, .count = 12},
	{"samples4", "flat", TRIS, .count = 60, .samples = VK_SAMPLE_COUNT_4_BIT},
	{"samples4_depth", "flat", TRIS, .count = 60, .samples = VK_SAMPLE_COUNT_4_BIT,
	 .depth = VK_FORMAT_D32_SFLOAT, .compare = VK_COMPARE_OP_LESS},
	{"samples4_shaded", "samples", TRIS, .count = 30, .samples = VK_SAMPLE_COUNT_4_BIT,
	 .sample_shading = true},
	{"indirect", "flat", TRIS, .count = 30, .instances = 2, .indirect = true},
	{"indirect_many", "flat", TRIS, .count = 12, .indirect = true, .n_draws = 5},
	{"indirect_counted", "flat", TRIS, .count = 12, .indirect = true, .n_draws = 5,
	 .counted = true, .index_b = 2},
	{"indirect_indexed", "flat", TRIS, .count = 30, .index_b = 2, .indirect = true},
	{"indexed_8", "flat", TRIS, .count = 60, .index_b = 1, .vertex_offset = 20},
	{"restart_8", "flat", .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP, .count = 60,
	 .index_b = 1, .restart = true},
	{"draw_id", "flat", "draw_id", TRIS, .count = 12, .indirect = true, .n_draws = 5},
	{"draw_id_counted", "flat", "draw_id", TRIS, .count = 12, .indirect = true, .n_draws = 5,
	 .counted = true, .index_b = 2},
	{"viewports", "viewport", "viewports", TRIS, .count = 12, .instances = 3,
	 .viewports = true},
	{"layers", "layer", "layers", TRIS, .count = 12, .instances = 3, .layers = 3},
	{"layers_depth", "layer", "layers", TRIS, .count = 30, .instances = 3, .layers = 3,
	 .depth = VK_FORMAT_D32_SFLOAT, .compare = VK_COMPARE_OP_LESS},
	{"r8", "smooth", TRIS, .count = 12, .formats = {VK_FORMAT_R8_UNORM}},
	{"rg8", "smooth", TRIS, .count = 12, .formats = {VK_FORMAT_R8G8_UNORM}},
	{"snorm8", "smooth", TRIS, .count = 12, .formats = {VK_FORMAT_R8G8B8A8_SNORM}},
	{"bgra_srgb", "smooth", TRIS, .count = 12, .formats = {VK_FORMAT_B8G8R8A8_SRGB}},
	{"a1rgb5", "smooth", TRIS, .count = 12, .formats = {VK_FORMAT_A1R5G5B5_UNORM_PACK16}},
	{"bgr10", "smooth", TRIS, .count = 12, .formats = {VK_FORMAT_A2R10G10B10_UNORM_PACK32}},
	{"r16", "smooth", TRIS, .count = 12, .formats = {VK_FORMAT_R16_UNORM}},
	{"rg16", "smooth", TRIS, .count = 12, .formats = {VK_FORMAT_R16G16_UNORM}},
	{"rgba16", "smooth", TRIS, .count = 12, .formats = {VK_FORMAT_R16G16B16A16_UNORM}},
	{"snorm16", "smooth", TRIS, .count = 12, .formats = {VK_FORMAT_R16G16B16A16_SNORM}},
	{"rg11b10", "smooth", TRIS, .count = 12, .formats = {VK_FORMAT_B10G11R11_UFLOAT_PACK32}},
	{"r16f", "smooth", TRIS, .count = 12, .formats = {VK_FORMAT_R16_SFLOAT}},
	{"rg16f", "smooth", TRIS, .count = 12, .formats = {VK_FORMAT_R16G16_SFLOAT}},
	{"r32f", "smooth", TRIS, .count = 12, .formats = {VK_FORMAT_R32_SFLOAT}},
	{"rg32f", "smooth", TRIS, .count = 12, .formats = {VK_FORMAT_R32G32_SFLOAT}},
	{"over_rg11b10", "smooth", TRIS, .count = 12, .blend = BLEND_OVER,
	 .formats = {VK_FORMAT_B10G11R11_UFLOAT_PACK32}},
	{"over_rgb10", "smooth", TRIS, .count = 12, .blend = BLEND_OVER,
	 .formats = {VK_FORMAT_A2B10G10R10_UNORM_PACK32}},
	{"over_float", "smooth", TRIS, .count = 12, .blend = BLEND_OVER,
	 .formats = {VK_FORMAT_R32G32B32A32_SFLOAT}},
	{"over_rgba16", "smooth", TRIS, .count = 12, .blend = BLEND_OVER,
	 .formats = {VK_FORMAT_R16G16B16A16_UNORM}},
	{"over_r8", "smooth", TRIS, .count = 12, .blend = BLEND_OVER,
	 .formats = {VK_FORMAT_R8_UNORM}},
	{"samples4_mask", "mask", TRIS, .count = 30, .samples = VK_SAMPLE_COUNT_4_BIT},
	{"stencil_shader", "stencil", TRIS, .count = 30, .stencil = true,
	 .depth = VK_FORMAT_D32_SFLOAT_S8_UINT, .compare = VK_COMPARE_OP_ALWAYS},
	{"lines", "flat", .topology = VK_PRIMITIVE_TOPOLOGY_LINE_LIST, .count = N_VERTICES,
	 BRESENHAM},
	{"line_strip", "flat", .topology = VK_PRIMITIVE_TOPOLOGY_LINE_STRIP, .count = 40,
	 BRESENHAM},
	{"line_restart", "flat", .topology = VK_PRIMITIVE_TOPOLOGY_LINE_STRIP, .count = 60,
	 .index_b = 2, .restart = true, BRESENHAM},
	{"lines_smooth", "smooth", .topology = VK_PRIMITIVE_TOPOLOGY_LINE_LIST, .count = 60,
	 BRESENHAM},
	{"lines_depth", "flat", .topology = VK_PRIMITIVE_TOPOLOGY_LINE_LIST, .count = N_VERTICES,
	 .depth = VK_FORMAT_D32_SFLOAT, .compare = VK_COMPARE_OP_LESS, BRESENHAM},
	{"lines_behind", "flat", .topology = VK_PRIMITIVE_TOPOLOGY_LINE_LIST, .count = 60,
	 .behind = true, BRESENHAM},
	{"lines_clipped", "flat", .topology = VK_PRIMITIVE_TOPOLOGY_LINE_LIST, .count = 60,
	 .has_clip = true, .clip = 0.1f, BRESENHAM},
	{"lines_wide", "flat", .topology = VK_PRIMITIVE_TOPOLOGY_LINE_LIST, .count = 60, .width = 5,
	 BRESENHAM},
	{"lines_last", "flat", .topology = VK_PRIMITIVE_TOPOLOGY_LINE_STRIP, .count = 30,
	 .provoking_last = true, BRESENHAM},
	{"lines_adjacency", "flat", .topology = VK_PRIMITIVE_TOPOLOGY_LINE_LIST_WITH_ADJACENCY,
	 .count = 60, BRESENHAM},
	{"line_strip_adjacency", "flat",
	 .topology = VK_PRIMITIVE_TOPOLOGY_LINE_STRIP_WITH_ADJACENCY, .count = 30, BRESENHAM},
	{"rectangles", "flat", .topology = VK_PRIMITIVE_TOPOLOGY_LINE_LIST, .count = N_VERTICES,
	 RECTANGULAR},
	{"rectangles_wide", "smooth", .topology = VK_PRIMITIVE_TOPOLOGY_LINE_LIST, .count = 40,
	 .width = 4.5f, RECTANGULAR},
	{"rectangles_samples4", "flat", .topology = VK_PRIMITIVE_TOPOLOGY_LINE_LIST,
	 .count = N_VERTICES, .samples = VK_SAMPLE_COUNT_4_BIT, RECTANGULAR},
	{"wire", "flat", TRIS, .count = 60, .polygon = VK_POLYGON_MODE_LINE, BRESENHAM},
	{"wire_culled", "flat", TRIS, .count = N_VERTICES, .polygon = VK_POLYGON_MODE_LINE,
	 .cull = VK_CULL_MODE_BACK_BIT, BRESENHAM},
	{"wire_bias", "smooth", "inside", TRIS, .count = 60, .polygon = VK_POLYGON_MODE_LINE,
	 .bias = true, .depth = VK_FORMAT_D32_SFLOAT, .compare = VK_COMPARE_OP_LESS, BRESENHAM},
	{"wire_wide", "flat", "inside", TRIS, .count = 30, .polygon = VK_POLYGON_MODE_LINE,
	 .width = 3, RECTANGULAR},
	{"wire_strip", "flat", .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP, .count = 20,
	 .polygon = VK_POLYGON_MODE_LINE, BRESENHAM},
	{"corners", "flat", "inside", TRIS, .count = 60, .polygon = VK_POLYGON_MODE_POINT},
	{"coverage", "coverage", TRIS, .count = 60, .samples = VK_SAMPLE_COUNT_4_BIT,
	 .alpha_to_coverage = true},
	{"coverage_depth", "coverage", TRIS, .count = 60, .samples = VK_SAMPLE_COUNT_4_BIT,
	 .alpha_to_coverage = true, .depth = VK_FORMAT_D32_SFLOAT, .compare = VK_COMPARE_OP_LESS},
	{"shrink", "smooth", TRIS, .geom = "shrink", .count = N_VERTICES},
	{"shrink_flat", "flat", TRIS, .geom = "shrink", .count = 60, .index_b = 2,
	 .depth = VK_FORMAT_D32_SFLOAT, .compare = VK_COMPARE_OP_LESS},
	{"shrink_strip", "flat", .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP, .geom = "shrink",
	 .count = 21, .instances = 2},
	{"billboards", "smooth", .topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST, .geom = "billboard",
	 .count = N_VERTICES, .depth = VK_FORMAT_D32_SFLOAT, .compare = VK_COMPARE_OP_LESS},
	{"normals", "flat", TRIS, .geom = "normals", .count = 60, BRESENHAM},
	{"adjacent_corners", "flat", .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST_WITH_ADJACENCY,
	 .geom = "corners", .count = 60},
	{"strip_adjacency", "flat", .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP_WITH_ADJACENCY,
	 .count = 60, .index_b = 2, .restart = true},
	{"adjacent_strip", "flat", .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP_WITH_ADJACENCY,
	 .count = 41, .geom = "corners"},
	{"ribbons", "smooth", .topology = VK_PRIMITIVE_TOPOLOGY_LINE_STRIP_WITH_ADJACENCY,
	 .geom = "ribbon", .count = 40},
	{"tessellated", "flat", PATCHES(3), .tesc = "patch3", .tese = "triangles_equal",
	 .count = 60, .cull = VK_CULL_MODE_BACK_BIT},
	{"tessellated_odd", "flat", PATCHES(3), .tesc = "patch3", .tese = "triangles_odd",
	 .count = 60, .depth = VK_FORMAT_D32_SFLOAT, .compare = VK_COMPARE_OP_LESS},
	{"tessellated_even", "smooth", PATCHES(3), .tesc = "patch3", .tese = "triangles_even",
	 .count = 30},
	{"tessellated_quads", "flat", PATCHES(4), .tesc = "patch4", .tese = "quads_equal",
	 .count = 40, .index_b = 2, .instances = 2},
	{"tessellated_quads_odd", "flat", PATCHES(4), .tesc = "patch4", .tese = "quads_odd",
	 .count = 40, .cull = VK_CULL_MODE_FRONT_BIT},
	{"tessellated_points", "flat", PATCHES(4), .tesc = "patch4", .tese = "quads_points",
	 .count = 40},
	{"tessellated_lines", "flat", PATCHES(4), .tesc = "patch4", .tese = "lines_equal",
	 .count = 40, BRESENHAM},
	{"tessellated_once", "flat", PATCHES(3), .tesc = "once", .tese = "triangles_even",
	 .count = N_VERTICES},
	{"tessellated_shrunk", "flat", PATCHES(3), .tesc = "patch3", .tese = "triangles_odd",
	 .geom = "shrink", .count = 30},
	{"mesh", "flat", .mesh = "grid", .groups = {4, 3, 2}, .depth = VK_FORMAT_D32_SFLOAT,
	 .compare = VK_COMPARE_OP_LESS},
	{"mesh_smooth", "smooth", .mesh = "grid", .groups = {2, 1, 1}},
	{"mesh_pieces", "piece", .mesh = "pieces", .groups = {3, 1, 1}, .layers = 3},
	{"mesh_viewports", "placed", .mesh = "places", .groups = {3, 1, 1}, .viewports = true},
	{"mesh_lines", "flat", .mesh = "strokes", .groups = {2, 1, 1}, BRESENHAM},
	{"mesh_points", "flat", .mesh = "dots", .groups = {1, 3, 1}},
	{"mesh_many", "flat", .mesh = "grid", .groups = {9, 8, 1}},
	{"mesh_indirect", "flat", .mesh = "strokes", .groups = {1, 1, 1}, .indirect = true,
	 .n_draws = 3, BRESENHAM},
	{"mesh_counted", "flat", .mesh = "strokes", .groups = {1, 1, 1}, .indirect = true,
	 .counted = true, .n_draws = 4, BRESENHAM},
	{"tasks", "flat", .mesh = "leaves", .task = "branches", .groups = {4, 3, 2},
	 .depth = VK_FORMAT_D32_SFLOAT, .compare = VK_COMPARE_OP_LESS},
	{"tasks_many", "flat", .mesh = "speck", .task = "specks", .groups = {61, 37, 1}},
	{"tasks_indirect", "flat", .mesh = "leaves", .task = "branches", .groups = {2, 2, 1},
	 .indirect = true, .n_draws = 3, .depth = VK_FORMAT_D32_SFLOAT,
	 .compare = VK_COMPARE_OP_LESS},
	{"tasks_counted", "flat", .mesh = "leaves", .task = "branches", .groups = {0, 2, 1},
	 .indirect = true, .counted = true, .n_draws = 4, .depth = VK_FORMAT_D32_SFLOAT,
	 .compare = VK_COMPARE_OP_LESS},
	{"slices", "slice", TRIS, .geom = "slices", .count = 30, .layers = 3},
	{"wire_shrink", "flat", "inside", TRIS, .geom = "shrink", .count = 60,
	 .polygon = VK_POLYGON_MODE_LINE, BRESENHAM},
};
const size_t n_scenes = BW_ARRAY_SIZE(scenes);

static uint32_t seed;

static float random_float(void)
{
	seed = seed * 1664525 + 1013904223;
	return (float)(seed >> 8) / 16777216.0f;
}

void scene_vertices(bool behind, float out[N_VERTICES][8])
{
	static const float first[3][2] = {{-0.9f, -0.8f}, {0.85f, -0.5f}, {-0.1f, 0.95f}};
	float centre[2] = {0}, color[4] = {0}, size = 0;
	seed = 12345;
	for (unsigned i = 0; i < N_VERTICES; i++) {
		if (i % 3 == 0) {
			for (unsigned k = 0; k < 2; k++)
				centre[k] = random_float() * 2 - 1;
			size = 0.05f + random_float() * random_float() * 1.5f;
			for (unsigned k = 0; k < 4; k++)
				color[k] = 0.1f + 0.8f * random_float();
		}
		for (unsigned k = 0; k < 2; k++)
			out[i][k] =
				i < 3 ? first[i][k] : centre[k] + size * (random_float() * 2 - 1);
		out[i][2] = random_float() * 1.2f - 0.1f;
		float w = behind ? random_float() * 1.6f - 0.4f : 0.5f + random_float();
		for (unsigned k = 0; k < 3; k++)
			out[i][k] *= behind ? 1 : w;
		out[i][3] = w;
		for (unsigned k = 0; k < 4; k++)
			out[i][4 + k] = color[k] * (0.7f + 0.3f * random_float());
	}
}

uint32_t scene_index(const struct scene *s, uint32_t i)
{
	return s->restart && i % 8 == 7 ? 0xffffffff >> (32 - 8 * s->index_b) : s->count - 1 - i;
}

/* ---- pictures ---- */

enum kind { RAW, UNSIGNED, SIGNED, FLOATS };
static const struct texel {
	VkFormat format;
	uint8_t bits[4]; /* of each component, from the lowest; at most 8 are shown raw */
	enum kind kind;
} texels_of[] = {
	{VK_FORMAT_R8G8B8A8_UNORM, {8, 8, 8, 8}, RAW},
	{VK_FORMAT_R8G8B8A8_SRGB, {8, 8, 8, 8}, RAW},
	{VK_FORMAT_R8G8B8A8_UINT, {8, 8, 8, 8}, RAW},
	{VK_FORMAT_R8G8B8A8_SINT, {8, 8, 8, 8}, RAW},
	{VK_FORMAT_R8G8B8A8_SNORM, {8, 8, 8, 8}, SIGNED},
	{VK_FORMAT_B8G8R8A8_UNORM, {8, 8, 8, 8}, RAW},
	{VK_FORMAT_B8G8R8A8_SRGB, {8, 8, 8, 8}, RAW},
	{VK_FORMAT_R8_UNORM, {8}, RAW},
	{VK_FORMAT_R8G8_UNORM, {8, 8}, RAW},
	{VK_FORMAT_R5G6B5_UNORM_PACK16, {5, 6, 5}, RAW},
	{VK_FORMAT_A1R5G5B5_UNORM_PACK16, {5, 5, 5, 1}, RAW},
	{VK_FORMAT_A2B10G10R10_UNORM_PACK32, {10, 10, 10, 2}, UNSIGNED},
	{VK_FORMAT_A2R10G10B10_UNORM_PACK32, {10, 10, 10, 2}, UNSIGNED},
	{VK_FORMAT_R16_UNORM, {16}, UNSIGNED},
	{VK_FORMAT_R16G16_UNORM, {16, 16}, UNSIGNED},
	{VK_FORMAT_R16G16B16A16_UNORM, {16, 16, 16, 16}, UNSIGNED},
	{VK_FORMAT_R16G16B16A16_SNORM, {16, 16, 16, 16}, SIGNED},
	{VK_FORMAT_B10G11R11_UFLOAT_PACK32, {11, 11, 10}, FLOATS},
	{VK_FORMAT_R16_SFLOAT, {16}, FLOATS},
	{VK_FORMAT_R16G16_SFLOAT, {16, 16}, FLOATS},
	{VK_FORMAT_R16G16B16A16_SFLOAT, {16, 16, 16, 16}, FLOATS},
	{VK_FORMAT_R32_SFLOAT, {32}, FLOATS},
	{VK_FORMAT_R32G32_SFLOAT, {32, 32}, FLOATS},
	{VK_FORMAT_R32G32B32A32_SFLOAT, {32, 32, 32, 32}, FLOATS},
};

static const struct texel *texel_of(VkFormat f)
{
	const struct texel *t = texels_of;
	while (t->format != f)
		t++;
	return t;
}

unsigned scene_texel_b(VkFormat f)
{
	const uint8_t *bits = texel_of(f)->bits;
	return (unsigned)(bits[0] + bits[1] + bits[2] + bits[3]) / 8;
}

static uint8_t to_byte(double v)
{
	return (uint8_t)lrint(fmin(fmax(v, 0), 1) * 255);
}

static uint8_t component(enum kind kind, uint32_t v, unsigned n_bits)
{
	const double most = (double)(0xffffffff >> (32 - n_bits));
	switch (kind) {
	case UNSIGNED:
		return n_bits > 8 ? to_byte(v / most) : (uint8_t)v;
	case SIGNED:
		v ^= 1u << (n_bits - 1);
		return to_byte(v / most);
	case FLOATS:
		return to_byte(bits_f32(n_bits == 32   ? v
					: n_bits == 16 ? bw_f16_to_f32((uint16_t)v)
						       : bw_small_to_f32(v, n_bits - 5)));
	case RAW:
		break;
	}
	return (uint8_t)v;
}

static void to_rgba8(VkFormat f, const uint8_t *in, uint8_t out[4])
{
	const struct texel *t = texel_of(f);
	unsigned at = 0;
	memset(out, 0, 4);
	for (unsigned c = 0; c < 4 && t->bits[c]; at += t->bits[c++]) {
		uint64_t v = 0;
		memcpy(&v, in + at / 8, (at % 8 + t->bits[c] + 7) / 8);
		v = v >> at % 8 & 0xffffffff >> (32 - t->bits[c]);
		out[c] = component(t->kind, (uint32_t)v, t->bits[c]);
	}
}

void scene_write(FILE *out, const char *name, unsigned target, VkFormat format,
		 const uint8_t *texels)
{
	fprintf(out, "%s%s %d %d\n", name,
		target == 0   ? ""
		: target == 1 ? ".1"
			      : ".2",
		WIDTH, HEIGHT);
	for (unsigned i = 0; i < WIDTH * HEIGHT; i++) {
		uint8_t rgba[4];
		to_rgba8(format, texels + (size_t)i * scene_texel_b(format), rgba);
		fwrite(rgba, 1, 4, out);
	}
}
