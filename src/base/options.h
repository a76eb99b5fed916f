/* SPDX-License-Identifier: MIT */
#ifndef BW_BASE_OPTIONS_H
#define BW_BASE_OPTIONS_H

/* Options of a command line, a row each. From the rows come parsing, --help, and what man pages and
 * the completions of shells are made of (bw_command_line_rows). Tables are constant; texts that are
 * taken are borrowed from argv. Pure, but for printing. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"

enum bw_option_kind {
	BW_OPTION_FLAG, /* sets a bool */
	BW_OPTION_TEXT, /* sets a const char * */
	BW_OPTION_U32,
	BW_OPTION_U64,
	BW_OPTION_CALL,	 /* calls `take` */
	BW_OPTION_SHOWN, /* for --help; the command parses it itself */
};

/* options: the struct of its group; value: NULL where it has none. option: as the user wrote it. */
typedef struct bw_error *bw_option_take_fn(void *options, const char *option, const char *value);

struct bw_option {
	const char *names; /* as --help has them: "-o, --output" */
	/* What its value is called: "FILE"; NULL: it has none. "[=RANGE]": it may be left out, and
	 * only follows a "=". Several words between | are all that it can be: "kvm|tcg". */
	const char *value;
	const char *help; /* without the last full stop, and without newlines; NULL: none */
	enum bw_option_kind kind;
	size_t offset;		 /* of the field, in the struct of the group */
	size_t has;		 /* of a bool that is set as well; 0: none */
	uint64_t min, max;	 /* of numbers */
	const char *wants;	 /* of numbers, for errors: "seconds"; NULL: "a number from..." */
	const char *also;	 /* more names, which --help does not list: "--ex --eval-command" */
	bool is_hidden;		 /* of one program for another: nothing shows it */
	bool is_joined;		 /* the value may follow without a blank, as in -DNAME */
	bw_option_take_fn *take; /* BW_OPTION_CALL */
};

/* The end of a row: its kind, and the field that it sets, whose type the compiler checks. */
#define BW_OPTION_FIELD(type, field, wanted)                                                       \
	(offsetof(type, field) + 0 * sizeof(_Generic(((type *)0)->field, wanted: 0)))
#define BW_FLAG(type, field) .kind = BW_OPTION_FLAG, .offset = BW_OPTION_FIELD(type, field, bool)
#define BW_TEXT(type, field)                                                                       \
	.kind = BW_OPTION_TEXT, .offset = BW_OPTION_FIELD(type, field, const char *)
#define BW_U32(type, field, least, most)                                                           \
	.kind = BW_OPTION_U32, .offset = BW_OPTION_FIELD(type, field, uint32_t), .min = (least),   \
	.max = (most)
#define BW_U64(type, field, least, most)                                                           \
	.kind = BW_OPTION_U64, .offset = BW_OPTION_FIELD(type, field, uint64_t), .min = (least),   \
	.max = (most)
#define BW_HAS(type, field) .has = BW_OPTION_FIELD(type, field, bool)
#define BW_CALL(function) .kind = BW_OPTION_CALL, .take = (function)
#define BW_SHOWN .kind = BW_OPTION_SHOWN

/* Rows that many commands have. */
#define BW_ROW_GPU(type, field)                                                                    \
	{"--gpu", "GPU", "virtual[:navi31|mi300x|raven2], an index, or a PCI address",             \
	 BW_TEXT(type, field)}
#define BW_ROW_JSON(type, field) {"--json", NULL, "for programs", BW_FLAG(type, field)}
/* Of those that start a program. */
#define BW_ROW_ROCM(type, field)                                                                   \
	{"--rocm", NULL,                                                                           \
	 "PROGRAM gets Debian 13's ROCm, which is fetched the first time (60 MB), and finds "      \
	 "rocminfo, clinfo and hipcc",                                                             \
	 BW_FLAG(type, field)}
#define BW_ROW_HELP(type, field) {"-h, --help", NULL, NULL, BW_FLAG(type, field)}

/* Rows with one struct. */
struct bw_option_group {
	const char *title;	      /* the line above them; NULL: they follow those before */
	const struct bw_option *rows; /* up to the first one without names */
	size_t offset;		      /* of the struct, in that of the command */
	/* Told of each option that was taken: its words. NULL: nothing needs them. */
	struct bw_error *(*taken)(void *options, char *const *words, size_t n);
};
enum { BW_OPTION_GROUPS = 10 };

struct bw_command_line {
	const char *name;  /* "breakwater capture", as errors call it */
	const char *usage; /* "Usage: ..." and the text above the options */
	struct bw_option_group groups[BW_OPTION_GROUPS]; /* up to the first one without rows */
	const char *after;				 /* the text below them, or NULL */
	/* Takes a word that is not an option. NULL: the first such word ends the options. */
	struct bw_error *(*word)(void *options, const char *word);
	bool has_numbers;		    /* "-5" is a word */
	const struct bw_command_line *next; /* another form of the same command, or NULL */
};

/* Takes options and words up to "--", to the end, or to the first word where l->word is NULL.
 * *out_rest: where the words after that begin; argc where there are none. out_rest NULL: there must
 * be none. */
struct bw_error *bw_command_line_parse(const struct bw_command_line *l, void *options, int argc,
				       char *const *argv, int *out_rest) BW_MUST_CHECK;
/* If argv[*io_index] is an option of l, takes it with its value, moves *io_index after it and sets
 * *out_taken; else leaves all as it is. */
struct bw_error *bw_command_line_take(const struct bw_command_line *l, void *options, int argc,
				      char *const *argv, int *io_index,
				      bool *out_taken) BW_MUST_CHECK;
/* The error for an option that l does not have. */
struct bw_error *bw_command_line_unknown(const struct bw_command_line *l, const char *word);

/* Adds what --help says; with the rows of a group alone, where it is not a command. */
void bw_command_line_help(const struct bw_command_line *l, struct bw_str *out);
/* The same, on standard output. */
void bw_command_line_print_help(const struct bw_command_line *l);
/* Prints it for tools/gen-words.py: a line each, with tabs between fields, in which \n is a newline
 * and \\ a backslash. "line NAME USAGE AFTER", then "option NAMES VALUE TITLE HELP ALSO" each;
 * then its other forms. */
void bw_command_line_rows(const struct bw_command_line *l);
/* A line of that: the fields are texts up to NULL, NULLs being "". */
void bw_print_row(const char *kind, const char *const *fields, size_t n);

#endif
