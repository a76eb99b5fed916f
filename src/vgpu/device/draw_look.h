/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_DEVICE_DRAW_LOOK_H
#define BW_VGPU_DEVICE_DRAW_LOOK_H

/* What debuggers ask about draws, and no register of a GPU says (wire/draws_proto.h). The first
 * part is for those who serve the file, any thread; the second for the files that draw, on the
 * threads that these say. */

#include "vgpu/device/device.h"
#include "wire/draws_proto.h"

struct bw_draw;
struct bw_draw_call;
struct bw_draw_look;
struct bw_draw_primitive;
struct bw_draw_sample;
struct bw_group;
struct bw_queue;

/* Each returns 0 or -errno. owner: of the breaks that were set; one owner's take the place of those
 * that it had. */
int bw_device_draws_wave(struct bw_device *dev, struct bw_draws_wave *io);
int bw_device_draws_inputs(struct bw_device *dev, struct bw_draws_inputs *io);
int bw_device_draws_outputs(struct bw_device *dev, struct bw_draws_outputs *io);
int bw_device_draws_break(struct bw_device *dev, const void *owner,
			  const struct bw_draws_breaks *breaks);
int bw_device_draws_draw(struct bw_device *dev, struct bw_draws_draw *io);
int bw_device_draws_pixel(struct bw_device *dev, const struct bw_draws_pixel *pixel);
int bw_device_draws_event(struct bw_device *dev, struct bw_draws_event *io);

struct bw_error *bw_draw_look_create(struct bw_device *dev) BW_MUST_CHECK;
void bw_draw_look_destroy(struct bw_device *dev);

/* ---- for the files that draw ---- */

/* A draw begins (d), or is left out for a reason. Returns its number in the list. Also: takes the
 * pixel that is watched from here on into d. */
uint32_t bw_draw_look_begin(struct bw_queue *q, const struct bw_draw_call *call, struct bw_draw *d,
			    const char *left_out);
/* How many groups a task shader has launched so far. */
void bw_draw_look_groups(const struct bw_draw *d, uint32_t n);
/* A group's waves are launched, by a worker: whether one of them is to stop. */
bool bw_draw_look_stops(const struct bw_group *g);
/* Something has become of the watched pixel. Copies; number and n_dropped are set here. */
void bw_draw_look_note(struct bw_draw *d, const struct bw_draws_event *event);
/* What the components of a surface are: enum bw_draws_number. */
struct bw_format;
uint32_t bw_draw_look_number(const struct bw_format *f);
/* An event of a fragment: all that is known of it without its colours. */
struct bw_draws_event bw_draw_look_event(const struct bw_draw *d, uint32_t primitive,
					 const struct bw_draw_sample *at,
					 enum bw_draws_result result);

#endif
