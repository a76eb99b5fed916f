/* Where LLVM looks for the workgroup of a wave. */
kernel void groups(global uint *out)
{
	out[0] = __builtin_amdgcn_workgroup_id_x();
	out[1] = __builtin_amdgcn_workgroup_id_y();
	out[2] = __builtin_amdgcn_workgroup_id_z();
}
