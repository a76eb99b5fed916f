// SPDX-License-Identifier: MIT
// A window of three layers that slides over memory, as stencils have it: in the line that loads the new
// layer the optimizer copies the old one, which it says is the new, and loads that later.
__kernel void window(__global float *power, __global float *in, __global float *out, float step, int width, int height,
		     int depth, float a, float b, float c, float d, float e, float f, float g)
{
	int x = get_global_id(0), y = get_global_id(1), at = x + y * width, layer = width * height;
	int west = x == 0 ? at : at - 1, east = x == width - 1 ? at : at + 1;
	int north = y == 0 ? at : at - width, south = y == height - 1 ? at : at + width;
	float below, here, above;
	below = here = in[at];
	above = in[at + layer];
	out[at] = a * here + b * in[west] + c * in[east] + d * in[south]
		  + e * in[north] + f * below + g * above + step * power[at] + g * 80.0f;
	at += layer;
	west += layer;
	east += layer;
	north += layer;
	south += layer;
	for (int k = 1; k < depth - 1; ++k) {
		below = here;
		here = above;
		above = in[at + layer];
		out[at] = a * here + b * in[west] + c * in[east] + d * in[south]
			  + e * in[north] + f * below + g * above + step * power[at] + g * 80.0f;
		at += layer;
		west += layer;
		east += layer;
		north += layer;
		south += layer;
	}
	below = here;
	here = above;
	out[at] = a * here + b * in[west] + c * in[east] + d * in[south]
		  + e * in[north] + f * below + g * above + step * power[at] + g * 80.0f;
}
