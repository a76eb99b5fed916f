/* SPDX-License-Identifier: MIT */
/* The text of the report file, and the same as facts. Pure. */
#include "selftest/selftest.h"

#include "base/util.h"

const char *bw_selftest_verdict_text(enum bw_selftest_verdict v)
{
	static const char *const texts[] = {
		[BW_SELFTEST_NOT_RUN] = "not run",
		[BW_SELFTEST_RUNNING] = "running",
		[BW_SELFTEST_PASSED] = "passed",
		[BW_SELFTEST_FAILED] = "failed",
		[BW_SELFTEST_HUNG] = "hung, and the GPU still works",
		[BW_SELFTEST_GPU_HUNG] = "hung, and the GPU does not answer",
		[BW_SELFTEST_INTERRUPTED] = "interrupted",
	};
	return (size_t)v < BW_ARRAY_SIZE(texts) ? texts[v] : "?";
}

const char *bw_selftest_holds_text(enum bw_selftest_holds holds)
{
	static const char *const texts[] = {[BW_SELFTEST_UNKNOWN] = "unknown",
					    [BW_SELFTEST_NO] = "no",
					    [BW_SELFTEST_YES] = "yes"};
	return (size_t)holds < BW_ARRAY_SIZE(texts) ? texts[holds] : "?";
}

/* ---- The file ---- */

struct page {
	const struct bw_private *hide;
	struct bw_str *out;
};

/* Text that comes from outside, as one line. */
static void add_outer(const struct page *p, const char *text)
{
	struct bw_str hidden = {0};
	bw_private_put(p->hide, text, &hidden);
	bw_str_add_printable(p->out, bw_str_text(&hidden), "");
	bw_str_free(&hidden);
}

static void add_values(const struct page *p, const struct bw_selftest_result *r, const char *indent)
{
	for (uint32_t i = 0; i < r->n_values && i < BW_SELFTEST_VALUES; i++) {
		bw_str_addf(p->out, "%s%s: ", indent, r->values[i].name);
		add_outer(p, r->values[i].text);
		bw_str_add(p->out, "\n");
	}
	if (r->n_left_out)
		bw_str_addf(p->out, "%s(%u more values)\n", indent, r->n_left_out);
}

static void add_step(const struct page *p, const struct bw_selftest_step *s,
		     const struct bw_selftest_result *r)
{
	bw_str_addf(p->out, "\n%s: %s", s->name, bw_selftest_verdict_text(r->verdict));
	if (r->seconds > 0)
		bw_str_addf(p->out, ", %.2f s", r->seconds);
	bw_str_add(p->out, "\n");
	if (r->verdict == BW_SELFTEST_NOT_RUN)
		return;
	if (r->why[0]) {
		bw_str_add(p->out, "  reason: ");
		add_outer(p, r->why);
		bw_str_add(p->out, ".\n");
	}
	if (r->verdict != BW_SELFTEST_PASSED && r->doing[0]) {
		bw_str_add(p->out, "  last: ");
		add_outer(p, r->doing);
		bw_str_add(p->out, "\n");
	}
	add_values(p, r, "  ");
}

static void add_inferences(const struct page *p, const struct bw_selftest *t)
{
	if (t->is_model)
		bw_str_add(p->out, "  " BW_SELFTEST_OF_MODEL "\n");
	for (size_t i = 0; i < t->n_inferences; i++) {
		const struct bw_selftest_result *r = &t->answers[i];
		bw_str_addf(p->out, "  %s: %s", t->inferences[i].name,
			    bw_selftest_holds_text(r->holds));
		if (r->why[0]) {
			bw_str_add(p->out, ": ");
			add_outer(p, r->why);
		}
		bw_str_add(p->out, "\n");
		add_values(p, r, "    ");
	}
}

void bw_selftest_report(const struct bw_selftest *t, const char *version,
			const struct bw_private *hide, struct bw_str *out)
{
	const struct page p = {hide, out};
	bw_str_addf(out,
		    "Breakwater self-test, version %s\n"
		    "A step that is \"running\" is one that this machine did not survive.\n",
		    version);
	for (size_t i = 0; i < t->n; i++) {
		add_step(&p, &t->steps[i], &t->results[i]);
		if (!t->steps[i].run && t->results[i].verdict != BW_SELFTEST_NOT_RUN)
			add_inferences(&p, t);
	}
}

/* ---- As facts ---- */

struct shown_step {
	const struct bw_selftest_step *step;
	const struct bw_selftest_result *result;
	uint32_t ms;
};
struct shown_inference {
	const struct bw_selftest_inference *inference;
	const struct bw_selftest_result *result;
};

static void show_values(struct bw_table *t, const struct bw_selftest_result *r)
{
	json_t *values = json_array();
	for (uint32_t i = 0; i < r->n_values && i < BW_SELFTEST_VALUES; i++) {
		json_t *value = json_object();
		json_object_set_new(value, "name", bw_json_text(r->values[i].name));
		json_object_set_new(value, "text", bw_json_text(r->values[i].text));
		json_array_append_new(values, value);
	}
	bw_table_json_cell(t, values);
}

static void show_why(struct bw_table *t, const struct bw_selftest_result *r)
{
	if (r->why[0])
		bw_table_text(t, "%s", r->why);
	else
		bw_table_empty(t);
}

/* A getter of a text. */
#define SHOW(name, type, text)                                                                     \
	static void name(struct bw_table *t, const void *of)                                       \
	{                                                                                          \
		const struct type *s = of;                                                         \
		bw_table_text(t, "%s", text);                                                      \
	}
SHOW(step_name, shown_step, s->step->name)
SHOW(step_does, shown_step, s->step->does)
SHOW(step_risk, shown_step, s->step->risk)
SHOW(step_verdict, shown_step, bw_selftest_verdict_text(s->result->verdict))
SHOW(inference_name, shown_inference, s->inference->name)
SHOW(inference_sentence, shown_inference, s->inference->sentence)
SHOW(inference_where, shown_inference, s->inference->where)
SHOW(inference_holds, shown_inference, bw_selftest_holds_text(s->result->holds))
#undef SHOW

static void step_why(struct bw_table *t, const void *of)
{
	show_why(t, ((const struct shown_step *)of)->result);
}

static void step_values(struct bw_table *t, const void *of)
{
	show_values(t, ((const struct shown_step *)of)->result);
}

static void inference_why(struct bw_table *t, const void *of)
{
	show_why(t, ((const struct shown_inference *)of)->result);
}

static void inference_values(struct bw_table *t, const void *of)
{
	show_values(t, ((const struct shown_inference *)of)->result);
}

static const struct bw_fact step_rows[] = {
	{NULL, "name", "text", "", BW_GET(step_name)},
	{NULL, "does", "text", "What it will do.", BW_GET(step_does)},
	{NULL, "risk", "text", "What could happen.", BW_GET(step_risk)},
	{NULL, "verdict", "selftest-verdict", "", BW_GET(step_verdict)},
	{NULL, "ms", "count?", "How long it took.", BW_OF(struct shown_step, ms)},
	{NULL, "reason", "text?", "Why it has not passed.", BW_GET(step_why)},
	{NULL, "values", "selftest-value[]", "", BW_GET(step_values)},
};
BW_FACTS(step_facts, "selftest steps", "steps", step_rows);
static const struct bw_fact inference_rows[] = {
	{"Inference", "name", "text", "", BW_GET(inference_name)},
	{"Holds", "holds", "yes|no|unknown", "", BW_GET(inference_holds)},
	{NULL, "sentence", "text", "What is inferred.", BW_GET(inference_sentence)},
	{NULL, "relied_on", "text", "By what.", BW_GET(inference_where)},
	{"Reason", "reason", "text?", "Why it does not hold, or could not be tried.",
	 BW_GET(inference_why)},
	{NULL, "values", "selftest-value[]", "", BW_GET(inference_values)},
};
BW_FACTS(inference_facts, "selftest inferences", "inferences", inference_rows);

static void show_steps(const struct bw_selftest *t, struct bw_out *o)
{
	struct bw_table table;
	bw_table_begin(&table, &step_facts);
	for (size_t i = 0; i < t->n; i++)
		bw_table_row(&table,
			     &(struct shown_step){&t->steps[i], &t->results[i],
						  (uint32_t)(t->results[i].seconds * 1000)});
	bw_out_json(o, step_facts.key, bw_table_json(&table));
	bw_table_fini(&table);
}

void bw_selftest_show(const struct bw_selftest *t, struct bw_out *o)
{
	struct bw_table table;
	show_steps(t, o); /* as text, each was said when it ran */
	bw_table_begin(&table, &inference_facts);
	for (size_t i = 0; i < t->n_inferences; i++)
		bw_table_row(&table, &(struct shown_inference){&t->inferences[i], &t->answers[i]});
	if (bw_out_is_json(o) || t->results[t->n - 1].verdict != BW_SELFTEST_NOT_RUN)
		bw_out_table(o, &table, "");
	bw_table_fini(&table);
}
