/* SPDX-License-Identifier: MIT */
/* Arguments: those of the command line against those of the kernel, and the kernarg block. */
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "base/util.h"
#include "launch/plan_priv.h"
#include "sym/lines.h"

enum { KERNARG_MAX_B = 64 << 10, LDS_ALIGN_B = 16 };

#define BUFFER_FORMS "zeros:N, iota:N, fill:N:V, random:N or file:PATH"

/* " (float*)", or "" */
static const char *type_text(const struct bw_kernel_arg *a, char *buf, size_t size_b)
{
	if (!*a->type_name)
		return "";
	snprintf(buf, size_b, " (%s)", a->type_name);
	return buf;
}

static bool names_u64(const char *text)
{
	size_t n = strlen(text);
	return n > 4 && !strcmp(text + n - 4, ":u64");
}

/* The text of the number that is the value of each element: V of "fill:N:V", or the whole; NULL:
 * none. */
static const char *number_in(const char *text)
{
	if (bw_starts_with(text, "fill:")) {
		text = strchr(text + strlen("fill:"), ':');
		return text ? text + 1 : NULL;
	}
	return strchr(text, ':') ? NULL : text;
}

static bool says_type(const char *text)
{
	enum bw_scalar type;
	const char *colon = strrchr(text, ':');
	return colon && bw_scalar_parse(colon + 1, &type);
}

/* Hexadecimal is a bit pattern, the same in every type of its size; zeros and files are bytes. */
static bool needs_type(const char *text)
{
	if (bw_starts_with(text, "iota:") || bw_starts_with(text, "random:"))
		return !says_type(text);
	const char *number = says_type(text) ? NULL : number_in(text);
	return number && !(number[0] == '0' && (number[1] == 'x' || number[1] == 'X'));
}

/* Where neither metadata nor debug information says the type, the user must name it. */
static struct bw_error *ask_for_type(const char *text, uint32_t size_b)
{
	const char *real = size_b == 2 ? "f16" : size_b == 8 ? "f64" : "f32";
	const char *whole = size_b == 2 ? "i16" : size_b == 8 ? "i64" : "i32";
	return bw_errorf(
		BW_E_INVALID,
		"the kernel does not say its type: give one with the value, %s:%s or %s:%s", text,
		real, text, whole);
}

static struct bw_error *parse_buffer(const struct bw_kernel_arg *ka, const char *text,
				     struct bw_plan_arg *a)
{
	enum bw_scalar type;
	char buf[160];
	bool known = bw_scalar_of_type_name(ka->type_name, &type);
	BW_TRY(bw_arg_value_parse(text, known ? &type : NULL, &a->value));
	if (!known && a->value.is_buffer && needs_type(text))
		return ask_for_type(text, 4);
	if (a->value.is_buffer ||
	    (names_u64(text) && a->value.type == BW_SCALAR_U64 && a->value.count == 1))
		return NULL;
	return bw_errorf(BW_E_INVALID,
			 "it is a buffer%s, not a number: give " BUFFER_FORMS
			 " (or 0xADDRESS:u64 for an address as it is)",
			 type_text(ka, buf, sizeof(buf)));
}

static enum bw_scalar bits_by_size(uint32_t size_b)
{
	return size_b == 1   ? BW_SCALAR_U8
	       : size_b == 2 ? BW_SCALAR_U16
	       : size_b == 8 ? BW_SCALAR_U64
			     : BW_SCALAR_U32;
}

static struct bw_error *parse_by_value(const struct bw_kernel_arg *ka, const char *text,
				       struct bw_plan_arg *a)
{
	enum bw_scalar type;
	char buf[160];
	bool known = bw_scalar_of_type_name(ka->type_name, &type);
	/* a byte is a whole number */
	bool bits = !known && number_in(text) == text && (ka->size_b == 1 || !needs_type(text));
	if (bits) {
		type = bits_by_size(ka->size_b);
		if (ka->size_b == 1 && text[0] == '-')
			type = BW_SCALAR_I8;
	}
	BW_TRY(bw_arg_value_parse(text, known || bits ? &type : NULL, &a->value));
	if (!known && !bits && needs_type(text) && *ka->type_name && ka->size_b > 8)
		return bw_errorf(
			BW_E_INVALID,
			"it is a %s of %u bytes: give them as file:PATH:u8, or as numbers of one "
			"TYPE, 1,2,3:f32",
			ka->type_name, ka->size_b);
	if (!known && !bits && needs_type(text))
		return ask_for_type(text, a->value.is_buffer ? 4 : ka->size_b);
	/* a vector of three has the room of four */
	size_t name_len = strlen(ka->type_name);
	bool is_three = a->value.count == 3 && !a->value.is_buffer &&
			ka->size_b == 4 * bw_scalar_size(a->value.type) && name_len &&
			ka->type_name[name_len - 1] == '3';
	if (a->value.size_b == ka->size_b || is_three)
		return NULL;
	return bw_errorf(BW_E_INVALID, "%s is too %s: the argument%s takes %u byte%s, this has %zu",
			 text, a->value.size_b < ka->size_b ? "short" : "long",
			 type_text(ka, buf, sizeof(buf)), ka->size_b, ka->size_b == 1 ? "" : "s",
			 a->value.size_b);
}

/* A __local pointer: the number is how many bytes of LDS it gets, after what the kernel has
 * anyway. */
static struct bw_error *parse_lds(struct bw_launch_plan *p, const char *text, struct bw_plan_arg *a)
{
	enum bw_scalar type = BW_SCALAR_U32;
	BW_TRY(bw_arg_value_parse(text, &type, &a->value));
	if (a->value.is_buffer || a->value.type != BW_SCALAR_U32 || a->value.count != 1)
		return bw_errorf(BW_E_INVALID, "it is a pointer to LDS: give the number of bytes");
	uint32_t size_b;
	memcpy(&size_b, a->value.data, sizeof(size_b));
	a->lds_offset_b = (uint32_t)bw_align_up(p->lds_b, LDS_ALIGN_B);
	if (size_b > (1u << 20))
		return bw_errorf(BW_E_INVALID, "%u bytes of LDS are more than any GPU has", size_b);
	p->lds_b = a->lds_offset_b + size_b;
	return NULL;
}

static bool is_wanted(const struct bw_kernel_arg *ka)
{
	return ka->kind != BW_ARG_HIDDEN;
}

/* The parameter of the kernel's function that the argument is: those of the source come in the same
 * order, without the hidden ones. */
static bool parameter_of(const struct bw_launch_plan *p, size_t index, struct bw_lines *lines,
			 struct bw_param *out)
{
	size_t position = 0;
	for (size_t i = 0; i < index; i++)
		position += is_wanted(&p->kernel->args[i]);
	return lines && bw_lines_param(lines, p->kernel->entry, position, out);
}

/* The metadata of C kernels has no names: debug information may. Without it an argument is called
 * by its number, which is always understood then. */
static char *name_of(const struct bw_launch_plan *p, size_t index, struct bw_lines *lines,
		     char number[24])
{
	const struct bw_kernel_arg *ka = &p->kernel->args[index];
	struct bw_param param;
	number[0] = 0;
	if (*ka->name)
		return strdup(ka->name);
	snprintf(number, 24, "%zu", index);
	return strdup(parameter_of(p, index, lines, &param) && param.name[0] ? param.name : number);
}

bool bw_plan_arg_is(const struct bw_plan_arg *a, const char *name)
{
	return !strcmp(a->name, name) || (a->number[0] && !strcmp(a->number, name));
}

/* Where metadata does not say what numbers an argument has, or says it by a name of the source
 * ("real_t", "enum mode"), debug information may. room: for the type's name. */
static struct bw_kernel_arg with_type(const struct bw_launch_plan *p, size_t index,
				      struct bw_lines *lines, struct bw_param *room)
{
	struct bw_kernel_arg ka = p->kernel->args[index];
	enum bw_scalar type;
	if (bw_scalar_of_type_name(ka.type_name, &type) || !parameter_of(p, index, lines, room) ||
	    !room->type_name[0])
		return ka;
	if (ka.kind != BW_ARG_VALUE || !room->size_b || room->size_b == ka.size_b)
		ka.type_name = room->type_name;
	return ka;
}

/* called: its name and number. */
static struct bw_error *add_arg(struct bw_launch_plan *p, const struct bw_kernel_arg *ka,
				const struct bw_plan_arg *called, const struct bw_launch_options *o)
{
	struct bw_plan_arg a = {.kind = ka->kind, .offset_b = ka->offset_b, .size_b = ka->size_b};
	const char *name = called->name;
	char buf[160];
	memcpy(a.number, called->number, sizeof(a.number));
	const char *text = NULL;
	for (size_t i = 0; i < o->args.len; i++) {
		if (!bw_plan_arg_is(called, o->args.data[i].name))
			continue;
		if (text)
			return bw_errorf(BW_E_INVALID, "argument %s is given twice", name);
		text = o->args.data[i].value;
	}
	if (!text)
		return bw_errorf(BW_E_INVALID,
				 "argument %s%s of kernel %s is missing: give --arg %s=%s", name,
				 type_text(ka, buf, sizeof(buf)), p->title, name,
				 ka->kind == BW_ARG_BUFFER ? "zeros:N or the like" : "VALUE");
	struct bw_error *err;
	switch (ka->kind) {
	case BW_ARG_BUFFER:
		err = parse_buffer(ka, text, &a);
		break;
	case BW_ARG_VALUE:
		err = parse_by_value(ka, text, &a);
		break;
	case BW_ARG_LDS_POINTER:
		err = parse_lds(p, text, &a);
		break;
	case BW_ARG_HIDDEN:
	case BW_ARG_OTHER:
	default:
		err = bw_errorf(BW_E_UNSUPPORTED, "arguments of kind %s are not supported",
				ka->value_kind);
		break;
	}
	a.name = strdup(name);
	if (!err)
		err = a.name ? bw_vec_push(&p->args, a) : bw_error_nomem();
	if (err) {
		err = bw_error_wrap(err, "argument %s", name);
		bw_arg_value_fini(&a.value);
		free(a.name);
	}
	return err;
}

static struct bw_error *refuse_unknown(const struct bw_launch_plan *p,
				       const struct bw_launch_options *o)
{
	const char *known[256];
	size_t n = BW_MIN(p->args.len, BW_ARRAY_SIZE(known));
	for (size_t i = 0; i < n; i++)
		known[i] = p->args.data[i].name;
	for (size_t i = 0; i < o->args.len; i++) {
		const char *name = o->args.data[i].name;
		bool found = false;
		for (size_t k = 0; k < p->args.len; k++)
			found |= bw_plan_arg_is(&p->args.data[k], name);
		if (found)
			continue;
		size_t near;
		if (bw_nearest(name, known, n, &near, 1))
			return bw_errorf(BW_E_INVALID,
					 "kernel %s has no argument %s; did you mean %s?", p->title,
					 name, known[near]);
		struct bw_str s = {0};
		bool numbered = n && !strcmp(known[0], p->args.data[0].number);
		bw_str_addf(&s, "kernel %s has no argument %s; ", p->title, name);
		bw_str_add(&s, !n	  ? "it has none"
			       : numbered ? "its arguments have no names and go by their numbers, "
					    "as in --arg "
					  : "its arguments are ");
		for (size_t k = 0; k < (numbered ? 1 : n); k++)
			bw_str_addf(&s, "%s%s", k ? ", " : "", known[k]);
		if (numbered)
			bw_str_addf(&s, "=VALUE: it has %zu", n);
		struct bw_error *err = bw_errorf(BW_E_INVALID, "%s", bw_str_text(&s));
		bw_str_free(&s);
		return err;
	}
	return NULL;
}

static bool lacks_name_or_type(const struct bw_kernel *k)
{
	enum bw_scalar type;
	for (size_t i = 0; i < k->n_args; i++)
		if (is_wanted(&k->args[i]) &&
		    (!k->args[i].name[0] || !bw_scalar_of_type_name(k->args[i].type_name, &type)))
			return true;
	return false;
}

static struct bw_error *args_by_metadata(struct bw_launch_plan *p,
					 const struct bw_launch_options *o)
{
	const struct bw_kernel *k = p->kernel;
	/* Unknown names first: "missing" for a name that was only misspelt would mislead. So two
	 * passes, the first over names alone. */
	struct bw_launch_plan names = {.title = p->title};
	struct bw_lines *lines = NULL;
	struct bw_error *err = NULL;
	if (lacks_name_or_type(k)) /* without them a type may be asked for */
		bw_error_free(bw_lines_open(p->co, &lines));
	for (size_t i = 0; !err && i < k->n_args; i++) {
		struct bw_plan_arg a = {0};
		if (!is_wanted(&k->args[i]))
			continue;
		a.name = name_of(p, i, lines, a.number);
		err = a.name ? bw_vec_push(&names.args, a) : bw_error_nomem();
	}
	if (!err)
		err = refuse_unknown(&names, o);
	for (size_t i = 0, position = 0; !err && i < k->n_args; i++) {
		struct bw_param room;
		struct bw_kernel_arg ka = with_type(p, i, lines, &room);
		if (is_wanted(&ka))
			err = add_arg(p, &ka, &names.args.data[position++], o);
	}
	bw_vec_each(&names.args, a)
		free(a->name);
	bw_vec_free(&names.args);
	bw_lines_close(lines);
	return err;
}

/* Without metadata: 64 bits each, in the order given. */
static struct bw_error *args_in_order(struct bw_launch_plan *p, const struct bw_launch_options *o)
{
	for (size_t i = 0; i < o->args.len; i++) {
		const struct bw_launch_pair *pair = &o->args.data[i];
		for (size_t k = 0; k < i; k++)
			if (!strcmp(o->args.data[k].name, pair->name))
				return bw_errorf(BW_E_INVALID, "argument %s is given twice",
						 pair->name);
		struct bw_plan_arg a = {
			.kind = BW_ARG_VALUE, .offset_b = (uint32_t)i * 8, .size_b = 8};
		BW_TRY(bw_error_wrap(bw_arg_value_parse(pair->value, NULL, &a.value), "argument %s",
				     pair->name));
		if (a.value.is_buffer) {
			a.kind = BW_ARG_BUFFER;
		} else if (a.value.count != 1) {
			bw_arg_value_fini(&a.value);
			return bw_errorf(BW_E_INVALID, "argument %s: raw code has no vectors",
					 pair->name);
		}
		a.name = strdup(pair->name);
		struct bw_error *err = a.name ? bw_vec_push(&p->args, a) : bw_error_nomem();
		if (err) {
			bw_arg_value_fini(&a.value);
			free(a.name);
			return err;
		}
	}
	uint32_t size_b = (uint32_t)o->args.len * 8;
	uint32_t want_b = p->kernel ? p->kernel->kernarg_b : 0;
	if (want_b && size_b != want_b)
		return bw_errorf(BW_E_INVALID,
				 "kernel %s has %u bytes of arguments and no metadata that names "
				 "them; %zu --arg of 8 bytes each make %u",
				 p->title, want_b, o->args.len, size_b);
	p->kernarg_b = size_b;
	return NULL;
}

struct bw_error *bw_launch_plan_args(struct bw_launch_plan *p, const struct bw_launch_options *o)
{
	const struct bw_kernel *k = p->kernel;
	p->lds_b = k ? k->lds_b : 0;
	if (!k || !k->has_metadata)
		return args_in_order(p, o);
	if (k->kernarg_b > KERNARG_MAX_B)
		return bw_errorf(BW_E_INVALID, "kernel %s has %u bytes of arguments", p->title,
				 k->kernarg_b);
	p->kernarg_b = k->kernarg_b;
	BW_TRY(args_by_metadata(p, o));
	size_t n_formats;
	bw_code_object_printf_formats(p->co, &n_formats);
	/* Descriptor and metadata both give the size: the larger is taken. */
	for (size_t i = 0; i < k->n_args; i++) {
		const struct bw_kernel_arg *a = &k->args[i];
		uint64_t end = (uint64_t)a->offset_b + a->size_b;
		if (end > KERNARG_MAX_B)
			return bw_errorf(BW_E_INVALID, "argument %zu of kernel %s lies at byte %u",
					 i, p->title, a->offset_b);
		p->kernarg_b = BW_MAX(p->kernarg_b, (uint32_t)end);
		bool pointer = a->kind == BW_ARG_BUFFER;
		bool lds = a->kind == BW_ARG_LDS_POINTER;
		if ((pointer && a->size_b != 8) || (lds && a->size_b != 4) ||
		    (a->kind == BW_ARG_HIDDEN && a->size_b > 8))
			return bw_errorf(BW_E_INVALID,
					 "argument %zu of kernel %s (%s) has %u bytes", i, p->title,
					 a->value_kind, a->size_b);
		if (n_formats && a->size_b == 8 && !strcmp(a->value_kind, "hidden_printf_buffer"))
			p->printf_arg = a;
	}
	return NULL;
}

/* The kernarg block */

/* libclc-19 takes the dword after block_count_x for the global offset
 * (doc/hardware/code-objects.md 5): its kernels get zeros there, at the price that they do not see
 * how many workgroups there are in y and z. It asks for the dispatch packet; the only other that
 * does is ROCm's device library where it is not optimized, which has its constants then. */
static bool is_of_libclc(const struct bw_launch_plan *p)
{
	size_t n;
	const struct bw_symbol *symbols = bw_code_object_symbols(p->co, &n);
	if (!(p->properties & BW_KCP_DISPATCH_PTR))
		return false;
	for (size_t i = 0; i < n; i++)
		if (!strcmp(symbols[i].name, "__oclc_ABI_version"))
			return false;
	return true;
}

/* Hidden arguments of code object v5 (doc/hardware/code-objects.md 2). */
static uint64_t hidden_value(const struct bw_launch_plan *p, const char *kind, uint64_t queue_va)
{
	bool libclc = is_of_libclc(p);
	const struct {
		const char *kind;
		uint64_t value;
	} table[] = {
		{"hidden_block_count_x", p->grid[0] / p->group[0]},
		{"hidden_block_count_y", libclc ? 0 : p->grid[1] / p->group[1]},
		{"hidden_block_count_z", libclc ? 0 : p->grid[2] / p->group[2]},
		{"hidden_group_size_x", p->group[0]},
		{"hidden_group_size_y", p->group[1]},
		{"hidden_group_size_z", p->group[2]},
		{"hidden_remainder_x", p->grid[0] % p->group[0]},
		{"hidden_remainder_y", p->grid[1] % p->group[1]},
		{"hidden_remainder_z", p->grid[2] % p->group[2]},
		{"hidden_grid_dims", p->grid[2] > 1   ? 3
				     : p->grid[1] > 1 ? 2
						      : 1},
		{"hidden_queue_ptr", queue_va},
		/* global offsets, hostcall, multigrid, heap, default queue and completion action: 0
		 */
	};
	for (size_t i = 0; i < BW_ARRAY_SIZE(table); i++)
		if (!strcmp(kind, table[i].kind))
			return table[i].value;
	return 0;
}

void bw_launch_plan_kernarg(const struct bw_launch_plan *p, const uint64_t *buffer_va,
			    uint64_t queue_va, uint8_t *out)
{
	memset(out, 0, p->kernarg_b);
	for (size_t i = 0; i < p->args.len; i++) {
		const struct bw_plan_arg *a = &p->args.data[i];
		if (a->kind == BW_ARG_BUFFER && a->value.is_buffer) {
			memcpy(out + a->offset_b, &buffer_va[i], 8);
		} else if (a->kind == BW_ARG_LDS_POINTER) {
			memcpy(out + a->offset_b, &a->lds_offset_b, 4);
		} else {
			memcpy(out + a->offset_b, a->value.data,
			       BW_MIN(a->value.size_b, (size_t)a->size_b));
			/* Whole numbers fill their 64 bits in raw code: -1 is -1 to s_load_b64 too.
			 */
			bool is_signed = a->value.type == BW_SCALAR_I8 ||
					 a->value.type == BW_SCALAR_I16 ||
					 a->value.type == BW_SCALAR_I32;
			size_t n = a->value.size_b;
			if (n < a->size_b && is_signed && (a->value.data[n - 1] & 0x80))
				memset(out + a->offset_b + n, 0xff, a->size_b - n);
		}
	}
	for (size_t i = 0; p->kernel && p->kernel->has_metadata && i < p->kernel->n_args; i++) {
		const struct bw_kernel_arg *a = &p->kernel->args[i];
		uint64_t v =
			a->kind == BW_ARG_HIDDEN ? hidden_value(p, a->value_kind, queue_va) : 0;
		if (a->kind == BW_ARG_HIDDEN)
			memcpy(out + a->offset_b, &v, a->size_b);
	}
}
