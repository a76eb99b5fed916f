/* SPDX-License-Identifier: MIT */
/* Entering and leaving a function of the library: who may call, when, and what SIGINT does
 * meanwhile. */
#include "api/api_priv.h"

#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include <breakwater/session.h>

#include "base/cleanup.h"
#include "debug/frames.h"
#include "session/version.h"

struct breakwater_error *bw_api_error(struct bw_error *err)
{
	return (struct breakwater_error *)err;
}

static struct bw_error *inside(const struct breakwater_error *e)
{
	return (struct bw_error *)(uintptr_t)e;
}

int breakwater_error_code(const struct breakwater_error *e)
{
	static const int codes[] = {[BW_E_NOMEM] = BREAKWATER_E_NOMEM,
				    [BW_E_INVALID] = BREAKWATER_E_INVALID,
				    [BW_E_NOT_FOUND] = BREAKWATER_E_NOT_FOUND,
				    [BW_E_UNSUPPORTED] = BREAKWATER_E_UNSUPPORTED,
				    [BW_E_SYSTEM] = BREAKWATER_E_SYSTEM,
				    [BW_E_FAULT] = BREAKWATER_E_FAULT,
				    [BW_E_GONE] = BREAKWATER_E_GONE,
				    [BW_E_TIMEOUT] = BREAKWATER_E_TIMEOUT,
				    [BW_E_INTERRUPTED] = BREAKWATER_E_INTERRUPTED,
				    [BW_E_STATE] = BREAKWATER_E_STATE};
	return e ? codes[inside(e)->code] : 0;
}

const char *breakwater_error_message(const struct breakwater_error *e)
{
	return e ? inside(e)->message : "";
}

void breakwater_error_free(struct breakwater_error *e)
{
	bw_error_free(inside(e));
}

void breakwater_free(char *text)
{
	free(text);
}

const char *breakwater_version(void)
{
	return bw_version();
}

/* ---- One thread at a time ---- */

static _Atomic pid_t owner; /* 0: no thread is in the library */
static unsigned depth;	    /* of its calls: functions of breakpoints call the library, too */

struct bw_error *bw_api_enter_library(void)
{
	pid_t me = gettid(), nobody = 0;
	if (atomic_load(&owner) != me && !atomic_compare_exchange_strong(&owner, &nobody, me))
		return bw_errorf(
			BW_E_STATE,
			"Another thread is in a call of libbreakwater: one thread at a time can call it");
	depth++;
	return NULL;
}

void bw_api_leave_library(void)
{
	if (!--depth)
		atomic_store(&owner, 0);
}

/* ---- SIGINT ---- */

static struct breakwater_session *volatile interruptible;
static struct sigaction chained;

static void on_sigint(int sig, siginfo_t *info, void *context)
{
	struct breakwater_session *s = interruptible;
	if (s)
		breakwater_interrupt(s);
	if (chained.sa_flags & SA_SIGINFO)
		chained.sa_sigaction(sig, info, context);
	else
		chained.sa_handler(sig);
}

static void take_sigint(struct bw_api_call *call)
{
	struct sigaction before;
	if (!call->s->catches_sigint || interruptible || sigaction(SIGINT, NULL, &before))
		return;
	if (!(before.sa_flags & SA_SIGINFO) &&
	    (before.sa_handler == SIG_DFL || before.sa_handler == SIG_IGN))
		return;
	chained = before;
	struct sigaction ours = {.sa_sigaction = on_sigint, .sa_flags = SA_SIGINFO};
	ours.sa_mask = before.sa_mask;
	interruptible = call->s;
	call->restores_sigint = !sigaction(SIGINT, &ours, &call->sigint);
	if (!call->restores_sigint)
		interruptible = NULL;
}

/* ---- Calls ---- */

static bool is_open(const struct breakwater_session *s)
{
	return s->session && (s->is_own || bw_session_current() == s->session);
}

bool breakwater_is_open(const struct breakwater_session *s)
{
	return s && is_open(s);
}

static struct bw_error *check(const struct breakwater_session *s, unsigned needs)
{
	if (!s)
		return bw_errorf(BW_E_INVALID, "There is no session: the handle is NULL");
	if (!is_open(s))
		return bw_errorf(BW_E_STATE, "The session has been closed");
	if (s->in_function && !(needs & BW_API_READS))
		return bw_errorf(
			BW_E_STATE,
			"A breakpoint's function can only read its wave, and evaluate expressions");
	if (s->in_function)
		return NULL;
	enum bw_debug_state state = bw_debug_state(s->session->debug);
	if (needs & BW_API_STILL && state == BW_DEBUG_RUNNING)
		return bw_errorf(BW_E_STATE,
				 "The program is running: wait for its stop, or interrupt it");
	if ((needs & BW_API_STOPPED) == BW_API_STOPPED && state == BW_DEBUG_NO_PROGRAM)
		return bw_errorf(BW_E_STATE, "The program is not being run");
	return NULL;
}

struct bw_error *bw_api_enter(struct bw_api_call *call, struct breakwater_session *s,
			      unsigned needs)
{
	*call = (struct bw_api_call){0};
	BW_TRY(bw_api_enter_library());
	struct bw_error *err = check(s, needs);
	if (err) {
		bw_api_leave_library();
		return err;
	}
	call->s = s;
	if (!s->in_function) {
		s->has_stop = false;
		bw_session_watch_waits(s->session);
		take_sigint(call);
	}
	return NULL;
}

struct breakwater_error *bw_api_leave(struct bw_api_call *call, struct bw_error *err)
{
	if (!call->s)
		return bw_api_error(err);
	if (call->restores_sigint) {
		sigaction(SIGINT, &call->sigint, NULL);
		interruptible = NULL;
	}
	bw_api_watch_own_waits();
	bw_api_leave_library();
	return bw_api_error(err);
}

void bw_api_watch_own_waits(void)
{
	struct bw_session *own = bw_session_current();
	if (own)
		bw_session_watch_waits(own);
}

struct breakwater_error *breakwater_catch_sigint(struct breakwater_session *s, bool on)
{
	struct bw_api_call call;
	struct bw_error *err = bw_api_enter(&call, s, BW_API_ANY);
	if (!err)
		s->catches_sigint = on;
	return bw_api_leave(&call, err);
}

void breakwater_interrupt(struct breakwater_session *s)
{
	if (s && s->session && is_open(s))
		bw_session_interrupt(s->session);
}

/* ---- What is printed ---- */

struct bw_error *bw_api_capture_begin(struct bw_api_capture *p, struct bw_session *s, bool json)
{
	*p = (struct bw_api_capture){.out = s->out};
	p->f = open_memstream(&p->text, &p->size_b);
	if (!p->f)
		return bw_error_nomem();
	struct bw_error *err = bw_out_divert(p->out, p->f, json, &p->kept);
	if (err) {
		fclose(p->f);
		free(p->text);
	}
	return err;
}

struct bw_error *bw_api_capture_end(struct bw_api_capture *p, char **out)
{
	bw_out_restore(p->out, p->kept);
	bool failed = ferror(p->f);
	failed |= fclose(p->f) != 0;
	if (failed || !p->text) {
		free(p->text);
		return bw_error_nomem();
	}
	*out = p->text;
	return NULL;
}

struct bw_error *bw_api_text(struct bw_str *text, char **out)
{
	bw_str_add(text, "");
	char *taken = text->failed ? NULL : bw_str_take(text);
	if (!taken)
		return bw_error_nomem();
	*out = taken;
	return NULL;
}

/* ---- The focus ---- */

struct bw_error *bw_api_focus_begin(struct bw_api_focus *f, struct breakwater_session *s,
				    uint32_t wave, int lane)
{
	struct bw_debug *d = s->session->debug;
	const struct bw_wave_info *focus = bw_debug_focus(d), *w;
	*f = (struct bw_api_focus){.d = d};
	if (!wave && lane < 0)
		return NULL;
	if (!wave && !focus)
		return bw_errorf(BW_E_STATE, "No wave is stopped");
	BW_TRY(bw_api_find_wave(s, wave ? wave : focus->number, &w));
	if (lane >= 0 && (unsigned)lane >= w->lanes)
		return bw_errorf(BW_E_NOT_FOUND, "Invalid lane ID: %d (the wave has lanes 0 to %u)",
				 lane, w->lanes - 1u);
	f->wave = focus->number;
	f->lane = bw_debug_focus_lane(d);
	if (s->in_function) { /* it is the focus already */
		f->moved = lane >= 0;
		return lane >= 0 ? bw_debug_set_lane(d, (unsigned)lane) : NULL;
	}
	f->level = bw_debug_frame_level(d);
	f->moved = true;
	if (w->number != f->wave)
		BW_TRY(bw_debug_set_focus(d, w->number));
	return lane >= 0 ? bw_debug_set_lane(d, (unsigned)lane) : NULL;
}

void bw_api_focus_end(struct bw_api_focus *f)
{
	if (!f->moved)
		return;
	const struct bw_wave_info *now = bw_debug_focus(f->d);
	if (now && now->number != f->wave) {
		bw_error_free(bw_debug_set_focus(f->d, f->wave));
		bw_error_free(bw_debug_select_frame(f->d, f->level));
	}
	bw_error_free(bw_debug_set_lane(f->d, f->lane));
}

struct bw_error *bw_api_find_wave(struct breakwater_session *s, uint32_t number,
				  const struct bw_wave_info **out)
{
	const struct bw_wave_info *focus = bw_debug_focus(s->session->debug);
	if (s->in_function && (!focus || focus->number != number))
		return bw_errorf(BW_E_STATE, "A breakpoint's function can read its own wave only");
	const struct bw_wave_info *w =
		s->in_function ? focus : bw_debug_wave(s->session->debug, number);
	if (!w)
		return bw_errorf(BW_E_NOT_FOUND, "Wave %u is not stopped, or has ended", number);
	*out = w;
	return NULL;
}

/* ---- Structs that grow ---- */

/* size_b, which each of them begins with. */
static struct bw_error *size_of_struct(const void *s, size_t *out)
{
	memcpy(out, s, sizeof(*out));
	if (*out <= sizeof(*out) || *out > 4096)
		return bw_errorf(BW_E_INVALID,
				 "size_b is %zu: set it to the size of the struct before the call",
				 *out);
	return NULL;
}

struct bw_error *bw_api_take(void *out, const void *from)
{
	size_t size_b, from_b;
	memcpy(&size_b, out, sizeof(size_b));
	BW_TRY(size_of_struct(from, &from_b));
	memcpy((char *)out + sizeof(size_b), (const char *)from + sizeof(size_b),
	       (size_b < from_b ? size_b : from_b) - sizeof(size_b));
	return NULL;
}

struct bw_error *bw_api_fill(void *out, const void *from, size_t from_b)
{
	size_t size_b;
	BW_TRY(size_of_struct(out, &size_b));
	size_t n = size_b < from_b ? size_b : from_b;
	memset((char *)out + sizeof(size_b), 0, size_b - sizeof(size_b));
	memcpy((char *)out + sizeof(size_b), (const char *)from + sizeof(size_b),
	       n - sizeof(size_b));
	return NULL;
}
