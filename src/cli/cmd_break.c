/* SPDX-License-Identifier: MIT */
#include "cli/cli.h"

#include <string.h>

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
