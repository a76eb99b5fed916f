/* SPDX-License-Identifier: MIT */
/* Scripts in Python, run in the session. libpython is loaded when the first one comes: a debugger
 * without scripts does not need it. What runs a script is python/breakwater/_script.py, and the
 * session is reached by the functions of libbreakwater (src/api). */
#include "cli/python.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/build_names.h"
#include "base/str.h"
#include "base/util.h"
#include "kmd/kmd.h"

/* The functions below are those of every Python 3; these are versions that are looked for. */
enum { OLDEST_MINOR = 9, NEWEST_MINOR = 29 };
static const char library_env[] = "BREAKWATER_PYTHON";

enum { EVAL_INPUT = 258, FILE_INPUT = 257 }; /* Py_eval_input, Py_file_input */
enum { DONE, FAILED, INTERRUPTED };	     /* of _script.run */

typedef void py_object;

static struct {
	void (*initialize)(int with_signals);
	py_object *(*add_module)(const char *name);
	py_object *(*module_dict)(py_object *module);
	py_object *(*run_string)(const char *text, int start, py_object *globals,
				 py_object *locals);
	long (*as_long)(py_object *number);
	void (*unref)(py_object *o);
	void (*print_error)(void);
	void (*set_interrupt)(void);
	int (*finalize)(void);
} py;

static const struct {
	const char *name;
	void *fn;
} functions[] = {{"Py_InitializeEx", &py.initialize},	{"PyImport_AddModule", &py.add_module},
		 {"PyModule_GetDict", &py.module_dict}, {"PyRun_String", &py.run_string},
		 {"PyLong_AsLong", &py.as_long},	{"Py_DecRef", &py.unref},
		 {"PyErr_Print", &py.print_error},	{"PyErr_SetInterrupt", &py.set_interrupt},
		 {"Py_FinalizeEx", &py.finalize}};

static py_object *globals; /* of our own module; NULL: not loaded */

bool bw_cli_is_python(const char *path)
{
	size_t n = strlen(path);
	return n > 3 && !strcmp(path + n - 3, ".py");
}

/* ---- Loading ---- */

/* The one that the user names; else that of the build's Python, else the newest that there is.
 * Extension modules find Python's functions in what is global. */
static struct bw_error *open_library(char name[PATH_MAX], void **out_library)
{
	const char *named = getenv(library_env);
	bool is_named = named && *named;
	char why[256];
	if (is_named)
		snprintf(name, PATH_MAX, "%s", named);
	else
		snprintf(name, PATH_MAX, "libpython%s.so.1.0", BW_PYTHON);
	void *library = dlopen(name, RTLD_NOW | RTLD_GLOBAL);
	if (!library)
		snprintf(why, sizeof(why), "%s", dlerror());
	for (int minor = NEWEST_MINOR; !library && !is_named && minor >= OLDEST_MINOR; minor--) {
		snprintf(name, PATH_MAX, "libpython3.%d.so.1.0", minor);
		library = dlopen(name, RTLD_NOW | RTLD_GLOBAL);
	}
	if (!library)
		return bw_errorf(
			BW_E_UNSUPPORTED,
			"Scripts in Python need libpython, which cannot be loaded (%s): install the package libpython3.11 "
			"(Debian 12) or libpython3.13 (Debian 13), or name another libpython in %s",
			why, library_env);
	*out_library = library;
	return NULL;
}

static struct bw_error *load_library(void)
{
	char name[PATH_MAX];
	void *library = NULL;
	BW_TRY(open_library(name, &library));
	for (size_t i = 0; i < BW_ARRAY_SIZE(functions); i++) {
		void *fn = dlsym(library, functions[i].name);
		if (!fn)
			return bw_errorf(BW_E_UNSUPPORTED, "%s has no %s: it is not a libpython",
					 name, functions[i].name);
		memcpy(functions[i].fn, &fn, sizeof(fn));
	}
	return NULL;
}

/* Text as an expression of Python, whatever bytes it has. */
static void add_literal(struct bw_str *s, const char *text)
{
	bw_str_add(s, "__import__('os').fsdecode(b'");
	for (const char *p = text; *p; p++)
		bw_str_addf(s, "\\x%02x", (unsigned char)*p);
	bw_str_add(s, "')");
}

static struct bw_error *run_text(struct bw_str *text, int start, long *out)
{
	if (text->failed)
		return bw_error_nomem();
	py_object *result = py.run_string(bw_str_text(text), start, globals, globals);
	if (!result) {
		py.print_error();
		return bw_errorf(BW_E_SYSTEM, "Python could not start; its own message is above");
	}
	if (out)
		*out = py.as_long(result);
	py.unref(result);
	return NULL;
}

/* The folder of our module: of it no code is cached, since nobody would remove that. */
static struct bw_error *import_module(void)
{
	static const char file[] = "python/breakwater/__init__.py";
	_cleanup_free_ char *path = NULL;
	struct bw_str text = {0};
	BW_TRY(bw_kmd_find_part(file, &path));
	path[strlen(path) - strlen("/breakwater/__init__.py")] = '\0';
	bw_str_add(&text, "import sys\nsys.path.insert(0, ");
	add_literal(&text, path);
	bw_str_add(&text, ")\nbefore, sys.dont_write_bytecode = sys.dont_write_bytecode, True\n"
			  "import breakwater._script\nsys.dont_write_bytecode = before\n");
	struct bw_error *err = run_text(&text, FILE_INPUT, NULL);
	bw_str_free(&text);
	return err;
}

static struct bw_error *load(void)
{
	static bool is_imported;
	if (is_imported)
		return NULL;
	if (!py.finalize)
		BW_TRY(load_library());
	if (!globals) {
		py.initialize(0);
		globals = py.module_dict(py.add_module("__breakwater__"));
	}
	BW_TRY(import_module());
	is_imported = true;
	return NULL;
}

/* ---- Scripts ---- */

static struct bw_error *result_of(struct bw_cli *c, const char *path, long result)
{
	if (c->session->ended_by || result == DONE)
		return NULL;
	if (result == INTERRUPTED)
		return bw_errorf(BW_E_INVALID, "%s: Quit: interrupted", path);
	return bw_errorf(BW_E_INVALID, "The script %s has failed", path);
}

struct bw_error *bw_cli_run_python(struct bw_cli *c, const char *path)
{
	static bool is_running;
	struct sigaction before;
	struct bw_str text = {0};
	long result = FAILED;
	if (bw_out_is_json(c->out))
		return bw_errorf(
			BW_E_UNSUPPORTED,
			"%s: scripts in Python cannot be run with --json: what they print would be among the objects",
			path);
	if (bw_session_current() != c->session)
		return bw_errorf(BW_E_UNSUPPORTED,
				 "%s: scripts in Python run in the program breakwater only", path);
	if (is_running)
		return bw_errorf(BW_E_STATE, "%s: a script in Python is being run already", path);
	if (access(path, R_OK))
		return bw_error_errno(errno, "cannot read the script %s", path);
	bw_out_flush(c->out);
	sigaction(SIGINT, NULL, &before);
	struct bw_error *err = load();
	if (!err) {
		is_running = true;
		bw_session_on_end(py.set_interrupt);
		bw_str_add(&text, "breakwater._script.run(");
		add_literal(&text, path);
		bw_str_add(&text, ")");
		err = run_text(&text, EVAL_INPUT, &result);
		bw_session_on_end(NULL);
		is_running = false;
	}
	sigaction(SIGINT, &before, NULL);
	bw_str_free(&text);
	return err ? bw_error_wrap(err, "%s", path) : result_of(c, path, result);
}

void bw_cli_end_python(void)
{
	if (globals)
		py.finalize();
	globals = NULL;
}
