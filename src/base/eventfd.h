/* SPDX-License-Identifier: MIT */
#ifndef BW_BASE_EVENTFD_H
#define BW_BASE_EVENTFD_H

/* Raising eventfds that somebody else gave us, without ever waiting. write() might wait: the
 * flags of the file are shared with its other holders, who can make it block at any moment. So the
 * kernel is asked to raise it by itself, at the end of an asynchronous read (io_submit(2),
 * IOCB_FLAG_RESFD), as its own eventfd_signal() does. */

#include <stdbool.h>
#include <stdint.h>

/* All zero: not there. */
struct bw_eventfd_raiser {
	uint64_t aio; /* aio_context_t */
	int file;     /* what the asynchronous read reads: nothing */
};

/* Does nothing where r is there already. 0, or an errno: the system gives no asynchronous I/O. */
int bw_eventfd_raiser_init(struct bw_eventfd_raiser *r);
void bw_eventfd_raiser_fini(struct bw_eventfd_raiser *r);
/* Adds 1 to the count of fd; one call at a time. 0, or an errno: fd is no eventfd. */
int bw_eventfd_raise(const struct bw_eventfd_raiser *r, int fd);

bool bw_is_eventfd(int fd);

#endif
