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

/* Commands, then those of "info"; sorted by name. */
static const struct bw_help_page pages[] = {
	{"advance", false, "running", "advance store\nadvance saxpy.s:28"},
	{"append", false, "data", "append memory out.bin $_launch.out $_launch.out+16\nappend value lane.bin $v3[5]"},
	{"apropos", false, "support", "apropos lane\napropos ^info s"},
	{"attach", false, "running", "attach 1234"},
	{"awatch", false, "breakpoints", "awatch $_launch.out[5]"},
	{"backtrace", false, "stack", "backtrace\nbacktrace 1\nbacktrace -1"},
	{"break", false, "breakpoints", "break saxpy\nbreak saxpy.s:28\nbreak store if $_lane == 3 && $v3[3] > 4.0f\nbreak *$pc\nbreak on dispatch 2 saxpy"},
	{"call", false, "data", "call $s4 + 1"},
	{"catch", false, "breakpoints", "catch fp\ncatch fp div0 int_div0\ncatch dispatch saxpy"},
	{"cd", false, "files", "cd examples"},
	{"clear", false, "breakpoints", "clear saxpy.s:28"},
	{"commands", false, "breakpoints", "commands 1\nsilent\nprint $v3[5]\nend"},
	{"condition", false, "breakpoints", "condition 1 $_workgroup == 2,0,0\ncondition 1"},
	{"continue", false, "running", "continue\ncontinue 3"},
	{"define", false, "support", "define lane_of_wave\nwave $arg0\nlane $arg1\nend"},
	{"delete", false, "breakpoints", "delete 1\ndelete display\ndelete"},
	{"detach", false, "running", "detach"},
	{"directory", false, "files", "directory examples"},
	{"disable", false, "breakpoints", "disable 1\ndisable"},
	{"disassemble", false, "files", "disassemble\ndisassemble /s\ndisassemble /r $pc,+16"},
	{"display", false, "data", "display $v3[5]\ndisplay/i $pc\ndisplay/4xw $_launch.out"},
	{"document", false, "support", "document lane_of_wave\nChooses a wave, and a lane of it.\nend"},
	{"down", false, "stack", "down"},
	{"dprintf", false, "breakpoints", "dprintf saxpy.s:28 if $_lane == 0,\"wave %d: %f\\n\", $_wave, as_float($v3[0])"},
	{"dump", false, "data", "dump memory out.bin $_launch.out $_launch.out+16\ndump binary value lane.bin $v3[5]\ndump image out.png $_launch.out 16x16 r32f"},
	{"echo", false, "support", "echo here\\n"},
	{"enable", false, "breakpoints", "enable once 1\nenable count 2 1\nenable"},
	{"eval", false, "support", "eval \"break saxpy.s:%d\", 28"},
	{"finish", false, "running", "finish"},
	{"focus", false, "screen", "focus asm\nfocus next"},
	{"frame", false, "stack", "frame\nframe 1\nframe function main"},
	{"hbreak", false, "breakpoints", "hbreak saxpy.s:28"},
	{"help", false, "support", "help break\nhelp info waves\nhelp waves\nhelp all"},
	{"if", false, "support", "if $_lane == 0\necho the first lane\\n\nelse\necho another one\\n\nend"},
	{"ignore", false, "breakpoints", "ignore 1 3"},
	{"inferior", false, "running", "inferior\ninferior 1"},
	{"info", false, "status", "info waves\ninfo registers pc exec\ninfo breakpoints"},
	{"inspect", false, "data", "inspect $v3[5]"},
	{"jump", false, "running", "jump compute\njump saxpy.s:28"},
	{"kill", false, "running", "kill"},
	{"lane", false, "waves", "lane\nlane 5\nlane apply 0-3 print $v3\nlane apply -active print $_lane"},
	{"layout", false, "screen", "layout src\nlayout regs\nlayout lanes\nlayout mem"},
	{"list", false, "files", "list\nlist saxpy\nlist 20,30\nlist saxpy.s:28\nlist -"},
	{"next", false, "running", "next\nnext 2"},
	{"nexti", false, "running", "nexti\nnexti 2"},
	{"output", false, "data", "output $v3[5]\noutput/x $s4"},
	{"print", false, "data", "print $v3\nprint/f $v3[5]\nprint $_launch.out[4]\nprint *$_launch.out@8\nprint as_float($v3) @lanes\nprint $v2[3] = 1.5f\nprint *(float *)$_launch.x\nprint $_lane"},
	{"printf", false, "data", "printf \"wave %d, lane %d: %x\\n\", $_wave, $_lane, $s4"},
	{"ptype", false, "data", "ptype $_launch.out\nptype float *\nptype /o struct node"},
	{"pwd", false, "files", "pwd"},
	{"quit", false, "support", "quit\nquit 1"},
	{"refresh", false, "screen", "refresh"},
	{"report", false, "status", "report stop.html"},
	{"restore", false, "data", "restore out.bin binary $_launch.out"},
	{"run", false, "running", "run"},
	{"rwatch", false, "breakpoints", "rwatch $_launch.x[5]"},
	{"save", false, "breakpoints", "save breakpoints mine.bw"},
	{"set", false, "data", "set var $v2[3] = 1.5f\nset var $_launch.out[0] = 1\nset var $n = 3\nset pagination off\nset scheduler-locking step"},
	{"shell", false, "support", "shell date"},
	{"show", false, "status", "show\nshow pagination\nshow logging\nshow user\nshow convenience"},
	{"silent", false, "breakpoints", "commands\nsilent\nprint $pc\nend"},
	{"source", false, "support", "source mine.bw"},
	{"start", false, "running", "start"},
	{"starti", false, "running", "starti"},
	{"step", false, "running", "step\nstep 2"},
	{"stepi", false, "running", "stepi\nstepi 10"},
	{"symbol-file", false, "files", "symbol-file saxpy.co"},
	{"tbreak", false, "breakpoints", "tbreak store\ntbreak saxpy.s:28 if $_lane == 3"},
	{"tcatch", false, "breakpoints", "tcatch fp div0"},
	{"thbreak", false, "breakpoints", "thbreak store"},
	{"thread", false, "waves", "thread\nthread 1:5\nthread apply all print $pc\nthread find saxpy"},
	{"tui", false, "screen", "tui enable\ntui disable\ntui mem /4xw $_launch.out"},
	{"undisplay", false, "data", "undisplay 1\nundisplay"},
	{"unset", false, "files", "unset substitute-path /build"},
	{"until", false, "running", "until\nuntil store"},
	{"up", false, "stack", "up"},
	{"update", false, "screen", "update"},
	{"watch", false, "breakpoints", "watch $_launch.out[5]\nwatch *(int *)$_launch.out\nwatch $s4"},
	{"wave", false, "waves", "wave\nwave 2\nwave 1:5\nwave apply 1-2 print $pc\nwave find saxpy"},
	{"whatis", false, "data", "whatis $_launch.out\nwhatis 1 + 2.5f"},
	{"where", false, "stack", "where"},
	{"while", false, "support", "set var $i = 0\nwhile $i < 3\nprint $v3[$i]\nset var $i = $i + 1\nend"},
	{"winheight", false, "screen", "winheight src 20\nwinheight cmd +3"},
	{"x", false, "data", "x/8xw $_launch.out\nx/4fw $_launch.x\nx/3i $pc\nx/4xw lds#0"},

	{"address", true, "files", "info address saxpy"},
	{"agents", true, "gpu", "info agents"},
	{"all-registers", true, "data", "info all-registers"},
	{"args", true, "stack", "info args\ninfo args ^x"},
	{"breakpoints", true, "breakpoints", "info breakpoints"},
	{"buffer", true, "gpu", "info buffer 1"},
	{"buffers", true, "gpu", "info buffers"},
	{"descriptors", true, "gpu", "info descriptors"},
	{"dispatch", true, "gpu", "info dispatch\ninfo dispatch 1"},
	{"dispatches", true, "gpu", "info dispatches"},
	{"display", true, "data", "info display"},
	{"fault", true, "gpu", "info fault"},
	{"frame", true, "stack", "info frame"},
	{"functions", true, "files", "info functions\ninfo functions ^sax"},
	{"inferiors", true, "status", "info inferiors"},
	{"kernel", true, "gpu", "info kernel"},
	{"lanes", true, "waves", "info lanes\ninfo lanes $v3\ninfo lanes 0-7"},
	{"line", true, "files", "info line saxpy.s:28"},
	{"locals", true, "stack", "info locals\ninfo locals -t float ^sum"},
	{"pipelines", true, "gpu", "info pipelines"},
	{"program", true, "status", "info program"},
	{"registers", true, "data", "info registers\ninfo registers pc exec s4 v3"},
	{"report", true, "gpu", "info report"},
	{"scope", true, "stack", "info scope saxpy.s:28"},
	{"sgprs", true, "data", "info sgprs"},
	{"sharedlibrary", true, "files", "info sharedlibrary"},
	{"signals", true, "status", "info signals"},
	{"source", true, "files", "info source"},
	{"sources", true, "files", "info sources saxpy"},
	{"submissions", true, "gpu", "info submissions"},
	{"symbol", true, "files", "info symbol $pc"},
	{"threads", true, "waves", "info threads"},
	{"types", true, "files", "info types\ninfo types node"},
	{"variables", true, "files", "info variables"},
	{"vgprs", true, "data", "info vgprs"},
	{"watchpoints", true, "breakpoints", "info watchpoints"},
	{"wave", true, "waves", "info wave\ninfo wave 1"},
	{"waves", true, "waves", "info waves\ninfo waves count"},
	{"win", true, "screen", "info win"},
};

static const struct bw_help_setting settings[] = {
	{"backtrace limit", "N | unlimited", "20", "How many frames \"backtrace\" shows at most."},
	{"break-on hang", "SECONDS | off", "10", "Stop a submission that takes longer, with its waves."},
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

const struct bw_help_page *bw_help_page(const char *command, bool is_info)
{
	for (size_t i = 0; i < BW_ARRAY_SIZE(pages); i++)
		if (pages[i].is_info == is_info && !strcmp(pages[i].command, command))
			return &pages[i];
	return NULL;
}
