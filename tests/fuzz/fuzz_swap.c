/* SPDX-License-Identifier: MIT */
/* Shaders from nowhere: as rules for the agent, as SPIR-V, and as machine code of a program that is
 * to be saved. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "inject/code_text.h"
#include "swap/bindings.h"
#include "swap/variant.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_b);

static volatile uint32_t sum;

static uint32_t read_all(const uint8_t *bytes, size_t size_b)
{
	uint32_t all = 0;
	for (size_t i = 0; i < size_b; i++)
		all += bytes[i];
	return all;
}

static void as_rules(const uint8_t *data, size_t size_b)
{
	struct bw_swap_rules r;
	uint8_t *bytes = malloc(size_b + 1);
	if (!bytes)
		return;
	memcpy(bytes, data, size_b);
	bw_error_free(bw_swap_rules_read(bytes, size_b, &r));
	const struct bw_swap_shader s = {1, 2, "a", "b", "c", "d"};
	for (int kind = BW_SWAP_SPIRV; kind <= BW_SWAP_CODE; kind++) {
		int i = bw_swap_find(&r, kind, &s);
		const struct bw_swap_rule *one = i < 0 ? NULL : &r.rules.data[i];
		/* all of its bytes are there */
		struct bw_swap_variant v;
		for (size_t k = 0; one && bw_swap_variant_at(&r, one, k, &v); k++)
			sum += read_all(bw_swap_variant_code(&r, one, v.own_code),
					v.own_code.size_b) +
			       read_all(bw_swap_variant_code(&r, one, v.other_code),
					v.other_code.size_b);
		if (one && one->spirv.size_b)
			bw_swap_is_spirv(bw_swap_rules_at(&r, one->spirv), one->spirv.size_b);
	}
	bw_swap_rules_fini(&r);
}

static void as_spirv(const uint32_t *words, size_t size_b)
{
	if (bw_swap_is_spirv(words, size_b))
		bw_swap_entry(words, size_b, "main");
	bw_swap_entry(words, size_b, NULL);
	struct bw_swap_bindings bindings = {0};
	bw_error_free(bw_swap_bindings(words, size_b, &bindings));
	bw_vec_free(&bindings);
}

static void as_code(const void *code, size_t size_b)
{
	struct bw_code_text *c;
	struct bw_str s = {0};
	struct bw_error *err = bw_code_text_create(code, size_b, size_b & 4 ? 32 : 64, &c);
	if (err) {
		bw_error_free(err);
		return;
	}
	bw_error_free(bw_code_text_slots(c, &s));
	bw_code_text_compare(c, code, size_b);
	bw_error_free(bw_code_text_write(c, &s));
	bw_str_free(&s);
	bw_code_text_free(c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_b)
{
	uint32_t *words = malloc(size_b + 4);
	if (!words)
		return 0;
	memcpy(words, data, size_b);
	as_rules(data, size_b);
	as_spirv(words, size_b / 4 * 4);
	as_code(words, size_b / 4 * 4);
	free(words);
	return 0;
}
