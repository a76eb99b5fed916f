/* SPDX-License-Identifier: MIT */
/* Vertex orders of lines and triangles: Vulkan 1.3, 20.1 and 21.1. */
#include "../../suite.h"

#include <string.h>

#include "vgpu/device/raster/assemble.h"

/* The primitives of vertices 0, 1, ...; ~0 restarts. */
static unsigned assemble(struct bw_assembler a, const uint32_t *vertices, unsigned n,
			 uint32_t out[][BW_RASTER_CORNERS])
{
	unsigned n_out = 0;
	for (unsigned i = 0; i < n; i++) {
		if (vertices[i] == ~0u)
			bw_raster_restart(&a);
		else
			n_out += bw_raster_assemble(&a, vertices[i], out[n_out]);
	}
	return n_out;
}

#define EXPECT(type, last, vertices, ...)                                                          \
	do {                                                                                       \
		const uint32_t in_[] = vertices, expected_[][BW_RASTER_CORNERS] = __VA_ARGS__;     \
		uint32_t out_[16][BW_RASTER_CORNERS] = {0};                                        \
		struct bw_assembler a_ = {.topology = type, .provoking_last = last};               \
		unsigned n_ = sizeof(expected_) / sizeof(*expected_);                              \
		assert_int_equal(assemble(a_, in_, sizeof(in_) / 4, out_), n_);                    \
		assert_memory_equal(out_, expected_, sizeof(expected_));                           \
	} while (0)
#define V(...) {__VA_ARGS__}

static void test_orders(void **state)
{
	EXPECT(BW_TOPOLOGY_TRIANGLES, false, V(0, 1, 2, 3, 4, 5, 6), {{0, 1, 2}, {3, 4, 5}});
	EXPECT(BW_TOPOLOGY_RECTS, false, V(0, 1, 2), {{0, 1, 2}});
	/* The first vertex is i, or the last one i + 2; all turn the same way. */
	EXPECT(BW_TOPOLOGY_STRIP, false, V(0, 1, 2, 3, 4), {{0, 1, 2}, {1, 3, 2}, {2, 3, 4}});
	EXPECT(BW_TOPOLOGY_STRIP, true, V(0, 1, 2, 3, 4), {{0, 1, 2}, {2, 1, 3}, {2, 3, 4}});
	EXPECT(BW_TOPOLOGY_LINES, false, V(0, 1, 2, 3, 4), {{0, 1}, {2, 3}});
	EXPECT(BW_TOPOLOGY_LINE_STRIP, false, V(0, 1, 2, 3), {{0, 1}, {1, 2}, {2, 3}});
	/* The first vertex is i + 1, or the last one i + 2. */
	EXPECT(BW_TOPOLOGY_FAN, false, V(0, 1, 2, 3), {{1, 2, 0}, {2, 3, 0}});
	EXPECT(BW_TOPOLOGY_FAN, true, V(0, 1, 2, 3), {{0, 1, 2}, {0, 2, 3}});
}

/* The neighbours stay among the vertices, until they are dropped. */
static void test_adjacency(void **state)
{
	uint32_t line[BW_RASTER_CORNERS] = {3, 4, 5, 6}, triangle[] = {0, 1, 2, 3, 4, 5};
	uint32_t six[BW_RASTER_CORNERS] = {0};
	EXPECT(BW_TOPOLOGY_LINES_ADJACENCY, false, V(0, 1, 2, 3, 4, 5, 6, 7),
	       {{0, 1, 2, 3}, {4, 5, 6, 7}});
	EXPECT(BW_TOPOLOGY_LINE_STRIP_ADJACENCY, false, V(0, 1, 2, 3, 4),
	       {{0, 1, 2, 3}, {1, 2, 3, 4}});
	EXPECT(BW_TOPOLOGY_TRIANGLES_ADJACENCY, false, V(0, 1, 2, 3, 4, 5), {{0, 1, 2, 3, 4, 5}});
	assert_int_equal(bw_raster_drop_neighbours(BW_TOPOLOGY_LINES_ADJACENCY, line), 2);
	assert_true(line[0] == 4 && line[1] == 5);
	memcpy(six, triangle, sizeof(triangle));
	assert_int_equal(bw_raster_drop_neighbours(BW_TOPOLOGY_TRIANGLES_ADJACENCY, six), 3);
	assert_true(six[0] == 0 && six[1] == 2 && six[2] == 4);
}

static void test_restart(void **state)
{
	EXPECT(BW_TOPOLOGY_STRIP, false, V(0, 1, 2, 3, ~0u, 4, 5, 6),
	       {{0, 1, 2}, {1, 3, 2}, {4, 5, 6}});
	EXPECT(BW_TOPOLOGY_FAN, false, V(0, 1, ~0u, 2, 3, 4), {{3, 4, 2}});
	EXPECT(BW_TOPOLOGY_TRIANGLES, false, V(0, ~0u, 1, 2, 3), {{1, 2, 3}});
}

static void test_refused(void **state)
{
	for (unsigned i = 0; i < 64; i++) {
		bool drawn = (i >= 1 && i <= 6) || (i >= 0xa && i <= 0xc) || i == 0x11;
		assert_int_equal(!bw_raster_topology_refused(i), drawn);
	}
	assert_string_equal(bw_raster_topology_refused(0xd),
			    "strips of triangles with adjacency are not drawn");
}

TESTS(test_orders, test_adjacency, test_restart, test_refused);
