/* SPDX-License-Identifier: MIT */
#ifndef TESTS_KMD_FAKE_SERVER_H
#define TESTS_KMD_FAKE_SERVER_H

/* A stand-in for breakwater-vgpu that speaks vgpu_proto.h and knows just enough ioctls for the
 * tests of its clients. It runs in threads of the test. */

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

enum { FAKE_BOS = 64, FAKE_FILES = 64, FAKE_PASID = 32771 };

/* BO_LIST adds up the bytes of the list that it is given (out.list_handle), by USER_READ; an INFO
 * query of its own fills return_size bytes with 0x5a, by USER_WRITE. */
enum { FAKE_INFO_FILL = 0x7e };
/* And what a hostile server asks for with that list. */
enum fake_greed {
	FAKE_HONEST,
	FAKE_READS_BEFORE,
	FAKE_READS_BEHIND,
	FAKE_READS_ELSEWHERE,
	FAKE_WRITES
};

struct fake_file {
	bool used;
	char path[128];		   /* "" for a DRM file */
	uint32_t minor, state[11]; /* state: regs2 */
};

/* The limit by which the server knows a wait of the program, which is one for ever. */
#define FAKE_PROGRAM_WAIT (UINT64_MAX / 2 - 1)

struct fake_server {
	char folder[64], socket[96], root[96];
	int listen_fd;
	pthread_t thread, serving[128]; /* one for each of socks */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	/* Below: under lock; read and set by tests. */
	int socks[128];
	unsigned n_socks; /* connections so far */
	unsigned drm_open, drm_closed;
	int bo_fd[FAKE_BOS];
	uint64_t bo_size[FAKE_BOS], bo_flags[FAKE_BOS];
	struct fake_file files[FAKE_FILES];
	uint64_t va_limit;     /* MAP at or above it, below the upper half: EINVAL */
	bool signalled;	       /* fences of CS */
	bool agent_waits_late; /* the agent's threads are not told that they have */
	bool killed;
	int fence_result;
	unsigned submissions, waiting;
	uint32_t last_list_n, last_list[16]; /* BO_HANDLES of the last CS */
	uint64_t client_token, hello_token;  /* what the last HELLO carried */
	uint32_t hello_pid;
	enum fake_greed greedy;
	uint64_t elsewhere;
	int32_t fdinfo_result;
	uint32_t version; /* of the protocol; 0: as it should be */
};

void fake_server_start(struct fake_server *s);
void fake_server_stop(struct fake_server *s);
/* Closes every connection, as if the process had died. */
void fake_server_kill(struct fake_server *s);
void fake_server_signal(struct fake_server *s, int result);

#endif
