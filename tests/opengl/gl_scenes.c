/* SPDX-License-Identifier: MIT */
/* Scenes of OpenGL: "gl_scenes FILE [SCENE...]" draws each and writes its pictures to FILE.
 * tests/vulkan/test_draws.py compares the virtual GPU's with llvmpipe's. Most have flat colours, so
 * that both must cover the same pixels. */
#include <string.h>

#include "base/util.h"
#include "gl.h"
#include "gl_feedback.h"

static const struct gl_target plain = {{GL_RGBA8}, 0, 0, 0};
/* One colour for each triangle. */
static const char flat_vert[] = "#version 450\n"
				"layout(location = 0) in vec4 position;\n"
				"layout(location = 1) in vec4 color;\n"
				"layout(location = 0) flat out vec4 shade;\n"
				"void main() { gl_Position = position; shade = color; }\n";
static const char flat_frag[] = "#version 450\n"
				"layout(location = 0) flat in vec4 shade;\n"
				"layout(location = 0) out vec4 color;\n"
				"void main() { color = shade; }\n";
static const char smooth_frag[] = "#version 450\n"
				  "layout(location = 0) in vec4 shade;\n"
				  "layout(location = 0) out vec4 color;\n"
				  "void main() { color = shade; }\n";
/* A rectangle over the whole target, of a strip of four vertices without inputs. */
static const char whole_vert[] = "#version 450\n"
				 "layout(location = 0) out vec2 place;\n"
				 "void main() { place = vec2(gl_VertexID & 1, gl_VertexID >> 1);\n"
				 "	gl_Position = vec4(place * 2 - 1, 0, 1); }\n";

static void begin_flat(const struct gl_target *t)
{
	gl_begin_target(t);
	gl_use(&(struct gl_program){.vert = flat_vert, .frag = flat_frag});
	gl_bind_vertices();
}

static void draw_triangles(const char *name, FILE *out)
{
	begin_flat(&plain);
	glDrawArrays(GL_TRIANGLES, 0, N_VERTICES);
	gl_end_target(name, out);
}

static void draw_smooth(const char *name, FILE *out)
{
	gl_begin_target(&plain);
	gl_use(&(struct gl_program){.frag = smooth_frag});
	gl_bind_vertices();
	glDrawArrays(GL_TRIANGLES, 0, 30);
	gl_end_target(name, out);
}

static void draw_depth(const char *name, FILE *out)
{
	static const GLenum formats[] = {GL_DEPTH_COMPONENT16, GL_DEPTH_COMPONENT24,
					 GL_DEPTH_COMPONENT32F};
	for (size_t i = 0; i < BW_ARRAY_SIZE(formats); i++) {
		char of[64];
		snprintf(of, sizeof(of), "%s.%zu", name, i);
		gl_open();
		begin_flat(&(struct gl_target){{GL_RGBA8}, formats[i], 0, 0});
		glEnable(GL_DEPTH_TEST);
		if (i == 1) {
			glEnable(GL_POLYGON_OFFSET_FILL);
			glPolygonOffset(1.5f, 3);
		}
		glDrawArrays(GL_TRIANGLES, 0, N_VERTICES);
		gl_end_target(of, out);
	}
}

static void draw_stencil(const char *name, FILE *out)
{
	begin_flat(&(struct gl_target){{GL_RGBA8}, GL_DEPTH24_STENCIL8, 0, 0});
	glEnable(GL_STENCIL_TEST);
	glStencilOpSeparate(GL_FRONT, GL_KEEP, GL_INCR, GL_INCR_WRAP);
	glStencilOpSeparate(GL_BACK, GL_KEEP, GL_INVERT, GL_DECR_WRAP);
	glColorMask(GL_FALSE, GL_FALSE, GL_FALSE, GL_FALSE);
	glDrawArrays(GL_TRIANGLES, 0, 60);
	glColorMask(GL_TRUE, GL_FALSE, GL_TRUE, GL_TRUE);
	glStencilFunc(GL_LEQUAL, 1, 0x0f);
	glStencilOp(GL_KEEP, GL_KEEP, GL_KEEP);
	glDrawArrays(GL_TRIANGLES, 60, 60);
	gl_end_target(name, out);
}

static void draw_blended(const char *name, FILE *out)
{
	begin_flat(&(struct gl_target){{GL_RGBA8, GL_RGBA16F}, 0, 0, 0});
	gl_use(&(struct gl_program){
		.vert = flat_vert,
		.frag = "#version 450\n"
			"layout(location = 0) flat in vec4 shade;\n"
			"layout(location = 0) out vec4 color[2];\n"
			"void main() { color[0] = shade; color[1] = shade.bgra; }\n"});
	glEnable(GL_BLEND);
	glBlendFuncSeparatei(0, GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ZERO);
	glBlendFunci(1, GL_ONE, GL_CONSTANT_COLOR);
	glBlendColor(0.25f, 0.5f, 0.75f, 1);
	glDrawArrays(GL_TRIANGLES, 0, 30);
	gl_end_target(name, out);
}

static void draw_logic(const char *name, FILE *out)
{
	begin_flat(&plain);
	glEnable(GL_COLOR_LOGIC_OP);
	glLogicOp(GL_EQUIV);
	glScissor(10, 8, 70, 60);
	glEnable(GL_SCISSOR_TEST);
	glDrawArrays(GL_TRIANGLES, 0, 3);
	gl_end_target(name, out);
}

static void draw_textured(const char *name, FILE *out)
{
	static const GLenum filters[] = {GL_NEAREST, GL_LINEAR, GL_LINEAR_MIPMAP_LINEAR};
	for (size_t i = 0; i < BW_ARRAY_SIZE(filters); i++) {
		char of[64];
		snprintf(of, sizeof(of), "%s.%zu", name, i);
		gl_open();
		gl_begin_target(&plain);
		gl_use(&(struct gl_program){
			.frag = "#version 450\n"
				"layout(location = 0) in vec4 shade;\n"
				"layout(location = 0) out vec4 color;\n"
				"layout(binding = 0) uniform sampler2D t;\n"
				"void main() { color = texture(t, shade.xy * 2 + shade.zz); }\n"});
		gl_bind_vertices();
		gl_bind_texture(filters[i]);
		glDrawArrays(GL_TRIANGLES, 0, 12);
		gl_end_target(of, out);
	}
}

static void draw_cube(const char *name, FILE *out)
{
	GLuint texture;
	gl_begin_target(&plain);
	gl_use(&(struct gl_program){
		.vert = whole_vert,
		.frag = "#version 450\n"
			"layout(location = 0) in vec2 place;\n"
			"layout(location = 0) out vec4 color;\n"
			"layout(binding = 0) uniform samplerCube t;\n"
			"void main() { vec2 a = place * vec2(6.2, 3.1);\n"
			"	color = texture(t, vec3(cos(a.x) * sin(a.y), cos(a.y), sin(a.x) * sin(a.y))); }\n"});
	glGenTextures(1, &texture);
	glBindTexture(GL_TEXTURE_CUBE_MAP, texture);
	for (GLenum face = 0; face < 6; face++) {
		const uint8_t texels[4][4] = {
			{(uint8_t)(face * 40), 20, 90, 255},
			{30, (uint8_t)(face * 40), 200, 255},
			{220, 60, (uint8_t)(face * 40), 255},
			{(uint8_t)(255 - face * 30), 128, 10, 255},
		};
		glTexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + face, 0, GL_RGBA8, 2, 2, 0, GL_RGBA,
			     GL_UNSIGNED_BYTE, texels);
	}
	glTexParameteri(GL_TEXTURE_CUBE_MAP, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
	glTexParameteri(GL_TEXTURE_CUBE_MAP, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
	glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
	gl_end_target(name, out);
}

static void draw_indexed(const char *name, FILE *out)
{
	uint16_t indices[60];
	GLuint buffer;
	begin_flat(&plain);
	for (unsigned i = 0; i < 60; i++)
		indices[i] = i % 8 == 7 ? 0xffff : (uint16_t)(59 - i);
	glGenBuffers(1, &buffer);
	glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, buffer);
	glBufferData(GL_ELEMENT_ARRAY_BUFFER, sizeof(indices), indices, GL_STATIC_DRAW);
	glEnable(GL_PRIMITIVE_RESTART_FIXED_INDEX);
	glDrawElementsBaseVertex(GL_TRIANGLE_STRIP, 40, GL_UNSIGNED_SHORT, NULL, 30);
	glDrawElements(GL_TRIANGLE_FAN, 20, GL_UNSIGNED_SHORT, (char *)NULL + 80);
	gl_end_target(name, out);
}

static const char instances_vert[] =
	"#version 450\n"
	"layout(location = 0) in vec4 position;\n"
	"layout(location = 1) in vec4 color;\n"
	"layout(location = 2) in vec2 offset;\n"
	"layout(location = 0) flat out vec4 shade;\n"
	"void main() { gl_Position = vec4(position.xy * 0.4 + offset * position.w, position.zw);\n"
	"	shade = fract(color + 0.21 * gl_InstanceID); }\n";

static void draw_instances(const char *name, FILE *out)
{
	static const float offsets[6][2] = {{-0.6f, -0.6f}, {0, -0.5f},	   {0.6f, -0.3f},
					    {-0.5f, 0.4f},  {0.1f, 0.35f}, {0.5f, 0.5f}};
	GLuint buffer;
	gl_begin_target(&plain);
	gl_use(&(struct gl_program){.vert = instances_vert, .frag = flat_frag});
	gl_bind_vertices();
	glGenBuffers(1, &buffer);
	glBindBuffer(GL_ARRAY_BUFFER, buffer);
	glBufferData(GL_ARRAY_BUFFER, sizeof(offsets), offsets, GL_STATIC_DRAW);
	glEnableVertexAttribArray(2);
	glVertexAttribPointer(2, 2, GL_FLOAT, GL_FALSE, 0, NULL);
	glVertexAttribDivisor(2, 1);
	glDrawArraysInstancedBaseInstance(GL_TRIANGLES, 3, 9, 5, 1);
	gl_end_target(name, out);
}

static void draw_indirect(const char *name, FILE *out)
{
	static const GLuint draws[][4] = {
		{12, 1, 0, 0}, {6, 2, 30, 0}, {0, 1, 0, 0}, {9, 1, 60, 0}};
	GLuint buffer;
	gl_begin_target(&plain);
	gl_use(&(struct gl_program){
		.vert = "#version 450\n"
			"#extension GL_ARB_shader_draw_parameters : require\n"
			"layout(location = 0) in vec4 position;\n"
			"layout(location = 1) in vec4 color;\n"
			"layout(location = 0) flat out vec4 shade;\n"
			"void main() { gl_Position = position;\n"
			"	shade = vec4(color.rg, 0.25 * gl_DrawIDARB, gl_BaseVertexARB / 60.0); }\n",
		.frag = flat_frag});
	gl_bind_vertices();
	glGenBuffers(1, &buffer);
	glBindBuffer(GL_DRAW_INDIRECT_BUFFER, buffer);
	glBufferData(GL_DRAW_INDIRECT_BUFFER, sizeof(draws), draws, GL_STATIC_DRAW);
	glMultiDrawArraysIndirect(GL_TRIANGLES, NULL, BW_ARRAY_SIZE(draws), 0);
	gl_end_target(name, out);
}

static void draw_blocks(const char *name, FILE *out)
{
	static const float data[4][4] = {
		{0.1f, 0.9f, 0.3f, 1}, {0.8f, 0.2f, 0.5f, 1}, {0.3f, 0.4f, 0.9f, 1}, {1, 1, 0, 1}};
	GLuint buffers[2];
	gl_begin_target(&plain);
	GLuint program = gl_use(&(struct gl_program){
		.vert = whole_vert,
		.frag = "#version 450\n"
			"layout(location = 0) in vec2 place;\n"
			"layout(location = 0) out vec4 color;\n"
			"layout(std140, binding = 0) uniform Colors { vec4 colors[4]; };\n"
			"layout(std430, binding = 1) buffer Counts { uint counts[]; };\n"
			"uniform vec4 scale;\n"
			"const float steps[8] = {0.1, 0.4, 0.2, 0.9, 0.6, 0.3, 0.8, 0.5};\n"
			"void main() { int n = int(gl_FragCoord.x) / 13;\n"
			"	atomicAdd(counts[n & 3], 1u);\n"
			"	color = colors[n & 3] * scale * steps[n]; }\n"});
	gl_uniform_4f(program, "scale", 1, 0.5f, 0.75f, 1);
	glGenBuffers(2, buffers);
	glBindBufferBase(GL_UNIFORM_BUFFER, 0, buffers[0]);
	glBufferData(GL_UNIFORM_BUFFER, sizeof(data), data, GL_STATIC_DRAW);
	glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 1, buffers[1]);
	glBufferData(GL_SHADER_STORAGE_BUFFER, 16, (GLuint[4]){0}, GL_DYNAMIC_COPY);
	glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
	/* The counts as colours of a second picture */
	glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT);
	gl_end_target(name, out);
	char of[64];
	snprintf(of, sizeof(of), "%s.counts", name);
	gl_begin_target(&plain);
	gl_use(&(struct gl_program){
		.vert = whole_vert,
		.frag = "#version 450\n"
			"layout(location = 0) out vec4 color;\n"
			"layout(std430, binding = 1) buffer Counts { uint counts[]; };\n"
			"void main() { uint n = counts[int(gl_FragCoord.x) & 3];\n"
			"	color = vec4(n & 255u, n >> 8 & 255u, n >> 16, 255) / 255; }\n"});
	glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
	gl_end_target(of, out);
}

static void draw_samples(const char *name, FILE *out)
{
	begin_flat(&(struct gl_target){{GL_RGBA8}, GL_DEPTH_COMPONENT24, 4, 0});
	glEnable(GL_DEPTH_TEST);
	glDrawArrays(GL_TRIANGLES, 0, 60);
	gl_end_target(name, out);
}

static void draw_layers(const char *name, FILE *out)
{
	gl_begin_target(&(struct gl_target){{GL_RGBA8}, 0, 0, 3});
	gl_use(&(struct gl_program){
		.vert = "#version 450\n"
			"layout(location = 0) in vec4 position;\n"
			"layout(location = 1) in vec4 color;\n"
			"layout(location = 0) out vec4 shade;\n"
			"void main() { gl_Position = position; shade = color; }\n",
		.geom = "#version 450\n"
			"layout(triangles, invocations = 3) in;\n"
			"layout(triangle_strip, max_vertices = 4) out;\n"
			"layout(location = 0) in vec4 shade[];\n"
			"layout(location = 0) flat out vec4 one;\n"
			"void main() { for (int i = 0; i < 4; i++) {\n"
			"	gl_Layer = gl_InvocationID;\n"
			"	gl_Position = gl_in[i % 3].gl_Position * vec4(1, 1 - 0.3 * gl_Layer, 1, 1);\n"
			"	if (i == 3) gl_Position.xy *= 0.5;\n"
			"	one = shade[0] / (1 + gl_InvocationID); EmitVertex(); } }\n",
		.frag = "#version 450\n"
			"layout(location = 0) flat in vec4 one;\n"
			"layout(location = 0) out vec4 color;\n"
			"void main() { color = one; }\n"});
	gl_bind_vertices();
	glDrawArrays(GL_TRIANGLES, 0, 12);
	gl_end_target(name, out);
}

static void draw_patches(const char *name, FILE *out)
{
	gl_begin_target(&plain);
	gl_use(&(struct gl_program){
		.vert = "#version 450\n"
			"layout(location = 0) in vec4 position;\n"
			"layout(location = 1) in vec4 color;\n"
			"layout(location = 0) out vec4 shade;\n"
			"void main() { gl_Position = position; shade = color; }\n",
		.tesc = "#version 450\n"
			"layout(vertices = 4) out;\n"
			"layout(location = 0) in vec4 shade[];\n"
			"layout(location = 0) out vec4 shades[];\n"
			"void main() { gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;\n"
			"	shades[gl_InvocationID] = shade[gl_InvocationID];\n"
			"	for (int i = 0; i < 4; i++) gl_TessLevelOuter[i] = 1 + gl_PrimitiveID + i;\n"
			"	gl_TessLevelInner[0] = 4.3; gl_TessLevelInner[1] = 1 + 0.7 * gl_PrimitiveID; }\n",
		.tese = "#version 450\n"
			"layout(quads, fractional_odd_spacing, ccw) in;\n"
			"layout(location = 0) in vec4 shades[];\n"
			"layout(location = 0) flat out vec4 shade;\n"
			"void main() { vec2 at = gl_TessCoord.xy;\n"
			"	gl_Position = mix(mix(gl_in[0].gl_Position, gl_in[1].gl_Position, at.x),\n"
			"		mix(gl_in[3].gl_Position, gl_in[2].gl_Position, at.x), at.y);\n"
			"	shade = shades[1] * (0.3 + 0.7 * at.x); }\n",
		.frag = flat_frag});
	gl_bind_vertices();
	glPatchParameteri(GL_PATCH_VERTICES, 4);
	glDrawArrays(GL_PATCHES, 0, 40);
	gl_end_target(name, out);
}

static void draw_targets(const char *name, FILE *out)
{
	gl_begin_target(&(struct gl_target){{GL_RGB10_A2, GL_RGBA32F, GL_RG8}, 0, 0, 0});
	gl_use(&(struct gl_program){
		.frag = "#version 450\n"
			"layout(location = 0) in vec4 shade;\n"
			"layout(location = 0) out vec4 color[3];\n"
			"void main() { if (shade.g < 0.3) discard;\n"
			"	color[0] = shade; color[1] = shade.brag;\n"
			"	color[2] = gl_FrontFacing ? vec4(1) : vec4(0.5); }\n"});
	gl_bind_vertices();
	glDrawArrays(GL_TRIANGLES, 0, 30);
	gl_end_target(name, out);
}

static void draw_srgb(const char *name, FILE *out)
{
	begin_flat(&(struct gl_target){{GL_SRGB8_ALPHA8}, 0, 0, 0});
	glEnable(GL_FRAMEBUFFER_SRGB);
	glEnable(GL_BLEND);
	glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
	glDrawArrays(GL_TRIANGLES, 0, 30);
	gl_end_target(name, out);
}

static void draw_points(const char *name, FILE *out)
{
	gl_begin_target(&plain);
	gl_use(&(struct gl_program){
		.vert = "#version 450\n"
			"layout(location = 0) in vec4 position;\n"
			"layout(location = 1) in vec4 color;\n"
			"layout(location = 0) flat out vec4 shade;\n"
			"void main() { gl_Position = position; gl_PointSize = 1 + color.r * 12; shade = color; }\n",
		.frag = "#version 450\n"
			"layout(location = 0) flat in vec4 shade;\n"
			"layout(location = 0) out vec4 color;\n"
			"void main() { color = vec4(shade.rg, gl_PointCoord); }\n"});
	gl_bind_vertices();
	glEnable(GL_PROGRAM_POINT_SIZE);
	glEnable(GL_POINT_SPRITE);
	glDrawArrays(GL_POINTS, 0, 60);
	gl_end_target(name, out);
}

static void draw_lines(const char *name, FILE *out)
{
	begin_flat(&plain);
	glDrawArrays(GL_LINES, 0, 30);
	glDrawArrays(GL_LINE_STRIP, 30, 12);
	glDrawArrays(GL_LINE_LOOP, 60, 12);
	gl_end_target(name, out);
}

static void draw_outlines(const char *name, FILE *out)
{
	begin_flat(&plain);
	glPolygonMode(GL_FRONT_AND_BACK, GL_LINE);
	glDrawArrays(GL_TRIANGLES, 0, 30);
	gl_end_target(name, out);
}

static void draw_clipped(const char *name, FILE *out)
{
	gl_begin_target(&plain);
	gl_use(&(struct gl_program){
		.vert = "#version 450\n"
			"layout(location = 0) in vec4 position;\n"
			"layout(location = 1) in vec4 color;\n"
			"layout(location = 0) flat out vec4 shade;\n"
			"void main() { gl_Position = position; shade = color;\n"
			"	gl_ClipDistance[0] = position.x + 0.4 * position.w;\n"
			"	gl_ClipDistance[1] = 0.3 * position.w - position.y; }\n",
		.frag = flat_frag});
	gl_bind_vertices();
	glEnable(GL_CLIP_DISTANCE0);
	glEnable(GL_CLIP_DISTANCE1);
	glEnable(GL_CULL_FACE);
	glDrawArrays(GL_TRIANGLES, 0, 60);
	gl_end_target(name, out);
}

/* Numbers as a picture: what the driver counted. */
static void write_numbers(const char *name, const GLuint *numbers, unsigned n, FILE *out)
{
	fprintf(out, "%s %u 1\n", name, n);
	fwrite(numbers, sizeof(*numbers), n, out);
}

static void draw_queries(const char *name, FILE *out)
{
	static const GLenum kinds[] = {GL_SAMPLES_PASSED, GL_ANY_SAMPLES_PASSED,
				       GL_PRIMITIVES_GENERATED};
	GLuint queries[BW_ARRAY_SIZE(kinds)], results[BW_ARRAY_SIZE(kinds)];
	char of[64];
	snprintf(of, sizeof(of), "%s.counts", name);
	begin_flat(&(struct gl_target){{GL_RGBA8}, GL_DEPTH_COMPONENT24, 0, 0});
	glEnable(GL_DEPTH_TEST);
	glGenQueries(BW_ARRAY_SIZE(kinds), queries);
	for (size_t i = 0; i < BW_ARRAY_SIZE(kinds); i++) {
		glBeginQuery(kinds[i], queries[i]);
		glDrawArrays(GL_TRIANGLES, (GLint)i * 12, 12);
		glEndQuery(kinds[i]);
	}
	for (size_t i = 0; i < BW_ARRAY_SIZE(kinds); i++)
		glGetQueryObjectuiv(queries[i], GL_QUERY_RESULT, &results[i]);
	write_numbers(of, results, BW_ARRAY_SIZE(kinds), out);
	/* What another query saw decides about the draw. */
	glBeginConditionalRender(queries[1], GL_QUERY_WAIT);
	glDrawArrays(GL_TRIANGLES, 60, 30);
	glEndConditionalRender();
	gl_end_target(name, out);
}

static void draw_computed(const char *name, FILE *out)
{
	GLuint buffer, program, shader;
	GLint done;
	const char *text =
		"#version 450\n"
		"layout(local_size_x = 30) in;\n"
		"struct V { vec4 position, color; };\n"
		"layout(std430, binding = 0) buffer Vertices { V vertices[]; };\n"
		"void main() { uint i = gl_GlobalInvocationID.x;\n"
		"	vertices[i].position.xy *= 0.7; vertices[i].color = vertices[i].color.gbra; }\n";
	begin_flat(&plain);
	glGetIntegerv(GL_CURRENT_PROGRAM, &done);
	program = glCreateProgram();
	shader = glCreateShader(GL_COMPUTE_SHADER);
	glShaderSource(shader, 1, &text, NULL);
	glCompileShader(shader);
	glAttachShader(program, shader);
	glLinkProgram(program);
	glUseProgram(program);
	glGetIntegerv(GL_ARRAY_BUFFER_BINDING, (GLint *)&buffer);
	glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, buffer);
	glDispatchCompute(2, 1, 1);
	glMemoryBarrier(GL_VERTEX_ATTRIB_ARRAY_BARRIER_BIT);
	glUseProgram((GLuint)done);
	glDrawArrays(GL_TRIANGLES, 0, N_VERTICES);
	gl_end_target(name, out);
}

/* The functions of OpenGL 1: lit quads, lists, a stippled polygon, and a texture of pixels. */
static void draw_old(const char *name, FILE *out)
{
	static const GLfloat light[4] = {0.5f, 0.7f, 1, 0}, red[4] = {0.9f, 0.2f, 0.1f, 1};
	gl_begin_target(&(struct gl_target){{GL_RGBA8}, GL_DEPTH_COMPONENT24, 0, 0});
	glEnable(GL_DEPTH_TEST);
	glEnable(GL_LIGHTING);
	glEnable(GL_LIGHT0);
	glShadeModel(GL_FLAT);
	glLightfv(GL_LIGHT0, GL_POSITION, light);
	glMaterialfv(GL_FRONT_AND_BACK, GL_AMBIENT_AND_DIFFUSE, red);
	glMatrixMode(GL_PROJECTION);
	glFrustum(-1, 1, -0.76, 0.76, 2, 10);
	glMatrixMode(GL_MODELVIEW);
	glTranslatef(0, 0, -4);
	GLuint list = glGenLists(1);
	glNewList(list, GL_COMPILE);
	glBegin(GL_QUADS);
	for (unsigned side = 0; side < 6; side++) {
		static const int8_t corners[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
		unsigned axis = side / 2, sign = side % 2;
		GLfloat normal[3] = {0};
		normal[axis] = sign ? 1 : -1;
		glNormal3fv(normal);
		for (unsigned i = 0; i < 4; i++) {
			GLfloat v[3];
			v[axis] = normal[axis];
			v[(axis + 1) % 3] = corners[i][sign ? 0 : 1];
			v[(axis + 2) % 3] = corners[i][sign ? 1 : 0];
			glVertex3fv(v);
		}
	}
	glEnd();
	glEndList();
	for (unsigned i = 0; i < 5; i++) {
		glPushMatrix();
		glTranslatef((GLfloat)i * 0.7f - 1.4f, (GLfloat)(i & 1) * 0.8f - 0.4f, 0);
		glRotatef(37 * (GLfloat)i + 11, 1, 0.5f, 0.2f);
		glScalef(0.4f, 0.4f, 0.4f);
		glCallList(list);
		glPopMatrix();
	}
	gl_end_target(name, out);
}

static const struct {
	const char *name;
	void (*draw)(const char *name, FILE *out);
} scenes[] = {
	{"triangles", draw_triangles},
	{"smooth", draw_smooth},
	{"depth", draw_depth},
	{"stencil", draw_stencil},
	{"blended", draw_blended},
	{"logic", draw_logic},
	{"textured", draw_textured},
	{"cube", draw_cube},
	{"indexed", draw_indexed},
	{"instances", draw_instances},
	{"indirect", draw_indirect},
	{"blocks", draw_blocks},
	{"samples", draw_samples},
	{"layers", draw_layers},
	{"patches", draw_patches},
	{"targets", draw_targets},
	{"srgb", draw_srgb},
	{"points", draw_points},
	{"lines", draw_lines},
	{"outlines", draw_outlines},
	{"clipped", draw_clipped},
	{"queries", draw_queries},
	{"computed", draw_computed},
	{"old", draw_old},
	{"captured", draw_captured},
	{"captured_separate", draw_captured_separate},
	{"captured_paused", draw_captured_paused},
	{"captured_again", draw_captured_again},
	{"captured_streams", draw_captured_streams},
	{"captured_patches", draw_captured_patches},
	{"overflown", draw_overflown},
};

static bool is_wanted(const char *name, int n, char **wanted)
{
	for (int i = 0; i < n; i++)
		if (!strcmp(wanted[i], name))
			return true;
	return n == 0;
}

int main(int argc, char **argv)
{
	FILE *out = argc > 1 ? fopen(argv[1], "wb") : NULL;
	if (!out) {
		fprintf(stderr, "usage: %s FILE [SCENE...]\n", argv[0]);
		return 1;
	}
	gl_open();
	printf("%s, %s\n", (const char *)glGetString(GL_RENDERER),
	       (const char *)glGetString(GL_VERSION));
	for (size_t i = 0; i < BW_ARRAY_SIZE(scenes); i++) {
		if (!is_wanted(scenes[i].name, argc - 2, argv + 2))
			continue;
		gl_open();
		scenes[i].draw(scenes[i].name, out);
	}
	return fclose(out) ? 1 : 0;
}
