/* SPDX-License-Identifier: MIT */
/* Handlers of the debugger's requests. They run on the service thread. */
#include "agent/debugger/debugger_priv.h"

#include <amdgpu_drm.h>
#include <drm.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/clocks/clock.h"
#include "agent/gpu/kfd.h"
#include "agent/gpu/submit.h"
#include "agent/memory/freed.h"
#include "agent/memory/memory.h"
#include "agent/memory/track.h"
#include "agent/names/loaded_code.h"
#include "agent/names/names.h"
#include "agent/shaders/shaders.h"
#include "base/cleanup.h"
#include "base/newer_drm.h"
#include "base/shown.h"
#include "base/util.h"

enum { IO_MAX_B = BW_MSG_MAX_BODY_B - 4096 };

static void set_result(struct bw_agent_result *r, int result, uint64_t va, const char *what)
{
	r->result = result;
	r->va = va;
	if (result == -EFAULT)
		snprintf(r->message, sizeof(r->message), "%s: nothing is mapped at 0x%llx", what,
			 (unsigned long long)va);
	else if (result == -EPERM)
		snprintf(r->message, sizeof(r->message),
			 "%s: the buffer at 0x%llx is not visible to the CPU", what,
			 (unsigned long long)va);
	else if (result)
		snprintf(r->message, sizeof(r->message), "%s: %s", what, bw_error_result(result));
}

static struct bw_error *reply(const struct bw_msg *m, const void *head, size_t head_b,
			      const void *more, size_t more_b, int fd)
{
	struct bw_msg_part parts[] = {{head, head_b}, {more, more_b}};
	return bw_dbg_send(m->type | BW_AGENT_REPLY, m->seq, parts, 2, fd);
}

struct bw_error *bw_dbg_reply_result(const struct bw_msg *m, int result, uint64_t va,
				     const char *what)
{
	struct bw_agent_result r = {0};
	set_result(&r, result, va, what);
	return reply(m, &r, sizeof(r), NULL, 0, -1);
}

/* Takes ownership of a, or frees it when there is no room for it. */
static bool add_attach(const struct bw_attach *a)
{
	struct bw_attach *copy = malloc(sizeof(*copy));
	if (copy)
		*copy = *a;
	pthread_mutex_lock(&bw_dbg.lock);
	struct bw_error *err = copy ? bw_vec_push(&bw_dbg.attached, copy) : bw_error_nomem();
	pthread_mutex_unlock(&bw_dbg.lock);
	if (!err)
		return true;
	bw_error_free(err);
	free(copy);
	return false;
}

static struct bw_error *on_attach(const struct bw_msg *m, struct bw_agent_file *f)
{
	struct bw_attach_request req = {0};
	struct bw_agent_attach_reply out = {0};
	_cleanup_close_ int fd = -1;
	memcpy(&req.sizes, m->body, sizeof(req.sizes));
	uint64_t payload_b = (uint64_t)req.sizes.control_size_b + req.sizes.handler_size_b;
	pthread_mutex_lock(&bw_dbg.lock);
	bool is_held = false;
	bw_vec_each(&bw_dbg.held, h)
		is_held |= (*h)->file == f;
	req.queue = (struct bw_agent_queue){.ip_type = f->ip_type, .ring = f->ring};
	pthread_mutex_unlock(&bw_dbg.lock);
	req.control = m->body + sizeof(req.sizes);
	req.handler = (const uint8_t *)req.control + req.sizes.control_size_b;
	struct bw_attach a = {0}, *ready = bw_dbg_attach_of(f);
	if (payload_b != m->body_b - sizeof(req.sizes))
		set_result(&out.r, -EINVAL, 0, "attaching");
	else if (ready && ready->is_ready && !bw_attach_wake(ready, &out, &fd))
		bw_submit_show_running(f);
	else if (ready && ready->is_ready)
		; /* the error is in out */
	else if (ready)
		set_result(&out.r, -EBUSY, 0, "already attached");
	else if (!is_held)
		set_result(&out.r, -EAGAIN, 0, "no submission is held");
	else if (!bw_attach(&a, f, &req, &out, &fd) && !add_attach(&a)) {
		bw_attach_over(&a, true);
		set_result(&out.r, -ENOMEM, 0, "attaching");
	}
	return reply(m, &out, sizeof(out), NULL, 0, fd);
}

/* Code in GPU memory has changed since instruction caches were last emptied. A command stream
 * empties them where it begins, an AQL packet does not. */
static void note_code(const struct bw_agent_file *f)
{
	struct bw_attach *a = bw_dbg_attach_of(f);
	if (a && atomic_load(&f->is_kfd_space))
		a->has_stale_code = true;
}

static void empty_caches_for(uint32_t submission)
{
	struct bw_attach *a = NULL;
	pthread_mutex_lock(&bw_dbg.lock);
	bw_vec_each(&bw_dbg.held, h)
		if ((*h)->number == submission)
			a = bw_dbg_attach_of((*h)->file);
	pthread_mutex_unlock(&bw_dbg.lock);
	if (a && a->has_stale_code)
		bw_attach_empty_caches(a);
}

static struct bw_error *on_release(const struct bw_msg *m, struct bw_agent_file *f)
{
	struct bw_agent_release req;
	memcpy(&req, m->body, sizeof(req));
	bool found = !req.submission;
	empty_caches_for(req.submission);
	pthread_mutex_lock(&bw_dbg.lock);
	if (!req.submission)
		bw_dbg.failures_released = req.failures;
	bw_vec_each(&bw_dbg.held, h) {
		if ((*h)->number == req.submission) {
			(*h)->released = true;
			found = true;
		}
	}
	pthread_cond_broadcast(&bw_dbg.changed);
	pthread_mutex_unlock(&bw_dbg.lock);
	return bw_dbg_reply_result(m, found ? 0 : -ENOENT, 0, "no such submission is held");
}

static struct bw_error *on_mem(const struct bw_msg *m, struct bw_agent_file *f)
{
	struct bw_agent_mem req;
	uint64_t va = 0;
	memcpy(&req, m->body, sizeof(req));
	const uint8_t *data = m->body + sizeof(req);
	size_t data_b = m->body_b - sizeof(req);
	if (m->type != BW_AGENT_MEM_READ)
		note_code(f);
	if (m->type == BW_AGENT_UNPATCH)
		return bw_dbg_reply_result(m, bw_memory_unpatch(f, req.va), req.va,
					   "no such patch");
	if (m->type == BW_AGENT_MEM_READ) {
		_cleanup_free_ uint8_t *out =
			req.size_b <= IO_MAX_B ? calloc(1, BW_MAX(req.size_b, 1u)) : NULL;
		struct bw_agent_result r = {0};
		int e = out ? bw_memory_read(f, req.va, out, req.size_b, &va) : -E2BIG;
		set_result(&r, e, va, "reading GPU memory");
		return reply(m, &r, sizeof(r), out, r.result ? 0 : req.size_b, -1);
	}
	if (data_b != req.size_b)
		return bw_dbg_reply_result(m, -EINVAL, req.va,
					   "the data has another size than the request says");
	int r = m->type == BW_AGENT_PATCH ? bw_memory_patch(f, req.va, data, data_b, &va)
					  : bw_memory_write(f, req.va, data, data_b, &va);
	return bw_dbg_reply_result(
		m, r, va, m->type == BW_AGENT_PATCH ? "writing GPU code" : "writing GPU memory");
}

static struct bw_error *on_maps(const struct bw_msg *m, struct bw_agent_file *f)
{
	struct bw_agent_maps maps = {0};
	struct bw_error *err = bw_track_maps(f, &maps);
	struct bw_agent_result r = {0};
	if (!err)
		err = reply(m, &r, sizeof(r), maps.data, maps.len * sizeof(*maps.data), -1);
	bw_vec_free(&maps);
	return err;
}

static struct bw_error *on_freed(const struct bw_msg *m, struct bw_agent_file *f)
{
	struct bw_agent_mem req;
	struct bw_agent_freed out = {0};
	struct bw_freed freed;
	memcpy(&req, m->body, sizeof(req));
	if (bw_track_freed(f, req.va, &freed)) {
		out.va = bw_canonical(freed.va);
		out.size_b = freed.size_b;
		out.by = freed.by;
	}
	return reply(m, &out, sizeof(out), NULL, 0, -1);
}

static struct bw_error *on_objects(const struct bw_msg *m, struct bw_agent_file *f)
{
	struct bw_agent_objects objects = {0};
	struct bw_error *err = bw_names_objects(&objects);
	struct bw_agent_result r = {0};
	objects.len = BW_MIN(objects.len, IO_MAX_B / sizeof(*objects.data));
	if (!err)
		err = reply(m, &r, sizeof(r), objects.data, objects.len * sizeof(*objects.data),
			    -1);
	bw_vec_free(&objects);
	return err;
}

static struct bw_error *on_shader(const struct bw_msg *m, struct bw_agent_file *f)
{
	struct bw_agent_shader req;
	struct bw_names_blob blob = {0};
	struct bw_agent_result r = {0};
	memcpy(&req, m->body, sizeof(req));
	int e = bw_shaders_describe(req.pipeline, &blob);
	if (!e && blob.len > IO_MAX_B)
		e = -E2BIG;
	set_result(&r, e, 0, "describing a shader");
	struct bw_error *err = reply(m, &r, sizeof(r), blob.data, e ? 0 : blob.len, -1);
	bw_vec_free(&blob);
	return err;
}

static struct bw_error *on_fault(const struct bw_msg *m, struct bw_agent_file *f)
{
	struct bw_info_gpuvm_fault fault = {0};
	struct drm_amdgpu_info info = {.return_pointer = (uintptr_t)&fault,
				       .return_size = sizeof(fault),
				       .query = BW_INFO_GPUVM_FAULT};
	struct bw_agent_fault out = {0};
	set_result(&out.r, bw_agent_ioctl(f, DRM_IOCTL_AMDGPU_INFO, &info), 0,
		   "reading the last page fault");
	out.addr = fault.addr;
	out.status = fault.status;
	out.vmhub = fault.vmhub;
	return reply(m, &out, sizeof(out), NULL, 0, -1);
}

static struct bw_error *on_clock(const struct bw_msg *m, struct bw_agent_file *f)
{
	struct bw_agent_clock req;
	memcpy(&req, m->body, sizeof(req));
	(req.is_stopped ? bw_clock_stop : bw_clock_resume)();
	return bw_dbg_reply_result(m, 0, 0, "");
}

static struct bw_error *on_files(const struct bw_msg *m, struct bw_agent_file *f)
{
	struct BW_VEC(struct bw_agent_file_info) all = {0};
	struct files files = {0};
	pthread_mutex_lock(&bw_dbg.lock);
	struct bw_error *err = bw_vec_reserve(&files, bw_dbg.files.len);
	for (size_t i = 0; !err && i < bw_dbg.files.len; i++) {
		bw_agent_file_ref(bw_dbg.files.data[i]);
		files.data[files.len++] = bw_dbg.files.data[i];
	}
	pthread_mutex_unlock(&bw_dbg.lock);
	bw_vec_each(&files, it) {
		const struct bw_attach *a = bw_dbg_attach_of(*it);
		struct bw_agent_file_info i = {.file = (*it)->number, .is_ready = a && a->is_ready};
		bw_attach_pasid(*it, &i.pasid); /* 0: the kernel does not tell it */
		if (!err)
			err = bw_vec_push(&all, i);
		bw_agent_file_unref(*it);
	}
	bw_vec_free(&files);
	struct bw_agent_result r = {0};
	if (!err)
		err = reply(m, &r, sizeof(r), all.data, all.len * sizeof(*all.data), -1);
	bw_vec_free(&all);
	return err;
}

static struct bw_error *on_codes(const struct bw_msg *m, struct bw_agent_file *f)
{
	struct bw_agent_codes all = {0};
	struct bw_agent_result r = {0};
	set_result(&r, bw_loaded_code_list(&all), 0, "listing code objects");
	all.len = r.result ? 0 : BW_MIN(all.len, IO_MAX_B / sizeof(*all.data));
	struct bw_error *err = reply(m, &r, sizeof(r), all.data, all.len * sizeof(*all.data), -1);
	bw_vec_free(&all);
	return err;
}

static struct bw_error *on_queues(const struct bw_msg *m, struct bw_agent_file *f)
{
	struct bw_aql_list all = {0};
	struct bw_agent_result r = {0};
	struct bw_error *err = bw_aql_list(&all);
	if (!err)
		err = reply(m, &r, sizeof(r), all.data, all.len * sizeof(*all.data), -1);
	bw_vec_free(&all);
	return err;
}

static struct bw_error *on_code_bytes(const struct bw_msg *m, struct bw_agent_file *f)
{
	struct bw_agent_loaded_at req;
	struct bw_agent_result r = {0};
	uint64_t size_b = 0;
	memcpy(&req, m->body, sizeof(req));
	_cleanup_close_ int fd = bw_loaded_code_open(req.base, &size_b);
	set_result(&r, fd < 0 ? fd : 0, req.base, "reading a code object");
	return reply(m, &r, sizeof(r), &size_b, sizeof(size_b), fd < 0 ? -1 : fd);
}

enum { NO_FILE = UINT32_MAX };
/* clang-format off */
static const struct request {
	uint16_t type;
	uint32_t min_b;
	struct bw_error *(*answer)(const struct bw_msg *m, struct bw_agent_file *f);
	uint32_t file_at; /* in the body */
} requests[] = {
	{BW_AGENT_ATTACH, sizeof(struct bw_agent_attach), on_attach, offsetof(struct bw_agent_attach, file)},
	{BW_AGENT_RELEASE, sizeof(struct bw_agent_release), on_release, NO_FILE},
	{BW_AGENT_MEM_READ, sizeof(struct bw_agent_mem), on_mem, offsetof(struct bw_agent_mem, file)},
	{BW_AGENT_MEM_WRITE, sizeof(struct bw_agent_mem), on_mem, offsetof(struct bw_agent_mem, file)},
	{BW_AGENT_PATCH, sizeof(struct bw_agent_mem), on_mem, offsetof(struct bw_agent_mem, file)},
	{BW_AGENT_UNPATCH, sizeof(struct bw_agent_mem), on_mem, offsetof(struct bw_agent_mem, file)},
	{BW_AGENT_MAPS, sizeof(struct bw_agent_about), on_maps, offsetof(struct bw_agent_about, file)},
	{BW_AGENT_FREED, sizeof(struct bw_agent_mem), on_freed, offsetof(struct bw_agent_mem, file)},
	{BW_AGENT_FAULT, sizeof(struct bw_agent_about), on_fault, offsetof(struct bw_agent_about, file)},
	{BW_AGENT_OBJECTS, 0, on_objects, NO_FILE},
	{BW_AGENT_SHADER, sizeof(struct bw_agent_shader), on_shader, NO_FILE},
	{BW_AGENT_FILES, 0, on_files, NO_FILE},
	{BW_AGENT_CLOCK, sizeof(struct bw_agent_clock), on_clock, NO_FILE},
	{BW_AGENT_CODES, 0, on_codes, NO_FILE},
	{BW_AGENT_QUEUES, 0, on_queues, NO_FILE},
	{BW_AGENT_CODE_BYTES, sizeof(struct bw_agent_loaded_at), on_code_bytes, NO_FILE},
};
/* clang-format on */

struct bw_error *bw_dbg_answer(const struct bw_msg *m)
{
	const struct request *q = NULL;
	for (size_t i = 0; i < BW_ARRAY_SIZE(requests); i++)
		if (requests[i].type == m->type)
			q = &requests[i];
	if (!q)
		return bw_dbg_reply_result(m, -EOPNOTSUPP, 0,
					   "this agent does not know the request");
	if (m->body_b < q->min_b)
		return bw_dbg_reply_result(m, -EINVAL, 0, "the request is too short");
	uint32_t number = 0;
	if (q->file_at != NO_FILE)
		memcpy(&number, m->body + q->file_at, sizeof(number));
	struct bw_agent_file *f = bw_dbg_file_of(number);
	if (!f && q->file_at != NO_FILE)
		return bw_dbg_reply_result(m, -ENODEV, 0, "the program has closed its GPU");
	struct bw_error *err = q->answer(m, f);
	bw_agent_file_unref(f);
	return err;
}
