/* SPDX-License-Identifier: MIT */
/* copy_from_user and copy_to_user: the memory is in the client's process, so each copy is a request
 * to the client. */
#include <errno.h>
#include <string.h>

#include "vgpu/uapi/drm_call.h"
#include "vgpu/uapi/uapi_priv.h"
#include "wire/message.h"
#include "wire/vgpu_proto.h"

/* Limit of one request: what fits into a message with its header. */
enum { PIECE_B = 4 << 20 };

/* Takes it from the data that came with the call; false: it is not there. */
static bool read_ahead(const struct bw_drm_call *c, uint64_t va, void *out, size_t size_b)
{
	struct bw_vgpu_user piece;
	for (size_t at = 0; c->ahead_b - at >= sizeof(piece);) {
		memcpy(&piece, c->ahead + at, sizeof(piece));
		at += sizeof(piece);
		if (piece.size_b > c->ahead_b - at)
			return false;
		if (va >= piece.va && va - piece.va <= piece.size_b &&
		    size_b <= piece.size_b - (va - piece.va)) {
			memcpy(out, c->ahead + at + (va - piece.va), size_b);
			return true;
		}
		at += BW_MIN(bw_align_up((size_t)piece.size_b, 8), c->ahead_b - at);
	}
	return false;
}

int bw_user_read(struct bw_drm_call *c, uint64_t va, void *out, size_t size_b)
{
	if (size_b && read_ahead(c, va, out, size_b))
		return 0;
	for (size_t done = 0; done < size_b;) {
		uint32_t n = (uint32_t)BW_MIN(size_b - done, (size_t)PIECE_B);
		struct bw_vgpu_user ask = {.va = va + done, .size_b = n};
		struct bw_msg *reply;
		struct bw_vgpu_result r;
		if (!bw_conn_ask(c->conn, BW_VGPU_USER_READ,
				 &(struct bw_msg_part){&ask, sizeof(ask)}, 1, &reply) ||
		    reply->body_b < sizeof(r))
			return -EFAULT;
		memcpy(&r, reply->body, sizeof(r));
		if (r.result || reply->body_b != sizeof(r) + n)
			return -EFAULT;
		memcpy((uint8_t *)out + done, reply->body + sizeof(r), n);
		done += n;
	}
	return 0;
}

int bw_user_write(struct bw_drm_call *c, uint64_t va, const void *data, size_t size_b)
{
	for (size_t done = 0; done < size_b;) {
		uint32_t n = (uint32_t)BW_MIN(size_b - done, (size_t)PIECE_B);
		struct bw_vgpu_user ask = {.va = va + done, .size_b = n};
		struct bw_msg_part parts[] = {{&ask, sizeof(ask)},
					      {(const uint8_t *)data + done, n}};
		struct bw_msg *reply;
		struct bw_vgpu_result r;
		if (!bw_conn_ask(c->conn, BW_VGPU_USER_WRITE, parts, 2, &reply) ||
		    reply->body_b < sizeof(r))
			return -EFAULT;
		memcpy(&r, reply->body, sizeof(r));
		if (r.result)
			return -EFAULT;
		done += n;
	}
	return 0;
}

int bw_user_dup(struct bw_drm_call *c, uint64_t va, uint64_t n, size_t elem_b, void *out_array)
{
	if (n > BW_DRM_MAX_COPY_B / elem_b)
		return -ENOMEM;
	void *p = malloc(BW_MAX(n * elem_b, (uint64_t)1));
	if (!p)
		return -ENOMEM;
	int r = bw_user_read(c, va, p, n * elem_b);
	if (r) {
		free(p);
		return r;
	}
	memcpy(out_array, &p, sizeof(p));
	return 0;
}
