// SPDX-License-Identifier: MIT
/* The names of expressions: registers, $_ variables, arguments, symbols. */
#include "debug/code.h"
#include "debug/dispatches/dispatches_priv.h"
#include "debug/expressions.h"
#include "debug/expressions/expr_priv.h"
#include "debug/programs_priv.h"
#include "debug/waves/waves_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "sym/demangle.h"

/* ---- Registers ---- */

static struct bw_error *need_wave(struct bw_expr *x)
{
	if (x->wave)
		return NULL;
	return bw_errorf(BW_E_STATE, x->d->target ? "No wave is stopped" : "No registers");
}

static struct bw_error *vgpr_value(struct bw_expr *x, struct bw_wave_reg r, struct bw_value *out)
{
	struct bw_value v = *out;
	uint32_t low[64], high[64] = {0};
	struct bw_target *t = x->d->target;
	unsigned n;

	if (r.count > 2)
		return bw_errorf(BW_E_UNSUPPORTED,
				 "a value of more than 64 bits in each lane (%u registers)",
				 r.count);
	BW_TRY(need_wave(x));
	BW_TRY(bw_wave_vgpr_number(&x->wave->info, r, &n));
	BW_TRY(bw_target_read_vgpr(t, x->wave->info.slot, n, low));
	if (r.count == 2)
		BW_TRY(bw_target_read_vgpr(t, x->wave->info.slot, n + 1, high));
	v.n_elem = x->wave->info.lanes;
	v.elem = calloc(v.n_elem, sizeof(*v.elem));
	if (!v.elem)
		return bw_error_nomem();
	for (size_t i = 0; i < v.n_elem; i++)
		v.elem[i] = bw_join32(high[i], low[i]);
	v.bits = v.elem[x->lane < v.n_elem ? x->lane : 0];
	v.across_lanes = true;
	v.exec = x->wave->info.exec;
	*out = v;
	return NULL;
}

/* The value of $s[0:7], which is longer than a number. */
static struct bw_error *sgpr_array(struct bw_expr *x, struct bw_wave_reg r, struct bw_value *out)
{
	uint32_t s[BW_SGPR_SHOWN];
	BW_TRY(need_wave(x));
	BW_TRY(bw_target_read_sgprs(x->d->target, x->wave->info.slot, r.index, r.count, s));
	out->type.size_b = 4;
	out->elem = calloc(r.count, sizeof(*out->elem));
	if (!out->elem)
		return bw_error_nomem();
	out->n_elem = r.count;
	for (size_t i = 0; i < r.count; i++)
		out->elem[i] = s[i];
	return NULL;
}

static struct bw_error *reg_value(struct bw_expr *x, struct bw_wave_reg r, struct bw_value *out)
{
	struct bw_value v = {.type = {.kind = BW_TYPE_UINT}, .place = BW_PLACE_REG, .lane = -1};
	unsigned size_dw = bw_wave_reg_size_dw(r, x->wave ? &x->wave->info : NULL);
	struct bw_error *err = NULL;

	v.type.size_b = size_dw == 1 ? 4 : 8;
	v.type.is_code = r.cls == BW_REG_SPECIAL && r.index == BW_REG_PC;
	v.reg = r;
	if (x->skip) {
		*out = v;
		return NULL;
	}
	const struct bw_dispatch_info *held = x->wave ? NULL : bw_debug_held(x->d);
	if (held && v.type.is_code) {
		/* no wave has begun yet: the address where the first waves will begin */
		v.bits = held->desc.code_va;
		v.place = BW_PLACE_NONE;
	} else if (bw_wave_reg_is_vector(r))
		err = vgpr_value(x, r, &v);
	else if (r.cls == BW_REG_SGPR && r.count > 2)
		err = sgpr_array(x, r, &v);
	else if (!(err = need_wave(x)))
		err = bw_wave_reg_read(x->d, x->wave, r, &v.bits);
	if (!err)
		*out = v;
	return err;
}

/* ---- $_lane and similar variables ---- */

static void text_value(struct bw_value *out, const char *fmt, ...) BW_PRINTF(2, 3);
static void text_value(struct bw_value *out, const char *fmt, ...)
{
	va_list args;
	*out = (struct bw_value){.type = {.kind = BW_TYPE_TEXT}};
	va_start(args, fmt);
	vsnprintf(out->text, sizeof(out->text), fmt, args);
	va_end(args);
}

enum internal {
	I_LANE,
	I_WAVE,
	I_AGENT,
	I_QUEUE,
	I_DISPATCH,
	I_DISPATCH_POS,
	I_WAVE_IN_GROUP,
	I_LANE_POS,
	I_EXITCODE
};
static const struct {
	const char *name;
	enum internal what;
} internals[] = {
	{"_lane", I_LANE},
	{"_simd_lane", I_LANE},
	{"_wave", I_WAVE},
	{"_thread", I_WAVE},
	{"_gthread", I_WAVE},
	{"_agent", I_AGENT},
	{"_queue", I_QUEUE},
	{"_dispatch", I_DISPATCH},
	{"_dispatch_pos", I_DISPATCH_POS},
	{"_thread_workgroup_pos", I_WAVE_IN_GROUP},
	{"_lane_workgroup_pos", I_LANE_POS},
	{"_exitcode", I_EXITCODE},
};

static struct bw_error *no_place(void)
{
	return bw_errorf(BW_E_NOT_FOUND, "the place of this wave in its grid is not known");
}

static struct bw_error *internal_value(struct bw_expr *x, enum internal what, struct bw_value *out)
{
	struct bw_wave_info *w = x->wave ? &x->wave->info : NULL;
	uint32_t item[3];
	char place[56];

	if (what == I_EXITCODE) {
		if (x->d->programs->exit_known && WIFEXITED(x->d->programs->exit_status))
			*out = bw_expr_int((unsigned)WEXITSTATUS(x->d->programs->exit_status), 4,
					   true);
		else
			*out = (struct bw_value){0};
		return NULL;
	}
	*out = bw_expr_int(0, 4, true);
	if (what == I_DISPATCH_POS || what == I_LANE_POS)
		text_value(out, "%s", "");
	if (!w) /* as in gdb: 0 if no thread is selected */
		return NULL;
	switch (what) {
	case I_LANE:
		out->bits = x->lane;
		break;
	case I_WAVE:
		out->bits = bw_debug_wave_number(x->d, x->wave);
		break;
	case I_AGENT:
		out->bits = w->agent;
		break;
	case I_QUEUE:
		out->bits = w->queue;
		break;
	case I_DISPATCH:
		out->bits = w->dispatch;
		break;
	case I_WAVE_IN_GROUP:
		if (w->wave_in_group == BW_GROUP_UNKNOWN)
			return no_place();
		out->bits = w->wave_in_group;
		break;
	case I_DISPATCH_POS:
		bw_wave_place_text(w, place);
		text_value(out, "%s", place);
		break;
	case I_LANE_POS:
		if (bw_lane_item(x->d, w, x->lane, item))
			text_value(out, "[%u,%u,%u]", item[0], item[1], item[2]);
		break;
	case I_EXITCODE:
		break;
	}
	return NULL;
}

bool bw_expr_is_dim3(const char *name)
{
	return strcmp(name, "threadIdx") == 0 || strcmp(name, "blockIdx") == 0 ||
	       strcmp(name, "_workgroup") == 0 || strcmp(name, "_work_item") == 0 ||
	       strcmp(name, "blockDim") == 0 || strcmp(name, "gridDim") == 0;
}

struct bw_error *bw_expr_dim3(struct bw_expr *x, const char *name, char member,
			      struct bw_value *out)
{
	unsigned i = (unsigned)(member - 'x');
	uint32_t item[3];

	*out = bw_expr_int(0, 4, false);
	if (x->skip)
		return NULL;
	BW_TRY(need_wave(x));
	const struct bw_wave_info *w = &x->wave->info;
	const struct bw_dispatch_info *dispatch = bw_debug_dispatch(x->d, w->dispatch);
	if (strcmp(name, "blockIdx") == 0 || strcmp(name, "_workgroup") == 0) {
		if (w->wave_in_group == BW_GROUP_UNKNOWN)
			return no_place();
		out->bits = w->workgroup[i];
	} else if (strcmp(name, "threadIdx") == 0 || strcmp(name, "_work_item") == 0) {
		if (!bw_lane_item(x->d, w, x->lane, item))
			return bw_errorf(BW_E_NOT_FOUND, "lane %u is not a work item of its group",
					 x->lane);
		out->bits = item[i];
	} else if (!dispatch) {
		return bw_errorf(BW_E_NOT_FOUND, "the dispatch of this wave is not known");
	} else {
		out->bits = strcmp(name, "blockDim") == 0 ? dispatch->desc.group_size[i]
							  : dispatch->desc.groups[i];
	}
	return NULL;
}

/* ---- Convenience variables ---- */

void bw_vars_fini(struct bw_vars *vars)
{
	bw_vec_each(&vars->all, v) {
		free(v->name);
		bw_value_fini(&v->value);
	}
	bw_vec_free(&vars->all);
}

static struct bw_var *find_var(struct bw_debug *d, const char *name)
{
	bw_vec_each(&d->vars->all, v)
		if (strcmp(v->name, name) == 0)
			return v;
	return NULL;
}

/* A variable stores a value without the place from which it was read. */
static struct bw_error *copy_value(struct bw_debug *d, const struct bw_value *v,
				   struct bw_value *out)
{
	BW_TRY(bw_value_copy(v, out));
	struct bw_error *err = bw_debug_fetch(d, out);
	if (err) {
		bw_value_fini(out);
		return err;
	}
	out->place = BW_PLACE_NONE;
	return NULL;
}

struct bw_error *bw_debug_set_var(struct bw_debug *d, const char *name, const struct bw_value *v)
{
	enum { VARS_MAX = 10000 }; /* a limit, because variables are searched one after the other */
	struct bw_value copy;
	struct bw_var *var = find_var(d, name);
	if (!var && d->vars->all.len >= VARS_MAX)
		return bw_errorf(BW_E_INVALID,
				 "there are %d convenience variables already, which is the limit: "
				 "$%s is not made",
				 VARS_MAX, name);
	BW_TRY(copy_value(d, v, &copy));
	if (!var) {
		struct bw_var new = {.name = strdup(name)};
		struct bw_error *err =
			new.name ? bw_vec_push(&d->vars->all, new) : bw_error_nomem();
		if (err) {
			free(new.name);
			bw_value_fini(&copy);
			return err;
		}
		var = &d->vars->all.data[d->vars->all.len - 1];
	}
	bw_value_fini(&var->value);
	var->value = copy;
	return NULL;
}

const struct bw_value *bw_debug_var(struct bw_debug *d, size_t i, const char **out_name)
{
	if (i >= d->vars->all.len)
		return NULL;
	*out_name = d->vars->all.data[i].name;
	return &d->vars->all.data[i].value;
}

unsigned bw_debug_record(struct bw_debug *d, const struct bw_value *v)
{
	char name[16];
	snprintf(name, sizeof(name), "%u", ++d->vars->n_values);
	struct bw_error *err = bw_debug_set_var(d, name, v);
	bw_error_free(err); /* a value can be shown without entering the history */
	return d->vars->n_values;
}

/* Converts a name of the history to its number: "" (for $) is the last value, "$" (for $$) the one
 * before it, "$3" (for $$3) the third before it. False: it is not such a name. */
static bool history_name(struct bw_debug *d, const char *name, char out[16])
{
	uint64_t back = name[0] == '$';
	if (name[0] && name[0] != '$')
		return false;
	if (back && name[1] && !bw_parse_u64(name + 1, &back))
		return false;
	unsigned number = back < d->vars->n_values ? d->vars->n_values - (unsigned)back : 0;
	snprintf(out, 16, "%u", number);
	return true;
}

static struct bw_error *var_value(struct bw_expr *x, const char *name, bool assigned,
				  struct bw_value *out)
{
	char number[16];
	if (history_name(x->d, name, number))
		name = number;
	struct bw_var *v = find_var(x->d, name);
	if (!v && assigned && !x->skip) {
		BW_TRY(bw_debug_set_var(x->d, name, &(struct bw_value){0}));
		v = find_var(x->d, name);
	}
	*out = (struct bw_value){0};
	if (v)
		BW_TRY(copy_value(x->d, &v->value, out));
	if (v) {
		out->place = BW_PLACE_VAR;
		out->var = (uint32_t)(v - x->d->vars->all.data);
	} else if (x->skip) {
		*out = bw_expr_int(0, 4, true);
	}
	return NULL;
}

/* ---- Arguments and symbols ---- */

static const struct bw_kernel_arg *find_arg(const struct bw_kernel *k, const char *name)
{
	for (size_t i = 0; k && i < k->n_args; i++)
		if (k->args[i].name[0] && k->args[i].kind != BW_ARG_HIDDEN &&
		    strcmp(k->args[i].name, name) == 0)
			return &k->args[i];
	return NULL;
}

/* The kernel to whose arguments names refer: the wave's or, without a wave, the one that will
 * run. */
struct launched {
	const struct bw_kernel *kernel;		 /* NULL: not known */
	uint64_t kernarg_va;			 /* 0: not known, or not yet */
	enum bw_language language;		 /* language of the code */
	const struct bw_kernel_arg *arg;	 /* the argument of the name that was looked up */
	const struct bw_dispatch_info *dispatch; /* NULL: none yet */
};

/* Whether an argument's name alone is its launch value: in assembly, and in a kernel without debug
 * information (rusticl's), but not in a function that such a kernel calls. */
static bool is_meant_alone(const struct bw_expr *x, const struct launched *l)
{
	struct bw_frame frame;
	if (!l->arg || l->language == BW_LANGUAGE_ASSEMBLY)
		return l->arg;
	if (l->language != BW_LANGUAGE_UNKNOWN)
		return false;
	if (!x->wave) /* a condition is tested at its breakpoint */
		return l->dispatch || x->check;
	bw_debug_frame(x->d, l->dispatch->number, x->wave->info.pc, &frame);
	return frame.is_kernel && frame.language == BW_LANGUAGE_UNKNOWN;
}

static struct launched launch_of(struct bw_expr *x, const char *name)
{
	struct launched l = {0};
	struct bw_frame frame;
	const struct bw_dispatch_info *dispatch =
		x->wave ? bw_debug_dispatch(x->d, x->wave->info.dispatch) : bw_debug_held(x->d);
	if (dispatch && (x->wave || dispatch->kernel)) {
		l.dispatch = dispatch;
		l.kernel = dispatch->kernel;
		l.kernarg_va = dispatch->kernarg_va;
		bw_debug_frame(x->d, dispatch->number, dispatch->desc.code_va, &frame);
		l.language = frame.language;
		if (x->wave && l.language == BW_LANGUAGE_ASSEMBLY) {
			bw_debug_frame(x->d, dispatch->number, x->wave->info.pc, &frame);
			if (frame.language == BW_LANGUAGE_COMPILED)
				l.language = frame.language;
		}
		l.arg = find_arg(l.kernel, name);
		return l;
	}
	bw_vec_each(&x->d->code->modules, m) {
		size_t n;
		const struct bw_kernel *k = bw_module_kernels(*m, &n);
		for (size_t i = 0; !x->wave && !(*m)->is_found && i < n && !l.arg; i++) {
			if (x->d->code->kernel && strcmp(k[i].name, x->d->code->kernel) != 0)
				continue;
			l.kernel = &k[i];
			l.language = bw_kernel_is_assembly(*m, &k[i]) ? BW_LANGUAGE_ASSEMBLY
				     : (*m)->lines ? bw_lines_language((*m)->lines, k[i].entry)
						   : BW_LANGUAGE_UNKNOWN;
			l.arg = find_arg(&k[i], name);
		}
	}
	return l;
}

static struct bw_error *arg_value(struct bw_expr *x, const struct launched *l, struct bw_value *out)
{
	const struct bw_kernel_arg *arg = l->arg;
	struct bw_value v = {.place = BW_PLACE_MEMORY, .va = l->kernarg_va + arg->offset_b};
	if (arg->is_absent)
		return bw_errorf(BW_E_NOT_FOUND,
				 "The driver does not give argument %s to the GPU as a value: the "
				 "kernel does not use it, or it is an image, a sampler or local "
				 "memory",
				 arg->name);
	bool known = bw_arg_type(x->d, l->dispatch, arg, &v.type);
	if (!x->skip && !l->kernarg_va) {
		BW_TRY(need_wave(x));
		return bw_errorf(BW_E_NOT_FOUND,
				 "the arguments of this dispatch lie at no known address");
	}
	if (!known) {
		char why[256];
		struct bw_arg_bytes b = {0};
		if (!x->skip)
			BW_TRY(bw_arg_bytes(x->d, l->kernarg_va, arg, &b));
		bw_arg_bytes_text(arg, &b, why, sizeof(why));
		return bw_errorf(BW_E_UNSUPPORTED, "argument %s: %s", arg->name,
				 x->skip ? "its type is not known" : why);
	}
	if (!x->skip) {
		struct bw_error *err = bw_arg_read(x->d, l->kernarg_va, arg, &v);
		if (err) {
			bw_value_fini(&v);
			return err;
		}
	}
	*out = v;
	return NULL;
}

struct bw_error *bw_expr_launch(struct bw_expr *x, const char *name, struct bw_value *out)
{
	struct launched l = launch_of(x, name);
	if (l.arg)
		return arg_value(x, &l, out);
	if (!l.kernel && x->skip) { /* a program's kernels are known when it launches them */
		*out = bw_expr_int(0, 4, true);
		return NULL;
	}
	if (!l.kernel)
		return bw_errorf(BW_E_NOT_FOUND,
				 "The arguments of this kernel are not known: no code object "
				 "describes them");
	_cleanup_free_ char *pretty = bw_demangle(l.kernel->name);
	const char *kernel = pretty ? pretty : l.kernel->name;
	struct bw_str names = {0};
	for (size_t i = 0; i < l.kernel->n_args; i++)
		if (l.kernel->args[i].name[0] && l.kernel->args[i].kind != BW_ARG_HIDDEN)
			bw_str_add_next(&names, l.kernel->args[i].name);
	struct bw_error *err =
		names.len ? bw_errorf(BW_E_NOT_FOUND,
				      "The kernel %s has no argument \"%s\": it has %s", kernel,
				      name, bw_str_text(&names))
			  : bw_errorf(BW_E_NOT_FOUND, "The kernel %s has no arguments with names",
				      kernel);
	bw_str_free(&names);
	return err;
}

static bool symbol_address(struct bw_debug *d, const char *name, uint64_t *out)
{
	if (bw_starts_with(name, "::"))
		name += 2;
	bw_vec_each(&d->code->loads, l) {
		const struct bw_symbol *s =
			l->space == d->space ? bw_module_named(l->module, name, NULL) : NULL;
		if (s) {
			*out = l->base + s->addr;
			return true;
		}
	}
	/* not loaded yet: the address in the image, as gdb shows it before run */
	bw_vec_each(&d->code->modules, m) {
		const struct bw_symbol *s = bw_module_named(*m, name, NULL);
		if (s) {
			*out = s->addr;
			return true;
		}
	}
	return false;
}

/* The error for a name that does not exist, with suggestions. */
static struct bw_error *no_symbol(struct bw_expr *x, const char *name, const struct launched *l)
{
	const char *names[256];
	size_t count = 0, near[3];
	struct bw_str text = {0};
	bool compiled = l->language == BW_LANGUAGE_COMPILED;

	const char *scope = NULL;
	for (const char *at = name; (at = strstr(at + 1, "::")); scope = at)
		;
	_cleanup_free_ char *function = scope ? strndup(name, (size_t)(scope - name)) : NULL;
	uint64_t addr;
	if (function && symbol_address(x->d, function, &addr))
		return bw_errorf(BW_E_UNSUPPORTED,
				 "FUNCTION::VARIABLE is not supported: select the frame of the "
				 "function (up, down), and name the variable");
	if (l->arg || compiled)
		return bw_errorf(BW_E_NOT_FOUND, "No symbol \"%s\" in current context%s%s%s", name,
				 l->arg ? "; $_launch." : "", l->arg ? name : "",
				 l->arg ? " is what the kernel was launched with" : "");
	for (size_t i = 0; l->kernel && i < l->kernel->n_args && count < 128; i++)
		names[count++] = l->kernel->args[i].name;
	bw_vec_each(&x->d->code->modules, m) {
		size_t n;
		const struct bw_symbol *s = bw_module_symbols(*m, &n);
		for (size_t i = 0; i < n && count < BW_ARRAY_SIZE(names); i++)
			names[count++] = s[i].name;
	}
	size_t found = bw_nearest(name, names, count, near, BW_ARRAY_SIZE(near));
	for (size_t i = 0; i < found; i++)
		bw_str_addf(&text, "%s%s", i ? ", " : " (did you mean ", names[near[i]]);
	if (found)
		bw_str_add(&text, "?)");
	struct bw_error *err = bw_errorf(BW_E_NOT_FOUND, "No symbol \"%s\" in current context%s",
					 name, bw_str_text(&text));
	bw_str_free(&text);
	return err;
}

struct bw_error *bw_expr_name(struct bw_expr *x, const char *name, bool dollar, bool assigned,
			      struct bw_value *out)
{
	struct bw_wave_reg r;
	uint64_t addr;
	if (dollar) {
		for (size_t i = 0; i < BW_ARRAY_SIZE(internals); i++)
			if (strcmp(internals[i].name, name) == 0)
				return internal_value(x, internals[i].what, out);
		if (bw_wave_reg_parse(bw_debug_arch(x->d), name, &r))
			return reg_value(x, r, out);
		BW_TRY(bw_expr_refuse_register(name));
		return var_value(x, name, assigned, out);
	}
	bool found;
	struct bw_error *err = bw_expr_variable(x, name, &found, out);
	if (err || found)
		return err;
	struct launched l = launch_of(x, name);
	if (is_meant_alone(x, &l))
		return arg_value(x, &l, out);
	if (symbol_address(x->d, name, &addr)) {
		*out = (struct bw_value){.type = {.kind = BW_TYPE_UINT,
						  .size_b = 8,
						  .is_code = true,
						  .is_function = true},
					 .bits = addr};
		return NULL;
	}
	if (bw_expr_enumerator(x, name, out))
		return NULL;
	/* s[2:3], exec: no variable has taken the name */
	if (bw_wave_reg_parse(bw_debug_arch(x->d), name, &r))
		return reg_value(x, r, out);
	return no_symbol(x, name, &l);
}

const char *bw_expr_internal_name(size_t i)
{
	return i < BW_ARRAY_SIZE(internals) ? internals[i].name : NULL;
}
