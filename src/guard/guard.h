/* SPDX-License-Identifier: MIT */
#ifndef BW_GUARD_GUARD_H
#define BW_GUARD_GUARD_H

/* The guard: a small process that restores what this one has changed on a GPU when this one ends
 * without having done so, whatever has killed it. It has a list of what is to be restored, and is
 * told of each change before the change is made. Whose restoring takes more than writing registers
 * gives it work of its own (live/guard.c). One thread. */

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "kmd/kmd.h"
#include "wire/message.h"

struct bw_guard {
	int fd;	   /* -1: it has not been started, or is not told anything any more */
	pid_t pid; /* 0: it has not been started, or is not waited for */
	uint32_t seq;
};
#define BW_GUARD_INIT {.fd = -1}

/* Types of messages from here on are the owner's. */
enum { BW_GUARD_OWN = 16 };

/* What the guard does beyond its list. All of it is called in the guard process, which has the
 * memory that this one had when it was started. */
struct bw_guard_work {
	/* A message of the owner's. Keeps m->fd by bw_take_fd(). */
	void (*take)(void *cookie, struct bw_msg *m);
	/* The owner has ended without a word. Comes before the list. */
	void (*died)(void *cookie);
	void *cookie;
};

/* kmd: the GPU; the guard opens it by itself when it has something to do, since a connection is no
 * other process's to use. work: NULL for none. */
struct bw_error *bw_guard_start(struct bw_guard *g, struct bw_kmd *kmd,
				const struct bw_guard_work *work) BW_MUST_CHECK;
/* The selector by which the guard process opens the same GPU. Only there, and in `work`. */
const char *bw_guard_gpu(void);

/* ---- The list ---- */

struct bw_guard_write {
	struct bw_kmd_bank bank;
	uint32_t addr_dw, value;
};
/* In the end the register is written. The list is done from its end to its start. */
struct bw_error *bw_guard_add_write(struct bw_guard *g,
				    const struct bw_guard_write *w) BW_MUST_CHECK;
/* In the end GFXOFF is allowed once: the kernel counts who holds it off. */
struct bw_error *bw_guard_add_gfxoff(struct bw_guard *g) BW_MUST_CHECK;
/* All of the list has been restored. */
struct bw_error *bw_guard_forget(struct bw_guard *g) BW_MUST_CHECK;

/* ---- Messages of the owner's ---- */

/* Sends one, and waits until the guard has taken it; fd: -1 or borrowed. */
struct bw_error *bw_guard_ask(struct bw_guard *g, uint16_t type, const void *data, size_t size_b,
			      int fd, int timeout_ms) BW_MUST_CHECK;

/* ---- The end ---- */

/* There is nothing to do for it any more: it ends. Accepts one that was not started. */
void bw_guard_end(struct bw_guard *g);
/* It does what is on its list, as when this process dies; returns when that is done. The same. */
void bw_guard_restore(struct bw_guard *g);
/* It restores as soon as it can, and is not waited for: this process may end before. */
void bw_guard_let_go(struct bw_guard *g);

#endif
