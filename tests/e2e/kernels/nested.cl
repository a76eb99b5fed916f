/* Types without a name in each other, and texts. */
typedef unsigned int ident;
typedef struct {
	ident id;
	struct {
		int low;
		union {
			int word;
			struct {
				short first;
			} part;
		} in;
	} named;
	union {
		int seen;
		float also;
	};
	enum { NONE, SOME } state;
	const struct {
		int z;
	} *to;
	struct {
		char c;
	} list[2];
} nested_t;

__kernel void nested(__global int *out, __global const ident *ids, __global const nested_t *all)
{
	nested_t one = {.id = 3, .state = SOME};
	const nested_t *here = &one;
	int ten[10] = {0}, eleven[11] = {0};
	uchar text[6] = {27, '1', 10, 7, 92, 0};
	ident *ring[2] = {&one.id, 0};
	out[get_global_id(0)] = ten[1] + eleven[1] + text[1] + here->id + *ring[0];
}
