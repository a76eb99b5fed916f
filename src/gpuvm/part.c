/* SPDX-License-Identifier: MIT */
/* GPUs by the names that people give them, and the fields of their fault status. */
#include "gpuvm/fault.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ip_version.h"
#include "base/util.h"

#define V BW_IP_VERSION

/* Versions of the graphics IP, of the memory hub beside it, and LLVM's names
 * (doc/hardware/page-tables.md 6.5). The first row of a minor version stands for it. */
/* clang-format off */
static const struct {
	uint32_t gc, mm;
	const char *llvm, *chip;
} parts[] = {
	{V(9, 0, 1),   V(9, 0, 0), "900",  "Vega10"},
	{V(9, 1, 0),   V(9, 1, 0), "902",  "Raven"},
	{V(9, 2, 1),   V(9, 3, 0), "904",  "Vega12"},
	{V(9, 2, 2),   V(9, 2, 0), "909",  "Raven2"},
	{V(9, 3, 0),   V(1, 5, 0), "90c",  "Renoir"},
	{V(9, 4, 0),   V(9, 4, 0), "906",  "Vega20"},
	{V(9, 4, 1),   V(9, 4, 1), "908",  "Arcturus (MI100)"},
	{V(9, 4, 2),   V(9, 4, 2), "90a",  "Aldebaran (MI200)"},
	{V(9, 4, 3),   V(1, 8, 0), "942",  "MI300"},
	{V(9, 4, 3),   V(1, 8, 0), "940",  "MI300"},
	{V(9, 4, 4),   V(1, 8, 0), "942",  "MI300"},
	{V(9, 5, 0),   V(1, 8, 1), "950",  "MI350"},
	{V(10, 1, 10), V(2, 0, 0), "1010", "Navi10"},
	{V(10, 1, 1),  V(2, 0, 0), "1012", "Navi14"},
	{V(10, 1, 2),  V(2, 0, 2), "1011", "Navi12"},
	{V(10, 1, 3),  V(2, 0, 3), "1013", "Cyan Skillfish (BC-250)"},
	{V(10, 1, 4),  V(2, 0, 3), "1013", "Cyan Skillfish (BC-250)"},
	{V(10, 3, 0),  V(2, 1, 0), "1030", "Navi21"},
	{V(10, 3, 1),  V(2, 3, 0), "1033", "Van Gogh"},
	{V(10, 3, 2),  V(2, 1, 0), "1031", "Navi22"},
	{V(10, 3, 3),  V(2, 4, 0), "1035", "Yellow Carp"},
	{V(10, 3, 4),  V(2, 1, 1), "1032", "Navi23"},
	{V(10, 3, 5),  V(2, 1, 2), "1034", "Navi24"},
	{V(10, 3, 6),  V(2, 4, 1), "1036", "Raphael"},
	{V(11, 0, 0),  V(3, 0, 0), "1100", "Navi31"},
	{V(11, 0, 1),  V(3, 0, 1), "1103", "Phoenix"},
	{V(11, 0, 2),  V(3, 0, 2), "1102", "Navi33"},
	{V(11, 0, 3),  V(3, 0, 0), "1101", "Navi32"},
	{V(11, 0, 4),  V(3, 0, 1), "1103", "Phoenix"},
	{V(11, 5, 0),  V(3, 3, 0), "1150", "Strix"},
	{V(11, 5, 1),  V(3, 3, 1), "1151", "Strix Halo"},
	{V(11, 5, 2),  V(3, 3, 2), "1152", "Krackan"},
	{V(12, 0, 0),  V(4, 1, 0), "1200", "Navi44"},
	{V(12, 0, 1),  V(4, 1, 0), "1201", "Navi48"},
	{V(12, 1, 0),  V(4, 2, 0), "1250", NULL},
};
/* clang-format on */

/* "9", "9.4", "9.4.3", with an x for a number that does not matter. Returns how many numbers, 0: it
 * is something else. */
static unsigned version_numbers(const char *text, unsigned out[3])
{
	unsigned n = 0;
	bool open = false; /* after an x */
	for (const char *p = text; n < 3;) {
		if ((*p == 'x' || *p == 'X') && n > 0) {
			open = true;
			p++;
		} else if (isdigit((unsigned char)*p) && !open) {
			char *end;
			unsigned long v = strtoul(p, &end, 10);
			if (v > 255 || end - p > 3)
				return 0;
			out[n++] = (unsigned)v;
			p = end;
		} else {
			return 0;
		}
		if (!*p)
			return n;
		if (*p++ != '.')
			return 0;
	}
	return 0;
}

bool bw_gpuvm_version_parse(const char *text, uint32_t *out)
{
	unsigned v[3];
	if (version_numbers(text, v) != 3)
		return false;
	*out = V(v[0], v[1], v[2]);
	return true;
}

static struct bw_error *not_a_part(const char *text)
{
	return bw_errorf(
		BW_E_INVALID,
		"\"%s\" is not a graphics version that is known here: versions are written "
		"9.0, 9.4.3, 10.x, 11.0.2, 12.0, or as LLVM names them, gfx90a, gfx1100",
		text);
}

struct bw_error *bw_gpuvm_part_parse(const char *text, struct bw_gpuvm_part *out)
{
	const char *t = bw_starts_with(text, "gfx") ? text + 3 : text;
	struct bw_gpuvm_part p = {0};
	unsigned v[3] = {0}, n;
	for (size_t i = 0; i < BW_ARRAY_SIZE(parts); i++) {
		if (strcasecmp(t, parts[i].llvm))
			continue;
		p = (struct bw_gpuvm_part){
			.gc = parts[i].gc, .mm = parts[i].mm, .chip = parts[i].chip};
		if (!bw_gpuvm_gen_of(p.gc, &p.gen))
			return not_a_part(text);
		*out = p;
		return NULL;
	}
	n = version_numbers(t, v);
	if (n == 0)
		return not_a_part(text);
	p.gc = V(v[0], v[1], v[2]);
	if (!bw_gpuvm_gen_of(p.gc, &p.gen))
		return not_a_part(text);
	for (size_t i = 0; i < BW_ARRAY_SIZE(parts); i++) {
		bool same = n == 3   ? parts[i].gc == p.gc
			    : n == 2 ? bw_ip_same_minor(parts[i].gc, p.gc)
				     : false;
		if (same) {
			p.gc = parts[i].gc;
			p.mm = parts[i].mm;
			p.chip = n == 3 ? parts[i].chip : NULL;
			break;
		}
	}
	*out = p;
	return NULL;
}

/* ---- fields ---- */

struct place {
	const char *name;
	uint8_t hi, lo;
};

/* doc/hardware/page-tables.md 6.1; the order is that of enum bw_gpuvm_status_part */
static const struct place narrow[] = {
	{"MORE_FAULTS", 0, 0},	 {"WALKER_ERROR", 3, 1}, {"PERMISSION_FAULTS", 7, 4},
	{"MAPPING_ERROR", 8, 8}, {"CID", 17, 9},	 {"RW", 18, 18},
	{"ATOMIC", 19, 19},	 {"VMID", 23, 20},	 {"VF", 24, 24},
};
static const struct place wide[] = {
	{"MORE_FAULTS", 0, 0},	   {"WALKER_ERROR", 4, 1}, {"PERMISSION_FAULTS", 9, 5},
	{"MAPPING_ERROR", 10, 10}, {"CID", 19, 11},	   {"RW", 20, 20},
	{"ATOMIC", 21, 21},	   {"VMID", 25, 22},	   {"VF", 26, 26},
};

/* The fields above VF, by part. */
static const struct place upper_gfx9[] = {{"VFID", 28, 25}, {"UCE", 29, 29}, {"FED", 30, 30}};
static const struct place upper_mm9[] = {{"VFID", 28, 25}};
static const struct place upper_gfx10[] = {{"VFID", 29, 25}};
static const struct place upper_gfx11[] = {{"VFID", 28, 25}, {"PRT", 29, 29}};
static const struct place upper_gfx11_3[] = {{"VFID", 28, 25}, {"PRT", 29, 29}, {"FED", 30, 30}};
static const struct place upper_gfx12[] = {{"VFID", 29, 25}, {"PRT", 30, 30}, {"UCE", 31, 31}};
static const struct place upper_gfx12_1[] = {{"VFID", 31, 27}};

#define LIST(out_n, list) (*(out_n) = BW_ARRAY_SIZE(list), (list))

static const struct place *upper_of(const struct bw_gpuvm_part *p, enum bw_gpuvm_hub hub, size_t *n)
{
	switch (p->gen) {
	case BW_GPUVM_GFX9:
		/* The older hubs, of Vega and Raven (header mmhub_1_0) and Arcturus. */
		if (hub == BW_GPUVM_MM && bw_ip_major(p->mm) == 9 && p->mm != V(9, 4, 2))
			return LIST(n, upper_mm9);
		if (hub == BW_GPUVM_MM && p->mm == V(1, 5, 0))
			return LIST(n, upper_mm9);
		return LIST(n, upper_gfx9);
	case BW_GPUVM_GFX10:
		return LIST(n, upper_gfx10);
	case BW_GPUVM_GFX11:
		if (hub == BW_GPUVM_MM ? bw_ip_same_minor(p->mm, V(3, 3, 0))
				       : p->gc >= V(11, 5, 0) || p->gc == V(11, 0, 3))
			return LIST(n, upper_gfx11_3);
		return LIST(n, upper_gfx11);
	case BW_GPUVM_GFX12:
		return LIST(n, upper_gfx12);
	case BW_GPUVM_GFX12_1:
		break;
	}
	return LIST(n, upper_gfx12_1);
}

size_t bw_gpuvm_status_fields(const struct bw_gpuvm_part *part, enum bw_gpuvm_hub hub,
			      uint32_t status,
			      struct bw_gpuvm_status_field out[BW_GPUVM_MAX_STATUS_FIELDS])
{
	const struct place *low = part->gen == BW_GPUVM_GFX12_1 ? wide : narrow;
	size_t n_low = BW_ARRAY_SIZE(narrow), n_upper, n = 0;
	const struct place *upper = upper_of(part, hub, &n_upper);
	for (size_t i = 0; i < n_low + n_upper; i++) {
		const struct place *f = i < n_low ? &low[i] : &upper[i - n_low];
		out[n++] = (struct bw_gpuvm_status_field){f->name, f->hi, f->lo,
							  (uint32_t)bw_bits(status, f->hi, f->lo)};
	}
	return n;
}

static const struct place *status_place(enum bw_gpuvm_gen gen, enum bw_gpuvm_status_part part)
{
	return gen == BW_GPUVM_GFX12_1 ? &wide[part] : &narrow[part];
}

uint32_t bw_gpuvm_status_get(enum bw_gpuvm_gen gen, enum bw_gpuvm_status_part part, uint32_t status)
{
	const struct place *p = status_place(gen, part);
	return (uint32_t)bw_bits(status, p->hi, p->lo);
}

uint32_t bw_gpuvm_status_put(enum bw_gpuvm_gen gen, enum bw_gpuvm_status_part part, uint32_t value)
{
	const struct place *p = status_place(gen, part);
	return (uint32_t)bw_bits(value, p->hi - p->lo, 0) << p->lo;
}

struct bw_gpuvm_status bw_gpuvm_status_decode(enum bw_gpuvm_gen gen, uint32_t status)
{
#define PART(name) bw_gpuvm_status_get(gen, BW_GPUVM_STATUS_##name, status)
	return (struct bw_gpuvm_status){
		.more = PART(MORE),
		.walker_error = (uint8_t)PART(WALKER_ERROR),
		.permission = (uint8_t)PART(PERMISSION),
		.mapping_error = PART(MAPPING_ERROR),
		.client = (uint16_t)PART(CLIENT),
		.write = PART(WRITE),
		.atomic = PART(ATOMIC),
		.vmid = (uint8_t)PART(VMID),
	};
#undef PART
}

struct walker_error {
	const char *name;
	enum bw_gpuvm_walker_error kind;
};

/* The meaning of a number (doc/hardware/page-tables.md 6.2 [I]). */
static struct walker_error walker_error(enum bw_gpuvm_gen gen, unsigned number)
{
	static const struct walker_error before[] = {{"none", BW_GPUVM_WALKER_NONE},
						     {"RANGE", BW_GPUVM_WALKER_RANGE}};
	static const struct walker_error after[] = {{"TRANSLATE_FURTHER", BW_GPUVM_WALKER_FURTHER},
						    {"NACK", BW_GPUVM_WALKER_NACK},
						    {"DUMMY_PAGE", BW_GPUVM_WALKER_DUMMY_PAGE}};
	const unsigned n_directories = gen == BW_GPUVM_GFX12_1 ? 4 : 3;
	if (number < BW_ARRAY_SIZE(before))
		return before[number];
	unsigned level = number - BW_ARRAY_SIZE(before) + 1; /* PDB0 is level 1 */
	if (level <= n_directories)
		return (struct walker_error){bw_gpuvm_level_name(level), BW_GPUVM_WALKER_DIRECTORY};
	unsigned i = level - n_directories - 1;
	return i < BW_ARRAY_SIZE(after)
		       ? after[i]
		       : (struct walker_error){"reserved", BW_GPUVM_WALKER_RESERVED};
}

const char *bw_gpuvm_walker_error_name(enum bw_gpuvm_gen gen, unsigned number)
{
	return walker_error(gen, number).name;
}

enum bw_gpuvm_walker_error bw_gpuvm_walker_error(enum bw_gpuvm_gen gen, unsigned number)
{
	return walker_error(gen, number).kind;
}

uint8_t bw_gpuvm_walker_number(enum bw_gpuvm_gen gen, enum bw_gpuvm_walker_error meaning)
{
	uint8_t n = 0;
	while (n < 15 && walker_error(gen, n).kind != meaning)
		n++;
	return n;
}
