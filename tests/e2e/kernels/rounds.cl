// What an element is behind round K depends on all rounds before: 3 * what it was + K + its number. control[1]: a read
// where nothing is mapped; control[2]: no end.
kernel void rounds(global uint *out, global volatile uint *control)
{
	uint i = __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x();
	uint value = out[i] * 3 + control[0] + i;
	if (control[1])
		value += *(global volatile uint *)0x123456789000ul;
	while (control[2])
		;
	out[i] = value;
}
