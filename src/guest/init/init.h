/* SPDX-License-Identifier: MIT */
#ifndef BW_GUEST_INIT_INIT_H
#define BW_GUEST_INIT_INIT_H

/* Process 1 of the guest of "breakwater vgpu linux". It is linked statically and uses libc alone:
 * nothing else is there when it starts. One thread. Where something fails that the plan wants, it
 * says so to the host (die), which ends the machine. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "guest/proto.h"

/* ---- port.c: the connection with the host ---- */

/* Waits for the port and opens it. */
void port_open(void);
int port_fd(void);
void port_send(enum bw_guest_frame_type type, const void *data, size_t size_b);
/* The next frame; its payload is NUL-terminated and valid until the next call. Blocks. */
enum bw_guest_frame_type port_next(char **out_data, size_t *out_size_b);
/* Sends FAILED, with the kernel's messages about the GPU if `with_log`, and stops for ever: the
 * host ends the machine. */
void die(bool with_log, const char *fmt, ...) __attribute__((noreturn, format(printf, 2, 3)));

/* ---- mounts.c: file systems ---- */

void mount_first(void);
/* Makes the host's file system, with a layer in memory above it that takes what is written, the
 * root. */
void mount_root(void);
void mount_share(const char *tag, const char *path);

/* ---- modules.c ---- */

/* Load the modules of the initramfs, in the order of their names. The port may need them, so
 * failures are reported when there is one. */
void load_own_modules(void);
void check_own_modules(void);
/* words: PATH, or PATH and its arguments. */
void load_module(const char *words);
void load_driver(const char *words);
/* Keeps the words that driver-load is to load. */
void keep_driver(const char *words);
/* The tools driver-load and driver-unload for the guest's user: init under other names. */
int tool_main(const char *name, int argc, char **argv);

/* ---- command.c ---- */

struct command {
	char **argv, **env; /* up to NULL */
	const char *folder;
	bool on_tty;
	unsigned short rows, columns;
};

/* Runs it to its end, carries its input and output, and tells the host its status. */
void run_command(const struct command *c) __attribute__((noreturn));

#endif
