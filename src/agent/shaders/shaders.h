/* SPDX-License-Identifier: MIT */
#ifndef BW_AGENT_SHADERS_SHADERS_H
#define BW_AGENT_SHADERS_SHADERS_H

/* The sources of the compute shaders of living pipelines, and the driver's records of their code,
 * for debugging at source level. Any thread may call. */

#include "agent/names/names.h"
#include "capture/capture.h"
#include "sym/spirv_record.h"

/* Whether the program's environment asks the layer to have the driver keep its records of each
 * shader's code (wire/agent_proto.h). */
bool bw_shaders_are_wanted(void);

/* SPIR-V that outlives its module: counted references. */
struct bw_spirv_copy;
struct bw_spirv_copy *bw_spirv_copy_new(const void *code, size_t size_b); /* NULL: no memory */
struct bw_spirv_copy *bw_spirv_copy_ref(struct bw_spirv_copy *c);	  /* NULL stays NULL */
void bw_spirv_copy_unref(struct bw_spirv_copy *c);

/* The SPIR-V of a shader that notes its variables and lines, where the program's environment says
 * that they shall (wire/agent_proto.h); empty: it does not, or there is nothing to note. Owned
 * (bw_vec_free). */
struct bw_spirv_words bw_shaders_with_notes(const struct bw_spirv_copy *spirv);

/* The pipeline with this id (of its object) and handle; one that had the handle before is
 * forgotten. Takes a reference to spirv (NULL: the program gave the driver's own binary), copies
 * the constants. */
void bw_shaders_add(uint32_t id, uint64_t handle, struct bw_spirv_copy *spirv,
		    const struct bw_agent_constant *constants, size_t n_constants);
/* The OpenCL kernel with this id (of its object) is made of that source, built with these options;
 * copies both. With another source than before it has none, as it is not known which launch is of
 * which. */
void bw_shaders_source(uint32_t id, const char *options, const char *source);
/* Keeps a capture's record of the pipeline with this id (capture/pipeline.h), without its SPIR-V.
 * Takes the bytes. */
void bw_shaders_keep_record(uint32_t id, struct bw_capture_bytes *bytes);
/* The whole record, with its SPIR-V, which the caller frees; false: there is none. out NULL: only
 * asks. */
bool bw_shaders_record(uint32_t id, struct bw_capture_bytes *out);
void bw_shaders_remove(uint64_t handle);
/* The answer to BW_AGENT_SHADER after its bw_agent_result: appended to out, which the caller
 * frees. 0, or -ENOENT: no such pipeline lives; -ENOMEM. */
int bw_shaders_describe(uint32_t id, struct bw_names_blob *out);
/* To be called in a forked child. */
void bw_shaders_fork_child(void);

#endif
