/* SPDX-License-Identifier: MIT */
/* What the report must not have: names of people, of their folders and of the machine. */
#include "selftest/selftest.h"

#include <ctype.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/util.h"

enum { SHORTEST = 2 };

void bw_private_add(struct bw_private *p, const char *text, const char *instead)
{
	size_t n = text ? strlen(text) : 0;
	while (n && text[n - 1] == '/')
		n--;
	if (n < SHORTEST || p->n == BW_PRIVATE_WORDS || n >= sizeof(p->words[0].text))
		return;
	/* longer words come first: a home folder before the name in it */
	size_t at = 0;
	while (at < p->n && strlen(p->words[at].text) >= n)
		at++;
	memmove(&p->words[at + 1], &p->words[at], (p->n - at) * sizeof(p->words[0]));
	snprintf(p->words[at].text, sizeof(p->words[at].text), "%.*s", (int)n, text);
	p->words[at].instead = instead;
	p->n++;
}

static void add_user(struct bw_private *p, const char *name)
{
	if (name && strcmp(name, "root") != 0)
		bw_private_add(p, name, "USER");
}

static void add_account(struct bw_private *p, const struct passwd *account)
{
	if (!account)
		return;
	add_user(p, account->pw_name);
	bw_private_add(p, account->pw_dir, "~");
}

void bw_private_find(struct bw_private *out)
{
	const char *caller = getenv("SUDO_USER");
	struct utsname os;
	*out = (struct bw_private){0};
	bw_private_add(out, getenv("HOME"), "~");
	add_user(out, getenv("USER"));
	add_user(out, getenv("LOGNAME"));
	add_account(out, getpwuid(getuid()));
	add_user(out, caller);
	if (caller)
		add_account(out, getpwnam(caller));
	if (uname(&os) || !strcmp(os.nodename, "localhost"))
		return;
	bw_private_add(out, os.nodename, "HOST");
	os.nodename[strcspn(os.nodename, ".")] = '\0';
	bw_private_add(out, os.nodename, "HOST");
}

static bool is_of_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '-';
}

/* The private word at this place of the text; NULL: none. */
static const char *word_at(const struct bw_private *p, const char *text, size_t at, size_t *out_n)
{
	for (size_t i = 0; i < p->n; i++) {
		const char *word = p->words[i].text;
		size_t n = strlen(word);
		if (strncmp(text + at, word, n) != 0 || is_of_name(text[at + n]) ||
		    (at && is_of_name(word[0]) && is_of_name(text[at - 1])))
			continue;
		*out_n = n;
		return p->words[i].instead;
	}
	return NULL;
}

void bw_private_put(const struct bw_private *p, const char *text, struct bw_str *out)
{
	static const char homes[] = "/home/";
	for (size_t at = 0; text[at];) {
		size_t n = 1;
		const char *instead = word_at(p, text, at, &n);
		if (!instead && bw_starts_with(text + at, homes)) {
			instead = "/home/USER";
			n = strlen(homes) + strcspn(text + at + strlen(homes), "/ :\"'");
		}
		if (instead)
			bw_str_add(out, instead);
		else
			bw_str_addn(out, text + at, n);
		at += n;
	}
}
