/* SPDX-License-Identifier: MIT */
/* A leak in whatever this is linked into. */
#include <stdlib.h>

void *volatile planted_lost;

/* Several: what is left of one in a register would keep it. */
__attribute__((constructor)) static void plant_a_leak(void)
{
	for (int i = 0; i < 8; i++)
		planted_lost = malloc(4321);
	planted_lost = NULL;
}
