/* Functions that call the device library, whose functions call each other at their end (tail calls). */
int last_digit(int v, __global double *out)
{
	int digit = v % 10;
	out[get_global_id(0)] = fabs(digit / 3.0);
	return digit;
}

double digits(int v, __global double *out)
{
	int first = last_digit(v, out);
	int second = first + 10;
	int both = 10 * first + last_digit(v + second, out);
	double root = native_sqrt((float)both);
	return both + floor(root);
}

__kernel void library(__global double *out, int n)
{
	int id = get_global_id(0);
	double result = digits(id + n, out);
	out[id] = result;
}
