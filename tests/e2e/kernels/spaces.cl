// SPDX-License-Identifier: MIT
// Pointers of each address space, and variables in local memory (types.txt).
struct link { int v; __local struct link *next; };
typedef struct { int a[4]; } item_t;

__attribute__((noinline)) static int use(__private item_t *p, __private item_t *__local *where, __local struct link *n)
{
	return p->a[1] + (*where)->a[0] + n->v;
}

__kernel void spaces(__global int *g)
{
	__local struct link ring[8];
	__private item_t *__local places[2];
	__local int numbers[2][4];
	__local int (*__local row)[4];
	item_t p;
	int i = get_local_id(0);
	ring[i & 7].v = i;
	ring[i & 7].next = &ring[(i + 1) & 7];
	places[0] = &p;
	row = &numbers[1];
	(*row)[0] = i;
	p.a[i & 3] = i;
	g[i] = use(&p, &places[0], ring);
}
