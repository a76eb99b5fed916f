/* SPDX-License-Identifier: MIT */
#ifndef BW_GUEST_GUEST_PRIV_H
#define BW_GUEST_GUEST_PRIV_H

#include "base/folder.h"
#include "base/str.h"
#include "base/string_list.h"
#include "base/vec.h"
#include "guest/guest.h"
#include "guest/proto.h"

/* ---- parts.c: what is booted ---- */

struct bw_guest_parts {
	char *qemu;   /* the folder with QEMU's tree */
	char *kernel; /* the bzImage */
	/* the pinned kernel's modules, and those of them that are not compressed any more; NULL
	 * with a kernel of the user's own */
	char *modules, *unpacked;
	char *init;		 /* our process 1 */
	char *rocm, *rocm_tools; /* rocm.h; NULL: not wanted */
};

/* The folder in which parts are kept, absolute and without links: nobody else can write there.
 * given: NULL, or --cache. */
struct bw_error *bw_guest_cache_find(const char *given, char **out) BW_MUST_CHECK;
/* Runs tools/guest-parts.sh, which fetches what is missing; `what` is that in messages. Its own
 * messages go to standard error. */
struct bw_error *bw_guest_cache_make(const char *cache, const char *option,
				     const char *what) BW_MUST_CHECK;

/* Makes what is missing. */
struct bw_error *bw_guest_parts_find(const struct bw_guest_options *o,
				     struct bw_guest_parts *out) BW_MUST_CHECK;
void bw_guest_parts_free(struct bw_guest_parts *p);

/* argv in front of a program of QEMU's tree: its dynamic linker with the tree's libraries, so that
 * nothing of this machine's is used and no rights are needed. Owned by the caller, up to NULL. */
struct bw_error *bw_guest_tree_program(const char *tree, const char *program,
				       struct bw_strings *out) BW_MUST_CHECK;

/* ---- modules.c: kernel modules and what they need ---- */

struct bw_guest_module {
	char *name;	      /* as lsmod shows it: '_', never '-' */
	char *path;	      /* not compressed, once it is in `order` */
	const char *unpacked; /* borrowed: the folder for it, if it is compressed */
	bool is_ready, is_visited;
};

struct bw_guest_modules {
	struct bw_guest_module_vec BW_VEC(struct bw_guest_module) files; /* all there are */
	struct bw_guest_order BW_VEC(size_t) order; /* indices of files, each after what it needs */
	const char *tree;			    /* borrowed: QEMU's, which has xz and zstd */
};

/* Adds the modules below a folder; those that are known by name stay. unpacked: where those of them
 * that are compressed are put when they are wanted; both borrowed. */
struct bw_error *bw_guest_modules_scan(struct bw_guest_modules *m, const char *folder,
				       const char *unpacked) BW_MUST_CHECK;
/* Puts a module into the order, after those that it needs. out_found: false if there is no such
 * file, as for modules that the kernel has built in. */
struct bw_error *bw_guest_modules_want(struct bw_guest_modules *m, const char *name,
				       bool *out_found) BW_MUST_CHECK;
void bw_guest_modules_free(struct bw_guest_modules *m);
/* The names in the line "depends=" of a module's section .modinfo, separated by commas; owned. The
 * bytes may be anything. */
struct bw_error *bw_guest_module_depends(const void *elf, size_t size_b,
					 char **out_names) BW_MUST_CHECK;

/* ---- cpio.c: the initramfs ---- */

/* An archive in the format newc (Documentation/driver-api/early-userspace/buffer-format.rst).
 * mode: type and permissions. */
void bw_cpio_add(struct bw_str *archive, const char *name, unsigned mode, const void *data,
		 size_t size_b);
void bw_cpio_end(struct bw_str *archive);

/* ---- klog.c: the kernel's log as it comes from the serial line ---- */

enum { BW_KLOG_LINES = 60 };

struct bw_klog {
	char *lines[BW_KLOG_LINES]; /* a ring, owned */
	size_t n;		    /* of lines that came */
	size_t fatal;	    /* 1 + the number of the line a panic or oops began with; or 0 */
	char *reason;	    /* that line without its time; owned */
	struct bw_str part; /* a line that is not complete */
	bool echo;	    /* to standard error, too */
};

void bw_klog_add(struct bw_klog *k, const char *data, size_t size_b);
/* A whole line. */
void bw_klog_add_line(struct bw_klog *k, const char *line);
/* The lines from the fatal one on, or the last ones; each after a newline and two blanks. */
void bw_klog_show(const struct bw_klog *k, struct bw_str *out);
void bw_klog_free(struct bw_klog *k);

/* ---- machine.c: the processes of a guest ---- */

struct bw_machine {
	struct bw_folder folder; /* the GPU's socket, gdb's socket, modules of the user's */
	pid_t qemu, gpu, guard;	 /* 0: none */
	int port, serial;	 /* sockets; the kernel's end is QEMU's */
	int words;		 /* standard error of QEMU and the GPU */
	int guard_pipe;
	int signals;	     /* a signalfd of those that end us, and of children */
	bool has_kvm;	     /* that QEMU is to use it */
	int64_t *started_ms; /* borrowed: when the command has started; 0: not yet */
};
#define BW_MACHINE_INIT                                                                            \
	{.folder = BW_FOLDER_INIT,                                                                 \
	 .port = -1,                                                                               \
	 .serial = -1,                                                                             \
	 .words = -1,                                                                              \
	 .guard_pipe = -1,                                                                         \
	 .signals = -1}

/* Blocks signals, which `signals` has then, and makes the run folder and the process that removes
 * it when we are killed. */
struct bw_error *bw_machine_open(struct bw_machine *m) BW_MUST_CHECK;
/* initrd: a file in memory. */
struct bw_error *bw_machine_start(struct bw_machine *m, const struct bw_guest_options *o,
				  const struct bw_guest_parts *parts, int initrd) BW_MUST_CHECK;
/* Ends what runs, waits for it and removes the files. */
void bw_machine_close(struct bw_machine *m);

/* ---- session.c: what happens while the guest runs ---- */

int64_t bw_guest_now_ms(void); /* of CLOCK_MONOTONIC */
/* plan: lines of enum bw_guest_line. */
struct bw_error *bw_guest_session(struct bw_machine *m, const struct bw_guest_options *o,
				  const struct bw_str *plan, int *out_status) BW_MUST_CHECK;

#endif
