/* SPDX-License-Identifier: MIT */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "sym/demangle.h"
#include "sym/frames.h"
#include "sym/lines_priv.h"
#include "sym/names.h"

/* Functions around an address: what inlining has put where, what is a kernel, and where calls
 * return to. */

enum { CC_KERNEL = 0xc7 /* DW_CC_LLVM_OpenCLKernel; of amdgpu_kernel in plain C as well */ };

static bool number_of(Dwarf_Die *die, unsigned name, uint64_t *out)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;
	if (!dwarf_attr_integrate(die, name, &attr) || dwarf_formudata(&attr, &value))
		return false;
	*out = value;
	return true;
}

static bool flag_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attr;
	bool set = false;
	return dwarf_attr(die, name, &attr) && !dwarf_formflag(&attr, &set) && set;
}

static const char *text_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attr;
	return dwarf_attr_integrate(die, name, &attr) ? bw_name_line(dwarf_formstring(&attr))
						      : NULL;
}

/* The file of DW_AT_call_file, which an inlined function has of its own. */
static struct bw_error *find_call_file(struct bw_lines *l, Dwarf_Die *die, Dwarf_Die *unit,
				       uint32_t *out)
{
	Dwarf_Files *files;
	size_t n;
	uint64_t index;
	const char *name, *comp_dir = text_of(unit, DW_AT_comp_dir);
	if (!dwarf_hasattr(die, DW_AT_call_file) || !number_of(die, DW_AT_call_file, &index) ||
	    dwarf_getsrcfiles(unit, &files, &n) || index >= n)
		return NULL;
	name = bw_name_line(dwarf_filesrc(files, index, NULL, NULL));
	return name ? bw_lines_file_index(l, name, comp_dir ? comp_dir : "", out) : NULL;
}

/* "ns::dots" instead of "dots". */
static struct bw_error *qualify(struct bw_lines *l, struct function *f)
{
	_cleanup_free_ char *full = f->linkage_name ? bw_demangle(f->linkage_name) : NULL;
	size_t len;
	if (!full)
		return NULL;
	const char *base = bw_name_base(full, &len);
	_cleanup_free_ char *name = strndup(base, len);
	if (!name)
		return bw_error_nomem();
	BW_TRY(bw_vec_push(&l->names, name));
	f->name = name;
	name = NULL;
	return NULL;
}

struct bw_error *bw_lines_describe_function(struct bw_lines *l, Dwarf_Die *die, Dwarf_Die *unit,
					    struct function *f)
{
	uint64_t value;
	Dwarf_Addr entry;
	f->linkage_name = text_of(die, DW_AT_linkage_name);
	BW_TRY(qualify(l, f));
	f->call_file = UINT32_MAX;
	f->is_kernel = !f->is_inlined && number_of(die, DW_AT_calling_convention, &value) &&
		       value == CC_KERNEL;
	f->lists_calls =
		flag_of(die, DW_AT_call_all_calls) || flag_of(die, DW_AT_call_all_source_calls);
	if (!dwarf_entrypc(die, &entry))
		f->entry = entry;
	if (!f->is_inlined)
		return NULL;
	BW_TRY(find_call_file(l, die, unit, &f->call_file));
	if (dwarf_hasattr(die, DW_AT_call_line) && number_of(die, DW_AT_call_line, &value) &&
	    value <= UINT32_MAX)
		f->call_line = (uint32_t)value;
	if (dwarf_hasattr(die, DW_AT_call_column) && number_of(die, DW_AT_call_column, &value) &&
	    value <= UINT32_MAX)
		f->call_column = (uint32_t)value;
	return NULL;
}

struct bw_error *bw_lines_add_call(struct bw_lines *l, Dwarf_Die *call_site)
{
	Dwarf_Attribute attr;
	Dwarf_Addr addr;
	if (!dwarf_attr(call_site, DW_AT_call_return_pc, &attr) || dwarf_formaddr(&attr, &addr))
		return NULL;
	return bw_vec_push(&l->returns, (uint64_t)addr);
}

static int by_value(const void *pa, const void *pb)
{
	uint64_t a = *(const uint64_t *)pa, b = *(const uint64_t *)pb;
	return a < b ? -1 : a > b;
}

void bw_lines_finish_functions(struct bw_lines *l, const struct bw_code_object *co)
{
	size_t n;
	const struct bw_kernel *k = bw_code_object_kernels(co, &n);
	if (l->returns.len)
		qsort(l->returns.data, l->returns.len, sizeof(uint64_t), by_value);
	bw_vec_each(&l->function_ranges, r) {
		struct function *f = &l->functions.data[r->function];
		if (!f->entry)
			f->entry = r->start;
		for (size_t i = 0; i < n; i++)
			f->is_kernel |= !f->is_inlined && f->entry == k[i].entry;
	}
}

bool bw_lines_frame(const struct bw_lines *l, uint64_t addr, unsigned i, struct bw_frame_info *out)
{
	const struct function *f = bw_lines_function_around(l, addr, i);
	if (!f)
		return false;
	*out = (struct bw_frame_info){
		.name = f->name,
		.linkage_name = f->linkage_name,
		.is_inlined = f->is_inlined,
		.has_params = f->has_params,
		.is_kernel = f->is_kernel,
		.call_file = f->call_file < l->files.len ? l->files.data[f->call_file] : NULL,
		.call_line = f->call_line,
		.call_column = f->call_column,
		.entry = f->entry,
		.die = f->die,
	};
	return true;
}

static bool is_called(const struct function *f, const char *name)
{
	if (f->name && !strcmp(f->name, name))
		return true;
	char *full = f->linkage_name ? bw_demangle(f->linkage_name) : NULL;
	bool yes = full && bw_name_is(full, name);
	free(full);
	return yes;
}

size_t bw_lines_inlined(const struct bw_lines *l, const char *name, uint64_t *out, size_t max)
{
	size_t n = 0;
	bw_vec_each(&l->functions, f) {
		if (!f->is_inlined || !(f->entry || f->body) || !is_called(f, name))
			continue;
		if (n < max)
			out[n] = f->body ? f->body : f->entry;
		n++;
	}
	return n;
}

int bw_lines_returns_to(const struct bw_lines *l, uint64_t addr)
{
	const struct function *f = NULL;
	if (l->returns.len &&
	    bsearch(&addr, l->returns.data, l->returns.len, sizeof(uint64_t), by_value))
		return 1;
	for (unsigned i = 0; addr; i++) {
		const struct function *around = bw_lines_function_around(l, addr - 4, i);
		if (!around)
			break;
		f = around;
	}
	return f && !f->is_inlined && f->lists_calls ? 0 : -1;
}
