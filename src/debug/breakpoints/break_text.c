// SPDX-License-Identifier: MIT
/* Parses what a user types after "break": which kind of breakpoint it is, and the text after its
 * place: "if EXPR", "wave N". */
#include "debug/breakpoints/breakpoints_priv.h"

#include <ctype.h>
#include <string.h>

#include "base/str.h"
#include "debug/draws.h"

/* Reads "thread N" or "wave N" at the end of text, and cuts it off. 0: there is none. */
static uint32_t take_wave(char *text)
{
	static const char *const words[] = {"thread", "wave"};
	size_t len = strlen(text), end = len;
	uint64_t n;

	while (end && isdigit((unsigned char)text[end - 1]))
		end--;
	if (end == len || !bw_parse_u64(text + end, &n) || n > UINT32_MAX)
		return 0;
	while (end && text[end - 1] == ' ')
		end--;
	for (size_t i = 0; i < BW_ARRAY_SIZE(words); i++) {
		size_t w = strlen(words[i]);
		if (end < w || strncmp(text + end - w, words[i], w) != 0)
			continue;
		if (end > w && text[end - w - 1] != ' ')
			continue;
		text[end - w] = 0;
		return (uint32_t)n;
	}
	return 0;
}

static void trim(char *text)
{
	const char *from = bw_skip_blanks(text);
	size_t len = strlen(from);
	while (len && isspace((unsigned char)from[len - 1]))
		len--;
	memmove(text, from, len);
	text[len] = 0;
}

/* Splits "WHERE [wave N] [if EXPR]"; "wave N" may stand after the condition, too, as in gdb. */
struct bw_error *bw_break_split(char *text, char **out_condition, uint32_t *out_wave)
{
	*out_condition = NULL;
	trim(text);
	for (char *p = text; *p; p++) {
		bool starts = p == text || isspace((unsigned char)p[-1]);
		const char *quoted = starts && (*p == '"' || *p == '\'') ? strchr(p + 1, *p) : NULL;
		if (quoted) { /* a quoted name with blanks may contain these words */
			p += quoted - p;
			continue;
		}
		if (starts && p[0] == 'i' && p[1] == 'f' &&
		    (isspace((unsigned char)p[2]) || p[2] == '(' || p[2] == 0)) {
			*p = 0;
			*out_condition = p + 2;
			trim(*out_condition);
			break;
		}
	}
	trim(text);
	*out_wave = take_wave(text);
	trim(text);
	if (*out_wave == 0 && *out_condition) {
		*out_wave = take_wave(*out_condition);
		trim(*out_condition);
	}
	return *out_condition && !**out_condition
		       ? bw_errorf(BW_E_INVALID, "the condition after \"if\" is missing")
		       : NULL;
}

/* "on dispatch WORDS" -> "WORDS"; NULL: it is another place. */
static const char *on_dispatch(const char *text)
{
	char first[8], second[16];
	bw_take_word(&text, first, sizeof(first));
	bw_take_word(&text, second, sizeof(second));
	bool is = !strcmp(first, "on") &&
		  (!strcmp(second, "dispatch") || !strcmp(second, "dispatches"));
	return is ? text : NULL;
}

struct bw_error *bw_debug_break_typed(struct bw_debug *d, const char *text, bool temporary,
				      uint32_t *out_number)
{
	const char *dispatch = on_dispatch(text);
	return dispatch ? bw_debug_break_dispatch(d, dispatch, temporary, out_number)
	       : bw_debug_is_draw_place(text) ? bw_debug_break_draw(d, text, temporary, out_number)
					      : bw_debug_break(d, text, temporary, out_number);
}
