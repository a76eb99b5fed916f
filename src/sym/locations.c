/* SPDX-License-Identifier: MIT */
#include <dwarf.h>
#include <gelf.h>
#include <string.h>

#include "base/cursor.h"
#include "base/util.h"
#include "sym/lds.h"
#include "sym/lines_priv.h"
#include "sym/types_priv.h"
#include "sym/variables_priv.h"

/* The location of a variable: the expression that holds at an address, from DW_AT_location or a
 * location list of .debug_loclists (DWARF 5) or .debug_loc (DWARF 4). */

/* ---- Sections ---- */

static struct bw_section section_of(Elf_Scn *scn)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	if (!data || !data->d_buf)
		return (struct bw_section){0};
	return (struct bw_section){data->d_buf, data->d_size};
}

static void need_sections(struct bw_lines *l)
{
	struct bw_scopes *s = &l->scopes;
	Elf_Scn *scn = NULL;
	size_t names;
	if (s->has_sections || elf_getshdrstrndx(l->elf, &names))
		return;
	s->has_sections = true;
	while ((scn = elf_nextscn(l->elf, scn))) {
		GElf_Shdr sh;
		const char *name =
			gelf_getshdr(scn, &sh) ? elf_strptr(l->elf, names, sh.sh_name) : NULL;
		if (!name || sh.sh_type == SHT_NOBITS)
			continue;
		if (!strcmp(name, ".debug_loclists"))
			s->loclists = section_of(scn);
		else if (!strcmp(name, ".debug_loc"))
			s->loc = section_of(scn);
		else if (!strcmp(name, ".debug_addr"))
			s->addr = section_of(scn);
	}
}

static struct bw_cursor cursor_at(struct bw_section s, uint64_t at)
{
	if (!s.data || at > s.size_b)
		return (struct bw_cursor){0};
	return bw_cursor(s.data + at, s.size_b - at);
}

/* ---- Lists ---- */

struct unit {
	Dwarf_Die die;
	int version;
	unsigned offset_b; /* 4 or 8: of offsets in it */
	uint64_t base;	   /* address */
	uint64_t addr_base, loclists_base;
};

static uint64_t number_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;
	return dwarf_attr(die, name, &attr) && !dwarf_formudata(&attr, &value) ? value : 0;
}

static bool unit_of(Dwarf_Die *die, struct unit *out)
{
	uint8_t address_b = 0, offset_b = 0;
	Dwarf_Half version = 0;
	Dwarf_Addr base;
	*out = (struct unit){0};
	if (!dwarf_diecu(die, &out->die, &address_b, &offset_b) || address_b != 8 ||
	    dwarf_cu_info(out->die.cu, &version, NULL, NULL, NULL, NULL, NULL, NULL))
		return false;
	out->version = version;
	out->offset_b = offset_b;
	out->base = dwarf_lowpc(&out->die, &base) ? 0 : base;
	out->addr_base = number_of(&out->die, DW_AT_addr_base);
	out->loclists_base = number_of(&out->die, DW_AT_loclists_base);
	return true;
}

/* A search of the expression for one address. */
struct search {
	struct bw_lines *l;
	struct unit unit;
	uint64_t addr;
	const struct bw_kernel *kernel; /* that the wave runs; NULL: not known */
	const uint8_t *expr;		/* NULL: none found */
	size_t expr_b;
	uint64_t start, end; /* where it holds; with none, the gap around addr */
};

static void found_entry(struct search *s, uint64_t start, uint64_t end, const uint8_t *expr,
			size_t expr_b)
{
	if (s->expr || start >= end)
		return;
	if (s->addr >= start && s->addr < end) {
		s->expr = expr;
		s->expr_b = expr_b;
		s->start = start;
		s->end = end;
	} else if (end <= s->addr) {
		s->start = BW_MAX(s->start, end);
	} else {
		s->end = BW_MIN(s->end, start);
	}
}

static uint64_t addrx(struct search *s, struct bw_cursor *c)
{
	uint64_t value = 0;
	if (!bw_location_addrx(s->l->scopes.addr, s->unit.addr_base, bw_cursor_uleb128(c), &value))
		c->overrun = true;
	return value;
}

/* False: the end, or damage. */
static bool list_entry5(struct search *s, struct bw_cursor *c, uint64_t *base)
{
	uint64_t start = 0, end = UINT64_MAX;
	unsigned kind = bw_cursor_u8(c);
	switch (kind) {
	case DW_LLE_base_addressx:
		*base = addrx(s, c);
		return !c->overrun;
	case DW_LLE_base_address:
		*base = bw_cursor_u64(c);
		return !c->overrun;
	case DW_LLE_startx_endx:
		start = addrx(s, c);
		end = addrx(s, c);
		break;
	case DW_LLE_startx_length:
		start = addrx(s, c);
		end = start + bw_cursor_uleb128(c);
		break;
	case DW_LLE_offset_pair:
		start = *base + bw_cursor_uleb128(c);
		end = *base + bw_cursor_uleb128(c);
		break;
	case DW_LLE_start_end:
		start = bw_cursor_u64(c);
		end = bw_cursor_u64(c);
		break;
	case DW_LLE_start_length:
		start = bw_cursor_u64(c);
		end = start + bw_cursor_uleb128(c);
		break;
	case DW_LLE_default_location:
		break;
	default:
		return false;
	}
	uint64_t n = bw_cursor_uleb128(c);
	const uint8_t *expr = bw_cursor_bytes(c, n);
	if (expr)
		found_entry(s, start, end, expr, n);
	return expr;
}

static bool list_entry4(struct search *s, struct bw_cursor *c, uint64_t *base)
{
	uint64_t start = bw_cursor_u64(c), end = bw_cursor_u64(c);
	if (c->overrun || (!start && !end))
		return false;
	if (start == UINT64_MAX) {
		*base = end;
		return true;
	}
	size_t n = bw_cursor_u16(c);
	const uint8_t *expr = bw_cursor_bytes(c, n);
	if (expr)
		found_entry(s, *base + start, *base + end, expr, n);
	return expr;
}

static void search_list(struct search *s, struct bw_cursor c)
{
	uint64_t base = s->unit.base;
	bool (*entry)(struct search *, struct bw_cursor *, uint64_t *) =
		s->unit.version >= 5 ? list_entry5 : list_entry4;
	while (bw_cursor_left(&c) && !s->expr && entry(s, &c, &base)) {
	}
}

/* The start of a list; an empty cursor if it is damaged. */
static struct bw_cursor list_of(struct search *s, Dwarf_Attribute *attr)
{
	const struct bw_scopes *sections = &s->l->scopes;
	Dwarf_Word at;
	uint64_t offset = 0, slot;
	if (dwarf_whatform(attr) != DW_FORM_loclistx) {
		if (dwarf_formudata(attr, &at))
			return (struct bw_cursor){0};
		return cursor_at(s->unit.version >= 5 ? sections->loclists : sections->loc, at);
	}
	if (dwarf_formudata(attr, &at) ||
	    __builtin_mul_overflow((uint64_t)at, s->unit.offset_b, &slot) ||
	    __builtin_add_overflow(slot, s->unit.loclists_base, &slot))
		return (struct bw_cursor){0};
	struct bw_cursor c = cursor_at(sections->loclists, slot);
	offset = s->unit.offset_b == 8 ? bw_cursor_u64(&c) : bw_cursor_u32(&c);
	if (c.overrun || __builtin_add_overflow(offset, s->unit.loclists_base, &offset))
		return (struct bw_cursor){0};
	return cursor_at(sections->loclists, offset);
}

static void search_attribute(struct search *s, Dwarf_Attribute *attr)
{
	Dwarf_Block block;
	if (!dwarf_formblock(attr, &block)) {
		s->expr = block.data;
		s->expr_b = block.length;
	} else {
		search_list(s, list_of(s, attr));
	}
}

/* ---- Constants ---- */

/* The value cut to the bits of the type, and sign-extended. */
static uint64_t fit(uint64_t value, const struct bw_ctype *type)
{
	const struct bw_ctype *t = bw_ctype_strip(type);
	unsigned bits = (unsigned)(8 * t->size_b);
	if (!t->size_b || t->size_b >= 8)
		return value;
	return t->is_signed ? (uint64_t)bw_sign_extend(value, bits) : bw_bits(value, bits - 1, 0);
}

static void constant(Dwarf_Attribute *attr, struct bw_location *out)
{
	Dwarf_Block block;
	Dwarf_Sword number;
	Dwarf_Word positive;
	const char *text;
	if (!dwarf_formblock(attr, &block)) {
		bw_location_constant(block.data, block.length, out);
	} else if (dwarf_whatform(attr) == DW_FORM_udata && !dwarf_formudata(attr, &positive)) {
		*out = (struct bw_location){.kind = BW_LOC_CONSTANT, .value = positive};
	} else if (!dwarf_formsdata(attr, &number)) {
		*out = (struct bw_location){.kind = BW_LOC_CONSTANT, .value = (uint64_t)number};
	} else if ((text = dwarf_formstring(attr))) {
		bw_location_constant((const uint8_t *)text, strlen(text) + 1, out);
	} else {
		bw_location_unknown(out, "a damaged constant");
	}
}

/* ---- A variable ---- */

static const struct bw_kernel *kernel_at(const struct bw_lines *l, uint64_t entry)
{
	size_t n;
	const struct bw_kernel *k = bw_code_object_kernels(l->co, &n);
	for (size_t i = 0; i < n; i++)
		if (k[i].entry == entry)
			return &k[i];
	return NULL;
}

/* Whether a variable of this size must be at offset 0 of the LDS: all addresses of variables there
 * are those of undefined symbols. It must where it fills the LDS of the kernel; in a function, of
 * all kernels that have some. */
static bool fills_lds(const struct bw_lines *l, const struct bw_kernel *kernel, uint64_t size_b)
{
	size_t n;
	const struct bw_kernel *k = bw_code_object_kernels(l->co, &n);
	if (!size_b || kernel)
		return kernel && size_b && kernel->lds_b == size_b;
	for (size_t i = 0; i < n; i++)
		if (k[i].lds_b && k[i].lds_b != size_b)
			return false;
	return n > 0;
}

static bool is_aggregate(const struct bw_ctype *type)
{
	enum bw_ctype_kind kind = bw_ctype_strip(type)->kind;
	return kind == BW_CTYPE_STRUCT || kind == BW_CTYPE_UNION || kind == BW_CTYPE_ARRAY;
}

/* Whether the kernel is one of this code object, and not of another that the wave came from. */
static bool has_kernel(const struct bw_lines *l, const struct bw_kernel *kernel)
{
	size_t n;
	const struct bw_kernel *k = bw_code_object_kernels(l->co, &n);
	for (size_t i = 0; i < n; i++)
		if (&k[i] == kernel)
			return true;
	return false;
}

/* The function with code of its own around the address: its frame base, and whether it is a
 * kernel. */
static void set_function(struct bw_lines *l, const struct bw_variable *v, const struct search *s,
			 struct bw_expr_context *c)
{
	uint64_t addr = s->addr;
	const struct function *f = bw_lines_function_around(l, addr, 0);
	Dwarf_Die die;
	Dwarf_Attribute attr;
	Dwarf_Block block;
	const struct bw_kernel *kernel = NULL;
	unsigned level = 0;
	uint64_t offset;
	while (f && f->is_inlined)
		f = bw_lines_function_around(l, addr, ++level);
	c->no_frame = "the function has no frame base";
	if (f && dwarf_offdie(l->dwarf, f->die, &die)) {
		kernel = kernel_at(l, f->entry);
		if (dwarf_attr_integrate(&die, DW_AT_frame_base, &attr)) {
			c->no_frame = dwarf_formblock(&attr, &block)
					      ? "a damaged frame base"
					      : bw_location_frame_base(block.data, block.length,
								       &c->frame);
		} else if (kernel) {
			/* optimised: its arrays start at 0 of its scratch */
			c->no_frame = NULL;
			c->frame = BW_BASE_ZERO;
		}
	}
	c->may_be_in_lds =
		is_aggregate(v->type) && kernel && bw_lines_lds_has_more(l, kernel, addr, level);
	const struct bw_kernel *caller = !kernel && has_kernel(l, s->kernel) ? s->kernel : kernel;
	c->lds_offset = fills_lds(l, caller, c->size_b) ? 0 : -1;
	if (c->lds_offset && kernel && v->function_die == f->die &&
	    bw_lines_lds_offset(l, kernel, addr, level, v->name, &offset))
		c->lds_offset = (int64_t)offset;
}

/* The range of the variable's function around addr; all for one of a file. */
static void set_range(const struct bw_lines *l, const struct bw_variable *v, uint64_t addr,
		      uint64_t *start, uint64_t *end)
{
	*start = 0;
	*end = UINT64_MAX;
	if (!v->function_die)
		return;
	bw_vec_each(&l->function_ranges, r) {
		if (addr < r->start || addr >= r->end ||
		    l->functions.data[r->function].die != v->function_die)
			continue;
		*start = r->start;
		*end = r->end;
		return;
	}
}

static void locate(struct bw_lines *l, const struct bw_variable *v, struct search *s,
		   struct bw_location *out)
{
	Dwarf_Die die;
	Dwarf_Attribute attr;
	struct bw_expr_context c = {.size_b = v->type->size_b};
	if (!l->dwarf || !dwarf_offdie(l->dwarf, v->die, &die) || !unit_of(&die, &s->unit)) {
		bw_location_unknown(out, "damaged debug information");
		return;
	}
	if (dwarf_attr_integrate(&die, DW_AT_const_value, &attr)) {
		constant(&attr, out);
		return;
	}
	if (!dwarf_attr_integrate(&die, DW_AT_location, &attr))
		return;
	need_sections(l);
	search_attribute(s, &attr);
	if (!s->expr)
		return;
	c.addr = l->scopes.addr;
	c.addr_base = s->unit.addr_base;
	c.unit = &s->unit.die;
	bw_code_object_image(l->co, &c.image_b);
	set_function(l, v, s, &c);
	bw_location_evaluate(&c, s->expr, s->expr_b, out);
}

void bw_variable_location(struct bw_lines *l, const struct bw_variable *v, uint64_t addr,
			  const struct bw_kernel *kernel, struct bw_location *out)
{
	if (l->spirv) {
		bw_spirv_location(l->spirv, v->die, out);
		return;
	}
	struct search s = {.l = l, .addr = addr, .kernel = kernel};
	*out = (struct bw_location){.kind = BW_LOC_OPTIMIZED_OUT};
	set_range(l, v, addr, &s.start, &s.end);
	locate(l, v, &s, out);
	out->start = s.start;
	out->end = s.end;
	if (out->n_pieces || out->kind != BW_LOC_CONSTANT)
		return;
	if (v->type->size_b > 8)
		bw_location_unknown(out, "a constant that is smaller than its type");
	else
		out->value = fit(out->value, v->type);
}

bool bw_variable_is_false_constant(const struct bw_lines *l, const struct bw_variable *v,
				   uint64_t addr, const struct bw_location *at)
{
	if (l->spirv)
		return false;
	if (at->n_pieces || at->kind != BW_LOC_CONSTANT || !v->is_param)
		return false;
	bw_vec_each(&l->function_ranges, r) {
		const struct function *f = &l->functions.data[r->function];
		if (addr >= r->start && addr < r->end && f->die == v->function_die)
			return !f->is_inlined && at->start <= r->start && kernel_at(l, r->start);
	}
	return false;
}
