/* SPDX-License-Identifier: MIT */
#include "wire/abstract_name.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int bw_abstract_name_bind(int fd, const char *prefix)
{
	enum { NAMES = 8 };
	for (int i = 0; i < NAMES; i++) {
		struct sockaddr_un a = {.sun_family = AF_UNIX};
		uint32_t random = 0;
		/* sun_path[0] stays 0: a name without a file */
		int n = snprintf(a.sun_path + 1, sizeof(a.sun_path) - 1, "%s%d", prefix,
				 (int)getpid());
		if (i && getrandom(&random, sizeof(random), 0) == sizeof(random))
			n += snprintf(a.sun_path + 1 + n, sizeof(a.sun_path) - 1 - (size_t)n,
				      "-%08x", random);
		socklen_t size =
			(socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
		if (!bind(fd, (struct sockaddr *)&a, size))
			return 0;
		if (errno != EADDRINUSE)
			return -1;
	}
	return -1;
}
