/* SPDX-License-Identifier: MIT */
/* The file breakwater_draws (wire/draws_proto.h). As text it is the list of draws. */
#include <errno.h>
#include <string.h>

#include "vgpu/device/draw_look.h"
#include "vgpu/uapi/files.h"

/* Calls fn with the argument, which is not aligned. */
#define WITH(type, fn)                                                                             \
	({                                                                                         \
		struct type io_;                                                                   \
		memcpy(&io_, c->arg, sizeof(io_));                                                 \
		int r_ = fn(f->u->dev, &io_);                                                      \
		memcpy(c->arg, &io_, sizeof(io_));                                                 \
		r_;                                                                                \
	})

static int draws_ioctl(struct bw_file *f, struct bw_file_call *c)
{
	struct bw_draws_breaks breaks;
	switch (c->cmd) {
	case BW_DRAWS_IOCTL_WAVE:
		return WITH(bw_draws_wave, bw_device_draws_wave);
	case BW_DRAWS_IOCTL_INPUTS:
		return WITH(bw_draws_inputs, bw_device_draws_inputs);
	case BW_DRAWS_IOCTL_OUTPUTS:
		return WITH(bw_draws_outputs, bw_device_draws_outputs);
	case BW_DRAWS_IOCTL_DRAW:
		return WITH(bw_draws_draw, bw_device_draws_draw);
	case BW_DRAWS_IOCTL_PIXEL:
		return WITH(bw_draws_pixel, bw_device_draws_pixel);
	case BW_DRAWS_IOCTL_EVENT:
		return WITH(bw_draws_event, bw_device_draws_event);
	case BW_DRAWS_IOCTL_BREAKS:
		memcpy(&breaks, c->arg, sizeof(breaks));
		return bw_device_draws_break(f->u->dev, f, &breaks);
	default:
		return -ENOTTY;
	}
}

static void draws_close(struct bw_file *f)
{
	const struct bw_draws_breaks none = {0};
	bw_device_draws_break(f->u->dev, f, &none);
}

void bw_text_draws(struct bw_uapi *u, struct bw_str *s)
{
	struct bw_draws_draw x = {.number = 0};
	bw_device_draws_draw(u->dev, &x);
	uint32_t last = x.number;
	for (uint32_t n = x.first; n && n <= last; n++) {
		x = (struct bw_draws_draw){.number = n};
		bw_device_draws_draw(u->dev, &x);
		if (x.number)
			bw_str_addf(s, "%u vmid %u %u %s %u instances%s%s\n", n, x.vmid, x.n,
				    x.is_indexed ? "indices" : "vertices", x.n_instances,
				    x.left_out[0] ? ", left out: " : "", x.left_out);
	}
}

const struct bw_file_ops bw_draws_ops = {
	.read = bw_text_read, .ioctl = draws_ioctl, .close = draws_close};
