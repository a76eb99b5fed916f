/* SPDX-License-Identifier: MIT */
#include "capture/pipeline.h"

#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "capture/record_priv.h"

void bw_capture_pipeline_fini(struct bw_capture_pipeline *p)
{
	bw_vec_free(&p->sets);
	bw_vec_free(&p->bindings);
	bw_vec_free(&p->pushes);
	bw_vec_free(&p->constants);
	bw_vec_free(&p->spirv);
	bw_vec_free(&p->code);
	memset(p, 0, sizeof(*p));
}

/* ---- to bytes ---- */

static struct bw_error *put_all(const struct bw_capture_pipeline *p, struct bw_capture_bytes *out)
{
	BW_TRY(bw_record_put(out, &p->head, sizeof(p->head)));
	BW_TRY(BW_RECORD_PUT_VEC(out, &p->sets));
	BW_TRY(BW_RECORD_PUT_VEC(out, &p->bindings));
	BW_TRY(BW_RECORD_PUT_VEC(out, &p->pushes));
	BW_TRY(BW_RECORD_PUT_VEC(out, &p->constants));
	BW_TRY(BW_RECORD_PUT_VEC(out, &p->spirv));
	if (!p->code.len)
		return NULL;
	BW_TRY(bw_record_put(out, &p->code_base, sizeof(p->code_base)));
	return BW_RECORD_PUT_VEC(out, &p->code);
}

struct bw_error *bw_capture_pipeline_encode(const struct bw_capture_pipeline *p,
					    struct bw_capture_bytes *out)
{
	struct bw_error *err = put_all(p, out);
	if (err)
		bw_vec_free(out);
	return err;
}

struct bw_error *bw_capture_pipeline_add_spirv(struct bw_capture_bytes *bytes, const void *code,
					       size_t size_b)
{
	bytes->len -= sizeof(uint64_t); /* the count of no words */
	return bw_record_put_array(bytes, code, size_b / sizeof(uint32_t), sizeof(uint32_t));
}

/* ---- from bytes ---- */

static struct bw_error *bad(const char *what)
{
	return bw_errorf(BW_E_INVALID, "the record of a pipeline is damaged: %s", what);
}

/* Elements, as many as a count says that stands before them. */
static struct bw_error *get_array(struct bw_cursor *c, size_t elem_b, size_t max, const void **out,
				  size_t *out_n)
{
	uint64_t n = bw_cursor_u64(c);
	if (c->overrun || n > bw_cursor_left(c) / elem_b)
		return bad("it is too short");
	if (n > max)
		return bad("it has more of something than a pipeline can have");
	*out = bw_cursor_bytes(c, n * elem_b);
	*out_n = n;
	return NULL;
}

#define GET_VEC(c, v, max)                                                                         \
	({                                                                                         \
		const void *from_;                                                                 \
		size_t n_;                                                                         \
		struct bw_error *err_ = get_array(c, sizeof(*(v)->data), max, &from_, &n_);        \
		if (!err_)                                                                         \
			err_ = bw_vec_reserve(v, n_);                                              \
		if (!err_ && n_)                                                                   \
			memcpy((v)->data, from_, n_ * sizeof(*(v)->data));                         \
		if (!err_)                                                                         \
			(v)->len = n_;                                                             \
		err_;                                                                              \
	})

static struct bw_error *check(const struct bw_capture_pipeline *p)
{
	uint64_t n = 0;
	if (!memchr(p->head.entry, 0, sizeof(p->head.entry)))
		return bad("the name of its entry point has no end");
	bw_vec_each(&p->sets, s)
		n += s->n_bindings;
	if (n != p->bindings.len)
		return bad("its sets have other bindings than it");
	bw_vec_each(&p->constants, k)
		if (k->size_b > sizeof(k->value))
			return bad("a constant is too large");
	return NULL;
}

static struct bw_error *get_all(struct bw_cursor *c, struct bw_capture_pipeline *out)
{
	const void *head = bw_cursor_bytes(c, sizeof(out->head));
	if (c->overrun || !head)
		return bad("it is too short");
	memcpy(&out->head, head, sizeof(out->head));
	BW_TRY(GET_VEC(c, &out->sets, BW_CAPTURE_SETS_MAX));
	BW_TRY(GET_VEC(c, &out->bindings, BW_CAPTURE_BINDINGS_MAX));
	BW_TRY(GET_VEC(c, &out->pushes, BW_CAPTURE_PUSHES_MAX));
	BW_TRY(GET_VEC(c, &out->constants, BW_CAPTURE_CONSTANTS_MAX));
	BW_TRY(GET_VEC(c, &out->spirv, BW_CAPTURE_SPIRV_MAX_B / sizeof(uint32_t)));
	if (bw_cursor_left(c) >= 2 * sizeof(uint64_t)) {
		out->code_base = bw_cursor_u64(c);
		BW_TRY(GET_VEC(c, &out->code, BW_CAPTURE_CODE_MAX_B));
		if (!out->code.len)
			return bad("it has a code object of no bytes");
	}
	if (bw_cursor_left(c))
		return bad("it is too long");
	return check(out);
}

struct bw_error *bw_capture_pipeline_decode(const void *bytes, size_t size_b,
					    struct bw_capture_pipeline *out)
{
	struct bw_cursor c = bw_cursor(bytes, size_b);
	struct bw_error *err = get_all(&c, out);
	if (err)
		bw_capture_pipeline_fini(out);
	return err;
}
