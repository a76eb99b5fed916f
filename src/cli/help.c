/* SPDX-License-Identifier: MIT */
#include "cli/help.h"

#include <string.h>

#include "base/util.h"

/* The topics are gdb's classes of commands, with those of a GPU. */
/* clang-format off */
static const struct bw_help_topic topics[] = {
	{"running", "Starting the program, stepping and resuming waves."},
	{"breakpoints", "Making the program stop at places, at accesses, at exceptions and dispatches."},
	{"waves", "Waves and lanes: which there are, and which one has the focus."},
	{"data", "Registers, variables, buffers and memory: looking at them and changing them."},
	{"stack", "The functions that a wave is in, with their variables."},
	{"files", "Source files, instructions, and what code objects know."},
	{"gpu", "What the program has given to the GPU: dispatches, pipelines, buffers; and faults."},
	{"status", "What is going on: the program, settings, breakpoints."},
	{"screen", "The terminal screen."},
	{"support", "Help, settings, scripts, commands of your own; the history (Ctrl-R searches it)."},
};

static const struct bw_help_setting settings[] = {
	{"backtrace limit", "N | unlimited", "20", "How many frames \"backtrace\" shows at most."},
	{"break-on hang", "SECONDS | off", "10", "Stop a submission that takes longer, with its waves, and a program whose AQL queue stands longer at a barrier."},
	{"breakpoint pending", "on", "on", "A breakpoint whose code is not loaded yet waits for it: always on."},
	{"confirm", "on | off", "off", "Ask at a terminal before a program that runs is left or killed, and before a jump out of a function."},
	{"detach-on-fork", "on | off", "on", "Leave processes that the program starts alone, instead of debugging them as well."},
	{"directories", "[DIR:DIR...]", "/src:/usr/src", "Folders in which sources are looked for; those of the command \"directory\"."},
	{"height", "LINES | unlimited", "40", "Lines of a page of output; 0 is unlimited."},
	{"hold-time", "on | off", "off", "Hold the program's clocks and waits while it is stopped, so that its watchdogs do not expire."},
	{"listsize", "LINES", "20", "How many lines \"list\" shows."},
	{"logging enabled", "on | off", "on", "Copy what is shown, without colours, to the file of \"set logging file\"."},
	{"logging file", "FILE", "session.log", "Where \"set logging enabled on\" writes to; breakwater.log unless set."},
	{"logging overwrite", "on | off", "on", "Begin the log anew, instead of adding to the file."},
	{"logging redirect", "on | off", "on", "Write to the log alone, and show nothing on the terminal."},
	{"non-stop", "off", "off", "When one wave stops, all stop: always off."},
	{"pagination", "on | off", "off", "Show what is longer than the screen page by page, in a session at a terminal."},
	{"precise-memory", "on | off", "off", "Report faults and watchpoints right at the access, not some instructions after it."},
	{"print elements", "N | unlimited", "1000", "How many elements of arrays and texts are shown at most."},
	{"print pretty", "on | off", "on", "Show each member of a struct on a line of its own."},
	{"print repeats", "N | unlimited", "20", "How many equal neighbours in an array are shown one by one; more are folded."},
	{"scheduler-locking", "step | on | off", "on", "Which waves run: step: steps move the focus wave alone; on: nothing but it ever moves; off: the others run meanwhile."},
	{"stop-on-dispatch", "on | off", "on", "Stop each dispatch before it has waves."},
	{"style enabled", "on | off", "off", "Colours, on a terminal that has them; NO_COLOR in the environment is the same as off."},
	{"substitute-path", "FROM TO", "/build /home/me/src", "Look for sources whose path begins with FROM below TO instead."},
	{"trace-commands", "on | off", "on", "Show each command of a script before it is run."},
	{"trap-on-entry", "on | off", "on", "Stop each dispatch at its first instruction, with its waves."},
	{"width", "0", "0", "Long lines are never folded: always 0."},
};
/* clang-format on */

const struct bw_help_setting *bw_help_settings(size_t *out_n)
{
	*out_n = BW_ARRAY_SIZE(settings);
	return settings;
}

const struct bw_help_topic *bw_help_topics(size_t *out_n)
{
	*out_n = BW_ARRAY_SIZE(topics);
	return topics;
}

const struct bw_help_topic *bw_help_topic(const char *name)
{
	for (size_t i = 0; i < BW_ARRAY_SIZE(topics); i++)
		if (!strcmp(topics[i].name, name))
			return &topics[i];
	return NULL;
}
