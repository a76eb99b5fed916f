/* SPDX-License-Identifier: MIT */
#include "guest/init/init.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/klog.h>
#include <unistd.h>

static int port = -1;

/* The device of the port that has our name: "vport1p1". */
static int find_port(char out_path[300])
{
	DIR *d = opendir("/sys/class/virtio-ports");
	int found = 0;
	for (struct dirent *e; d && !found && (e = readdir(d));) {
		char file[400], name[sizeof(BW_GUEST_PORT)] = "";
		snprintf(file, sizeof(file), "/sys/class/virtio-ports/%s/name", e->d_name);
		int fd = open(file, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			continue;
		ssize_t n = read(fd, name, sizeof(name) - 1);
		close(fd);
		found = n == sizeof(name) - 1 && !strcmp(name, BW_GUEST_PORT);
		if (found)
			snprintf(out_path, 300, "/dev/%s", e->d_name);
	}
	if (d)
		closedir(d);
	return found;
}

void port_open(void)
{
	/* The kernel finds the port while it starts us, so this is short. The host ends a machine
	 * that says nothing. */
	char path[300];
	while (!find_port(path) || (port = open(path, O_RDWR | O_CLOEXEC)) < 0)
		usleep(10000);
}

int port_fd(void)
{
	return port;
}

static void send_all(const void *data, size_t size_b)
{
	for (size_t done = 0; done < size_b;) {
		ssize_t n = write(port, (const char *)data + done, size_b - done);
		if (n > 0)
			done += (size_t)n;
		else if (n < 0 && errno != EINTR && errno != EAGAIN)
			return; /* the host has gone, and the machine with it */
	}
}

void port_send(enum bw_guest_frame_type type, const void *data, size_t size_b)
{
	struct bw_guest_frame f = {type, (uint32_t)size_b};
	send_all(&f, sizeof(f));
	send_all(data, size_b);
}

static void receive(void *out, size_t size_b)
{
	for (size_t done = 0; done < size_b;) {
		ssize_t n = read(port, (char *)out + done, size_b - done);
		if (n > 0)
			done += (size_t)n;
		else if (n < 0 && errno != EINTR && errno != EAGAIN)
			pause();
		else if (n == 0)
			usleep(10000); /* nobody at the other end */
	}
}

enum bw_guest_frame_type port_next(char **out_data, size_t *out_size_b)
{
	static char payload[BW_GUEST_FRAME_MAX + 1];
	struct bw_guest_frame f;
	receive(&f, sizeof(f));
	if (f.size > BW_GUEST_FRAME_MAX)
		die(false, "the host sent a frame of %u bytes", f.size);
	receive(payload, f.size);
	payload[f.size] = '\0';
	*out_data = payload;
	*out_size_b = f.size;
	return (enum bw_guest_frame_type)f.type;
}

/* The newest messages of the kernel that name the driver, or are part of a report. */
static void send_log(void)
{
	enum { READ_ALL = 3, LINES = 40, SIZE_B = 1 << 18 };
	static char log[SIZE_B + 1];
	char *lines[LINES];
	unsigned n_lines = 0;
	int n = klogctl(READ_ALL, log, SIZE_B);
	for (char *save, *line = strtok_r(n > 0 ? log : (char[]){""}, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save))
		if (strstr(line, "amdgpu") || strstr(line, "[drm") || strstr(line, "kfd") ||
		    strstr(line, "module") || strstr(line, "irmware"))
			lines[n_lines++ % LINES] = line;
	for (unsigned i = n_lines > LINES ? n_lines - LINES : 0; i < n_lines; i++) {
		const char *text = lines[i % LINES], *level = strchr(text, '>');
		if (text[0] == '<' && level)
			text = level + 1;
		port_send(BW_GUEST_LOG, text, strlen(text));
	}
}

void die(bool with_log, const char *fmt, ...)
{
	char text[1000];
	va_list args;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (with_log)
		send_log();
	port_send(BW_GUEST_FAILED, text, strlen(text));
	for (;;)
		pause();
}
