/* SPDX-License-Identifier: MIT */
/* --fidelity: which instructions the virtual GPU executed approximately, unusually or not at
 * all. */
#include "session/programs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/util.h"
#include "ui/table.h"

static const struct {
	const char *text, *key;
} kinds[] = {
	[BW_KMD_EXACT] = {"exact", "exact"},
	[BW_KMD_ULP1] = {"within 1 ULP", "within_1_ulp"},
	[BW_KMD_APPROXIMATE] = {"approximate", "approximate"},
	[BW_KMD_ABSENT] = {"not executed", "not_executed"},
	[BW_KMD_UNUSUAL] = {"unusual", "unusual"},
};

static void executed(struct bw_table *t, const void *of)
{
	bw_table_text(t, "%s", kinds[((const struct bw_kmd_fidelity_row *)of)->kind].text);
}

static const struct bw_fact opcode_rows[] = {
	{"Opcode", "opcode", "text", BW_OF(struct bw_kmd_fidelity_row, name)},
	{"Times", "times", "count", BW_OF(struct bw_kmd_fidelity_row, count)},
	{"Executed", "executed", "text", BW_GET(executed)},
	{"Why", "why", "text", BW_OF(struct bw_kmd_fidelity_row, why)},
};
BW_FACTS(opcode_facts, "fidelity", "opcodes", opcode_rows);

/* Server options are words; more go after those that the user gave. */
struct bw_error *bw_add_server_args(const char *words)
{
	const char *given = getenv(BW_KMD_SERVER_ARGS_ENV);
	_cleanup_free_ char *args = NULL;
	if (asprintf(&args, "%s %s", given ? given : "", words) < 0 ||
	    setenv(BW_KMD_SERVER_ARGS_ENV, args, 1))
		return bw_error_nomem();
	return NULL;
}

struct bw_error *bw_check_fidelity(struct bw_kmd *kmd)
{
	_cleanup_free_ struct bw_kmd_fidelity_row *rows = NULL;
	size_t n;
	return bw_kmd_fidelity(kmd, &rows, &n);
}

/* "1000 instructions executed: 900 exact, 100 within 1 ULP." */
static void summary(struct bw_out *o, const uint64_t count[BW_ARRAY_SIZE(kinds)], uint64_t all)
{
	struct bw_str s = {0};
	bw_str_addf(&s, "%" PRIu64 " instruction%s executed", all, all == 1 ? "" : "s");
	if (all && count[BW_KMD_EXACT] == all) {
		bw_str_add(&s, all == 1 ? ", and exactly" : ", all of them exactly");
	} else {
		const char *between = ": ";
		for (size_t k = 0; k < BW_ARRAY_SIZE(kinds); k++) {
			if (count[k]) {
				bw_str_addf(&s, "%s%" PRIu64 " %s", between, count[k],
					    kinds[k].text);
				between = ", ";
			}
		}
	}
	bw_out_line(o, "%s.", bw_str_text(&s));
	bw_str_free(&s);
}

struct bw_error *bw_show_fidelity(struct bw_kmd *kmd, struct bw_out *o)
{
	_cleanup_free_ struct bw_kmd_fidelity_row *rows = NULL;
	size_t n;
	uint64_t count[BW_ARRAY_SIZE(kinds)] = {0}, all = 0;
	BW_TRY(bw_kmd_fidelity(kmd, &rows, &n));
	for (size_t i = 0; i < n; i++) {
		if (rows[i].is_second)
			continue;
		count[rows[i].kind] += rows[i].count;
		all += rows[i].count;
	}
	struct bw_table t;
	bw_table_begin(&t, &opcode_facts);
	for (size_t i = 0; i < n; i++)
		if (rows[i].kind != BW_KMD_EXACT)
			bw_table_row(&t, &rows[i]);
	bw_out_begin(o, "event", "fidelity");
	summary(o, count, all);
	bw_out_int(o, "instructions", (int64_t)all);
	for (size_t k = 0; k < BW_ARRAY_SIZE(kinds); k++)
		bw_out_int(o, kinds[k].key, (int64_t)count[k]);
	if (bw_table_rows(&t) || bw_out_is_json(o))
		bw_out_table(o, &t, "");
	bw_out_end(o);
	bw_table_fini(&t);
	return NULL;
}
