/* SPDX-License-Identifier: MIT */
#include <dwarf.h>
#include <string.h>

#include "base/util.h"
#include "sym/lines_priv.h"
#include "sym/names.h"

/* Reads the debug information about the compilation unit of a source file. */

static const char *language_name(int language)
{
	/* gdb's names; dwarf.h of elfutils 0.188 lacks the newer constants */
	static const struct {
		int language;
		const char *name;
	} rows[] = {
		{DW_LANG_C89, "c"},
		{DW_LANG_C, "c"},
		{DW_LANG_C99, "c"},
		{DW_LANG_C11, "c"},
		{0x2c, "c"} /* C17 */,
		{DW_LANG_C_plus_plus, "c++"},
		{DW_LANG_C_plus_plus_03, "c++"},
		{DW_LANG_C_plus_plus_11, "c++"},
		{DW_LANG_C_plus_plus_14, "c++"},
		{0x2a, "c++"} /* C++17 */,
		{0x2b, "c++"} /* C++20 */,
		{0x29, "c++"} /* HIP */,
		{DW_LANG_OpenCL, "opencl c"},
		{0x37, "opencl c++"},
		{DW_LANG_Mips_Assembler, "asm"},
		{0x31, "asm"},
		{0x38, "glsl"},
		{0x3a, "opencl c++"},
		{0x3b, "hlsl"},
	};
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++)
		if (rows[i].language == language)
			return rows[i].name;
	return "unknown";
}

static const char *text_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attr;
	return dwarf_attr(die, name, &attr) ? bw_name_line(dwarf_formstring(&attr)) : NULL;
}

static const struct row *row_of(const struct bw_lines *l, const char *file)
{
	bw_vec_each(&l->rows, r)
		if (!strcmp(l->files.data[r->file], file))
			return r;
	return NULL;
}

bool bw_lines_unit_of(const struct bw_lines *l, const char *file, struct bw_source_unit *out)
{
	const struct row *r = row_of(l, file);
	Dwarf_CU *cu = NULL;
	Dwarf_Half version;
	Dwarf_Die unit;
	while (l->dwarf && !dwarf_get_units(l->dwarf, cu, &cu, &version, NULL, &unit, NULL)) {
		/* of a file without code, the first one */
		if (!unit.addr || (r && dwarf_haspc(&unit, r->start) != 1))
			continue;
		*out = (struct bw_source_unit){
			.folder = text_of(&unit, DW_AT_comp_dir),
			.producer = text_of(&unit, DW_AT_producer),
			.language = language_name(dwarf_srclang(&unit)),
			.dwarf_version = version,
		};
		return true;
	}
	return false;
}
