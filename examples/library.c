/* SPDX-License-Identifier: MIT */
/* The debugger as a library: stops a kernel in its second workgroup, shows what the lanes of a wave
 * hold, changes one of them, and lets the kernel end.
 *
 *     cc library.c $(pkg-config --cflags --libs breakwater) -o library
 *     ./library examples/saxpy.s */
#include <breakwater/breakwater.h>

#include <stdio.h>
#include <stdlib.h>

static void check(struct breakwater_error *err)
{
	if (!err)
		return;
	fprintf(stderr, "library: %s.\n", breakwater_error_message(err));
	breakwater_error_free(err);
	exit(1);
}

/* Asked about each wave that comes to the breakpoint. */
static bool in_second_group(void *cookie, struct breakwater_session *s, uint32_t number,
			    uint32_t wave)
{
	struct breakwater_wave w = {.size_b = sizeof(w)};
	unsigned *n_asked = cookie;
	check(breakwater_wave(s, wave, &w));
	++*n_asked;
	return w.workgroup[0] == 1;
}

static void show_wave(struct breakwater_session *s, uint32_t number)
{
	struct breakwater_wave w = {.size_b = sizeof(w)};
	struct breakwater_value *value;
	float lanes[64];
	char *name, *where;
	check(breakwater_wave(s, number, &w));
	check(breakwater_wave_text(s, number, BREAKWATER_WAVE_NAME, &name));
	check(breakwater_wave_text(s, number, BREAKWATER_WAVE_WHERE, &where));
	check(breakwater_register_read(s, number, "v2", lanes, w.lanes * sizeof(float)));
	check(breakwater_evaluate(s, number, 5, "as_float($v2[5])", &value));
	printf("%s %s\n", name, where);
	printf("v2 of lanes 0 to 2: %g %g %g; of lane 5, as an expression: %s %s\n", lanes[0],
	       lanes[1], lanes[2], breakwater_value_type(value), breakwater_value_text(value));
	breakwater_value_free(value);
	breakwater_free(name);
	breakwater_free(where);
}

static struct breakwater_event *wait_for_stop(struct breakwater_session *s)
{
	struct breakwater_event *event = NULL;
	while (!event) /* something else could be done here */
		check(breakwater_wait(s, 100, &event));
	return event;
}

int main(int argc, char **argv)
{
	const char *words[] = {
		"run",	   "",	    "--grid",	  "256",   "--group",	   "64",    "--arg",
		"a=2.0",   "--arg", "x=iota:256", "--arg", "y=fill:256:1", "--arg", "out=zeros:256",
		"--print", "out:4", NULL};
	const struct breakwater_break_at at = {.size_b = sizeof(at), .place = "compute"};
	struct breakwater_session *s;
	struct breakwater_event *event;
	unsigned n_asked = 0;
	uint32_t number;
	int status = 1;
	words[1] = argc > 1 ? argv[1] : "examples/saxpy.s";

	check(breakwater_open(words, &s));
	check(breakwater_break_set(s, &at, &number));
	check(breakwater_break_function(s, number, in_second_group, &n_asked));
	check(breakwater_start(s));
	event = wait_for_stop(s);
	printf("%s", breakwater_event_text(event));
	uint32_t wave = breakwater_event_wave(event);
	breakwater_event_free(event);
	printf("The function was asked about more than one wave: %s\n", n_asked > 1 ? "yes" : "no");
	show_wave(s, wave);

	check(breakwater_break_delete(s, number));
	check(breakwater_continue(s));
	event = wait_for_stop(s);
	if (breakwater_event_exit_status(event, &status))
		printf("exit status %d\n", status);
	breakwater_event_free(event);
	breakwater_close(s);
	return status;
}
