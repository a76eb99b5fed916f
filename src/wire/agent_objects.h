/* SPDX-License-Identifier: MIT */
#ifndef BW_WIRE_AGENT_OBJECTS_H
#define BW_WIRE_AGENT_OBJECTS_H

/* What the agent tells the debugger of the things that the program's graphics or compute API has
 * made (OBJECTS and SHADER of wire/agent_proto.h). */

#include <stdint.h>

/* Something the program's API made. */
enum bw_agent_object_kind {
	/* va: its code, once seen in a dispatch; hash: of its SPIR-V; dim: work-items of a group;
	 * entry: of the shader. Of OpenCL a kernel: name and entry */
	BW_AGENT_OBJECT_PIPELINE = 1,
	BW_AGENT_OBJECT_BUFFER, /* va, size_b; flags: VkBufferUsageFlags */
	/* va, size_b; dim; format: VkFormat; flags: VkImageUsageFlags */
	BW_AGENT_OBJECT_IMAGE,
};
struct bw_agent_object {
	uint32_t kind, id; /* ids are never used again */
	uint64_t handle;   /* as the program knows it */
	uint64_t va, size_b, hash;
	uint32_t dim[3], format, flags, push_b;
	uint16_t sets[8]; /* PIPELINE: descriptors in each set of its layout */
	char name[64];	  /* given by the program, else empty */
	char entry[64];
	char module[64]; /* name of the shader module */
	char file[64];	 /* PIPELINE: source file of the shader, its last part; "": not known */
	/* PIPELINE: enum bw_agent_stage. The shaders of a graphics pipeline are an object each. */
	uint32_t stage, pad;
};
/* SHADER: what the shader of a pipeline was made of, and what the driver knows of its code.
 * After it: n_constants of bw_agent_constant, n_lines of bw_agent_line, the SPIR-V, the names of
 * files (each with a zero after it), the text of the NIR with a zero after it; of a kernel of
 * OpenCL its options and its source, each with a zero after it. */
struct bw_agent_shader {
	uint32_t pipeline /* id of its object */, pad;
};
struct bw_agent_shader_info {
	uint32_t spirv_b, n_constants, n_lines, files_b, nir_b, source_b;
};
/* A specialization constant that the program has given a value. */
struct bw_agent_constant {
	uint32_t id, size_b; /* size_b: 1, 2, 4 or 8 */
	uint64_t value;
};
/* A record of the driver's table, in its order: from offset_b in the code on. */
#define BW_AGENT_NO_LINE UINT32_MAX
struct bw_agent_line {
	uint32_t offset_b, line, column;
	uint32_t file_at; /* in the names of files; BW_AGENT_NO_LINE: code of no line */
};

#endif
