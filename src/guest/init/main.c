/* SPDX-License-Identifier: MIT */
/* Process 1 of the guest: mounts the host's file system, loads the GPU's driver and runs the
 * command, as the plan says that the host sends. */
#include "guest/init/init.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WORDS_MAX = 4096 };

static void set_firmware_path(const char *path)
{
	static const char file[] = "/sys/module/firmware_class/parameters/path";
	int fd = open(file, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, path, strlen(path)) < 0)
		die(false, "in the guest, %s cannot be written: %s", file, strerror(errno));
	close(fd);
	/* Debian's 6.1 looks for this folder before it asks for a file, and takes no GPU without
	 * it ("amdgpu requires firmware installed"). */
	mkdir("/lib/firmware", 0755);
	mkdir("/lib/firmware/amdgpu", 0755);
}

/* Appends text, which must live on, to words with their NULL. */
static void add_word(char **words, size_t *n, char *text)
{
	if (*n + 1 >= WORDS_MAX)
		die(false, "the command has more than %d words", WORDS_MAX - 2);
	words[(*n)++] = text;
	words[*n] = NULL;
}

/* Carries out a line of the plan; the text lives as long as the plan. */
static void carry_out(char *line, struct command *c)
{
	static char *argv[WORDS_MAX], *env[WORDS_MAX];
	static size_t n_args, n_env;
	char *text = line + 1, *space;
	c->argv = argv;
	c->env = env;
	switch (line[0]) {
	case BW_GUEST_MODULE:
		load_module(text);
		break;
	case BW_GUEST_DRIVER:
		load_driver(text);
		break;
	case BW_GUEST_KEEP:
		keep_driver(text);
		break;
	case BW_GUEST_FIRMWARE:
		set_firmware_path(text);
		break;
	case BW_GUEST_SHARE:
		space = strchr(text, ' ');
		if (space) {
			*space = '\0';
			mount_share(text, space + 1);
		}
		break;
	case BW_GUEST_SET:
		add_word(env, &n_env, text);
		break;
	case BW_GUEST_FOLDER:
		c->folder = text;
		break;
	case BW_GUEST_ARG:
		add_word(argv, &n_args, text);
		break;
	case BW_GUEST_TTY:
		c->on_tty = sscanf(text, "%hu %hu", &c->rows, &c->columns) == 2;
		break;
	default:
		die(false, "the guest does not know the line \"%s\" of its plan", line);
	}
}

/* Ourselves under the names of the tools, from the initramfs, which is out of reach later. */
static void copy_tools(int self)
{
	static const char *const names[] = {"driver-load", "driver-unload"};
	struct stat st;
	mkdir("/run/breakwater", 0755);
	mkdir("/run/breakwater/bin", 0755);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char path[100];
		snprintf(path, sizeof(path), "/run/breakwater/bin/%s", names[i]);
		int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0755);
		off_t from = 0;
		if (fd < 0 || fstat(self, &st) < 0 ||
		    sendfile(fd, self, &from, (size_t)st.st_size) != st.st_size)
			die(false, "in the guest, %s cannot be written: %s", path, strerror(errno));
		close(fd);
	}
	close(self);
}

int main(int argc, char **argv)
{
	const char *slash = strrchr(argv[0], '/'), *name = slash ? slash + 1 : argv[0];
	if (getpid() != 1)
		return tool_main(name, argc, argv);
	struct command c = {.folder = "/"};
	char *data, *plan;
	size_t size_b;
	int self = open("/init", O_RDONLY | O_CLOEXEC);
	mount_first();
	load_own_modules();
	port_open();
	port_send(BW_GUEST_HELLO, NULL, 0);
	if (port_next(&data, &size_b) != BW_GUEST_PLAN || !(plan = malloc(size_b + 1)))
		die(false, "the host did not begin with the plan");
	memcpy(plan, data, size_b + 1);
	check_own_modules();
	mount_root();
	if (sethostname("guest", 5))
		die(false, "the host name cannot be set");
	copy_tools(self);
	for (char *line = plan, *next; line < plan + size_b; line = next) {
		next = line + strlen(line) + 1; /* carrying out may cut the line */
		carry_out(line, &c);
	}
	if (!c.argv || !c.argv[0])
		die(false, "the plan has no command");
	run_command(&c);
}
