/* SPDX-License-Identifier: MIT */
#include "vgpu/device/gws.h"

#include "vgpu/device/device_priv.h"
#include "vgpu/device/exec/core/wave.h"

static bool begin_to_wait(struct bw_gws_resource *r, struct bw_gws_wait *wait, enum bw_gws_op op)
{
	wait->waits = true;
	wait->op = (uint8_t)op;
	wait->flag = r->flag;
	r->n_waiting += op == BW_GWS_P;
	return false;
}

static bool arrive(struct bw_gws_resource *r, struct bw_gws_wait *wait, uint32_t n)
{
	if (wait->waits) {
		wait->waits = wait->flag == r->flag;
		return !wait->waits;
	}
	if (r->counter) {
		r->counter--;
		return begin_to_wait(r, wait, BW_GWS_BARRIER);
	}
	r->flag = !r->flag;
	r->counter = n; /* of the next barrier */
	return true;
}

static bool enter(struct bw_gws_resource *r, struct bw_gws_wait *wait)
{
	if (!r->counter)
		return wait->waits ? false : begin_to_wait(r, wait, BW_GWS_P);
	r->counter--;
	r->n_waiting -= wait->waits;
	wait->waits = false;
	return true;
}

bool bw_gws_do(struct bw_gws_resource *r, struct bw_gws_wait *wait, enum bw_gws_op op, uint32_t n)
{
	switch (op) {
	case BW_GWS_BARRIER:
		return arrive(r, wait, n);
	case BW_GWS_P:
		return enter(r, wait);
	case BW_GWS_INIT:
		r->counter = n;
		r->flag = false;
		break;
	case BW_GWS_V:
		r->counter++;
		break;
	case BW_GWS_V_MANY:
		r->counter += n;
		break;
	case BW_GWS_RELEASE_ALL:
		r->counter = r->n_waiting;
		break;
	}
	return true;
}

void bw_gws_leave(struct bw_gws_resource *r, struct bw_gws_wait *wait)
{
	if (wait->op == BW_GWS_P)
		r->n_waiting--;
	else if (wait->flag == r->flag)
		r->counter++;
	wait->waits = false;
}

bool bw_gws_wave_does(struct bw_device *dev, struct bw_wave *w, unsigned resource,
		      enum bw_gws_op op, uint32_t n)
{
	pthread_mutex_lock(&dev->gws_lock);
	w->gws.resource = (uint8_t)resource;
	bool done = bw_gws_do(&dev->gws[w->vmid][resource], &w->gws, op, n);
	pthread_mutex_unlock(&dev->gws_lock);
	return done;
}

void bw_gws_wave_ended(struct bw_device *dev, struct bw_wave *w)
{
	if (!w->gws.waits)
		return;
	pthread_mutex_lock(&dev->gws_lock);
	bw_gws_leave(&dev->gws[w->vmid][w->gws.resource], &w->gws);
	pthread_mutex_unlock(&dev->gws_lock);
}
