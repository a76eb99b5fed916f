/* SPDX-License-Identifier: MIT */
#include "cli/commands.h"
#include "debug/expressions.h"
#include "debug/stop.h"
#include "debug/variables.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/util.h"

/* Sorted by name. `shortest` follows gdb: b is break, c continue, d delete, s step ... */
/* clang-format off */
static const struct bw_command commands[] = {
	{"advance", NULL, bw_cmd_advance, "running", "WHERE", "Run the focus wave to WHERE, or until the selected frame returns; the others stay stopped.", NULL,
	 "advance store\nadvance saxpy.s:28", BW_COMPLETE_WHERE, true},
	{"append", NULL, bw_cmd_append, "data", "memory FILE START END | value FILE EXPR", "Add memory or a value to a file.", NULL,
	 "append memory out.bin $_launch.out $_launch.out+16\nappend value lane.bin $v3[5]", BW_COMPLETE_FILE, false, true},
	{"attach", NULL, bw_cmd_attach, "running", "PID", "Debug a program that runs already, started by \"breakwater exec\"; beside others, if there are any.", NULL,
	 "attach 1234", BW_COMPLETE_NONE, false, true},
	{"apropos", NULL, bw_cmd_apropos, "support", "REGEX", "Search the commands, what \"help\" says of them, and the settings.", "apropos lane, apropos ^info s",
	 "apropos lane\napropos ^info s", BW_COMPLETE_NONE, false},
	{"awatch", NULL, bw_cmd_awatch, "breakpoints", "[-l] EXPR [if EXPR]", "Stop when a value in memory is read or written.", NULL,
	 "awatch $_launch.out[5]", BW_COMPLETE_EXPR, false},
	{"backtrace", "bt", bw_cmd_backtrace, "stack", "[N | -N]", "Show the functions that the focus wave is in: all, the innermost N, or the outermost N.",
	 "Inlined functions are frames, too. Callers are found by what the code has done so far.",
	 "backtrace\nbacktrace 1\nbacktrace -1", BW_COMPLETE_EXPR, false},
	{"break", "b", bw_cmd_break, "breakpoints", "[WHERE] [if EXPR] [wave N]", "Set a breakpoint: every wave that gets there stops.",
	 "WHERE is a function or label (saxpy, saxpy+16), FILE:LINE, LINE, +LINES or -LINES from where the selected\n"
	 "frame is, or *ADDRESS. Without it: where the focus wave is. EXPR is evaluated for each active lane; the wave stops if it holds for one, e.g.\n"
	 "break saxpy.s:14 if $_lane == 3.\n"
	 "wave N (or thread N): for that wave alone.\n"
	 "break on dispatch [every | N] [NAME] [PROPERTY VALUE...] [if EXPR] stops such dispatches, or the Nth of them, at\n"
	 "their first instruction. Submissions that take too long are stopped by \"set break-on hang SECONDS\".\n"
	 "break pixel X,Y, break vertex N [instance M] and break draw N stop the waves of draws that have the pixel (covered, not\n"
	 "as a helper) or the vertex (its index, or its number from 0), or the draw's first wave, at their first instruction.\n"
	 "\"sample S\" after a pixel: only if that sample is covered; \"attachment N\" (or depth, stencil): only draws to that.",
	 "break saxpy\nbreak saxpy.s:28\nbreak store if $_lane == 3 && $v3[3] > 4.0f\nbreak *$pc\nbreak on dispatch 2 saxpy\nbreak pixel 50,38\nbreak pixel 50,38 sample 2 attachment 0\nbreak vertex 2\nbreak draw 3", BW_COMPLETE_WHERE, false},
	{"call", NULL, bw_cmd_call, "data", "EXPR", "Evaluate EXPR; print it unless it is void.", NULL,
	 "call $s4 + 1", BW_COMPLETE_EXPR, false},
	{"catch", NULL, bw_cmd_catch, "breakpoints", "fp [KIND...] | dispatch [every | N] [NAME] [PROPERTY VALUE...] [if EXPR]", "Stop waves that raise float exceptions, or divide an integer by zero.",
	 "all, or no KIND: invalid div0 overflow int_div0. Memory violations (fault), illegal instructions (illegal) and\n"
	 "traps (trap) always stop. catch dispatch is break on dispatch.",
	 "catch fp\ncatch fp div0 int_div0\ncatch dispatch saxpy", BW_COMPLETE_CATCH, false},
	{"cd", NULL, bw_cmd_cd, "files", "[FOLDER]", "Change the working directory of the debugger.", NULL,
	 "cd examples", BW_COMPLETE_FILE, false, true},
	{"clear", NULL, bw_cmd_clear, "breakpoints", "[WHERE]", "Delete the breakpoints at a place.", NULL,
	 "clear saxpy.s:28", BW_COMPLETE_WHERE, false},
	{"commands", NULL, bw_cmd_commands, "breakpoints", "[-each-wave] [N...]", "Commands to run when breakpoint N stops the program: lines up to \"end\".",
	 "Without N: the last breakpoint. A command that lets the program run ends the lines.\n"
	 "\"silent\" as the first line leaves out what a stop prints.\n"
	 "They run once for a stop, however many waves it has stopped; with -each-wave once for each wave that stopped\n"
	 "here, with the focus on it; \"continue\" among them is done after the last one.",
	 "commands 1\nsilent\nprint $v3[5]\nend", BW_COMPLETE_NONE, false},
	{"condition", NULL, bw_cmd_condition, "breakpoints", "N [EXPR]", "Make breakpoint N conditional; without EXPR, unconditional.", NULL,
	 "condition 1 $_workgroup == 2,0,0\ncondition 1", BW_COMPLETE_EXPR, false},
	{"continue", "c", bw_cmd_continue, "running", "[COUNT]", "Resume all waves; COUNT passes over the current breakpoint that often.", NULL,
	 "continue\ncontinue 3", BW_COMPLETE_NONE, true},
	{"define", NULL, bw_cmd_define, "support", "NAME", "Make a command of the lines up to \"end\"; $arg0, $arg1... are its arguments, $argc their number.", NULL,
	 "define lane_of_wave\nwave $arg0\nlane $arg1\nend", BW_COMPLETE_NONE, false},
	{"delete", "d", bw_cmd_delete, "breakpoints", "[breakpoints | display] [N...]", "Delete breakpoints or displays; without a number, all of them.", NULL,
	 "delete 1\ndelete display\ndelete", BW_COMPLETE_NONE, false},
	{"detach", NULL, bw_cmd_detach, "running", "[inferiors N...]", "Detach from the program, which runs on.", "Of several the current one, or those that are named.",
	 "detach", BW_COMPLETE_NONE, false},
	{"directory", NULL, bw_cmd_directory, "files", "[DIR...]", "Look for source files in DIR as well; without DIR: only where they were compiled.", NULL,
	 "directory examples", BW_COMPLETE_FILE, false, true},
	{"disable", NULL, bw_cmd_disable, "breakpoints", "[breakpoints | display] [N...]", "Disable breakpoints or displays, or all.", NULL,
	 "disable 1\ndisable", BW_COMPLETE_NONE, false},
	{"disassemble", NULL, bw_cmd_disassemble, "files", "[/sr] [START[,END | ,+LENGTH]]", "Show instructions: of the function around the PC, or of a range.",
	 "/s puts source lines in between, /r shows the words.",
	 "disassemble\ndisassemble /s\ndisassemble /r $pc,+16", BW_COMPLETE_EXPR, false},
	{"display", NULL, bw_cmd_display, "data", "[/FMT] [EXPR]", "Print EXPR at every stop; without it, print all such expressions now.", "/i, /s and a format with a unit or a count look at memory, as x does: display/i $pc, display/4xw out.",
	 "display $v3[5]\ndisplay/i $pc\ndisplay/4xw $_launch.out", BW_COMPLETE_EXPR, false},
	{"document", NULL, bw_cmd_document, "support", "NAME", "Set what \"help NAME\" prints for a user-defined command: lines up to \"end\".", NULL,
	 "document lane_of_wave\nChooses a wave, and a lane of it.\nend", BW_COMPLETE_NONE, false},
	{"down", NULL, bw_cmd_down, "stack", "[N]", "Select the frame that was called by the selected one.", NULL,
	 "down", BW_COMPLETE_EXPR, true},
	{"dprintf", NULL, bw_cmd_dprintf, "breakpoints", "WHERE [if EXPR] [wave N],\"FORMAT\", EXPR...", "Print a line for each wave that reaches WHERE, without a stop.",
	 "EXPR is evaluated for the first active lane (for which the condition holds): dprintf saxpy.s:28,\"%d %f\\n\",$_wave,$v3",
	 "dprintf saxpy.s:28 if $_lane == 0,\"wave %d: %f\\n\", $_wave, as_float($v3[0])", BW_COMPLETE_WHERE, false},
	{"report", NULL, bw_cmd_report, "status", "FILE", "Write the stop as one HTML file, which can be sent to someone.",
	 "The page has what happened in words, a map of the waves, source and instructions with the number of waves at each\n"
	 "line, lanes, registers, the page walk of a fault, the command stream, and buffers as numbers and pictures. It refers\n"
	 "to nothing outside of it (report stop.html). What has no room is left out, and the page says so.",
	 "report stop.html", BW_COMPLETE_FILE, false, true},
	{"dump", NULL, bw_cmd_dump, "data", "[binary] memory FILE START END | [binary] value FILE EXPR | image FILE IMAGE [WIDTHxHEIGHT FORMAT]", "Write memory, a value, or a picture to a file.",
	 "START may name an address space: dump memory lds.bin lds#0 lds#1024.\n"
	 "image writes PNG: of an image of \"info descriptors\" by its name or number (dump image a.png 3), or of rows in a buffer\n"
	 "(dump image a.png out 64x48 rgba8; formats as GLSL calls them, or 8_8_8_8_UNORM).",
	 "dump memory out.bin $_launch.out $_launch.out+16\ndump binary value lane.bin $v3[5]\ndump image out.png $_launch.out 16x16 r32f", BW_COMPLETE_FILE, false, true},
	{"echo", NULL, bw_cmd_echo, "support", "TEXT", "Print TEXT; \\n is a newline.", NULL,
	 "echo here\\n", BW_COMPLETE_NONE, false},
	{"enable", NULL, bw_cmd_enable, "breakpoints", "[once | delete | count K | display] [N...]", "Enable breakpoints or displays, or all.", "once: disabled again after one stop; delete: deleted then; count K: disabled after K stops.",
	 "enable once 1\nenable count 2 1\nenable", BW_COMPLETE_NONE, false},
	{"eval", NULL, bw_cmd_eval, "support", "\"FORMAT\", EXPR...", "Make a command as printf makes text, and run it.", NULL,
	 "eval \"break saxpy.s:%d\", 28", BW_COMPLETE_EXPR, false},
	{"finish", "fin", bw_cmd_finish, "running", "", "Run the focus wave until the selected frame has returned.", NULL,
	 "finish", BW_COMPLETE_NONE, true},
	{"focus", "fs", bw_cmd_focus, "screen", "WINDOW | next | prev", "Give a window of the terminal screen the focus: the keys that scroll are its.",
	 "WINDOW: src, asm, regs, lanes, waves, cmd, as far as it is on the screen. In cmd the arrows are those of the\n"
	 "prompt again. Ctrl-x o is \"focus next\"; a click does it, too.",
	 "focus asm\nfocus next", BW_COMPLETE_WINDOW, false},
	{"frame", "f", bw_cmd_frame, "stack", "[N | level N | function NAME]", "Select a frame, which variables are then those of, or show it.", NULL,
	 "frame\nframe 1\nframe function main", BW_COMPLETE_EXPR, false},
	{"framebuffer", NULL, bw_cmd_framebuffer, "data", "FILE.png [N | depth | stencil]", "Write an attachment of the focus wave's draw, else of the last one, to a picture.", "N: the color attachment of that number; without it the first one. It is as it is now: what the draw has not written is not there yet.",
	 "framebuffer out.png\nframebuffer depth.png depth", BW_COMPLETE_FILE, false, true},
	{"hbreak", NULL, bw_cmd_break, "breakpoints", "[WHERE] [if EXPR] [wave N]", "Same as break.", NULL,
	 "hbreak saxpy.s:28", BW_COMPLETE_WHERE, false},
	{"help", "h", bw_cmd_help, "support", "[TOPIC | COMMAND | all]", "List the topics, the commands of one, or explain a command, with examples.", NULL,
	 "help break\nhelp info waves\nhelp waves\nhelp all", BW_COMPLETE_COMMAND, false},
	{"if", NULL, bw_cmd_if, "support", "EXPR", "Run the lines up to \"else\" or \"end\" if EXPR is not 0, or those after \"else\".", NULL,
	 "if $_lane == 0\necho the first lane\\n\nelse\necho another one\\n\nend", BW_COMPLETE_EXPR, false},
	{"ignore", NULL, bw_cmd_ignore, "breakpoints", "N COUNT", "Pass over the next COUNT hits of breakpoint N.", NULL,
	 "ignore 1 3", BW_COMPLETE_NONE, false},
	{"info", "i", bw_cmd_info, "status", "WHAT", "Show facts: \"info\" alone lists them.", NULL,
	 "info waves\ninfo registers pc exec\ninfo breakpoints", BW_COMPLETE_INFO, false},
	{"inferior", NULL, bw_cmd_inferior, "running", "[N]", "Choose the current program, or show it.", "Several are debugged at once: those that the program starts, and those that \"attach\" adds. All stop together.",
	 "inferior\ninferior 1", BW_COMPLETE_NONE, false},
	{"inspect", NULL, bw_cmd_print, "data", "[/FMT] EXPR", "Same as print.", NULL,
	 "inspect $v3[5]", BW_COMPLETE_EXPR, false},
	{"jump", "j", bw_cmd_jump, "running", "WHERE", "Resume the focus wave at WHERE, and the others where they stopped.", "Out of its function only after a question.",
	 "jump compute\njump saxpy.s:28", BW_COMPLETE_WHERE, false},
	{"kill", "k", bw_cmd_kill, "running", "[inferiors N...]", "End the program.", "Of several the current one, or those that are named.",
	 "kill", BW_COMPLETE_NONE, false},
	{"lane", "la", bw_cmd_lane, "waves", "[N | apply LANES COMMAND]", "Choose the focus lane, which expressions use, or show it.", "LANES: all, -active, or numbers and ranges: lane apply 0-3 print $v2. -q leaves the titles out; print in all lanes is a table, as print EXPR @lanes is.",
	 "lane\nlane 5\nlane apply 0-3 print $v3\nlane apply -active print $_lane", BW_COMPLETE_WAVES, false},
	{"layout", "lay", bw_cmd_layout, "screen", "src | asm | split | regs | lanes | waves | mem | draws | next | prev", "Choose the windows of the terminal screen, and enable it.",
	 "src: source. asm: instructions. split: both. regs: registers, what has changed since the last stop highlighted.\n"
	 "lanes: a table of the lanes; those with equal values share a row, Left and Right choose the columns. waves: a map\n"
	 "of the GPU. mem: memory, from the place of \"tui mem\" on. draws: those of \"info draws\". The last five stand\n"
	 "above the source, or above the instructions after \"layout asm\".\n"
	 "Ctrl-x 1 and Ctrl-x 2 choose, too.",
	 "layout src\nlayout regs\nlayout lanes\nlayout mem", BW_COMPLETE_LAYOUT, false},
	{"list", "l", bw_cmd_list, "files", "[WHERE | FIRST,LAST | -]", "Show source lines around the PC or a place; again: the next ones; -: those before.", NULL,
	 "list\nlist saxpy\nlist 20,30\nlist saxpy.s:28\nlist -", BW_COMPLETE_WHERE, true},
	{"next", "n", bw_cmd_next, "running", "[COUNT]", "Step the focus wave to the next source line, over calls.", NULL,
	 "next\nnext 2", BW_COMPLETE_NONE, true},
	{"nexti", "ni", bw_cmd_nexti, "running", "[COUNT]", "Step the focus wave by one instruction, over calls.", NULL,
	 "nexti\nnexti 2", BW_COMPLETE_NONE, true},
	{"output", NULL, bw_cmd_output, "data", "[/FMT] EXPR", "Print a value alone: no $N, no newline.", NULL,
	 "output $v3[5]\noutput/x $s4", BW_COMPLETE_EXPR, false},
	{"pixel", NULL, bw_cmd_pixel, "data", "history [X,Y]", "What every draw did to a pixel: passed or failed tests, what its shader wrote, the color before and after.",
	 "Begins to note it, and runs the program if it does not run; without X,Y: what has been noted so far. \"Color\" is the attachment.",
	 "pixel history 50,38\npixel history", BW_COMPLETE_NONE, true},
	{"print", "p", bw_cmd_print, "data", "[/FMT] [-elements N | unlimited] [-pretty [on | off]] [--] EXPR", "Evaluate EXPR for the focus wave and lane, and print it.",
	 "FMT: x hex, z padded hex, d signed, u unsigned, o octal, t binary, a address, c char, f float.\n"
	 "Registers: $pc $exec $vcc $scc $m0 $s4 $s[2:3] $v3 (all lanes) $v3[5]; what the kernel was launched with:\n"
	 "print $_launch.out[4], print *$_launch.out@8 (in assembly, and without debug information, out alone is enough); memory: *(float *)0x1000, lds#0x10; print $v2[3] = 1.5 writes.\n"
	 "Buffers of \"info buffers\": print buffer out as float[256], buffer 2+0x40 as struct item[4]. print EXPR @lanes: in all lanes.\n"
	 "$ is the last value printed, $$ the one before, $3 the third; without EXPR: the last one again.",
	 "print $v3\nprint/f $v3[5]\nprint $_launch.out[4]\nprint *$_launch.out@8\nprint as_float($v3) @lanes\nprint $v2[3] = 1.5f\nprint *(float *)$_launch.x\nprint $_lane", BW_COMPLETE_EXPR, false},
	{"printf", NULL, bw_cmd_printf, "data", "\"FORMAT\", EXPR...", "Print values as C's printf does.", NULL,
	 "printf \"wave %d, lane %d: %x\\n\", $_wave, $_lane, $s4", BW_COMPLETE_EXPR, false},
	{"ptype", NULL, bw_cmd_ptype, "data", "[/o] EXPR | TYPE", "A type with its members; /o: with their offsets and sizes.", "ptype struct node, ptype item_t, ptype *p",
	 "ptype $_launch.out\nptype float *\nptype /o struct node", BW_COMPLETE_EXPR, false},
	{"pwd", NULL, bw_cmd_pwd, "files", "", "Show the working directory of the debugger.", NULL,
	 "pwd", BW_COMPLETE_NONE, false},
	{"quit", "q", bw_cmd_quit, "support", "[STATUS]", "Leave. Programs that \"run\" has started are killed (\"detach\" keeps them), those that were attached to run on.", NULL,
	 "quit\nquit 1", BW_COMPLETE_NONE, false},
	{"refresh", NULL, bw_cmd_refresh, "screen", "", "Draw the terminal screen anew.", "Ctrl-l does it, too, and empties the command window.",
	 "refresh", BW_COMPLETE_NONE, false},
	{"restore", "re", bw_cmd_restore, "data", "FILE [binary] ADDRESS [START END]", "Write the bytes of a file (from START to END of it) to memory.",
	 "What \"dump memory\" wrote, or any file; ADDRESS may name a space: lds#0.",
	 "restore out.bin binary $_launch.out", BW_COMPLETE_FILE, false, true},
	{"run", "r", bw_cmd_run, "running", "", "Start the program from the beginning.", NULL,
	 "run", BW_COMPLETE_NONE, false, true},
	{"rwatch", NULL, bw_cmd_rwatch, "breakpoints", "[-l] EXPR [if EXPR]", "Stop when a value in memory is read.", NULL,
	 "rwatch $_launch.x[5]", BW_COMPLETE_EXPR, false},
	{"save", NULL, bw_cmd_save, "breakpoints", "breakpoints FILE", "Write the breakpoints to a file that \"source\" reads.", NULL,
	 "save breakpoints mine.bw", BW_COMPLETE_FILE, false, true},
	{"set", NULL, bw_cmd_set, "data", "[var] EXPR = VALUE | SETTING VALUE", "Change a register, memory, a variable or a setting.",
	 "set var $v2[3] = 1.5    set var $s4 = 7    set var $_launch.out[0] = 1    set $n = 3\n"
	 "\"show\" lists the settings, \"help set NAME\" says what one does.",
	 "set var $v2[3] = 1.5f\nset var $_launch.out[0] = 1\nset var $n = 3\nset pagination off\nset scheduler-locking step", BW_COMPLETE_SET, false},
	{"shell", NULL, bw_cmd_shell, "support", "[COMMAND]", "Run a command of the shell; !COMMAND is the same.", NULL,
	 "shell date", BW_COMPLETE_NONE, false, true},
	{"show", NULL, bw_cmd_show, "status", "[NAME | user | convenience | values | version]", "Show a setting, those of a word, or all; the commands, variables and values of your own.", NULL,
	 "show\nshow pagination\nshow logging\nshow user\nshow convenience", BW_COMPLETE_SHOW, false},
	{"silent", NULL, bw_cmd_silent, "breakpoints", "", "The first line of a breakpoint's commands: the stop itself is not shown.", NULL,
	 "commands\nsilent\nprint $pc\nend", BW_COMPLETE_NONE, false},
	{"source", NULL, bw_cmd_source, "support", "FILE | -", "Run the commands in FILE, or the script in Python if it is called FILE.py.", "-: the lines of standard input.",
	 "source mine.bw", BW_COMPLETE_FILE, false, true},
	{"start", NULL, bw_cmd_starti, "running", "", "Same as starti.", NULL,
	 "start", BW_COMPLETE_NONE, false, true},
	{"starti", NULL, bw_cmd_starti, "running", "", "Run to the first instruction of the first dispatch.", NULL,
	 "starti", BW_COMPLETE_NONE, false, true},
	{"step", "s", bw_cmd_step, "running", "[COUNT]", "Step the focus wave to the next source line, into calls.", NULL,
	 "step\nstep 2", BW_COMPLETE_NONE, true},
	{"stepi", "si", bw_cmd_stepi, "running", "[COUNT]", "Step the focus wave by one instruction; the others stay stopped.", NULL,
	 "stepi\nstepi 10", BW_COMPLETE_NONE, true},
	{"symbol-file", NULL, bw_cmd_symbol_file, "files", "FILE", "Take functions and lines of the program's kernels from a code object.", "For programs whose kernels have names elsewhere: \"breakwater attach\", OpenCL and Vulkan.",
	 "symbol-file saxpy.co", BW_COMPLETE_FILE, false, true},
	{"tbreak", "tb", bw_cmd_tbreak, "breakpoints", "[WHERE] [if EXPR] [wave N]", "Set a breakpoint that is deleted when it is hit.", "It takes what \"break\" takes: tbreak on dispatch 2.",
	 "tbreak store\ntbreak saxpy.s:28 if $_lane == 3", BW_COMPLETE_WHERE, false},
	{"tcatch", NULL, bw_cmd_tcatch, "breakpoints", "fp [KIND...] | dispatch [every | N] [NAME] [PROPERTY VALUE...] [if EXPR]", "Like catch, once.", NULL,
	 "tcatch fp div0", BW_COMPLETE_CATCH, false},
	{"thbreak", NULL, bw_cmd_tbreak, "breakpoints", "[WHERE] [if EXPR] [wave N]", "Same as tbreak.", NULL,
	 "thbreak store", BW_COMPLETE_WHERE, false},
	{"thread", "t", bw_cmd_wave, "waves", "[N[:LANE] | apply WAVES COMMAND | find TEXT]", "Same as wave.", NULL,
	 "thread\nthread 1:5\nthread apply all print $pc\nthread find saxpy", BW_COMPLETE_WAVES, false},
	{"tui", NULL, bw_cmd_tui, "screen", "enable | disable | mem [/FMT] ADDRESS", "The terminal screen: windows above the prompt, for source, instructions, registers, lanes, waves, memory and draws.",
	 "Ctrl-x a does both of the first two. tui mem shows memory from ADDRESS on, a format as x has it, in the window\n"
	 "\"mem\"; ADDRESS is an expression and evaluated anew at each stop, and what has changed there is highlighted.\n"
	 "Other words are those commands: tui layout, focus, refresh, winheight; tui reg is layout regs.\n"
	 "The margin of source and instructions: b or B, a breakpoint that was not or was hit, + or -\n"
	 "enabled or not, > the selected frame, and how many waves have stopped there (64w).\n"
	 "PgUp, PgDn, the arrows and the wheel scroll the window that has the focus. See also: layout, focus, winheight,\n"
	 "refresh, update, info win.",
	 "tui enable\ntui disable\ntui mem /4xw $_launch.out", BW_COMPLETE_TUI, false},
	{"undisplay", NULL, bw_cmd_undisplay, "data", "[N...]", "Stop displaying expression N, or all.", NULL,
	 "undisplay 1\nundisplay", BW_COMPLETE_NONE, false},
	{"unset", NULL, bw_cmd_unset, "files", "substitute-path [FROM]", "Forget how source paths are changed.", NULL,
	 "unset substitute-path /build", BW_COMPLETE_NONE, false},
	{"until", "u", bw_cmd_until, "running", "[WHERE]", "Step the focus wave until it is past the current line; with WHERE: to that place in this frame, or its return.", NULL,
	 "until\nuntil store", BW_COMPLETE_WHERE, true},
	{"up", NULL, bw_cmd_up, "stack", "[N]", "Select the caller of the selected frame.", NULL,
	 "up", BW_COMPLETE_EXPR, true},
	{"update", NULL, bw_cmd_update, "screen", "", "Bring the selected frame back into sight in the windows of the terminal screen.", NULL,
	 "update", BW_COMPLETE_NONE, false},
	{"watch", NULL, bw_cmd_watch, "breakpoints", "[-l] EXPR [if EXPR]", "Stop when a value changes: watch out[5], watch *(int *)0x1000, watch $s4.",
	 "Four values in global memory can be watched by the GPU, for all waves; registers, LDS and scratch are watched by\n"
	 "stepping the focus wave. \"set precise-memory\" says whether the stop is right after the access.",
	 "watch $_launch.out[5]\nwatch *(int *)$_launch.out\nwatch $s4", BW_COMPLETE_EXPR, false},
	{"wave", "w", bw_cmd_wave, "waves", "[N[:LANE] | apply WAVES COMMAND | find TEXT]", "Choose the focus wave, which commands use, or show it.", "WAVES: all, or numbers and ranges: wave apply 1-4 print $pc. -q leaves the titles out, -s passes over errors.",
	 "wave\nwave 2\nwave 1:5\nwave apply 1-2 print $pc\nwave find saxpy", BW_COMPLETE_WAVES, false},
	{"whatis", NULL, bw_cmd_whatis, "data", "EXPR | TYPE", "The name of a type.", NULL,
	 "whatis $_launch.out\nwhatis 1 + 2.5f", BW_COMPLETE_EXPR, false},
	{"whence", NULL, bw_cmd_whence, "data", "EXPR", "Who has written EXPR: the last waves, copies and fills; of a register, the loads that it comes from.", "Of memory, LDS and private memory under --check (or --check=writers).",
	 "whence $v2\nwhence $_launch.out[5]", BW_COMPLETE_EXPR, false},
	{"where", NULL, bw_cmd_backtrace, "stack", "[N | -N]", "Same as backtrace.", NULL,
	 "where", BW_COMPLETE_EXPR, false},
	{"while", NULL, bw_cmd_while, "support", "EXPR", "Run the lines up to \"end\" as long as EXPR is not 0.", "loop_break leaves the loop, loop_continue begins its next round.",
	 "set var $i = 0\nwhile $i < 3\nprint $v3[$i]\nset var $i = $i + 1\nend", BW_COMPLETE_EXPR, false},
	{"winheight", "wh", bw_cmd_winheight, "screen", "WINDOW [+ | -]ROWS", "Set the height of a window of the terminal screen: winheight src 20, winheight cmd +3.", NULL,
	 "winheight src 20\nwinheight cmd +3", BW_COMPLETE_WINDOW, false},
	{"x", "x", bw_cmd_x, "data", "[/NFU] ADDRESS", "Show memory: N units of size U (b 1, h 2, w 4, g 8 bytes) in format F.",
	 "F: x d u o t a c f, s strings, i instructions. ADDRESS may name a space: x/8xw lds#0. Without ADDRESS: what\n"
	 "comes after the last.",
	 "x/8xw $_launch.out\nx/4fw $_launch.x\nx/3i $pc\nx/4xw lds#0", BW_COMPLETE_EXPR, true},
};
/* clang-format on */

/* clang-format off */
static const struct bw_command infos[] = {
	{"address", NULL, bw_info_address, "files", "SYMBOL", "Where a variable or a function is.", NULL,
	 "info address saxpy", BW_COMPLETE_EXPR, false},
	{"agents", NULL, bw_info_agents, "gpu", "", "The GPU.", NULL,
	 "info agents", BW_COMPLETE_NONE, false},
	{"all-registers", NULL, bw_info_all_registers, "data", "", "All registers of the focus wave, VGPRs of all lanes included.", NULL,
	 "info all-registers", BW_COMPLETE_NONE, false},
	{"args", NULL, bw_info_args, "stack", "[-q] [-t REGEX] [--] [REGEX]", "Arguments of the selected frame's function; without debug information what the kernel was launched with.", "REGEX: those whose name it finds; -t: those whose type it finds; -q: prints nothing where there is none.",
	 "info args\ninfo args ^x", BW_COMPLETE_NONE, false},
	{"breakpoints", "b", bw_info_breakpoints, "breakpoints", "", "Breakpoints: places, conditions, hits, commands.", NULL,
	 "info breakpoints", BW_COMPLETE_NONE, false},
	{"buffer", NULL, bw_info_buffer, "gpu", "N", "One buffer: its name, place, use and how to see its contents.", NULL,
	 "info buffer 1", BW_COMPLETE_NONE, false},
	{"buffers", NULL, bw_info_buffers, "gpu", "[DISPATCH]", "Buffers and images of the program, and where a dispatch has them bound.", NULL,
	 "info buffers", BW_COMPLETE_NONE, false},
	{"descriptors", NULL, bw_info_descriptors, "gpu", "[DISPATCH]", "What the user SGPRs of a dispatch lead to: buffers and images.", NULL,
	 "info descriptors", BW_COMPLETE_NONE, false},
	{"dispatch", NULL, bw_info_dispatch, "gpu", "[N]", "One dispatch: its pipeline, grid, resources, user SGPRs, push constants.", NULL,
	 "info dispatch\ninfo dispatch 1", BW_COMPLETE_NONE, false},
	{"dispatches", NULL, bw_info_dispatches, "gpu", "", "Dispatches so far.", NULL,
	 "info dispatches", BW_COMPLETE_NONE, false},
	{"display", NULL, bw_info_display, "data", "", "Expressions shown at every stop.", NULL,
	 "info display", BW_COMPLETE_NONE, false},
	{"draws", NULL, bw_info_draws, "gpu", "", "Draws so far: their shaders, what they draw to, and why one was left out.", NULL,
	 "info draws", BW_COMPLETE_NONE, false},
	{"fault", NULL, bw_info_fault, "gpu", "", "What the memory violation of the focus wave was about.", NULL,
	 "info fault", BW_COMPLETE_NONE, false},
	{"finding", NULL, bw_info_finding, "gpu", "[N]", "What --check has found: finding N, or the one that the focus wave has stopped for (--stop-on-finding).", NULL,
	 "info finding\ninfo finding 2", BW_COMPLETE_NONE, false},
	{"findings", NULL, bw_info_findings, "gpu", "", "What --check has found so far.", NULL,
	 "info findings", BW_COMPLETE_NONE, false},
	{"frame", "f", bw_info_frame, "stack", "[N | level N]", "The selected frame, or frame N: its caller, stack and registers.", NULL,
	 "info frame", BW_COMPLETE_EXPR, false},
	{"functions", NULL, bw_info_functions, "files", "[REGEX]", "Functions of the code objects, by file; with REGEX: those whose name it finds.", NULL,
	 "info functions\ninfo functions ^sax", BW_COMPLETE_NONE, false},
	{"inferiors", NULL, bw_info_inferiors, "status", "", "Programs that are debugged.", NULL,
	 "info inferiors", BW_COMPLETE_NONE, false},
	{"inputs", NULL, bw_info_inputs, "gpu", "", "Inputs of the focus lane's vertex or pixel: by name where the shader notes them (-O0), and as interpolated attributes.", NULL,
	 "info inputs", BW_COMPLETE_NONE, false},
	{"kernel", "k", bw_info_kernel, "gpu", "", "The kernel of the focus wave: its grid, resources and arguments.", NULL,
	 "info kernel", BW_COMPLETE_NONE, false},
	{"lanes", NULL, bw_info_lanes, "waves", "[EXPR] | [all | FIRST[-LAST]] [-active]", "Lanes of the focus wave that do the same, and have the same value of EXPR.",
	 "Inactive lanes are shown with the branch since which they are inactive, where it is known.\n"
	 "all, FIRST-LAST, -active: a row for each lane.",
	 "info lanes\ninfo lanes $v3\ninfo lanes 0-7", BW_COMPLETE_EXPR, false},
	{"line", NULL, bw_info_line, "files", "[WHERE]", "The addresses of a source line; x shows what is there.", NULL,
	 "info line saxpy.s:28", BW_COMPLETE_WHERE, false},
	{"locals", NULL, bw_info_locals, "stack", "[-q] [-t REGEX] [--] [REGEX]", "Variables of the selected frame, the innermost block first.", "REGEX: those whose name it finds; -t: those whose type it finds; -q: prints nothing where there is none.",
	 "info locals\ninfo locals -t float ^sum", BW_COMPLETE_NONE, false},
	{"outputs", NULL, bw_info_outputs, "gpu", "", "What the focus lane's vertex or pixel has put out so far: by name where the shader notes it (-O0), and its exports: position, colors, depth.", NULL,
	 "info outputs", BW_COMPLETE_NONE, false},
	{"pipelines", NULL, bw_info_pipelines, "gpu", "", "Compute pipelines of a Vulkan program, and the shaders of its graphics pipelines.", NULL,
	 "info pipelines", BW_COMPLETE_NONE, false},
	{"program", NULL, bw_info_program, "status", "", "The program: its process, and why it stopped.", NULL,
	 "info program", BW_COMPLETE_NONE, false},
	{"queues", NULL, bw_info_queues, "gpu", "", "AQL queues of programs of ROCm: how far each has come, and why it stands.", NULL,
	 "info queues", BW_COMPLETE_NONE, false},
	{"registers", "r", bw_info_registers, "data", "[NAME... | sgprs | vgprs]", "Registers of the focus wave.", "scalar and vector are the same as sgprs and vgprs.",
	 "info registers\ninfo registers pc exec s4 v3", BW_COMPLETE_REGISTERS, false},
	{"report", NULL, bw_info_report, "gpu", "[all]", "Everything about the focus wave, or all: reason, registers, LDS, code.", NULL,
	 "info report", BW_COMPLETE_NONE, false},
	{"scope", NULL, bw_info_scope, "stack", "WHERE", "Variables that are visible at a place, and where they are.", NULL,
	 "info scope saxpy.s:28", BW_COMPLETE_WHERE, false},
	{"sharedlibrary", NULL, bw_info_sharedlibrary, "files", "", "Code objects in the GPU's memory, and where.", NULL,
	 "info sharedlibrary", BW_COMPLETE_NONE, false},
	{"signals", NULL, bw_info_signals, "status", "", "What stops a wave, and as which signal.", NULL,
	 "info signals", BW_COMPLETE_NONE, false},
	{"source", NULL, bw_info_source, "files", "", "The current source file: its place, language and compiler.", NULL,
	 "info source", BW_COMPLETE_NONE, false},
	{"sources", NULL, bw_info_sources, "files", "[TEXT]", "Source files that the code objects name; with TEXT: those whose path has it.", NULL,
	 "info sources saxpy", BW_COMPLETE_NONE, false},
	{"sgprs", NULL, bw_info_sgprs, "data", "", "SGPRs of the focus wave: those that it has.", NULL,
	 "info sgprs", BW_COMPLETE_NONE, false},
	{"submissions", NULL, bw_info_submissions, "gpu", "", "Submissions so far, and which dispatches each brought.", NULL,
	 "info submissions", BW_COMPLETE_NONE, false},
	{"symbol", NULL, bw_info_symbol, "files", "EXPR", "The symbol at an address.", NULL,
	 "info symbol $pc", BW_COMPLETE_EXPR, false},
	{"threads", "th", bw_info_waves, "waves", "[all]", "Same as waves.", NULL,
	 "info threads", BW_COMPLETE_NONE, false},
	{"types", NULL, bw_info_types, "files", "[REGEX]", "Types of the code objects, by file.", NULL,
	 "info types\ninfo types node", BW_COMPLETE_NONE, false},
	{"variables", NULL, bw_info_variables, "files", "[REGEX]", "Variables of files, and those of LDS.", NULL,
	 "info variables", BW_COMPLETE_NONE, false},
	{"vgprs", NULL, bw_info_vgprs, "data", "", "VGPRs of the focus wave, of all lanes: those that it was given.", NULL,
	 "info vgprs", BW_COMPLETE_NONE, false},
	{"watchpoints", NULL, bw_info_watchpoints, "breakpoints", "", "Watchpoints, and how often they were hit.", NULL,
	 "info watchpoints", BW_COMPLETE_NONE, false},
	{"wave", NULL, bw_info_wave, "waves", "[N]", "One wave: its place, size, lanes and reason.", NULL,
	 "info wave\ninfo wave 1", BW_COMPLETE_NONE, false},
	{"waves", NULL, bw_info_waves, "waves", "[all | count]", "Stopped waves; count: all waves, stopped or not.", NULL,
	 "info waves\ninfo waves count", BW_COMPLETE_NONE, false},
	{"win", NULL, bw_info_win, "screen", "", "Windows of the terminal screen: how large each is, and which one has the focus.", NULL,
	 "info win", BW_COMPLETE_NONE, false},
};
/* clang-format on */

const struct bw_command *bw_commands(size_t *out_n)
{
	*out_n = BW_ARRAY_SIZE(commands);
	return commands;
}

const struct bw_command *bw_info_commands(size_t *out_n)
{
	*out_n = BW_ARRAY_SIZE(infos);
	return infos;
}

static struct bw_error *unknown(const struct bw_command *table, size_t n, const char *word,
				const char *what)
{
	const char *names[BW_ARRAY_SIZE(commands)];
	size_t near[3];
	BW_TRY(bw_cli_gdb_word(word, table == infos));
	for (size_t i = 0; i < n; i++)
		names[i] = table[i].name;
	size_t found = bw_nearest(word, names, n, near, BW_ARRAY_SIZE(near));
	struct bw_str s = {0};
	bw_str_addf(&s, "Undefined %s: \"%s\"", what, word);
	bw_str_add(&s, found ? "; did you mean " : "");
	for (size_t i = 0; i < found; i++) {
		bw_str_add_mark(&s, i, found, " or ");
		bw_str_addf(&s, "\"%s\"", names[near[i]]);
	}
	bw_str_add(&s, found ? "?  Try \"help\"" : ".  Try \"help\"");
	struct bw_error *err = bw_errorf(BW_E_INVALID, "%s", bw_str_text(&s));
	bw_str_free(&s);
	return err;
}

struct bw_error *bw_command_find(const struct bw_command *table, size_t n, const char *word,
				 const char *what, const struct bw_command **out)
{
	const struct bw_command *match = NULL;
	size_t matches = 0;
	for (size_t i = 0; i < n; i++) {
		if (!strcmp(table[i].name, word) ||
		    (table[i].shortest && !strcmp(table[i].shortest, word))) {
			*out = &table[i];
			return NULL;
		}
		if (bw_starts_with(table[i].name, word)) {
			/* Names for the same thing are no ambiguity. */
			if (!match || match->run != table[i].run)
				matches++;
			if (!match)
				match = &table[i];
		}
	}
	if (matches == 1) {
		*out = match;
		return NULL;
	}
	if (!matches)
		return unknown(table, n, word, what);
	struct bw_str s = {0};
	for (size_t i = 0; i < n; i++)
		if (bw_starts_with(table[i].name, word))
			bw_str_add_next(&s, table[i].name);
	struct bw_error *err =
		bw_errorf(BW_E_INVALID, "Ambiguous %s \"%s\": %s", what, word, bw_str_text(&s));
	bw_str_free(&s);
	return err;
}

/* The word of a command: letters, digits, - and _ ("x/8xw" is x, "p$v1" is p). */
static size_t command_word(const char *line)
{
	size_t n = 0;
	while (isalnum((unsigned char)line[n]) || line[n] == '-' || line[n] == '_')
		n++;
	return n;
}

/* Commands that resume more than the focus wave, or end the program. */
static bool resumes_waves(const struct bw_command *cmd)
{
	static bw_command_fn *const list[] = {bw_cmd_continue, bw_cmd_jump, bw_cmd_run,
					      bw_cmd_starti,   bw_cmd_kill, bw_cmd_detach};
	for (size_t i = 0; i < BW_ARRAY_SIZE(list); i++)
		if (cmd->run == list[i])
			return true;
	return false;
}

struct bw_error *bw_cli_deeper(struct bw_cli *c)
{
	enum { MAX_DEPTH = 50 };
	if (c->depth >= MAX_DEPTH)
		return bw_errorf(BW_E_INVALID,
				 "commands that run commands are nested too deeply (%d)",
				 MAX_DEPTH);
	c->depth++;
	return NULL;
}

/* Whether it has no meaning on a GPU whose waves cannot be stopped. */
static bool about_stops(const struct bw_command *cmd)
{
	static const char *const topics[] = {"running", "breakpoints", "stack", "waves"};
	bool is_about = false;
	for (size_t i = 0; i < BW_ARRAY_SIZE(topics); i++)
		is_about |= !strcmp(cmd->topic, topics[i]);
	return is_about && cmd->run != bw_cmd_run && cmd->run != bw_cmd_quit;
}

static struct bw_error *execute(struct bw_cli *c, const char *line)
{
	line = bw_skip_blanks(line);
	if (bw_cli_collects(c))
		return bw_cli_collect(c, line);
	if (!line[0] || line[0] == '#')
		return NULL;
	size_t len = strlen(line);
	while (len && isspace((unsigned char)line[len - 1]))
		len--;
	_cleanup_free_ char *text = strndup(line, len);
	if (!text)
		return bw_error_nomem();
	if (text[0] == '!')
		text[0] = ' ';
	bool shell = line[0] == '!';
	size_t n = command_word(text);
	if ((!n && !shell) || n > 63)
		return bw_errorf(BW_E_INVALID, "No command begins with \"%.20s\".  Try \"help\"",
				 text);
	char word[64] = "shell";
	if (!shell) {
		memcpy(word, text, n);
		word[n] = '\0';
	}
	const struct bw_command *cmd;
	bool defined = false;
	if (!shell)
		BW_TRY(bw_cli_run_defined(c, text, &defined));
	if (defined)
		return bw_cli_run_stop_commands(c);
	BW_TRY(bw_command_find(commands, BW_ARRAY_SIZE(commands), word, "command", &cmd));
	if (c->confined && cmd->outside)
		return bw_errorf(BW_E_UNSUPPORTED, "\"%s\" is not allowed here", cmd->name);
	if (c->after_stop.waves_left && resumes_waves(cmd)) {
		c->after_stop.wave_done = true;
		return NULL;
	}
	if (c->trace && cmd->run != bw_cmd_echo)
		bw_out_line(c->out, "(breakwater) %s", shell ? line : text);
	bw_out_begin(c->out, "command", cmd->name);
	struct bw_error *err = bw_debug_look_for_some_end(c->debug);
	if (!err && about_stops(cmd))
		err = bw_session_need_stops(c->session);
	if (!err)
		err = cmd->run(c, bw_skip_blanks(text + n));
	if (err)
		bw_out_drop(c->out);
	else
		bw_out_end(c->out);
	bw_out_flush(c->out);
	return err ? err : bw_cli_run_stop_commands(c);
}

struct bw_error *bw_cli_execute(struct bw_cli *c, const char *line)
{
	BW_TRY(bw_cli_deeper(c));
	struct bw_error *err = execute(c, line);
	c->depth--;
	return err;
}

struct bw_error *bw_cli_execute_lines(struct bw_cli *c, const char *lines)
{
	struct bw_error *err = NULL;
	_cleanup_free_ char *copy = strdup(lines);
	if (!copy)
		return bw_error_nomem();
	for (char *rest = copy, *line; !err && !c->quit && (line = strsep(&rest, "\n"));)
		err = bw_cli_execute(c, line);
	return err;
}

struct bw_error *bw_cli_take_format(const char **args, bool units, struct bw_print_format *out)
{
	*out = (struct bw_print_format){.count = 1};
	if (**args != '/')
		return NULL;
	char word[32];
	const char *p = *args + 1;
	bw_take_word(&p, word, sizeof(word));
	BW_TRY(bw_print_format_parse(word, units, out));
	*args = p;
	return NULL;
}

struct bw_error *bw_cli_show_where(struct bw_cli *c, struct bw_error *err, const char *text,
				   const struct bw_expr_error *where)
{
	return bw_out_is_json(c->out) ? err : bw_show_expr_error(err, text, where);
}

struct bw_error *bw_cli_eval(struct bw_cli *c, const char *text, struct bw_value *out)
{
	struct bw_expr_error where = {0};
	struct bw_error *err = bw_debug_eval(c->debug, text, out, &where);
	return err ? bw_cli_show_where(c, err, text, &where) : NULL;
}

struct bw_error *bw_cli_eval_address(struct bw_cli *c, const char *text, enum bw_space *out_space,
				     uint64_t *out_addr)
{
	struct bw_value v = {0};
	BW_TRY(bw_cli_eval(c, text, &v));
	struct bw_error *err = bw_debug_address_of(&v, text, out_space, out_addr);
	bw_value_fini(&v);
	return err;
}

struct bw_error *bw_cli_eval_count(struct bw_cli *c, const char *text, uint64_t *out)
{
	struct bw_value v = {0};
	BW_TRY(bw_cli_eval(c, text, &v));
	bool good = !v.elem && !v.is_missing &&
		    (v.type.kind == BW_TYPE_UINT ||
		     (v.type.kind == BW_TYPE_INT && bw_value_i64(&v, 0) >= 0));
	if (good)
		*out = v.bits;
	bw_value_fini(&v);
	return good ? NULL : bw_errorf(BW_E_INVALID, "\"%s\" is not a count", text);
}
