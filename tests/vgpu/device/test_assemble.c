/* SPDX-License-Identifier: MIT */
/* Vertex orders of lines and triangles: Vulkan 1.3, 20.1 and 21.1; of loops, quads and polygons:
 * OpenGL 4.6 compatibility, 10.1 and table 13.2. */
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
			n_out += bw_raster_close(&a, out[n_out]);
		else
			n_out += bw_raster_assemble(&a, vertices[i], out[n_out]);
		n_out += bw_raster_rest(&a, out[n_out]);
	}
	return n_out + bw_raster_close(&a, out[n_out]);
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

static void test_old_orders(void **state)
{
	EXPECT(BW_TOPOLOGY_LINE_LOOP, false, V(0, 1, 2, ~0u, 3, 4, ~0u, 5),
	       {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 3}});
	/* A quad's provoking vertex is its first or its last one, a polygon's is the first one. */
	EXPECT(BW_TOPOLOGY_QUADS, false, V(0, 1, 2, 3, 4), {{0, 1, 2}, {0, 2, 3}});
	EXPECT(BW_TOPOLOGY_QUADS, true, V(0, 1, 2, 3, 4), {{0, 1, 3}, {1, 2, 3}});
	EXPECT(BW_TOPOLOGY_QUAD_STRIP, false, V(0, 1, 2, 3, 4, 5),
	       {{0, 1, 3}, {0, 3, 2}, {2, 3, 5}, {2, 5, 4}});
	EXPECT(BW_TOPOLOGY_QUAD_STRIP, true, V(0, 1, 2, 3), {{2, 0, 3}, {0, 1, 3}});
	EXPECT(BW_TOPOLOGY_POLYGON, false, V(0, 1, 2, 3, ~0u, 4, 5, 6),
	       {{0, 1, 2}, {0, 2, 3}, {4, 5, 6}});
	EXPECT(BW_TOPOLOGY_POLYGON, true, V(0, 1, 2, 3), {{1, 2, 0}, {2, 3, 0}});
}

/* The outline of a polygon and of a quad, whatever triangles they are made of. */
static void test_edges(void **state)
{
	for (unsigned type = BW_TOPOLOGY_QUADS; type <= BW_TOPOLOGY_POLYGON; type++)
		for (unsigned last = 0; last < 2; last++) {
			struct bw_assembler a = {.topology = type, .provoking_last = last};
			uint32_t out[BW_RASTER_CORNERS];
			unsigned edges[4][4] = {0}, n = 0;
			/* of the strip: around 0, 1, 3, 2 */
			const unsigned strip[4] = {0, 1, 3, 2};
			for (uint32_t v = 0; v < 5; v++) {
				bool is = v < 4 ? bw_raster_assemble(&a, v, out)
						: bw_raster_close(&a, out);
				for (; is; is = bw_raster_rest(&a, out))
					for (unsigned i = 0; i < 3; i++)
						if (a.edges >> i & 1)
							edges[out[i]][out[(i + 1) % 3]]++, n++;
			}
			assert_int_equal(n, 4);
			for (unsigned i = 0; i < 4; i++) {
				unsigned k = (i + 1) % 4;
				bool is_strip = type == BW_TOPOLOGY_QUAD_STRIP;
				assert_int_equal(
					edges[is_strip ? strip[i] : i][is_strip ? strip[k] : k], 1);
			}
		}
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
	/* only; first and last; one in the middle, and a vertex too many */
	EXPECT(BW_TOPOLOGY_STRIP_ADJACENCY, true, V(0, 1, 2, 3, 4, 5), {{0, 1, 2, 5, 4, 3}});
	EXPECT(BW_TOPOLOGY_STRIP_ADJACENCY, true, V(0, 1, 2, 3, 4, 5, 6, 7),
	       {{0, 1, 2, 6, 4, 3}, {4, 0, 2, 5, 6, 7}});
	EXPECT(BW_TOPOLOGY_STRIP_ADJACENCY, true, V(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, ~0u, 11),
	       {{0, 1, 2, 6, 4, 3}, {4, 0, 2, 5, 6, 8}, {4, 2, 6, 9, 8, 7}});
	EXPECT(BW_TOPOLOGY_STRIP_ADJACENCY, false, V(0, 1, 2, 3, 4, 5, 6, 7),
	       {{0, 1, 2, 6, 4, 3}, {2, 5, 6, 7, 4, 0}});
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
		bool drawn = (i >= 1 && i <= 6) || i == 9 || (i >= 0xa && i <= 0xd) ||
			     (i >= 0x11 && i <= 0x15);
		assert_int_equal(!bw_raster_topology_refused(i), drawn);
	}
	assert_string_equal(bw_raster_topology_refused(7), "primitives of this type are not drawn");
}

TESTS(test_orders, test_old_orders, test_edges, test_adjacency, test_restart, test_refused);
