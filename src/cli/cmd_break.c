/* SPDX-License-Identifier: MIT */
#include "cli/cli.h"

#include <string.h>

#include "base/util.h"

/* "on dispatch WORDS" -> "WORDS"; NULL: a place in the code. */
static const char *on_dispatch(const char *args)
{
	char first[8], second[16];
	bw_take_word(&args, first, sizeof(first));
	bw_take_word(&args, second, sizeof(second));
	bool is = !strcmp(first, "on") && (!strcmp(second, "dispatch") || !strcmp(second, "dispatches"));
	return is ? args : NULL;
}

static struct bw_error *set_breakpoint(struct bw_cli *c, const char *args, bool temporary)
{
	uint32_t number;
	const char *dispatch = on_dispatch(args);
	BW_TRY(dispatch ? bw_debug_break_dispatch(c->debug, dispatch, temporary, &number)
			: bw_debug_break(c->debug, args, temporary, &number));
	const struct bw_break_info *b = bw_debug_breakpoint(c->debug, number);
	if (!b)
		return NULL;
	const char *kind = temporary ? "Temporary breakpoint" : "Breakpoint";
	bw_out_int(c->out, "number", number);
	bw_out_bool(c->out, "pending", b->pending);
	if (dispatch) {
		bw_out_line(c->out, "%s %u (%s)", kind, number, b->spec);
		return NULL;
	}
	if (!b->n_addr) {
		bw_out_line(c->out, "%s %u (%s) waits for its code to be loaded.", kind, number, b->spec);
		return NULL;
	}
	struct bw_where where;
	bw_debug_where(c->debug, b->addr[0], &where);
	const char *slash = where.has_line ? strrchr(where.line.file, '/') : NULL;
	struct bw_str s = {0};
	bw_str_addf(&s, "%s %u at 0x%llx", kind, number, (unsigned long long)b->addr[0]);
	if (where.has_line)
		bw_str_addf(&s, ": file %s, line %u.", slash ? slash + 1 : where.line.file, where.line.line);
	if (b->n_addr > 1)
		bw_str_addf(&s, " (%zu places)", b->n_addr);
	bw_out_line(c->out, "%s", bw_str_text(&s));
	bw_str_free(&s);
	bw_out_hex(c->out, "address", b->addr[0]);
	return NULL;
}

/* ---- Watchpoints and catchpoints ---- */

static struct bw_error *set_watchpoint(struct bw_cli *c, const char *args, enum bw_break_kind kind)
{
	uint32_t number;
	if (bw_debug_state(c->debug) == BW_DEBUG_NO_PROGRAM)
		return bw_errorf(BW_E_STATE, "The program is not being run (\"run\" starts it): nothing is in memory yet");
	BW_TRY(bw_debug_watch(c->debug, args, kind, &number));
	const struct bw_break_info *b = bw_debug_breakpoint(c->debug, number);
	const struct bw_wave_info *w = bw_debug_focus(c->debug);
	if (!b)
		return NULL;
	bw_out_line(c->out, "%s %u: %s", bw_watch_kind_text(b), number, b->spec);
	if (b->watch_register < 0 && w)
		bw_out_line(c->out, "No watch register can do that: wave %u will be stepped from instruction to instruction.",
			    w->number);
	bw_out_int(c->out, "number", number);
	bw_out_bool(c->out, "hardware", b->watch_register >= 0);
	return NULL;
}

struct bw_error *bw_cmd_watch(struct bw_cli *c, const char *args)
{
	return set_watchpoint(c, args, BW_BREAK_WATCH);
}

struct bw_error *bw_cmd_rwatch(struct bw_cli *c, const char *args)
{
	return set_watchpoint(c, args, BW_BREAK_RWATCH);
}

struct bw_error *bw_cmd_awatch(struct bw_cli *c, const char *args)
{
	return set_watchpoint(c, args, BW_BREAK_AWATCH);
}

/* Exceptions by the words of the stop reasons and the ISA manual. "all" leaves out what nearly every
 * kernel does: inexact results. */
static const struct {
	const char *word;
	uint32_t excp;
} exception_words[] = {
	{"invalid", BW_EXCP_INVALID},
	{"denormal", BW_EXCP_INPUT_DENORM},
	{"div0", BW_EXCP_DIV0},
	{"overflow", BW_EXCP_OVERFLOW},
	{"underflow", BW_EXCP_UNDERFLOW},
	{"inexact", BW_EXCP_INEXACT},
	{"int_div0", BW_EXCP_INT_DIV0},
	{"all", BW_EXCP_INVALID | BW_EXCP_DIV0 | BW_EXCP_OVERFLOW | BW_EXCP_INT_DIV0},
};

static struct bw_error *exceptions_of(const char *args, uint32_t *out_mask)
{
	uint32_t mask = 0;
	while (args[0]) {
		char word[32];
		bool known = false;
		bw_take_word(&args, word, sizeof(word));
		for (size_t i = 0; i < BW_ARRAY_SIZE(exception_words); i++) {
			if (strcmp(word, exception_words[i].word))
				continue;
			mask |= exception_words[i].excp;
			known = true;
		}
		if (!known)
			return bw_errorf(BW_E_INVALID, "\"%s\" is no exception: invalid, denormal, div0, overflow, underflow, "
						       "inexact, int_div0, all", word);
	}
	*out_mask = mask ? mask : BW_EXCP_INVALID | BW_EXCP_DIV0 | BW_EXCP_OVERFLOW | BW_EXCP_INT_DIV0;
	return NULL;
}

static struct bw_error *set_catchpoint(struct bw_cli *c, const char *args, bool temporary)
{
	char what[32];
	uint32_t number, mask = 0;
	bw_take_word(&args, what, sizeof(what));
	/* These stop a wave whether or not somebody catches them. */
	if (!strcmp(what, "fault") || !strcmp(what, "trap") || !strcmp(what, "illegal")) {
		bw_out_line(c->out, "Every %s stops its wave; there is nothing to set.",
			    !strcmp(what, "fault") ? "memory violation" : !strcmp(what, "trap") ? "s_trap" : "illegal instruction");
		return NULL;
	}
	if (strcmp(what, "fp"))
		return bw_errorf(BW_E_INVALID, "\"catch\" takes fp [invalid denormal div0 overflow underflow inexact int_div0 all]; "
					       "memory violations, illegal instructions and traps always stop");
	BW_TRY(exceptions_of(args, &mask));
	BW_TRY(bw_debug_catch_exceptions(c->debug, mask, temporary, &number));
	const struct bw_break_info *b = bw_debug_breakpoint(c->debug, number);
	bw_out_line(c->out, "%s %u (%s)", temporary ? "Temporary catchpoint" : "Catchpoint", number, b ? b->spec : "");
	bw_out_int(c->out, "number", number);
	return NULL;
}

struct bw_error *bw_cmd_catch(struct bw_cli *c, const char *args)
{
	return set_catchpoint(c, args, false);
}

struct bw_error *bw_cmd_tcatch(struct bw_cli *c, const char *args)
{
	return set_catchpoint(c, args, true);
}

struct bw_error *bw_cmd_break(struct bw_cli *c, const char *args)
{
	return set_breakpoint(c, args, false);
}

struct bw_error *bw_cmd_tbreak(struct bw_cli *c, const char *args)
{
	return set_breakpoint(c, args, true);
}

/* Calls fn for each breakpoint number in args, or once with 0 (all) when there is none. */
static struct bw_error *each_number(struct bw_cli *c, const char *args,
				    struct bw_error *(*fn)(struct bw_cli *c, uint32_t number, void *cookie), void *cookie)
{
	if (!args[0])
		return fn(c, 0, cookie);
	while (args[0]) {
		char word[32];
		uint64_t first, last;
		bw_take_word(&args, word, sizeof(word));
		char *dash = strchr(word, '-');
		if (dash)
			*dash = '\0';
		if (!bw_parse_u64(word, &first) || (dash && !bw_parse_u64(dash + 1, &last)) || !first || first > UINT32_MAX)
			return bw_errorf(BW_E_INVALID, "\"%s\" is no breakpoint number", word);
		if (!dash)
			last = first;
		if (last < first || last > first + 65536)
			return bw_errorf(BW_E_INVALID, "%s-%s is no range of breakpoint numbers", word, dash ? dash + 1 : "");
		for (uint64_t n = first; n <= last; n++)
			BW_TRY(fn(c, (uint32_t)n, cookie));
	}
	return NULL;
}

static struct bw_error *delete_one(struct bw_cli *c, uint32_t number, void *cookie)
{
	return bw_debug_break_delete(c->debug, number);
}

static struct bw_error *enable_one(struct bw_cli *c, uint32_t number, void *cookie)
{
	return bw_debug_break_enable(c->debug, number, *(bool *)cookie);
}

/* "delete 1 2", and gdb's long form "delete breakpoints 1 2" */
static const char *skip_breakpoints_word(const char *args)
{
	return bw_starts_with(args, "breakpoints") ? bw_skip_blanks(args + strlen("breakpoints")) : args;
}

struct bw_error *bw_cmd_delete(struct bw_cli *c, const char *args)
{
	return each_number(c, skip_breakpoints_word(args), delete_one, NULL);
}

struct bw_error *bw_cmd_enable(struct bw_cli *c, const char *args)
{
	bool on = true;
	return each_number(c, skip_breakpoints_word(args), enable_one, &on);
}

struct bw_error *bw_cmd_disable(struct bw_cli *c, const char *args)
{
	bool on = false;
	return each_number(c, skip_breakpoints_word(args), enable_one, &on);
}

struct bw_error *bw_cmd_condition(struct bw_cli *c, const char *args)
{
	char word[32];
	uint64_t number;
	bw_take_word(&args, word, sizeof(word));
	if (!bw_parse_u64(word, &number) || number > UINT32_MAX)
		return bw_errorf(BW_E_INVALID, "\"condition\" takes a breakpoint number and an expression");
	BW_TRY(bw_debug_break_condition(c->debug, (uint32_t)number, args));
	if (!args[0])
		bw_out_line(c->out, "Breakpoint %u now unconditional.", (unsigned)number);
	return NULL;
}

struct bw_error *bw_cmd_ignore(struct bw_cli *c, const char *args)
{
	char word[32];
	uint64_t number, count;
	bw_take_word(&args, word, sizeof(word));
	if (!bw_parse_u64(word, &number) || number > UINT32_MAX || !bw_parse_u64(args, &count))
		return bw_errorf(BW_E_INVALID, "\"ignore\" takes a breakpoint number and a count");
	BW_TRY(bw_debug_break_ignore(c->debug, (uint32_t)number, count));
	bw_out_line(c->out, "Will ignore the next %llu crossing%s of breakpoint %u.", (unsigned long long)count,
		    count == 1 ? "" : "s", (unsigned)number);
	return NULL;
}
