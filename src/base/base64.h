/* SPDX-License-Identifier: MIT */
#ifndef BW_BASE_BASE64_H
#define BW_BASE_BASE64_H

/* Bytes as text (RFC 4648, section 4). */

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"

void bw_base64_add(struct bw_str *out, const uint8_t *data, size_t n);
/* out is owned. White space is not allowed, nor are bits after the last byte. what: names the text
 * in the message. */
struct bw_error *bw_base64_read(const char *what, const char *text, uint8_t **out,
				size_t *out_n) BW_MUST_CHECK;

#endif
