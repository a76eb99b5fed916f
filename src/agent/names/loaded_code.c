/* SPDX-License-Identifier: MIT */
/* The code objects that ROCm's runtime has loaded, as a debugger of it finds them. */
#include "agent/names/loaded_code.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/program.h"
#include "base/cleanup.h"
#include "base/memfd.h"
#include "base/util.h"
#include "sym/code_uri.h"
#include "sym/loaded_list.h"

enum { COPY_B = 64 << 10 };
#define MAX_BYTES (1ull << 31)

static _Atomic uint64_t list_va;

/* Those that a replay has told of. */
struct told {
	struct bw_agent_loaded loaded;
	uint8_t *bytes; /* owned */
	size_t size_b;
};
static struct {
	pthread_mutex_t lock;
	struct BW_VEC(struct told) all;
} told = {.lock = PTHREAD_MUTEX_INITIALIZER};

void bw_loaded_code_set(uint64_t r_debug)
{
	atomic_store(&list_va, r_debug);
}

/* NULL: none is at base. Under the lock. */
static struct told *find_told(uint64_t base)
{
	bw_vec_each(&told.all, t)
		if (t->loaded.base == base)
			return t;
	return NULL;
}

void bw_loaded_code_tell(uint64_t base, const char *uri, const void *bytes, size_t size_b)
{
	struct told new = {.loaded.base = base, .size_b = size_b};
	pthread_mutex_lock(&told.lock);
	struct told *old = find_told(base);
	bool is_same = old && old->size_b == size_b && !memcmp(old->bytes, bytes, size_b);
	if (!is_same)
		new.bytes = malloc(size_b);
	if (new.bytes) {
		memcpy(new.bytes, bytes, size_b);
		memcpy(new.loaded.uri, uri, strnlen(uri, sizeof(new.loaded.uri) - 1));
		if (old) {
			free(old->bytes);
			*old = new;
		} else {
			struct bw_error *err = bw_vec_push(&told.all, new);
			if (err)
				free(new.bytes);
			bw_error_free(err); /* without memory nobody knows it */
		}
	}
	pthread_mutex_unlock(&told.lock);
}

static int list_told(struct bw_agent_codes *out)
{
	struct bw_error *err = NULL;
	pthread_mutex_lock(&told.lock);
	bw_vec_each(&told.all, t)
		if (!err)
			err = bw_vec_push(out, t->loaded);
	pthread_mutex_unlock(&told.lock);
	int r = err ? -ENOMEM : 0;
	bw_error_free(err);
	return r;
}

/* Where a program was started by naming its dynamic linker, the runtime takes that, which is
 * /proc/self/exe, for the file that the program's own code objects are in. */
static void correct_uri(char *uri, size_t room)
{
	struct bw_code_uri u;
	char program[BW_VGPU_PROGRAM_B], exe[sizeof(u.path)];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	bw_agent_program(program);
	if (n <= 0 || !*program || strlen(program) >= sizeof(u.path) ||
	    !bw_code_uri_read(uri, &u) || !u.is_file)
		return;
	exe[n] = '\0';
	if (strcmp(u.path, exe) != 0 || strcmp(u.path, program) == 0)
		return;
	snprintf(u.path, sizeof(u.path), "%s", program);
	bw_code_uri_write(&u, uri, room);
}

struct listing {
	struct bw_agent_codes *out;
	bool has_no_memory;
};

static bool read_own(void *cookie, uint64_t va, void *out, size_t size_b)
{
	return bw_agent_copy_in(out, va, size_b);
}

static bool add_loaded(void *cookie, uint64_t base, const char *uri)
{
	struct listing *l = cookie;
	struct bw_agent_loaded code = {.base = base};
	snprintf(code.uri, sizeof(code.uri), "%s", uri);
	correct_uri(code.uri, sizeof(code.uri));
	struct bw_error *err = bw_vec_push(l->out, code);
	l->has_no_memory = err;
	bw_error_free(err);
	return !l->has_no_memory;
}

int bw_loaded_code_list(struct bw_agent_codes *out)
{
	struct listing listing = {.out = out};
	uint64_t at = atomic_load(&list_va);
	int r = list_told(out);
	if (r || !at)
		return r;
	if (!bw_loaded_list(at, &(struct bw_loaded_walk){read_own, add_loaded, &listing}))
		return -EFAULT;
	return listing.has_no_memory ? -ENOMEM : 0;
}

static int write_all(int fd, const void *data, size_t size_b)
{
	for (size_t at = 0; at < size_b;) {
		ssize_t n = write(fd, (const char *)data + at, size_b - at);
		if (n < 0 && errno != EINTR)
			return -errno;
		at += n > 0 ? (size_t)n : 0;
	}
	return 0;
}

static int copy_memory(int to, uint64_t va, uint64_t size_b)
{
	_cleanup_free_ uint8_t *piece = malloc(COPY_B);
	int r = piece ? 0 : -ENOMEM;
	for (uint64_t at = 0; !r && at < size_b; at += COPY_B) {
		size_t n = (size_t)BW_MIN(size_b - at, (uint64_t)COPY_B);
		r = bw_agent_copy_in(piece, va + at, n) ? write_all(to, piece, n) : -EFAULT;
	}
	return r;
}

/* size_b 0: up to its end. */
static int copy_file(int to, const char *path, uint64_t offset_b, uint64_t size_b)
{
	_cleanup_close_ int from = REAL(open64)(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	_cleanup_free_ uint8_t *piece = malloc(COPY_B);
	struct stat st;
	if (from < 0 || fstat(from, &st))
		return -errno;
	if (!piece)
		return -ENOMEM;
	if (!S_ISREG(st.st_mode) || offset_b > (uint64_t)st.st_size)
		return -EINVAL;
	uint64_t left = BW_MIN(size_b ? size_b : MAX_BYTES, (uint64_t)st.st_size - offset_b);
	while (left) {
		ssize_t n =
			pread(from, piece, (size_t)BW_MIN(left, (uint64_t)COPY_B), (off_t)offset_b);
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		int r = write_all(to, piece, (size_t)n);
		if (r)
			return r;
		offset_b += (uint64_t)n;
		left -= (uint64_t)n;
	}
	return 0;
}

/* -ENOENT: it was not told. */
static int copy_told(int to, uint64_t base)
{
	pthread_mutex_lock(&told.lock);
	const struct told *t = find_told(base);
	int r = t ? write_all(to, t->bytes, t->size_b) : -ENOENT;
	pthread_mutex_unlock(&told.lock);
	return r;
}

static int copy_uri(int to, const char *text)
{
	struct bw_code_uri uri;
	if (!bw_code_uri_read(text, &uri))
		return -EPROTONOSUPPORT;
	if (uri.size_b > MAX_BYTES)
		return -EFBIG;
	return uri.is_file ? copy_file(to, uri.path, uri.offset_b, uri.size_b)
			   : copy_memory(to, uri.offset_b, uri.size_b);
}

int bw_loaded_code_open(uint64_t base, uint64_t *out_size_b)
{
	struct bw_agent_codes all = {0};
	struct stat st;
	int r = bw_loaded_code_list(&all);
	const struct bw_agent_loaded *found = NULL;
	for (size_t i = 0; !r && i < all.len; i++)
		if (all.data[i].base == base)
			found = &all.data[i];
	_cleanup_close_ int fd = found ? bw_memfd("code object") : -1;
	if (!r)
		r = !found ? -ENOENT : fd < 0 ? -errno : copy_told(fd, base);
	if (r == -ENOENT && found)
		r = copy_uri(fd, found->uri);
	if (!r && (fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) || fstat(fd, &st)))
		r = -errno;
	bw_vec_free(&all);
	if (r)
		return r;
	*out_size_b = (uint64_t)st.st_size;
	return bw_take_fd(fd);
}
