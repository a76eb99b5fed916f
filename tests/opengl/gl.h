/* SPDX-License-Identifier: MIT */
#ifndef BW_TESTS_OPENGL_GL_H
#define BW_TESTS_OPENGL_GL_H

/* What the scenes of gl_scenes share: a context without a window, programs of shaders, triangles of
 * all sizes, and targets that become pictures. Anything that fails ends the program with a message,
 * an error of OpenGL as well. */

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { WIDTH = 100, HEIGHT = 76, N_VERTICES = 120, TEXTURE = 16, MAX_TARGETS = 3 };

struct vertex {
	float position[4], color[4];
};

/* A context of the compatibility profile, in place of the one before: each scene has its own. */
void gl_open(void);
void gl_check(const char *what);

/* Text of the stages; NULL: the stage is left out, and vert NULL: position and colour pass. */
struct gl_program {
	const char *vert, *tesc, *tese, *geom, *frag;
	/* outputs of the last stage before the rasteriser, for transform feedback; then NULL */
	const char *captured[8];
	bool is_separate; /* each in a buffer of its own */
};
/* The program is in use then. */
GLuint gl_use(const struct gl_program *p);
void gl_uniform_4f(GLuint program, const char *name, float x, float y, float z, float w);

/* Vertices in attributes 0 (position) and 1 (colour): a large triangle, and others of all sizes;
 * the same vertices each time. */
void gl_bind_vertices(void);
const struct vertex *gl_vertices(void);
/* A small coloured texture with its mipmaps, bound to unit 0. */
GLuint gl_bind_texture(GLenum filter);

/* Formats of colour textures; depth: 0, or a format of depth. */
struct gl_target {
	GLenum color[MAX_TARGETS], depth;
	unsigned samples; /* 0: one */
	unsigned layers;  /* 0: no array; the first target only */
};
/* Is bound and cleared. */
void gl_begin_target(const struct gl_target *t);
/* Writes a picture of each colour (of each layer), with 8 bits a component, under this name with a
 * number. */
void gl_end_target(const char *name, FILE *out);

#endif
