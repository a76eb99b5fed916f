/* SPDX-License-Identifier: MIT */
#ifndef BW_WIRE_AGENT_PROTO_H
#define BW_WIRE_AGENT_PROTO_H

/* The debugger and the agent inside the program. The debugger listens on the socket BW_AGENT_SOCKET
 * of its folder (wire/agent_folders.h); the agent connects when the program first opens
 * an amdgpu device and from then on answers requests (type, seq) with (type | REPLY, seq) and sends
 * events (seq 0). When the connection ends without DETACH, the agent does what DETACH does:
 * restores patched code, releases held submissions, resumes stopped waves, and never stops one
 * again. Registers are restored by the debugger's guard, a process that outlives it. The guard has
 * a connection to the agent (GUARD): there the agent says LEFT when no patched code is left in
 * memory or in an instruction cache, and continues to resume waves; and hears BACK when no wave
 * needs the handler and the registers are restored. Then it frees its buffers and the VMID, too. */

#include <stdint.h>

#include "wire/agent_objects.h"
#include "wire/hello.h"

#define BW_AGENT_SOCKET "debug"
/* With BREAKWATER_ATTACH=1 in its environment a program can be attached to later: its agent listens
 * on a name in the abstract namespace: BW_AGENT_NAME and its pid, as it knows it, with a random
 * suffix where that name is taken. The name proves nothing: a debugger tries those that
 * /proc/net/unix lists until the kernel says (SO_PEERCRED) that the process it wants listens there.
 * It sends bw_agent_call; the agent answers with an int32, 0 or -errno, and after 0 the connection
 * is like one that the agent has made itself. Both ends check first whom they talk to
 * (wire/peer.h). */
#define BW_AGENT_ATTACH_ENV "BREAKWATER_ATTACH"
/* 1: the program is one of ours, which its debugger has started and nobody else waits for. It ends
 * when that debugger is gone without DETACH. 0, in the debugger: it starts none as such. */
#define BW_AGENT_OWNED_ENV "BREAKWATER_OWNED"
#define BW_AGENT_NAME "breakwater-agent-"
/* 1: the agent's Vulkan layer asks the driver to keep what it knows of each compute shader's code
 * (VK_PIPELINE_CREATE_CAPTURE_INTERNAL_REPRESENTATIONS_BIT_KHR), for BW_AGENT_SHADER. */
#define BW_AGENT_SHADER_LINES_ENV "BREAKWATER_SHADER_LINES"
/* 1: it makes compute shaders note their variables and lines (sym/spirv_record.h). */
#define BW_AGENT_SHADER_NOTES_ENV "BREAKWATER_SHADER_NOTES"
struct bw_agent_call {
	uint32_t magic /* BW_MSG_MAGIC */, version;
};
/* The magic of `breakwater capture --pid`, with BW_CAPTURE_VERSION: after the answer the
 * connection is one of wire/capture_proto.h, on which the agent speaks first, at the program's next
 * submission. */
enum { BW_AGENT_CALL_CAPTURE = 0x70614342 /* "BCap" */ };
enum { BW_AGENT_PROTO_VERSION = 14 };
/* Between the levels of a label: a program may have any other character in one. */
enum { BW_AGENT_LABEL_SEPARATOR = 0x1f };

enum bw_agent_msg {
	/* debugger to agent */
	/* bw_agent_attach + handler code; reply bw_agent_attach_reply + fd of the area */
	BW_AGENT_ATTACH = 1,
	BW_AGENT_DETACH, /* reply bw_agent_result */
	/* bw_agent_release: release a held submission; reply bw_agent_result */
	BW_AGENT_RELEASE,
	BW_AGENT_MEM_READ,  /* bw_agent_mem; reply bw_agent_result + bytes */
	BW_AGENT_MEM_WRITE, /* bw_agent_mem + bytes; reply bw_agent_result */
	/* bw_agent_mem + bytes: as MEM_WRITE, and the original is saved, and restored by UNPATCH,
	 * DETACH or the debugger's end; MEM_READ shows the original */
	BW_AGENT_PATCH,
	BW_AGENT_UNPATCH, /* bw_agent_mem, no bytes */
	BW_AGENT_MAPS,	  /* bw_agent_about; reply bw_agent_result + array of bw_agent_map */
	BW_AGENT_FAULT,	  /* bw_agent_about: GPUVM_FAULT of its VM; reply bw_agent_fault */
	/* reply bw_agent_result + array of bw_agent_object: what the program's graphics API knows
	 * by name; none where the program uses neither Vulkan nor OpenCL */
	BW_AGENT_OBJECTS,
	BW_AGENT_CLOCK, /* bw_agent_clock; reply bw_agent_result */
	/* reply bw_agent_result. Ends the connection as DETACH does, but what is attached stays,
	 * asleep, until the file is closed or the program ends: later ATTACHes wake it, and their
	 * end puts it back to sleep. The registers stay, too: the debugger that sends this restores
	 * them when the program has ended */
	BW_AGENT_READY,
	BW_AGENT_FILES, /* reply bw_agent_result + array of bw_agent_file_info */
	/* bw_agent_shader; reply bw_agent_result, bw_agent_shader_info and what that counts */
	BW_AGENT_SHADER,
	BW_AGENT_GUARD, /* no body, a fd: the connection to the guard. No reply */
	/* reply bw_agent_result + array of bw_agent_loaded: code objects that ROCm's runtime has
	 * loaded */
	BW_AGENT_CODES,
	/* bw_agent_loaded_at; reply bw_agent_result, uint64_t: its bytes; and a fd: a memfd with
	 * them */
	BW_AGENT_CODE_BYTES,
	BW_AGENT_QUEUES, /* reply bw_agent_result + array of bw_agent_aql_queue */
	/* bw_agent_mem, no bytes: whether va was mapped until the program freed it; reply
	 * bw_agent_freed */
	BW_AGENT_FREED,
	/* on that connection: agent to guard, guard to agent; no body */
	BW_AGENT_LEFT = 32,
	BW_AGENT_BACK,
	/* agent to debugger, seq 0 */
	BW_AGENT_EV_HELLO = 64, /* bw_agent_hello */
	/* bw_agent_submit + n_dispatches of bw_agent_dispatch + blob_b bytes that they point into:
	 * held until RELEASE */
	BW_AGENT_EV_SUBMIT,
	BW_AGENT_EV_DONE, /* bw_agent_done: a submission's fence has signalled (or failed) */
	/* bw_agent_about: the program has closed a DRM file, and what was attached there is gone */
	BW_AGENT_EV_CLOSED,
	/* bw_agent_failed: the fence of a submission carries an error, also if the submission was
	 * not shown. DONE follows if it was. Threads of the program that wait for the GPU, and its
	 * exit, wait until RELEASE */
	BW_AGENT_EV_FAILED,
	BW_AGENT_REPLY = 0x8000,
};

/* pid: as the program knows it. The debugger takes the kernel's word (SO_PEERCRED): in another PID
 * namespace this number belongs to another process. */
struct bw_agent_hello {
	struct bw_hello head;
	char pci_address[16];
	uint32_t is_render_node, pad;
};

/* -errno; va of a fault; a sentence for people when result is not 0 */
struct bw_agent_result {
	int32_t result;
	uint32_t pad;
	uint64_t va;
	char message[112];
};

/* Every DRM file of a program is an address space of its own, and has a number from 1. Requests say
 * which they are about; 0 is that of the last submission. */
struct bw_agent_about {
	uint32_t file, pad;
};

/* The program's monotonic clocks stand still, and its waits with a limit last longer, from
 * is_stopped = 1 to 0, DETACH or the debugger's end, so that no watchdog of the program expires
 * while its waves are stopped. */
struct bw_agent_clock {
	uint32_t is_stopped, pad;
};

/* ATTACH: on that DRM file, allocates the handler (executable, followed by s_code_end padding) and
 * the debug area (GTT, uncached, zeroed, both in the low half of the address space), writes the
 * control block given here at its start, maps both, reserves a VMID, and submits an empty IB so
 * that the VMID is assigned. May be called while a submission of the file is held, or when it is
 * ready (then none of this is done, and the answer is where it lies). */
struct bw_agent_file_info {
	uint32_t file, is_ready, pasid, pad;
};
enum { BW_AGENT_ATTACH_NO_RESERVE = 1 }; /* the kernel shares one reserved VMID out in turns */
struct bw_agent_attach {
	uint64_t area_size_b;
	uint32_t control_size_b, handler_size_b; /* payload: control block, then handler code */
	/* an executable buffer for displaced instructions */
	uint32_t displaced_size_b, file;
	/* where they should lie if there is room; 0: anywhere */
	uint64_t area_va, handler_va, displaced_va;
	uint32_t flags;
	uint32_t code_end; /* the word that fills memory after code (s_code_end) */
};
struct bw_agent_attach_reply {
	struct bw_agent_result r;
	uint64_t area_va, handler_va, displaced_va;
	uint32_t pasid, vmid_reserved; /* vmid_reserved: 1 if the kernel granted it */
	/* 1: the kernel's own trap handler is entered first, and jumps to ours */
	uint32_t is_second_level, pad;
};

struct bw_agent_release {
	uint32_t submission; /* 0: none, but the program, which waits after a failure */
	uint32_t failures;   /* then: those FAILED that the debugger has heard of, in all */
};
struct bw_agent_mem {
	uint64_t va;
	uint32_t size_b, file;
};
struct bw_agent_map {
	uint64_t va, size_b, bo_offset_b;
	uint32_t flags /* AMDGPU_VM_PAGE_* */, bo_handle;
	uint64_t bo_size_b;
	uint32_t domains, pad;
};
struct bw_agent_freed {
	struct bw_agent_result r;
	uint64_t va, size_b; /* size_b 0: it was not, as far as is known */
	uint64_t
		by; /* where in the program's executable, as its file has addresses; 0: not known */
};
struct bw_agent_fault {
	struct bw_agent_result r;
	uint64_t addr;
	uint32_t status, vmhub;
};

/* What a shader is for. Waves of a bw_agent_dispatch are COMPUTE, VERTEX or PIXEL. */
enum bw_agent_stage {
	BW_AGENT_COMPUTE,
	BW_AGENT_VERTEX,
	BW_AGENT_PIXEL,
	BW_AGENT_CONTROL,    /* of tessellation */
	BW_AGENT_EVALUATION, /* the same */
	BW_AGENT_GEOMETRY,
	BW_AGENT_MESH,
	BW_AGENT_TASK,
	BW_AGENT_STAGES
};
/* One dispatch packet of a submission with the COMPUTE_* registers in force; or the vertex or the
 * pixel shader of a draw, with those of its stage in the form of COMPUTE_*. The two of a draw
 * follow each other. VERTEX is what makes primitives: a program of the vertex, the tessellation
 * evaluation or the mesh shader, and of a geometry shader after the former two. With tessellation,
 * there is a program of the vertex and the control shader as well. */
struct bw_agent_dispatch {
	uint64_t code_va; /* PGM_HI:LO << 8, canonical */
	uint32_t rsrc1, rsrc2, rsrc3, initiator;
	/* dimensions of the packet; 0xffffffff where read from memory (indirect) */
	uint32_t groups[3];
	uint32_t group_size[3]; /* NUM_THREAD_FULL */
	uint32_t user_data[16];
	uint32_t tmpring_size;
	uint32_t scratch_base_lo, scratch_base_hi; /* COMPUTE_DISPATCH_SCRATCH_BASE */
	uint32_t pipeline;    /* id of its object; 0: not known, or the driver's own work */
	uint64_t packet_va;   /* of the packet */
	uint64_t indirect_va; /* where groups are read from; 0: they are in the packet */
	/* in the blob: labels of the command buffer, the outermost first; 0: none */
	uint32_t label_at, label_b;
	uint32_t push_at, push_b; /* in the blob: push constants; 0: none or not known */
	/* in the blob: n_bindings of bw_agent_binding; not all of them where bindings_cut is 1 */
	uint32_t bindings_at, n_bindings, bindings_cut;
	uint32_t args_at, n_args; /* in the blob: n_args of bw_agent_arg */
	uint32_t stage;		  /* enum bw_agent_stage */
	/* of a draw: vertices or indices; 0xffffffff: read from memory */
	uint32_t n_vertices, n_instances;
	uint32_t n_draws, is_indexed; /* n_draws: the packet has so many at most */
	/* a dispatch of a task shader, or the draw of the mesh shader that this launches */
	uint32_t is_task;
	uint64_t block_va; /* of the block that the arguments lie in; 0: none */
	/* VERTEX: ids as of `pipeline`, which is the program's first shader */
	uint64_t hull_va;      /* the program of the vertex and the control shader; 0: none */
	uint32_t hull[2];      /* its shaders */
	uint32_t second, task; /* the geometry shader; the task shader, of a program of its own */
};
/* An argument of an OpenCL kernel, in the kernel's order. */
#define BW_AGENT_ARG_NOWHERE UINT32_MAX
struct bw_agent_arg {
	uint32_t kind;	   /* enum bw_agent_arg_kind */
	uint32_t offset_b; /* in the block; NOWHERE: not passed, or not known */
	uint32_t size_b, pad;
	char name[48], type[48]; /* "" where the program does not keep them */
};
enum bw_agent_arg_kind {
	BW_AGENT_ARG_OPAQUE, /* image, sampler */
	BW_AGENT_ARG_VALUE,
	BW_AGENT_ARG_BUFFER,
	BW_AGENT_ARG_LOCAL,
};
/* A descriptor that the API has put into a set which is bound for the dispatch. */
struct bw_agent_binding {
	uint32_t set, binding, element;
	uint32_t type;	     /* VkDescriptorType */
	uint64_t va, size_b; /* of a buffer; va 0: not known */
	uint64_t at_va;	     /* of the descriptor, in a descriptor buffer, which says va; else 0 */
};
struct bw_agent_submit {
	uint32_t submission; /* number for RELEASE and DONE, from 1 */
	uint32_t ctx_id, ip_type, ring;
	uint32_t n_dispatches, blob_b;
	uint32_t frame; /* presents before it, plus one; 0: not known */
	uint32_t file;	/* number of the DRM file it goes through, from 1 */
	/* it was there before: it is not held (sent while ATTACH wakes a file) */
	uint32_t is_running, pad;
};

/* A code object in the GPU's memory. */
struct bw_agent_loaded {
	uint64_t base; /* where its address 0 lies */
	/* where its bytes are, in the runtime's words: "Code Object URI" in LLVM's AMDGPUUsage */
	char uri[1016];
};
/* An AQL queue: in bw_agent_submit of its dispatches its id is the ring, of context 0. */
struct bw_agent_aql_queue {
	uint32_t file, id, n_slots, ip_type;
	uint64_t ring_va, read_va, write_va;
	uint64_t passed; /* index of the first packet that the GPU has not been given */
};
struct bw_agent_loaded_at {
	uint64_t base;
};
/* 0, or the -errno its fence carries */
struct bw_agent_done {
	uint32_t submission;
	int32_t result;
};
struct bw_agent_failed {
	uint32_t submission; /* 0: it was not shown (no dispatch is in it) */
	uint32_t file;
	int32_t result;	  /* -errno of the fence */
	uint32_t is_sdma; /* it went to a copy engine */
};

#endif
