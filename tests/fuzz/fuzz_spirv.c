/* SPDX-License-Identifier: MIT */
/* SPIR-V from nowhere, and a driver's table beside it: words of the module, then those of the
 * table. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "sym/lines.h"
#include "sym/spirv.h"
#include "sym/spirv_places.h"
#include "sym/spirv_record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_b);

enum { MAGIC = 0x07230203, LINES = 16 };

static void look(struct bw_lines *l, uint64_t addr)
{
	struct bw_variable *list = NULL;
	struct bw_location at;
	size_t n = 0;
	char name[256];
	struct bw_error *err = bw_lines_variables(l, addr, 0, &list, &n);
	for (size_t i = 0; !err && i < n; i++) {
		bw_variable_location(l, &list[i], addr, NULL, &at);
		bw_ctype_name(list[i].type, name, sizeof(name));
		bw_lines_type_named(l, list[i].name);
	}
	bw_error_free(err);
	free(list);
}

/* What comes out can be read again. */
static void record(const uint32_t *words, size_t n)
{
	struct bw_spirv_words out = {0};
	struct bw_spirv *s = NULL;
	struct bw_error *err = bw_spirv_record(words, n, &out);
	if (!err)
		err = bw_spirv_open(out.data, out.len, NULL, NULL, 0, &s);
	bw_error_free(err);
	bw_spirv_close(s);
	bw_vec_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_b)
{
	struct bw_shader_line table[LINES] = {0};
	size_t n = size_b / 4, tail = BW_MIN(n, (size_t)LINES);
	uint32_t *words = malloc(n * 4 + 4);
	if (!words)
		return 0;
	memcpy(words, data, n * 4);
	if (n)
		words[0] = MAGIC;
	for (size_t i = 0; i < tail; i++)
		table[i] = (struct bw_shader_line){words[n - 1 - i] & 0xfc, words[n - 1 - i] >> 24,
						   0, words[n - 1 - i] & 1 ? "" : "a.comp"};
	/* what the debugger finds in the code: by address, with anything as marks */
	struct bw_shader_mark marks[LINES] = {0};
	for (size_t i = 0; i < tail; i++)
		marks[i] = (struct bw_shader_mark){
			(uint32_t)(16 * i), BW_SPIRV_RECORD_MARK + (words[n - 1 - i] >> 28), i % 3};
	struct bw_spirv_constant c = {.id = 0, .value = 7};
	struct bw_shader_code code = {.code_b = 256,
				      .lines = table,
				      .n_lines = tail,
				      .nir = n % 2 ? "one\nshared_size: 64\n" : NULL,
				      .nir_name = "a.nir"};
	struct bw_error *err = bw_spirv_open(words, n, NULL, &c, 1, &code.spirv);
	struct bw_lines *l = NULL;
	bw_error_free(err);
	struct bw_spirv_places places = {0};
	if (code.spirv)
		bw_error_free(bw_spirv_find_places(code.spirv, &places));
	bw_vec_each(&places.list, p)
		if (p->file && (!p->first_line || p->first_line > p->last_line))
			__builtin_trap();
	bw_spirv_places_free(&places);
	if (size_b % 4 == 1) {
		code.marks = marks;
		code.n_marks = tail;
	}
	err = bw_lines_of_shader(&code, &l);
	if (!err) {
		look(l, 0);
		look(l, 128);
		bw_lines_close(l);
	}
	bw_error_free(err);
	record(words, n);
	free(words);
	return 0;
}
