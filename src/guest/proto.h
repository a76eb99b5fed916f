/* SPDX-License-Identifier: MIT */
#ifndef BW_GUEST_PROTO_H
#define BW_GUEST_PROTO_H

/* The protocol between "breakwater vgpu linux" and process 1 of its guest (init/), over a
 * virtio-serial port. Frames in the host's byte order: both ends run on x86-64. Neither end trusts
 * the other's sizes. */

#include <stdint.h>

/* The port's name, as /sys/class/virtio-ports shows it. */
#define BW_GUEST_PORT "org.breakwater.guest"
/* The tag of the plan's ROOT share before it is the root. */
#define BW_GUEST_ROOT_TAG "root"

enum { BW_GUEST_FRAME_MAX = 65536, BW_GUEST_WINDOW = 32768 };

struct bw_guest_frame {
	uint32_t type;
	uint32_t size; /* of the payload that follows, at most BW_GUEST_FRAME_MAX */
};

enum bw_guest_frame_type {
	/* host to guest */
	BW_GUEST_PLAN = 1, /* lines of enum bw_guest_line, once, after HELLO */
	BW_GUEST_IN,	   /* standard input; at most BW_GUEST_WINDOW bytes that are not TAKEN */
	BW_GUEST_IN_END,
	BW_GUEST_SIGNAL, /* u32: to the command's process group */
	BW_GUEST_SIZE,	 /* u16 rows, u16 columns of the terminal */

	/* guest to host */
	BW_GUEST_HELLO = 64,
	BW_GUEST_STARTED, /* the command runs */
	BW_GUEST_TAKEN,	  /* u32 bytes of standard input that the command was given */
	BW_GUEST_OUT,	  /* standard output, or the terminal */
	BW_GUEST_ERR,	  /* standard error */
	BW_GUEST_ALIVE,	  /* every BW_GUEST_ALIVE_S while the command runs */
	BW_GUEST_STATUS,  /* u32: the command's status as wait() gives it. The last frame */
	BW_GUEST_FAILED,  /* text: why the command was not run. The last frame */
	BW_GUEST_LOG,	  /* text: a line of the kernel's log; FAILED follows */
};

enum { BW_GUEST_ALIVE_S = 5 };

/* A plan is a text of lines, each a letter, its value, and a NUL. They are carried out in order. */
enum bw_guest_line {
	BW_GUEST_MODULE = 'm',	 /* PATH [ARGUMENTS]: a kernel module, in the new root */
	BW_GUEST_DRIVER = 'd',	 /* the same, and it must take a PCI device */
	BW_GUEST_KEEP = 'k',	 /* the same, only for driver-load */
	BW_GUEST_FIRMWARE = 'f', /* PATH: where the kernel looks for firmware first */
	BW_GUEST_SHARE = 's',	 /* TAG PATH: mounted for reading and writing */
	BW_GUEST_SET = 'e',	 /* NAME=VALUE */
	BW_GUEST_FOLDER = 'c',	 /* where the command starts */
	BW_GUEST_ARG = 'a',	 /* a word of the command; none: a shell */
	BW_GUEST_TTY = 't',	 /* ROWS COLUMNS: on a terminal */
};

#endif
