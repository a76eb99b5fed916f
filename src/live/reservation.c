/* SPDX-License-Identifier: MIT */
/* The VMID that programs can reserve. A GPU has one for all of them, so the jobs of programs that
 * have reserved it run in turns (amdgpu_vmid_alloc_reserved, amdgpu_vmid_grab_reserved in
 * amdgpu_ids.c of Linux 6.12): while one debugger has stopped its program's waves, the job of
 * another debugger's would wait for them. So one debugger at a time reserves. Which one it is a
 * name says, which ends with the process that has it. */
#include "live/live_priv.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/log.h"

/* The name is abstract, so that there is no file to remove, and no rights are needed. If a process
 * of another user has the name, we only lose the reservation. */
bool bw_live_take_reservation(struct bw_live *l)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	if (l->reservation >= 0)
		return true;
	_cleanup_close_ int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return true; /* without it programs are debugged one at a time, as ever */
	int n = snprintf(name.sun_path + 1, sizeof(name.sun_path) - 1,
			 "breakwater-reserved-vmid-%s-%d", bw_kmd_pci_address(l->kmd),
			 (int)bw_kmd_server_pid(l->kmd));
	if (bind(fd, (struct sockaddr *)&name,
		 (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n))) {
		bool is_taken = errno == EADDRINUSE;
		if (is_taken)
			BW_LOG(INFO, "live", "another debugger has the reserved VMID");
		return !is_taken;
	}
	l->reservation = bw_take_fd(fd);
	return true;
}

void bw_live_release_reservation(struct bw_live *l)
{
	bw_vec_each(&l->vms, it)
		if ((*it)->attached && (*it)->vmid_reserved)
			return;
	if (l->reservation >= 0)
		close(l->reservation);
	l->reservation = -1;
}
