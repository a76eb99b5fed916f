/* SPDX-License-Identifier: MIT */
#include "gl_feedback.h"

#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "gl.h"

enum { BUFFER_B = 16384, N_BUFFERS = 3 };

static const struct gl_target plain = {{GL_RGBA8}, 0, 0, 0};
/* Numbers that all implementations compute exactly. */
static const char numbers_vert[] =
	"#version 450\n"
	"flat out vec4 place; flat out uvec2 number; out vec3 shade;\n"
	"void main() { int n = gl_VertexID;\n"
	"	gl_Position = vec4(float(n * 37 % 64) / 32.0 - 1.0, float(n * 23 % 64) / 32.0 - 1.0,\n"
	"		float(n % 8) / 8.0, 1.0);\n"
	"	place = vec4(n, gl_InstanceID, n * 3, 0.5);\n"
	"	number = uvec2(n * 0x01010101, 0xffffffffu - gl_InstanceID);\n"
	"	shade = vec3(n % 4, n % 5, n % 3) / vec3(4, 8, 4); }\n";
static const char shade_frag[] = "#version 450\n"
				 "in vec3 shade; out vec4 color;\n"
				 "void main() { color = vec4(shade, 1); }\n";
/* What was captured, as vertices. */
static const char again_vert[] =
	"#version 450\n"
	"layout(location = 0) in vec4 position;\n"
	"out vec3 shade;\n"
	"void main() { gl_Position = position * vec4(1.0 - 0.5 * gl_InstanceID, 1, 1, 1);\n"
	"	shade = vec3(gl_VertexID % 4, gl_VertexID % 5, gl_InstanceID) / vec3(4, 8, 2); }\n";

static void write_bytes(const char *name, const char *what, const void *bytes, size_t size_b,
			FILE *out)
{
	fprintf(out, "%s.%s.bytes %zu 1\n", name, what, size_b / 4);
	fwrite(bytes, 1, size_b, out);
}

/* ---- buffers ---- */

static GLuint buffers[N_BUFFERS], object;

/* Each with size_b bytes that may be written; 0: all. */
static void bind_buffers(const GLsizeiptr size_b[N_BUFFERS])
{
	static uint8_t fill[BUFFER_B];
	memset(fill, 0xa5, sizeof(fill));
	glGenTransformFeedbacks(1, &object);
	glBindTransformFeedback(GL_TRANSFORM_FEEDBACK, object);
	glGenBuffers(N_BUFFERS, buffers);
	for (GLuint i = 0; i < N_BUFFERS; i++) {
		glBindBuffer(GL_TRANSFORM_FEEDBACK_BUFFER, buffers[i]);
		glBufferData(GL_TRANSFORM_FEEDBACK_BUFFER, BUFFER_B, fill, GL_DYNAMIC_COPY);
		glBindBufferRange(GL_TRANSFORM_FEEDBACK_BUFFER, i, buffers[i], 256,
				  size_b && size_b[i] ? size_b[i] : BUFFER_B - 256);
	}
}

static int compare_16(const void *a, const void *b)
{
	return memcmp(a, b, 16);
}

static void write_buffers(const char *name, bool is_sorted, FILE *out)
{
	static uint8_t bytes[BUFFER_B];
	for (GLuint i = 0; i < N_BUFFERS; i++) {
		char what[32];
		snprintf(what, sizeof(what), "buffer%u", i);
		glBindBuffer(GL_COPY_READ_BUFFER, buffers[i]);
		glGetBufferSubData(GL_COPY_READ_BUFFER, 0, sizeof(bytes), bytes);
		if (is_sorted)
			qsort(bytes, sizeof(bytes) / 16, 16, compare_16);
		write_bytes(name, what, bytes, sizeof(bytes), out);
	}
}

/* ---- queries ---- */

static const GLenum counted[] = {GL_PRIMITIVES_GENERATED, GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN,
				 GL_TRANSFORM_FEEDBACK_STREAM_OVERFLOW};
enum { N_COUNTED = BW_ARRAY_SIZE(counted), MAX_STREAMS = 3 };
static GLuint queries[MAX_STREAMS][N_COUNTED];

static void begin_queries(GLuint n_streams)
{
	for (GLuint s = 0; s < n_streams; s++) {
		glGenQueries(N_COUNTED, queries[s]);
		for (unsigned i = 0; i < N_COUNTED; i++)
			glBeginQueryIndexed(counted[i], s, queries[s][i]);
	}
}

static void end_queries(GLuint n_streams)
{
	for (GLuint s = 0; s < n_streams; s++)
		for (unsigned i = 0; i < N_COUNTED; i++)
			glEndQueryIndexed(counted[i], s);
}

static void write_queries(const char *name, GLuint n_streams, FILE *out)
{
	GLuint results[MAX_STREAMS][N_COUNTED];
	for (GLuint s = 0; s < n_streams; s++)
		for (unsigned i = 0; i < N_COUNTED; i++)
			glGetQueryObjectuiv(queries[s][i], GL_QUERY_RESULT, &results[s][i]);
	write_bytes(name, "counted", results, n_streams * sizeof(*results), out);
}

/* ---- scenes ---- */

static void use_numbers(bool is_separate)
{
	gl_use(&(struct gl_program){.vert = numbers_vert,
				    .frag = shade_frag,
				    .captured = {"place", "number", "gl_Position"},
				    .is_separate = is_separate});
}

void draw_captured(const char *name, FILE *out)
{
	static const struct {
		const char *name;
		GLenum mode, primitive;
		GLsizei count, instances;
	} draws[] = {
		{"triangles", GL_TRIANGLES, GL_TRIANGLES, 120, 2},
		{"lines", GL_LINES, GL_LINES, 30, 2},
		{"loop", GL_LINES, GL_LINE_LOOP, 9, 1},
		{"points", GL_POINTS, GL_POINTS, 40, 1},
		{"strip", GL_TRIANGLES, GL_TRIANGLE_STRIP, 30, 1},
		{"fan", GL_TRIANGLES, GL_TRIANGLE_FAN, 12, 3},
		{"neighbours", GL_TRIANGLES, GL_TRIANGLES_ADJACENCY, 36, 1},
	};
	for (size_t i = 0; i < BW_ARRAY_SIZE(draws); i++) {
		char of[64];
		snprintf(of, sizeof(of), "%s.%s", name, draws[i].name);
		gl_open();
		gl_begin_target(&plain);
		use_numbers(false);
		bind_buffers(NULL);
		if (i % 2)
			glEnable(GL_RASTERIZER_DISCARD);
		begin_queries(1);
		glBeginTransformFeedback(draws[i].mode);
		glDrawArraysInstanced(draws[i].primitive, 0, draws[i].count, draws[i].instances);
		glEndTransformFeedback();
		end_queries(1);
		glDisable(GL_RASTERIZER_DISCARD);
		write_buffers(of, false, out);
		write_queries(of, 1, out);
		if (i % 2 == 0)
			gl_end_target(of, out);
		gl_check(of);
	}
}

/* Buffers of different sizes; the second one is full first. */
void draw_captured_separate(const char *name, FILE *out)
{
	static const GLsizeiptr size_b[N_BUFFERS] = {2000, 300, 0};
	gl_begin_target(&plain);
	use_numbers(true);
	bind_buffers(size_b);
	begin_queries(1);
	glBeginTransformFeedback(GL_TRIANGLES);
	glDrawArrays(GL_TRIANGLES, 0, 90);
	glEndTransformFeedback();
	end_queries(1);
	write_buffers(name, false, out);
	write_queries(name, 1, out);
	gl_end_target(name, out);
}

/* What is drawn meanwhile is not captured. */
void draw_captured_paused(const char *name, FILE *out)
{
	gl_begin_target(&plain);
	use_numbers(true);
	bind_buffers(NULL);
	begin_queries(1);
	glBeginTransformFeedback(GL_TRIANGLES);
	glDrawArrays(GL_TRIANGLES, 0, 30);
	glPauseTransformFeedback();
	glDrawArrays(GL_TRIANGLES, 30, 12);
	glResumeTransformFeedback();
	glDrawArrays(GL_TRIANGLE_STRIP, 60, 25);
	glEndTransformFeedback();
	end_queries(1);
	write_buffers(name, false, out);
	write_queries(name, 1, out);
	gl_end_target(name, out);
}

/* As many vertices as were captured, twice. */
void draw_captured_again(const char *name, FILE *out)
{
	gl_begin_target(&plain);
	use_numbers(true);
	bind_buffers(NULL);
	glEnable(GL_RASTERIZER_DISCARD);
	glBeginTransformFeedback(GL_TRIANGLES);
	glDrawArrays(GL_TRIANGLE_STRIP, 0, 20);
	glEndTransformFeedback();
	glDisable(GL_RASTERIZER_DISCARD);
	gl_use(&(struct gl_program){.vert = again_vert, .frag = shade_frag});
	glBindBuffer(GL_ARRAY_BUFFER, buffers[2]);
	glEnableVertexAttribArray(0);
	glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, 0, (const char *)NULL + 256);
	glDrawTransformFeedbackInstanced(GL_TRIANGLES, object, 2);
	gl_end_target(name, out);
}

static const char streams_geom[] =
	"#version 450\n"
	"layout(triangles, invocations = 2) in;\n"
	"layout(points, max_vertices = 6) out;\n"
	"flat in uvec2 number[];\n"
	"layout(stream = 0, xfb_buffer = 0, xfb_offset = 0) out uvec4 corner;\n"
	"layout(stream = 2, xfb_buffer = 1, xfb_offset = 4, xfb_stride = 12) out uint even;\n"
	"layout(stream = 2, xfb_buffer = 2, xfb_offset = 0) out vec2 pair;\n"
	"void main() {\n"
	"	for (int i = 0; i < 3; i++) {\n"
	"		corner = uvec4(number[i], gl_PrimitiveIDIn, gl_InvocationID);\n"
	"		gl_Position = gl_in[i].gl_Position;\n"
	"		EmitStreamVertex(0); EndStreamPrimitive(0);\n"
	"		if (number[i].x % 2u == 0u) {\n"
	"			even = number[i].x + 1000u * uint(gl_InvocationID);\n"
	"			pair = vec2(gl_PrimitiveIDIn, i);\n"
	"			EmitStreamVertex(2); EndStreamPrimitive(2);\n"
	"		}\n"
	"	}\n"
	"}\n";

/* Points of two streams; the second stream has two buffers, one of which may be small. */
void draw_captured_streams(const char *name, FILE *out)
{
	static const GLsizeiptr small_b[N_BUFFERS] = {0, 0, 100};
	for (unsigned i = 0; i < 2; i++) {
		char of[64];
		snprintf(of, sizeof(of), "%s.%u", name, i);
		gl_open();
		gl_begin_target(&plain);
		gl_use(&(struct gl_program){.vert = numbers_vert, .geom = streams_geom});
		bind_buffers(i ? small_b : NULL);
		glEnable(GL_RASTERIZER_DISCARD);
		begin_queries(MAX_STREAMS);
		glBeginTransformFeedback(GL_POINTS);
		glDrawArrays(GL_TRIANGLES, 0, 60);
		glEndTransformFeedback();
		end_queries(MAX_STREAMS);
		write_buffers(of, false, out);
		write_queries(of, MAX_STREAMS, out);
		gl_check(of);
	}
}

/* Places in patches, whose order is the implementation's. */
void draw_captured_patches(const char *name, FILE *out)
{
	gl_begin_target(&plain);
	gl_use(&(struct gl_program){
		.vert = numbers_vert,
		.tesc = "#version 450\n"
			"layout(vertices = 3) out;\n"
			"void main() {\n"
			"	gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;\n"
			"	for (int i = 0; i < 3; i++)\n"
			"		gl_TessLevelOuter[i] = float(4 >> gl_PrimitiveID % 3);\n"
			"	gl_TessLevelInner[0] = float(4 >> gl_PrimitiveID % 3); }\n",
		.tese = "#version 450\n"
			"layout(triangles, equal_spacing) in;\n"
			"out vec4 at;\n"
			"void main() { at = vec4(gl_TessCoord, gl_PrimitiveID);\n"
			"	gl_Position = gl_in[0].gl_Position; }\n",
		.captured = {"at"}});
	bind_buffers(NULL);
	glPatchParameteri(GL_PATCH_VERTICES, 3);
	glEnable(GL_RASTERIZER_DISCARD);
	begin_queries(1);
	glBeginTransformFeedback(GL_TRIANGLES);
	glDrawArrays(GL_PATCHES, 0, 60);
	glEndTransformFeedback();
	end_queries(1);
	write_buffers(name, true, out);
	write_queries(name, 1, out);
	gl_check(name);
}

/* What is drawn depends on whether everything was captured. */
void draw_overflown(const char *name, FILE *out)
{
	static const GLsizeiptr small_b[N_BUFFERS] = {0, 300, 0};
	static const GLenum kinds[2] = {GL_TRANSFORM_FEEDBACK_STREAM_OVERFLOW,
					GL_TRANSFORM_FEEDBACK_OVERFLOW};
	for (unsigned i = 0; i < 4; i++) {
		GLuint query;
		char of[64];
		snprintf(of, sizeof(of), "%s.%u", name, i);
		gl_open();
		gl_begin_target(&plain);
		use_numbers(true);
		bind_buffers(i % 2 ? small_b : NULL);
		glGenQueries(1, &query);
		glBeginQuery(kinds[i / 2], query);
		glBeginTransformFeedback(GL_TRIANGLES);
		glDrawArrays(GL_TRIANGLES, 0, 60);
		glEndTransformFeedback();
		glEndQuery(kinds[i / 2]);
		glBeginConditionalRender(query, GL_QUERY_WAIT);
		glDrawArrays(GL_TRIANGLES, 60, 12);
		glEndConditionalRender();
		glBeginConditionalRender(query, GL_QUERY_WAIT_INVERTED);
		glDrawArrays(GL_TRIANGLES, 72, 12);
		glEndConditionalRender();
		gl_end_target(of, out);
	}
}
