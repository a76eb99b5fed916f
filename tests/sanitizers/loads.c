/* SPDX-License-Identifier: MIT */
/* A program that loads a library, as programs load drivers, and unloads it. Usage: loads LIBRARY */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	void *library = argc == 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
	if (!library) {
		fprintf(stderr, "loads: %s\n", argc == 2 ? dlerror() : "usage: loads LIBRARY");
		return 2;
	}
	dlclose(library);
	return 0;
}
