/* SPDX-License-Identifier: MIT */
/* A module of SPIR-V from nowhere, and what a launcher reads of it with SPIRV-Cross once
 * SPIRV-Tools has found it valid. Changes are of whole words: others are refused at once. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/spirv_numbers.h"
#include "shader/reflect.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_b);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size_b, size_t room_b, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size_b, size_t room_b);

enum { HEADER_DW = 5, BOUND = 3 };

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size_b, size_t room_b, unsigned seed)
{
	size_t n = size_b / 4;
	if (n <= HEADER_DW || seed % 16 == 0)
		return LLVMFuzzerMutate(data, size_b, room_b);
	unsigned state = seed;
	uint32_t word, header[HEADER_DW];
	memcpy(header, data, sizeof(header));
	for (unsigned left = 1 + seed % 3; left; left--) {
		uint8_t *at = data + 4 * (HEADER_DW + rand_r(&state) % (n - HEADER_DW));
		memcpy(&word, at, 4);
		unsigned r = rand_r(&state);
		switch (rand_r(&state) % 4) {
		case 0:
			word = header[BOUND] ? r % header[BOUND] : r;
			break;
		case 1:
			word ^= 1u << r % 32;
			break;
		case 2:
			word += r % 5 - 2;
			break;
		default:
			memcpy(&word, data + 4 * (r % n), 4);
		}
		memcpy(at, &word, 4);
	}
	return size_b;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_b)
{
	struct bw_shader *s = NULL;
	size_t n = size_b / 4;
	uint32_t *words = malloc(4 * n + 4);
	if (!words)
		return 0;
	memcpy(words, data, 4 * n);
	if (n)
		words[0] = SPV_MAGIC;
	bw_error_free(bw_shader_read(words, n, NULL, &s));
	bw_shader_free(s);
	free(words);
	return 0;
}
