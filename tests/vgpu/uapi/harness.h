/* SPDX-License-Identifier: MIT */
#ifndef BW_TESTS_VGPU_UAPI_HARNESS_H
#define BW_TESTS_VGPU_UAPI_HARNESS_H

/* A virtual GPU inside the test and clients of it over socket pairs: what the agent does for a
 * program, as short as it can be. Functions fail the test when the transport fails; results of
 * calls are returned. */

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <amdgpu_drm.h>
#include <drm.h>

#include "../../suite.h"
#include "base/util.h"
#include "pm4/build.h"
#include "vgpu/uapi/uapi.h"
#include "wire/message.h"
#include "wire/vgpu_proto.h"

#define PCI "0000:03:00.0"

struct client {
	struct bw_uapi *u;
	int sock;
	pthread_t thread;
	uint64_t token;
	uint32_t seq, drm; /* drm: its render node */
	struct bw_vgpu_hello_reply hello;
	int fd_in, fd_out; /* of the next ioctl, of the last one (-1: none) */
	uint32_t fd_at;
};

extern struct bw_uapi *gpu; /* made by start_gpu */
int start_gpu(void **state);
int stop_gpu(void **state);
/* Options of the GPU that start_gpu will make, and which GPU that is: navi31 unless changed. */
extern struct bw_uapi_options gpu_options;
extern const struct bw_profile *gpu_profile;

void connect_raw(struct client *c);		       /* no HELLO */
void connect_client(struct client *c, uint64_t token); /* HELLO */
void open_client(struct client *c);		       /* HELLO and a render node */
void close_client(struct client *c);		       /* and waits for the server's thread */

/* One request and its reply, answering what the server asks meanwhile. */
void request(struct client *c, uint16_t type, const struct bw_msg_part *parts, size_t n, int fd,
	     struct bw_msg *out);
int drm_open(struct client *c, uint32_t minor, uint32_t *out_file);
int close_file(struct client *c, uint32_t file);
int file_ioctl(struct client *c, uint32_t file, uint32_t cmd, void *arg);
#define drm_ioctl(c, cmd, arg) file_ioctl(c, (c)->drm, cmd, arg)
int file_open(struct client *c, const char *path, uint32_t flags, uint32_t *out_file);
int file_read(struct client *c, uint32_t file, uint64_t *pos, void *out, uint32_t size_b);
int file_write(struct client *c, uint32_t file, uint64_t *pos, const void *data, uint32_t size_b);
int drm_mmap(struct client *c, uint32_t file, uint64_t offset, uint64_t size_b, int *out_fd,
	     uint64_t *out_fd_offset);
struct bw_vgpu_server_info server_info(struct client *c);
/* The text of a file, owned by the caller; fails the test when it cannot be opened. */
char *file_text(struct client *c, const char *path);

/* A buffer that the test and the GPU share. */
struct buffer {
	uint32_t handle;
	uint64_t size_b, va;
	void *cpu;
};
/* flags: AMDGPU_GEM_CREATE_*; mapped at va with R, W and X unless va is 0 */
struct buffer make_buffer(struct client *c, uint64_t size_b, uint32_t domain, uint64_t flags,
			  uint64_t va);
void free_buffer(struct client *c, struct buffer *b);
int va_op(struct client *c, uint32_t op, uint32_t handle, uint64_t va, uint64_t offset,
	  uint64_t size_b, uint32_t flags);

uint32_t make_ctx(struct client *c);
/* Submits with these chunks besides the IB (NULL: none); 0 or -errno. */
struct chunk {
	uint32_t id;
	const void *data;
	uint32_t size_b;
};
int submit(struct client *c, uint32_t ctx, uint32_t ip, uint32_t ring, uint64_t ib_va,
	   uint32_t ib_dw, const struct chunk *more, unsigned n_more, uint64_t *out_seq);
int wait_cs(struct client *c, uint32_t ctx, uint32_t ip, uint32_t ring, uint64_t seq,
	    uint64_t deadline_ns, uint64_t *out_status);
int64_t now_ns(void);
#define SECONDS(n) ((uint64_t)(now_ns() + (int64_t)(n) * 1000000000))

/* A kernel at code_va, one group of 32 threads, s[0:1] = arg. Appends to the stream. */
void put_kernel(struct bw_pm4_stream *s, uint64_t code_va, uint64_t arg, uint32_t groups);

/* ---- register access through regs2 ---- */
uint32_t read_reg(struct client *c, uint32_t addr_dw);

/* AMDGPU_CTX_QUERY2_FLAGS_* of a context. */
uint32_t state2(struct client *c, uint32_t ctx);

#endif
