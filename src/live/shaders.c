// SPDX-License-Identifier: MIT
/* Requests for the agent's data about the shader of a pipeline. */
#include "live/live_priv.h"
#include "live/operations.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"

/* The parts of the answer, whose sizes have been checked. */
struct parts {
	struct bw_agent_shader_info head;
	const uint8_t *constants, *lines, *spirv, *files, *nir, *source;
};

static bool take_bytes(const uint8_t **at, size_t *left, uint64_t size_b, const uint8_t **out)
{
	if (size_b > *left)
		return false;
	*out = *at;
	*at += size_b;
	*left -= size_b;
	return true;
}

/* Two texts, each with a zero after it. */
static bool is_source(const uint8_t *text, size_t size_b)
{
	const uint8_t *end = memchr(text, 0, size_b);
	return end && end + 1 < text + size_b && !text[size_b - 1] &&
	       memchr(end + 1, 0, (size_t)(text + size_b - end - 1)) == text + size_b - 1;
}

static bool split(const uint8_t *body, size_t body_b, struct parts *out)
{
	const uint8_t *head;
	if (!take_bytes(&body, &body_b, sizeof(out->head), &head))
		return false;
	memcpy(&out->head, head, sizeof(out->head));
	const struct bw_agent_shader_info *h = &out->head;
	return take_bytes(&body, &body_b,
			  h->n_constants * (uint64_t)sizeof(struct bw_agent_constant),
			  &out->constants) &&
	       take_bytes(&body, &body_b, h->n_lines * (uint64_t)sizeof(struct bw_agent_line),
			  &out->lines) &&
	       take_bytes(&body, &body_b, h->spirv_b, &out->spirv) &&
	       take_bytes(&body, &body_b, h->files_b, &out->files) &&
	       take_bytes(&body, &body_b, h->nir_b, &out->nir) &&
	       take_bytes(&body, &body_b, h->source_b, &out->source) &&
	       (!h->source_b || is_source(out->source, h->source_b)) &&
	       (!h->files_b || !out->files[h->files_b - 1]) &&
	       (!h->nir_b || !out->nir[h->nir_b - 1]);
}

/* Everything in one block: the arrays after the struct, then the texts. */
static struct bw_target_shader *pack(const struct parts *p)
{
	const struct bw_agent_shader_info *h = &p->head;
	struct bw_target_shader *s;
	size_t constants_b = h->n_constants * sizeof(*s->constants),
	       lines_b = h->n_lines * sizeof(*s->lines),
	       spirv_b = bw_align_down(h->spirv_b, sizeof(uint32_t));
	uint8_t *block = calloc(1, sizeof(*s) + constants_b + lines_b + spirv_b + h->files_b +
					   h->nir_b + h->source_b);
	if (!block)
		return NULL;
	s = (struct bw_target_shader *)block;
	block += sizeof(*s);
	s->constants = (struct bw_target_constant *)block;
	s->lines = (struct bw_target_line *)(block += constants_b);
	block += lines_b;
	s->spirv = memcpy(block, p->spirv, spirv_b);
	s->n_words = spirv_b / sizeof(uint32_t);
	block += spirv_b;
	const char *files = memcpy(block, p->files, h->files_b);
	block += h->files_b;
	s->nir = h->nir_b ? memcpy(block, p->nir, h->nir_b) : NULL;
	block += h->nir_b;
	s->options = h->source_b ? memcpy(block, p->source, h->source_b) : NULL;
	s->source = s->options ? s->options + strlen(s->options) + 1 : NULL;
	s->n_constants = h->n_constants;
	s->n_lines = h->n_lines;
	for (size_t i = 0; i < s->n_constants; i++) {
		struct bw_agent_constant c;
		memcpy(&c, p->constants + i * sizeof(c), sizeof(c));
		s->constants[i] = (struct bw_target_constant){c.id, c.size_b, c.value};
	}
	for (size_t i = 0; i < s->n_lines; i++) {
		struct bw_agent_line n;
		memcpy(&n, p->lines + i * sizeof(n), sizeof(n));
		s->lines[i] =
			(struct bw_target_line){n.offset_b, n.line, n.column,
						n.file_at < h->files_b ? files + n.file_at : NULL};
	}
	return s;
}

struct bw_error *bw_live_shader(struct bw_target *t, uint32_t pipeline,
				struct bw_target_shader **out)
{
	struct bw_live *l = bw_live_of(t);
	struct bw_live_vm *vm;
	struct parts parts;
	struct bw_agent_shader req = {.pipeline = pipeline};
	struct bw_msg_part part = {&req, sizeof(req)};
	BW_TRY(bw_live_need_vm(l, &vm));
	BW_TRY(bw_live_request(l, vm->proc, BW_AGENT_SHADER, &part, 1, NULL));
	struct bw_agent_result r;
	memcpy(&r, l->reply.body, sizeof(r));
	if (r.result == -ENOENT || r.result == -EOPNOTSUPP)
		return bw_errorf(BW_E_NOT_FOUND, "no compute shader of pipeline %u is known",
				 pipeline);
	BW_TRY(bw_live_result(l, "asking for a shader"));
	if (!split(l->reply.body + sizeof(r), l->reply.body_b - sizeof(r), &parts))
		return bw_errorf(BW_E_INVALID, "the program's agent describes a shader wrongly");
	struct bw_target_shader *s = pack(&parts);
	if (!s)
		return bw_error_nomem();
	*out = s;
	return NULL;
}
