/* SPDX-License-Identifier: MIT */
/* Names of kernels in a code object that is laid out by hand, as the ELF specification has it. */
#include <elf.h>
#include <string.h>

#include "../../suite.h"
#include "agent/names/kernel_symbol.h"

static const char texts[] = "\0weigh.kd\0_Z5saxpyfPKf.kd\0_ZN2ns5scaleIfEEvPT_S1_i.kd\0weigh\0.kd";
enum { WEIGH = 1, SAXPY = 10, SCALE = 26, CODE = 55, EMPTY = 61 };

static struct object {
	Elf64_Ehdr e;
	Elf64_Shdr s[3];
	Elf64_Sym symbols[6];
	char texts[sizeof(texts)];
} made(void)
{
	struct object o = {.e = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB},
				 .e_shoff = offsetof(struct object, s),
				 .e_shentsize = sizeof(Elf64_Shdr),
				 .e_shnum = 3},
			   .s = {[1] = {.sh_type = SHT_DYNSYM,
					.sh_link = 2,
					.sh_offset = offsetof(struct object, symbols),
					.sh_size = sizeof(o.symbols)},
				 [2] = {.sh_type = SHT_STRTAB,
					.sh_offset = offsetof(struct object, texts),
					.sh_size = sizeof(texts)}},
			   .symbols = {[1] = {.st_name = CODE, .st_value = 0x640, .st_shndx = 1},
				       {.st_name = WEIGH, .st_value = 0x640, .st_shndx = 1},
				       {.st_name = SAXPY, .st_value = 0x680, .st_shndx = 1},
				       {.st_name = SCALE, .st_value = 0x6c0, .st_shndx = 1},
				       {.st_name = EMPTY, .st_value = 0x700, .st_shndx = 1}}};
	memcpy(o.texts, texts, sizeof(texts));
	return o;
}

static void check(const struct object *o, uint64_t descriptor, const char *expected)
{
	char name[64] = "";
	bool found = bw_kernel_symbol(o, sizeof(*o), descriptor, name, sizeof(name));
	assert_int_equal(found, expected != NULL);
	if (expected)
		assert_string_equal(name, expected);
}

static void test_names(void **state)
{
	const struct object o = made();
	check(&o, 0x640, "weigh");
	check(&o, 0x680, "saxpy");
	check(&o, 0x6c0, "ns::scale");
	check(&o, 0x700, NULL);
	check(&o, 0x641, NULL);
}

/* Cut off anywhere, and with numbers that point elsewhere. */
static void test_damaged(void **state)
{
	struct object o = made();
	char name[8];
	for (size_t n = 0; n < offsetof(struct object, texts); n++)
		assert_false(bw_kernel_symbol(&o, n, 0x640, name, sizeof(name)));
	assert_true(bw_kernel_symbol(&o, sizeof(o), 0x6c0, name, sizeof(name)));
	assert_string_equal(name, "ns::sca"); /* no more than there is room for */
	o.s[1].sh_link = 77;
	check(&o, 0x640, NULL);
	o = made();
	o.symbols[2].st_name = UINT32_MAX;
	check(&o, 0x640, NULL);
	o = made();
	o.e.e_shoff = UINT64_MAX - 8;
	check(&o, 0x640, NULL);
	o = made();
	o.s[2].sh_size = UINT64_MAX;
	check(&o, 0x640, NULL);
}

TESTS(test_names, test_damaged);
