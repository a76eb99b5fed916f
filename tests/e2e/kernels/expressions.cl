/* For test_expressions.py: the same source runs on the CPU, under gdb. */
typedef struct { int id; float w; } item_t;
struct node { int value; struct node *next; short tags[3]; unsigned f; int g; };
enum color { RED, GREEN = 5, BLUE };
union word { int i; float f; unsigned char b[4]; };
__attribute__((noinline)) int helper(int a, float b)
{
	int t = a * 3 + (int)b;
	return t - 1;
}
__attribute__((noinline)) int nothing(void)
{
	return 4;
}
__attribute__((noinline)) void reverse(item_t *list, struct node **at, enum color c, const char *text)
{
	list[0].id = (int)c + text[0];
	at[0] = 0;
}
__kernel void kern(__global int *out, int n)
{
	int arr[6] = {1, 2, 3, 4, 5, 6};
	int grid[2][3] = {{1, 2, 3}, {4, 5, 6}};
	item_t it = {7, 2.5f};
	item_t items[3] = {{1, 0.5f}, {2, 1.5f}, {3, 2.5f}};
	struct node a = {1, 0, {1, 2, 3}, 5, -3}, b = {2, 0, {4, 5, 6}, 6, 7};
	enum color c = GREEN;
	union word u;
	char name[8] = "hello";
	int *p = arr;
	item_t *pi = items;
	float fl = 1.5f;
	double d = 2.25;
	unsigned char uc = 65;
	char ch = 'q';
	short sh = -3;
	unsigned us = 0xdeadbeef;
	long l = -5;
	int i = 3;
	u.i = 0x3f800000;
	a.next = &b;
	b.next = &a;
	out[0] = helper(arr[1], fl) + it.id + items[1].id + a.value + c + u.i + name[0] + *p + pi->id + (int)d + uc + ch + sh + us + l + i + n + grid[1][1];
	struct node *ring[2] = {&a, &b};
	reverse(&it, ring, c, name);
	it.id = nothing() + 3;
	out[1] = i; /* stop here */
}
