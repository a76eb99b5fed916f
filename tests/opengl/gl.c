/* SPDX-License-Identifier: MIT */
#include "gl.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"

static void die(const char *what, const char *more)
{
	fprintf(stderr, "%s: %s\n", what, more);
	exit(1);
}

void gl_open(void)
{
	static EGLDisplay display;
	static EGLContext context;
	if (!display) {
		display = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY,
						NULL);
		if (!eglInitialize(display, NULL, NULL) || !eglBindAPI(EGL_OPENGL_API))
			die("EGL", "no display without a window");
	}
	if (context)
		eglDestroyContext(display, context);
	context = eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, NULL);
	if (!context || !eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context))
		die("EGL", "no context of OpenGL");
}

void gl_check(const char *what)
{
	GLenum error = glGetError();
	char text[32];
	snprintf(text, sizeof(text), "error 0x%x of OpenGL", error);
	if (error != GL_NO_ERROR)
		die(what, text);
}

/* ---- programs ---- */

static const char passing[] = "#version 450\n"
			      "layout(location = 0) in vec4 position;\n"
			      "layout(location = 1) in vec4 color;\n"
			      "layout(location = 0) out vec4 shade;\n"
			      "void main() { gl_Position = position; shade = color; }\n";

static void add_stage(GLuint program, GLenum stage, const char *text)
{
	GLint done;
	char log[1000] = "";
	if (!text)
		return;
	GLuint shader = glCreateShader(stage);
	glShaderSource(shader, 1, &text, NULL);
	glCompileShader(shader);
	glGetShaderiv(shader, GL_COMPILE_STATUS, &done);
	glGetShaderInfoLog(shader, sizeof(log), NULL, log);
	if (!done)
		die(text, log);
	glAttachShader(program, shader);
	glDeleteShader(shader);
}

GLuint gl_use(const struct gl_program *p)
{
	GLuint program = glCreateProgram();
	GLint done;
	char log[1000] = "";
	add_stage(program, GL_VERTEX_SHADER, p->vert ? p->vert : passing);
	add_stage(program, GL_TESS_CONTROL_SHADER, p->tesc);
	add_stage(program, GL_TESS_EVALUATION_SHADER, p->tese);
	add_stage(program, GL_GEOMETRY_SHADER, p->geom);
	add_stage(program, GL_FRAGMENT_SHADER, p->frag);
	GLsizei n_captured = 0;
	while (n_captured < (GLsizei)BW_ARRAY_SIZE(p->captured) && p->captured[n_captured])
		n_captured++;
	if (n_captured)
		glTransformFeedbackVaryings(program, n_captured, p->captured,
					    p->is_separate ? GL_SEPARATE_ATTRIBS
							   : GL_INTERLEAVED_ATTRIBS);
	glLinkProgram(program);
	glGetProgramiv(program, GL_LINK_STATUS, &done);
	glGetProgramInfoLog(program, sizeof(log), NULL, log);
	if (!done)
		die("a program", log);
	glUseProgram(program);
	return program;
}

void gl_uniform_4f(GLuint program, const char *name, float x, float y, float z, float w)
{
	glUniform4f(glGetUniformLocation(program, name), x, y, z, w);
}

/* ---- inputs ---- */

static uint32_t seed;
static float random_float(void)
{
	seed = seed * 1664525 + 1013904223;
	return (float)(seed >> 8) / (1 << 24);
}

const struct vertex *gl_vertices(void)
{
	static struct vertex all[N_VERTICES];
	static const float first[3][2] = {{-0.9f, -0.8f}, {0.85f, -0.6f}, {0.1f, 0.9f}};
	float centre[2] = {0}, color[4] = {0}, size = 0;
	seed = 7;
	for (unsigned i = 0; i < N_VERTICES; i++) {
		struct vertex *v = &all[i];
		if (i % 3 == 0) {
			for (unsigned k = 0; k < 2; k++)
				centre[k] = random_float() * 2 - 1;
			size = 0.05f + random_float() * random_float() * 1.5f;
			for (unsigned k = 0; k < 4; k++)
				color[k] = 0.1f + 0.8f * random_float();
		}
		v->position[3] = 0.5f + random_float();
		for (unsigned k = 0; k < 2; k++)
			v->position[k] =
				v->position[3] *
				(i < 3 ? first[i][k] : centre[k] + size * (random_float() * 2 - 1));
		v->position[2] = v->position[3] * (random_float() * 2.2f - 1.1f);
		for (unsigned k = 0; k < 4; k++)
			v->color[k] = color[k] * (0.7f + 0.3f * random_float());
	}
	return all;
}

void gl_bind_vertices(void)
{
	GLuint buffer;
	glGenBuffers(1, &buffer);
	glBindBuffer(GL_ARRAY_BUFFER, buffer);
	glBufferData(GL_ARRAY_BUFFER, sizeof(struct vertex) * N_VERTICES, gl_vertices(),
		     GL_STATIC_DRAW);
	for (GLuint i = 0; i < 2; i++) {
		glEnableVertexAttribArray(i);
		glVertexAttribPointer(i, 4, GL_FLOAT, GL_FALSE, sizeof(struct vertex),
				      (const char *)NULL + i * sizeof(float[4]));
	}
}

GLuint gl_bind_texture(GLenum filter)
{
	uint8_t texels[TEXTURE][TEXTURE][4];
	GLuint texture;
	for (unsigned y = 0; y < TEXTURE; y++)
		for (unsigned x = 0; x < TEXTURE; x++) {
			const uint8_t texel[4] = {(uint8_t)(x * 16), (uint8_t)(y * 16),
						  (x ^ y) & 1 ? 200 : 40, 255};
			memcpy(texels[y][x], texel, 4);
		}
	glGenTextures(1, &texture);
	glBindTexture(GL_TEXTURE_2D, texture);
	glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, TEXTURE, TEXTURE, 0, GL_RGBA, GL_UNSIGNED_BYTE,
		     texels);
	glGenerateMipmap(GL_TEXTURE_2D);
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, (GLint)filter);
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER,
			filter == GL_NEAREST ? GL_NEAREST : GL_LINEAR);
	return texture;
}

/* ---- targets ---- */

static struct gl_target now;
static GLuint frame, colors[MAX_TARGETS], depths;

static GLuint make_texture(GLenum format)
{
	GLuint name;
	GLenum kind = now.samples  ? GL_TEXTURE_2D_MULTISAMPLE
		      : now.layers ? GL_TEXTURE_2D_ARRAY
				   : GL_TEXTURE_2D;
	glGenTextures(1, &name);
	glBindTexture(kind, name);
	if (now.samples)
		glTexStorage2DMultisample(kind, (GLsizei)now.samples, format, WIDTH, HEIGHT,
					  GL_TRUE);
	else if (now.layers)
		glTexStorage3D(kind, 1, format, WIDTH, HEIGHT, (GLsizei)now.layers);
	else
		glTexStorage2D(kind, 1, format, WIDTH, HEIGHT);
	glBindTexture(kind, 0);
	return name;
}

static bool has_stencil(GLenum format)
{
	return format == GL_DEPTH24_STENCIL8 || format == GL_DEPTH32F_STENCIL8;
}

void gl_begin_target(const struct gl_target *t)
{
	GLenum all[MAX_TARGETS];
	GLsizei n = 0;
	now = *t;
	glGenFramebuffers(1, &frame);
	glBindFramebuffer(GL_FRAMEBUFFER, frame);
	for (; n < MAX_TARGETS && t->color[n]; n++) {
		all[n] = GL_COLOR_ATTACHMENT0 + (GLenum)n;
		colors[n] = make_texture(t->color[n]);
		glFramebufferTexture(GL_FRAMEBUFFER, all[n], colors[n], 0);
	}
	glDrawBuffers(n, all);
	if (t->depth) {
		depths = make_texture(t->depth);
		glFramebufferTexture(GL_FRAMEBUFFER,
				     has_stencil(t->depth) ? GL_DEPTH_STENCIL_ATTACHMENT
							   : GL_DEPTH_ATTACHMENT,
				     depths, 0);
	}
	if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
		die("a framebuffer", "it is not complete");
	glViewport(0, 0, WIDTH, HEIGHT);
	glClearColor(0.2f, 0.4f, 0.6f, 0.8f);
	glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
}

static void write_picture(const char *name, unsigned number, FILE *out)
{
	uint8_t texels[HEIGHT][WIDTH][4];
	glReadPixels(0, 0, WIDTH, HEIGHT, GL_RGBA, GL_UNSIGNED_BYTE, texels);
	fprintf(out, "%s.%u %d %d\n", name, number, WIDTH, HEIGHT);
	fwrite(texels, 1, sizeof(texels), out);
}

/* One color attachment, or one layer of it, as the one to be read. */
static void select_layer(unsigned target, unsigned layer)
{
	GLuint one;
	glGenFramebuffers(1, &one);
	glBindFramebuffer(GL_READ_FRAMEBUFFER, frame);
	glReadBuffer(GL_COLOR_ATTACHMENT0 + target);
	if (now.layers) {
		glBindFramebuffer(GL_READ_FRAMEBUFFER, one);
		glFramebufferTextureLayer(GL_READ_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, colors[target],
					  0, (GLint)layer);
		glReadBuffer(GL_COLOR_ATTACHMENT0);
	}
}

static void resolve(unsigned target)
{
	GLuint plain, resolved;
	unsigned samples = now.samples;
	now.samples = 0;
	glGenFramebuffers(1, &resolved);
	glBindFramebuffer(GL_DRAW_FRAMEBUFFER, resolved);
	plain = make_texture(now.color[target]);
	glFramebufferTexture(GL_DRAW_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, plain, 0);
	glBlitFramebuffer(0, 0, WIDTH, HEIGHT, 0, 0, WIDTH, HEIGHT, GL_COLOR_BUFFER_BIT,
			  GL_NEAREST);
	glBindFramebuffer(GL_READ_FRAMEBUFFER, resolved);
	now.samples = samples;
}

void gl_end_target(const char *name, FILE *out)
{
	unsigned number = 0;
	gl_check(name);
	for (unsigned i = 0; i < MAX_TARGETS && now.color[i]; i++)
		for (unsigned layer = 0; layer < (now.layers ? now.layers : 1); layer++) {
			select_layer(i, layer);
			if (now.samples)
				resolve(i);
			write_picture(name, number++, out);
		}
	gl_check(name);
}
