/* SPDX-License-Identifier: MIT */
#include "cli/commands.h"

#include <string.h>

#include "base/str.h"
#include "base/util.h"

/* Commands of gdb that do not exist here: for each the reason, and what to use instead. */

struct word {
	const char *name, *why;
};

#define NO_EACH_FRAME "\"backtrace\" shows the frames, \"frame N\" selects one"
#define NO_REVERSE "waves run forwards only"
#define NO_CORE                                                                                    \
	"there are no core files of GPU programs; \"info report all\" shows everything that is known of the waves"
#define NO_PYTHON "\"source FILE.py\" runs a script in Python"
#define NO_SIGNALS                                                                                 \
	"waves get no signals; \"catch fp\" and \"info signals\" are about what stops them"
#define NO_FILES "what is debugged is named when breakwater starts; \"symbol-file\" adds symbols"
#define NO_REMOTE "there is no remote target; \"attach PID\" debugs what \"breakwater exec\" runs"
#define NO_MACROS "macros are not read from debug information"
#define NO_TRACE "there are no tracepoints; \"dprintf\" prints without stopping"

static const struct word command_words[] = {
	{"add-inferior", "an inferior appears when a process opens the GPU; \"attach\" adds one"},
	{"add-symbol-file", "\"symbol-file FILE\" finds the addresses by itself"},
	{"alias", "\"define\" makes a command of your own"},
	{"checkpoint", NO_REVERSE},
	{"compile", "code cannot be compiled into a running program"},
	{"complete", "the Tab key completes"},
	{"core-file", NO_CORE},
	{"edit", "\"list\" shows the source"},
	{"exec-file", NO_FILES},
	{"faas", NO_EACH_FRAME},
	{"file", NO_FILES},
	{"forward-search", "\"list\" shows the source"},
	{"gcore", NO_CORE},
	{"generate-core-file", NO_CORE},
	{"handle", NO_SIGNALS},
	{"interrupt", "Ctrl-C stops all waves"},
	{"macro", NO_MACROS},
	{"maintenance", "BREAKWATER_LOG in the environment shows what its processes do"},
	{"monitor", NO_REMOTE},
	{"py", NO_PYTHON},
	{"python", NO_PYTHON},
	{"record", NO_REVERSE},
	{"return",
	 "\"finish\" runs to the end of a function; \"jump WHERE\" continues at another place"},
	{"reverse-continue", NO_REVERSE},
	{"reverse-finish", NO_REVERSE},
	{"reverse-next", NO_REVERSE},
	{"reverse-nexti", NO_REVERSE},
	{"reverse-step", NO_REVERSE},
	{"reverse-stepi", NO_REVERSE},
	{"search", "\"list\" shows the source"},
	{"signal", NO_SIGNALS},
	{"skip", "\"next\" and \"nexti\" step over calls"},
	{"strace", NO_TRACE},
	{"taas", "use \"thread apply all -s COMMAND\""},
	{"target", NO_REMOTE},
	{"tfaas", NO_EACH_FRAME},
	{"trace", NO_TRACE},
	{"tstart", NO_TRACE},
	{"winwidth", "windows are as wide as the screen; \"winheight\" sets their heights"},
};

static const struct word info_words[] = {
	{"auxv", "\"shell\" runs commands such as ps"},
	{"checkpoints", NO_REVERSE},
	{"files", "\"info sharedlibrary\" shows the code in the GPU's memory"},
	{"handle", NO_SIGNALS},
	{"macro", NO_MACROS},
	{"mem", "\"info buffers\" shows what the program has"},
	{"proc", "\"info program\" shows the process"},
	{"record", NO_REVERSE},
	{"target", NO_REMOTE},
	{"tracepoints", NO_TRACE},
};

struct bw_error *bw_cli_gdb_word(const char *word, bool info)
{
	const struct word *table = info ? info_words : command_words, *found = NULL;
	size_t n = info ? BW_ARRAY_SIZE(info_words) : BW_ARRAY_SIZE(command_words), matches = 0;
	for (size_t i = 0; i < n; i++) {
		if (!strcmp(table[i].name, word)) {
			found = &table[i];
			matches = 1;
			break;
		}
		/* an abbreviation, as gdb accepts, long enough to be unambiguous */
		if (strlen(word) >= 3 && bw_starts_with(table[i].name, word)) {
			found = &table[i];
			matches++;
		}
	}
	if (matches != 1)
		return NULL;
	return bw_errorf(BW_E_UNSUPPORTED, "\"%s%s\" of gdb does not exist here: %s",
			 info ? "info " : "", found->name, found->why);
}
