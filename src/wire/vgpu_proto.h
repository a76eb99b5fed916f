/* SPDX-License-Identifier: MIT */
#ifndef BW_WIRE_VGPU_PROTO_H
#define BW_WIRE_VGPU_PROTO_H

/* The protocol of clients to breakwater-vgpu: the system calls a process would make on amdgpu's
 * device nodes and debugfs files, one request each. A connection (channel) carries one request at a
 * time; a client opens as many as it has threads inside the kernel at once. Structs are
 * little-endian, in natural alignment, at the start of the body; a payload follows where one is
 * named.
 *
 * The server sees user memory as a kernel does, by copy_from_user and copy_to_user: while it works
 * on an ioctl it may send USER_READ and USER_WRITE, any number of times, which the client answers
 * before it looks for the reply: so the server keeps the kernel's own order of checks. The client
 * answers EFAULT for memory that the ioctl does not name (kmd/named.c knows the structs). */

#include <stdint.h>
#include <sys/ioctl.h>

enum { BW_VGPU_PROTO_VERSION = 5 };

enum bw_vgpu_msg {
	/* client to server; the reply has the same type with the top bit set */
	BW_VGPU_HELLO = 1,
	BW_VGPU_DRM_OPEN, /* a new DRM file: its own VM and PASID */
	BW_VGPU_CLOSE,	  /* a DRM or debugfs file */
	BW_VGPU_IOCTL,	  /* on either; payload: the argument struct as the caller passed it */
	BW_VGPU_MMAP,	  /* DRM file: reply carries an fd and the offset in it */
	BW_VGPU_FDINFO,	  /* DRM file: reply payload is the fdinfo text */
	/* payload: path below the debugfs or sysfs root, see bw_vgpu_file_open */
	BW_VGPU_FILE_OPEN,
	BW_VGPU_FILE_READ,   /* reply payload: the bytes */
	BW_VGPU_FILE_WRITE,  /* payload: the bytes */
	BW_VGPU_SERVER_INFO, /* reply: bw_vgpu_server_info */
	BW_VGPU_FIDELITY,    /* reply: bw_vgpu_fidelity_reply, payload: its rows */
	BW_VGPU_KFD_OPEN, /* /dev/kfd; reply: bw_vgpu_open_reply. IOCTL, MMAP and CLOSE take it */
	/* The folders of KFD appear in the tree, where they are not yet: few programs look at these
	 * hundreds of files. reply: bw_vgpu_result */
	BW_VGPU_KFD_TREE,
	/* server to client, inside an IOCTL */
	BW_VGPU_USER_READ = 64, /* bw_vgpu_user; reply bw_vgpu_result, payload */
	BW_VGPU_USER_WRITE,	/* bw_vgpu_user, payload; reply bw_vgpu_result */
	BW_VGPU_REPLY = 0x8000,
};

struct bw_vgpu_hello {
	uint32_t version;
	/* as the client knows it; the server takes the kernel's word (SO_PEERCRED) */
	uint32_t pid;
	/* 0: a new client; else the token of an earlier HELLO of this process */
	uint64_t client;
	char comm[16];
};
struct bw_vgpu_hello_reply {
	int32_t result; /* 0 or -errno, as everywhere */
	uint32_t version;
	uint64_t client;      /* token */
	char pci_address[16]; /* "0000:03:00.0" */
	char root[108];	      /* folder with the dev/ and sys/ tree this GPU shows to programs */
};

struct bw_vgpu_drm_open {
	uint32_t minor;
	uint32_t flags;
}; /* 128 render node, 0 card */
struct bw_vgpu_open_reply {
	int32_t result;
	uint32_t file;
};

struct bw_vgpu_file {
	uint32_t file;
	uint32_t pad;
}; /* CLOSE, FDINFO */

/* The device number of /dev/kfd in the tree: Linux takes any that is free. */
enum { BW_VGPU_KFD_MAJOR = 241 };

/* + _IOC_SIZE(cmd) bytes; may carry an fd (PRIME_FD_TO_HANDLE, SYNCOBJ_FD_TO_HANDLE,
 * SYNCOBJ_EVENTFD, ENABLE of KFD's DBG_TRAP, GET_DEADLINE of sw_sync, and BW_VGPU_IOCTL_SYNC_*:
 * the fd the struct names; GEM_USERPTR, and KFD's ALLOC_MEMORY_OF_GPU of such memory: a memfd
 * sealed against every change of size, which the caller has put in the place of the pages, each of
 * them at its address in the file). The fd that SCHED or KFD's ACQUIRE_VM names is the client's
 * number of that file. After the bytes, any number of bw_vgpu_user, each with its bytes padded to
 * 8: answers to USER_READ that the client expects. The server asks for the rest. */
struct bw_vgpu_ioctl {
	uint32_t file;
	uint32_t cmd;
};
/* + the struct as the kernel left it; if an fd comes along, its number in the client goes into the
 * 32 bits at byte fd_at of the struct */
struct bw_vgpu_ioctl_reply {
	int32_t result;
	uint32_t fd_at;
};

/* Ioctls of our own on DRM files: what Linux does by the descriptors of dma-bufs and sync_files,
 * with handles of the file in their place. Results as of any ioctl. */
struct bw_vgpu_fences {
	uint32_t bo, syncobj;
};
#define BW_VGPU_IOCTL_TYPE 'B'
/* The work under way on a buffer becomes the fence of a sync object. */
#define BW_VGPU_IOCTL_BO_FENCES _IOWR(BW_VGPU_IOCTL_TYPE, 0, struct bw_vgpu_fences)
/* The fence of a sync object becomes work on a buffer. */
#define BW_VGPU_IOCTL_BO_ADD_FENCE _IOWR(BW_VGPU_IOCTL_TYPE, 1, struct bw_vgpu_fences)
/* Calls on sync_files; the descriptor in `fd` is sent along. -EINVAL: it is not a sync_file. */
struct bw_vgpu_sync_merge {
	int32_t fd;
	uint32_t second; /* a sync object with the other fence */
	int32_t merged;	 /* out: descriptor of a sync_file */
	char name[32];
};
#define BW_VGPU_IOCTL_SYNC_MERGE _IOWR(BW_VGPU_IOCTL_TYPE, 2, struct bw_vgpu_sync_merge)
struct bw_vgpu_sync_fence {
	char timeline[32], driver[32];
	int32_t status; /* 1: signalled, 0: not yet, else -errno */
	uint32_t pad;
	uint64_t signaled_ns;
};
enum { BW_VGPU_SYNC_INFO_FENCES = 64 };
struct bw_vgpu_sync_info {
	int32_t fd;
	uint32_t first;	   /* of its fences, the one that is fences[0] */
	uint32_t n_fences; /* out, from here on: of how many it consists */
	int32_t status;	   /* of all */
	char name[32];
	struct bw_vgpu_sync_fence fences[BW_VGPU_SYNC_INFO_FENCES];
};
#define BW_VGPU_IOCTL_SYNC_INFO _IOWR(BW_VGPU_IOCTL_TYPE, 3, struct bw_vgpu_sync_info)
struct bw_vgpu_sync_deadline {
	int32_t fd;
	uint32_t pad;
	uint64_t deadline_ns;
};
#define BW_VGPU_IOCTL_SYNC_DEADLINE _IOWR(BW_VGPU_IOCTL_TYPE, 4, struct bw_vgpu_sync_deadline)

/* A chunk of our own in a CS: what the waves of its dispatches do not get from the driver holds
 * `word` when they start, and not 0 (breakwater exec --stomp-memory). The dispatches of a job
 * count from 0, those without a group too; last is one of them (less than first: it is none). With
 * SCRATCH, scratch memory of the other dispatches is 0. */
enum { BW_VGPU_CHUNK_STOMP = 0x42570001 };
enum bw_vgpu_stomp_what {
	BW_VGPU_STOMP_LDS = 1,
	BW_VGPU_STOMP_SCRATCH = 2,
	BW_VGPU_STOMP_VGPRS = 4,
	BW_VGPU_STOMP_SGPRS = 8, /* and VCC */
	BW_VGPU_STOMP_ALL = 15,
};
struct bw_vgpu_stomp {
	uint32_t what; /* enum bw_vgpu_stomp_what, several */
	uint32_t word;
	uint32_t first_dispatch, last_dispatch;
};

/* An allocation of the file's address space, for --check=bounds and leaks: its exact size, how many
 * bytes before and after it belong to nothing else, its name, and the places in the program that
 * made it and freed it. size_b 0: it is given back. -ENODATA: the server checks neither. */
enum { BW_VGPU_PROGRAM_B = 256, BW_VGPU_CALLERS = 3, BW_VGPU_EXTENT_LEFT = 2 };
struct bw_vgpu_extent {
	uint64_t va, size_b, before_b, after_b;
	/* addresses of calls in the program's file, the innermost first; 0: not known */
	uint64_t made[BW_VGPU_CALLERS], freed[BW_VGPU_CALLERS];
	/* 1: the program has freed it, and nothing else is there yet. LEFT: it is not there any
	 * more, since what it belonged to has ended, and the program has not freed it; va has no
	 * meaning. */
	uint32_t is_freed;
	uint32_t pad;
	char name[32];			 /* "", or as the program calls it */
	char program[BW_VGPU_PROGRAM_B]; /* "", or the path of its file */
};
#define BW_VGPU_IOCTL_EXTENT _IOWR(BW_VGPU_IOCTL_TYPE, 5, struct bw_vgpu_extent)

/* For --check=bounds: how many bytes of LDS a workgroup of a kernel uses, by the address of its
 * first instruction in the file's address space. The GPU itself gives LDS in larger steps. */
struct bw_vgpu_kernel {
	uint64_t va;
	uint32_t lds_b;
	uint32_t pad;
};
#define BW_VGPU_IOCTL_KERNEL _IOW(BW_VGPU_IOCTL_TYPE, 6, struct bw_vgpu_kernel)

/* For --check: the API by which the file's program uses the GPU. */
enum bw_vgpu_api_of { BW_VGPU_API_VULKAN = 1 };
struct bw_vgpu_api {
	uint32_t api; /* enum bw_vgpu_api_of */
	uint32_t pad;
};
#define BW_VGPU_IOCTL_API _IOW(BW_VGPU_IOCTL_TYPE, 7, struct bw_vgpu_api)

struct bw_vgpu_mmap {
	uint32_t file;
	uint32_t prot;
	uint64_t offset, size_b;
};
struct bw_vgpu_mmap_reply {
	int32_t result;
	uint32_t pad;
	uint64_t fd_offset;
};

/* path: "debug/dri/<pci>/amdgpu_regs2", "sys/class/drm/card0/device/mem_info_vram_total", ... */
struct bw_vgpu_file_open {
	uint32_t flags;
	uint32_t pad;
}; /* + path, no NUL; reply open_reply */
struct bw_vgpu_file_io {
	uint32_t file;
	uint32_t size_b;
	uint64_t pos;
};
/* result: bytes done; pos: the file position afterwards (not every file of amdgpu moves it) */
struct bw_vgpu_file_io_reply {
	int32_t result;
	uint32_t pad;
	uint64_t pos;
};

struct bw_vgpu_user {
	uint64_t va;
	uint32_t size_b;
	uint32_t pad;
};
struct bw_vgpu_result {
	int32_t result;
	uint32_t pad;
}; /* 0 or -EFAULT */

struct bw_vgpu_server_info {
	int32_t result;
	uint32_t pid;
	uint64_t instructions, waves_launched, waves_resident, buffers, buffer_bytes, clients,
		dispatches, clients_ever; /* processes, those that have gone, too */
};

/* The exactness of executed instructions, by opcode and remark. -ENODATA: the server was not
 * started with --fidelity. */
enum bw_vgpu_fidelity_kind {
	BW_VGPU_EXACT,
	BW_VGPU_ULP1,
	BW_VGPU_APPROXIMATE,
	BW_VGPU_ABSENT,
	BW_VGPU_UNUSUAL,
};
struct bw_vgpu_fidelity_reply {
	int32_t result;
	uint32_t n_rows;
};
struct bw_vgpu_fidelity_row {
	uint64_t count;	   /* once for each wave */
	uint8_t kind;	   /* enum bw_vgpu_fidelity_kind */
	uint8_t is_second; /* the Y half of a pair (VOPD): counted with its X half already */
	uint8_t pad[6];
	char name[40], why[104]; /* the opcode; a clause, or nothing */
};

/* The environment variable that holds the path of the server's socket. */
#define BW_VGPU_SOCKET_ENV "BREAKWATER_VGPU"

/* The command by which src/kmd starts a server of its own:
 *
 *     breakwater-vgpu --ready-fd N --exit-with-last-client [--profile NAME] [more]
 *
 * (more: the words of BREAKWATER_VGPU_ARGS). Once it listens the server writes "ready PATH\n" to fd
 * N, where PATH is its socket's, and closes it; if it cannot start, it writes one sentence
 * there instead and exits. It ends when its last client has gone, or when none has come within 10
 * s, and removes its socket, and its run folder with all that is in it. */
#define BW_VGPU_READY "ready "
#define BW_VGPU_ARGS_ENV "BREAKWATER_VGPU_ARGS"

/* What the part number of its VBIOS begins with: Linux's driver shows it (amdgpu_firmware_info). */
#define BW_VGPU_MARK "BREAKWATER-VGPU"

#endif
