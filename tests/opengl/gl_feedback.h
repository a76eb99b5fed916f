/* SPDX-License-Identifier: MIT */
#ifndef BW_TESTS_OPENGL_GL_FEEDBACK_H
#define BW_TESTS_OPENGL_GL_FEEDBACK_H

/* Scenes of transform feedback. Beside pictures they write what was captured and the results of
 * queries, under names that end in ".bytes". */

#include <stdio.h>

void draw_captured(const char *name, FILE *out);
void draw_captured_separate(const char *name, FILE *out);
void draw_captured_paused(const char *name, FILE *out);
void draw_captured_again(const char *name, FILE *out);
void draw_captured_streams(const char *name, FILE *out);
void draw_captured_patches(const char *name, FILE *out);
void draw_overflown(const char *name, FILE *out);

#endif
