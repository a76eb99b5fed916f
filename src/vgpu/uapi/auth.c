/* SPDX-License-Identifier: MIT */
/* The card's master, magics and what needs them. */
#include "vgpu/uapi/auth.h"

#include <drm.h>
#include <errno.h>

#include "vgpu/uapi/drm_call.h"

enum { CAP_ADMIN = 21 };       /* CAP_SYS_ADMIN */
enum { OVERFLOW_UID = 65534 }; /* a user whom the caller must not know */
enum { FIRST_RENDER_MINOR = 128 };

static bool is_render(const struct bw_drm_file *f)
{
	return f->minor >= FIRST_RENDER_MINOR;
}

/* drm_new_set_master: what earlier masters have been told is not known to a new one. */
static void become_master(struct bw_drm_file *f)
{
	f->u->master = f;
	f->u->n_masters++;
	f->master_number = f->u->n_masters;
	f->u->has_bus_id = false;
	f->was_master = f->authenticated = true;
}

void bw_drm_auth_open(struct bw_drm_file *f)
{
	struct bw_uapi *u = f->u;
	/* The first to open a card that has no master becomes its master (drm_master_open). */
	if (is_render(f))
		return;
	if (!u->master)
		become_master(f);
	f->master_number = u->n_masters;
}

bool bw_drm_auth_has_bus_id(struct bw_drm_call *c)
{
	pthread_mutex_lock(&c->u->lock);
	bool has = c->u->has_bus_id && c->file->master_number == c->u->n_masters;
	pthread_mutex_unlock(&c->u->lock);
	return has;
}

void bw_drm_auth_set_bus_id(struct bw_drm_call *c)
{
	pthread_mutex_lock(&c->u->lock);
	if (c->file->master_number == c->u->n_masters)
		c->u->has_bus_id = true;
	pthread_mutex_unlock(&c->u->lock);
}

void bw_drm_auth_close(struct bw_drm_file *f)
{
	if (f->magic)
		bw_ids_remove(&f->u->magics, f->magic);
	if (f->u->master == f)
		f->u->master = NULL;
}

bool bw_drm_permit(struct bw_drm_call *c, unsigned rights)
{
	const struct bw_drm_file *f = c->file;
	if (rights & BW_DRM_ROOT_ONLY && !bw_conn_capable(c->conn, CAP_ADMIN))
		return false;
	pthread_mutex_lock(&c->u->lock);
	bool master = c->u->master == f, authenticated = is_render(f) || f->authenticated;
	pthread_mutex_unlock(&c->u->lock);
	/* drm_file_alloc looks at the capability when the file is opened. */
	if (rights & BW_DRM_AUTH && !authenticated && !bw_conn_capable(c->conn, CAP_ADMIN))
		return false;
	if (rights & BW_DRM_MASTER && !master)
		return false;
	return rights & BW_DRM_RENDER_ALLOW || !is_render(f);
}

int bw_ioctl_get_magic(struct bw_drm_call *c, void *arg)
{
	struct drm_auth *a = arg;
	int r = 0;
	pthread_mutex_lock(&c->u->lock);
	if (!c->file->magic)
		r = bw_ids_add(&c->u->magics, c->file, &c->file->magic);
	a->magic = c->file->magic;
	pthread_mutex_unlock(&c->u->lock);
	return r;
}

/* The master vouches for the file that has this magic, once. */
int bw_ioctl_auth_magic(struct bw_drm_call *c, void *arg)
{
	const struct drm_auth *a = arg;
	pthread_mutex_lock(&c->u->lock);
	struct bw_drm_file *f = bw_ids_get(&c->u->magics, a->magic);
	bool found = f && !f->magic_used;
	if (found)
		f->magic_used = f->authenticated = true;
	pthread_mutex_unlock(&c->u->lock);
	return found ? 0 : -EINVAL;
}

/* drm_getclient: what is left of it tells a file whether it is authenticated. */
int bw_ioctl_get_client(struct bw_drm_call *c, void *arg)
{
	struct drm_client *a = arg;
	if (a->idx)
		return -EINVAL;
	bool admin = bw_conn_capable(c->conn, CAP_ADMIN);
	pthread_mutex_lock(&c->u->lock);
	a->auth = admin || c->file->authenticated;
	a->pid = (unsigned long)c->file->vm->pid;
	pthread_mutex_unlock(&c->u->lock);
	a->uid = OVERFLOW_UID;
	a->magic = a->iocs = 0;
	return 0;
}

/* drm_master_check_perm: a master whose descriptor another process has inherited is not that one's
 * to give up. */
static bool may_be_master(struct bw_drm_call *c)
{
	pthread_mutex_lock(&c->u->lock);
	bool was = c->file->was_master && c->file->opener == bw_conn_pid(c->conn);
	pthread_mutex_unlock(&c->u->lock);
	return was || bw_conn_capable(c->conn, CAP_ADMIN);
}

int bw_ioctl_set_master(struct bw_drm_call *c, void *arg)
{
	if (!may_be_master(c))
		return -EACCES;
	pthread_mutex_lock(&c->u->lock);
	int r = c->u->master && c->u->master != c->file ? -EBUSY : 0;
	if (!r && c->u->master != c->file)
		become_master(c->file);
	pthread_mutex_unlock(&c->u->lock);
	return r;
}

int bw_ioctl_drop_master(struct bw_drm_call *c, void *arg)
{
	if (!may_be_master(c))
		return -EACCES;
	pthread_mutex_lock(&c->u->lock);
	int r = c->u->master == c->file ? 0 : -EINVAL;
	if (!r)
		c->u->master = NULL;
	pthread_mutex_unlock(&c->u->lock);
	return r;
}
