/* SPDX-License-Identifier: MIT */
#ifndef BW_CAPTURE_RECORD_PRIV_H
#define BW_CAPTURE_RECORD_PRIV_H

/* Conversion to bytes of the records of submissions (record.c) and of pipelines (pipeline.c). */

#include "capture/capture.h"

struct bw_error *bw_record_put(struct bw_capture_bytes *out, const void *data,
			       size_t size_b) BW_MUST_CHECK;
/* A count, 64 bits, and as many elements. */
struct bw_error *bw_record_put_array(struct bw_capture_bytes *out, const void *data, size_t n,
				     size_t elem_b) BW_MUST_CHECK;
#define BW_RECORD_PUT_VEC(out, v) bw_record_put_array(out, (v)->data, (v)->len, sizeof(*(v)->data))

#endif
