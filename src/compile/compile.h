/* SPDX-License-Identifier: MIT */
#ifndef BW_COMPILE_COMPILE_H
#define BW_COMPILE_COMPILE_H

/* Kernels and shaders as source text: the known languages, the options for a compiler, and the code
 * object or SPIR-V that it makes, in a temporary folder that is removed when the process ends
 * (tool.h). One thread. */

#include <stdbool.h>

#include "base/build_names.h"
#include "base/error.h"
#include "base/options.h"
#include "base/str.h"
#include "base/string_list.h"

struct bw_spirv_words;

struct bw_compile_options {
	struct bw_strings words; /* for clang, in the order given; owned */
	/* the first option as the user wrote it; borrowed from argv; NULL: none */
	const char *first;
	bool wave64;
};

/* ---- options.c ---- */

extern const struct bw_option bw_compile_rows[];
/* Keeps the first option that was given, for messages. */
struct bw_error *bw_compile_note_first(void *options, char *const *words, size_t n) BW_MUST_CHECK;
/* The option group of a command that has a struct bw_compile_options at offset. */
#define BW_COMPILE_GROUP(offset)                                                                   \
	{"Compiler options, for a kernel that is source text; " BW_CLANG " gets them:",            \
	 bw_compile_rows, offset, bw_compile_note_first}
void bw_compile_options_fini(struct bw_compile_options *o);

/* ---- kernels.c ---- */

/* Whether the name of a file is that of a kernel: in a known language, or compiled. */
bool bw_is_kernel(const char *path);
/* Makes a code object of a kernel in source text. gpu: "gfx1100". The caller owns *out_path; NULL
 * if the kernel is a code object already. The compiler's messages about a source that it accepts
 * are added to `said`; for one that it rejects they are part of the error. */
struct bw_error *bw_compile_kernel(const char *kernel, const char *gpu,
				   const struct bw_compile_options *o, struct bw_str *said,
				   char **out_path) BW_MUST_CHECK;

/* ---- shaders.c ---- */

/* Whether a file is a shader, by its name: .comp, .glsl, .hlsl, .spvasm, .spv. */
bool bw_is_shader(const char *path);
/* Makes SPIR-V of a shader in source text, as a temporary file. The caller owns *out_path; NULL if
 * the shader is SPIR-V already. entry: the entry point of HLSL. */
struct bw_error *bw_compile_shader(const char *source, const char *entry,
				   const struct bw_compile_options *o,
				   char **out_path) BW_MUST_CHECK;

struct bw_compiled_shader {
	char *path; /* owned; path of the SPIR-V, as from bw_compile_shader */
	/* With -O0: the shader was optimized nevertheless, because it cannot be compiled without
	 * that. */
	bool is_optimized;
	/* With -O0: the reason why the shader keeps no record of its variables and lines; owned;
	 * NULL: it keeps one. */
	char *not_noting;
};

/* Like bw_compile_shader, but with -O0 the shader keeps a record of its variables
 * (sym/spirv_record.h). */
struct bw_error *bw_compile_shader_noting(const char *source, const char *entry,
					  const struct bw_compile_options *o,
					  struct bw_compiled_shader *out) BW_MUST_CHECK;
void bw_compiled_shader_fini(struct bw_compiled_shader *s);

/* Reads the words of a SPIR-V file; bytes after the last whole word are ignored. */
struct bw_error *bw_spirv_words_read(const char *path, struct bw_spirv_words *out) BW_MUST_CHECK;

/* ---- device_library.c ---- */

#define BW_DEVICE_LIBRARY_INSTALL                                                                  \
	"apt-get install rocm-device-libs (in Debian 13: rocm-device-libs-17)"
/* Finds the folder with the bitcode of the device library. The caller owns it; NULL: it is not
 * installed. root: "", or the file tree to search, for doctor. */
struct bw_error *bw_device_library_find(const char *root, char **out_folder) BW_MUST_CHECK;

#endif
