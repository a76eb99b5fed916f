/* SPDX-License-Identifier: MIT */
#ifndef BW_BASE_ERROR_H
#define BW_BASE_ERROR_H

/* Errors. A function that can fail returns `struct bw_error *`: NULL is success, anything else is
 * owned by the caller, who frees it, wraps it or passes it on. Results go through last parameters
 * called out_x, which are untouched on failure. Out of memory is a static object, so that reporting
 * it never allocates. Nothing here prints. */

#include <stdarg.h>
#include <stdint.h>

enum bw_error_code {
	BW_E_NOMEM = 1,
	BW_E_INVALID, /* input that makes no sense: a file, an argument, a message */
	BW_E_NOT_FOUND,
	BW_E_UNSUPPORTED, /* understood, and not done by this program: the message names it */
	BW_E_SYSTEM,	  /* a system call failed: errnum says how */
	BW_E_FAULT,	  /* an address that cannot be reached: va says which */
	BW_E_GONE,	  /* the peer (program, GPU, debugger) has closed the connection */
	BW_E_TIMEOUT,
	BW_E_INTERRUPTED, /* the user has given up the wait */
	BW_E_STATE,	  /* right request, wrong moment: "the kernel is not running" */
};

struct bw_error {
	enum bw_error_code code;
	int errnum;    /* of the call or answer that failed; 0: none */
	uint64_t va;   /* BW_E_FAULT, else 0 */
	char *message; /* one sentence without a final stop */
};

#define BW_MUST_CHECK __attribute__((warn_unused_result))
#define BW_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))

struct bw_error *bw_errorf(enum bw_error_code code, const char *fmt, ...)
	BW_PRINTF(2, 3) BW_MUST_CHECK;
/* "fmt: strerror(errnum)" */
struct bw_error *bw_error_errno(int errnum, const char *fmt, ...) BW_PRINTF(2, 3) BW_MUST_CHECK;
struct bw_error *bw_error_fault(uint64_t va, const char *fmt, ...) BW_PRINTF(2, 3) BW_MUST_CHECK;
struct bw_error *bw_error_nomem(void) BW_MUST_CHECK;
/* Takes err, returns it with "fmt: " in front of its message. NULL stays NULL. */
struct bw_error *bw_error_wrap(struct bw_error *err, const char *fmt, ...)
	BW_PRINTF(2, 3) BW_MUST_CHECK;
/* Accepts NULL. */
void bw_error_free(struct bw_error *err);
/* If err has this code, frees it and returns true: the caller has dealt with it. */
_Bool bw_error_catch(struct bw_error **err, enum bw_error_code code);

/* Returns from the calling function when expr fails. */
#define BW_TRY(expr)                                                                               \
	do {                                                                                       \
		struct bw_error *bw_try_err_ = (expr);                                             \
		if (bw_try_err_)                                                                   \
			return bw_try_err_;                                                        \
	} while (0)

#endif
