/* SPDX-License-Identifier: MIT */
#ifndef BREAKWATER_BREAKWATER_H
#define BREAKWATER_BREAKWATER_H

/* libbreakwater: the debugger as a library. A session debugs a kernel, a shader or a program, or
 * looks at a crash file; waves, registers, memory, breakpoints and expressions are those of the
 * session.
 *
 * Errors. A function that can fail returns NULL for success, or an error that the caller owns: a
 * sentence (breakwater_error_message) and its kind (breakwater_error_code). Results go through
 * parameters called out_x, which are unchanged on failure.
 *
 * Ownership. What a function hands out is the caller's until the function with "free" in its name
 * takes it back, unless "borrowed" is said. Text that is handed out as char * is given back by
 * breakwater_free.
 *
 * Threads. The library is used by one thread at a time: a call that comes while another thread is
 * in one fails with BREAKWATER_E_STATE. breakwater_interrupt alone may be called at any time, from
 * any thread and from a signal handler. There may be several sessions at once.
 *
 * Growth. Structs begin with size_b, which the caller sets to sizeof(the struct): the library fills
 * no more than that. Functions and enumerators are added, and keep their meaning as long as the
 * soname (libbreakwater.so.0) is the same.
 *
 * The library installs no signal handlers, except during a call where breakwater_catch_sigint asks
 * for that, and, once it has compiled a kernel, for SIGHUP, SIGINT and SIGTERM if their action is
 * the default one: they remove what the compiler has written, and end the process. SIGPIPE is
 * ignored if its action is the default one. The library starts processes (the program, a virtual
 * GPU where there is no GPU, a guard that restores registers), and changes BREAKWATER_VGPU_ARGS in
 * the environment for them. */

#include <breakwater/breakpoints.h>
#include <breakwater/session.h>
#include <breakwater/values.h>
#include <breakwater/waves.h>

#endif
