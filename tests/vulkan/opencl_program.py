# SPDX-License-Identifier: MIT
"""An OpenCL program that knows nothing of debuggers: two kernels, of which one has arguments that it does not use,
local memory, and a structure. Prints its results. Exit status 77: there is no OpenCL here.

    opencl_program.py [again]     again: it makes and releases a kernel for each of four launches"""
import ctypes as c
import sys

SOURCE = b"""
typedef struct { int shift; float scale; } params;

#if __OPENCL_VERSION__ >= 100
typedef struct { int by; } amount;
#else
typedef struct { float by; } amount;
#endif

float twice(float v) { return v + v; }

kernel void saxpy(global float *out, global const float *x, float a, int n, params p)
{
	int i = get_global_id(0);
	if (i < n)
		out[i] = a * x[i] + twice(p.scale) + p.shift;
}

kernel void sums(global const int *unused, global int *data, local int *part, short nothing, amount bias)
{
	int lid = get_local_id(0);
	part[lid] = data[get_global_id(0)];
	barrier(CLK_LOCAL_MEM_FENCE);
	int sum = bias.by;
	for (int k = 0; k <= lid; k++)
		sum += part[k];
	data[get_global_id(0)] = sum;
}
"""
N = 256
P = c.c_void_p


class Params(c.Structure):
    _fields_ = [("shift", c.c_int), ("scale", c.c_float)]


try:
    cl = c.CDLL("libOpenCL.so.1")
except OSError:
    sys.exit(77)
for name in ("clCreateContext", "clCreateCommandQueue", "clCreateProgramWithSource", "clCreateKernel", "clCreateBuffer"):
    getattr(cl, name).restype = P
error = c.c_int()


def made(handle):
    if error.value:
        sys.exit(f"OpenCL fails with {error.value}")
    return P(handle)


def done(result):
    if result:
        sys.exit(f"OpenCL fails with {result}")


def buffer(values, kind):
    data = (kind * N)(*values)
    return made(cl.clCreateBuffer(context, c.c_ulong(1 | 32), c.c_size_t(c.sizeof(data)), data, c.byref(error)))


def kernel(which, *args):
    k = made(cl.clCreateKernel(program, which, c.byref(error)))
    for i, v in enumerate(args):
        local = isinstance(v, int)
        done(cl.clSetKernelArg(k, i, c.c_size_t(v if local else c.sizeof(v)), None if local else c.byref(v)))
    return k


def launch(k, local):
    size, group = c.c_size_t(N), c.c_size_t(local)
    done(cl.clEnqueueNDRangeKernel(queue, k, 1, None, c.byref(size), c.byref(group) if local else None, 0, None, None))


def read(mem, kind):
    data = (kind * N)()
    done(cl.clEnqueueReadBuffer(queue, mem, 1, c.c_size_t(0), c.c_size_t(c.sizeof(data)), data, 0, None, None))
    return list(data)


platform, device = P(), P()
if cl.clGetPlatformIDs(1, c.byref(platform), None) or cl.clGetDeviceIDs(platform, c.c_ulong(0xffffffff), 1, c.byref(device), None):
    sys.exit(77)
context = made(cl.clCreateContext(None, 1, c.byref(device), None, None, c.byref(error)))
queue = made(cl.clCreateCommandQueue(context, device, c.c_ulong(0), c.byref(error)))
text = c.c_char_p(SOURCE)
program = made(cl.clCreateProgramWithSource(context, 1, c.byref(text), None, c.byref(error)))
done(cl.clBuildProgram(program, 0, None, b"", None, None))
out, x = buffer([0] * N, c.c_float), buffer(range(N), c.c_float)
data, other = buffer(range(N), c.c_int), buffer([0] * N, c.c_int)
if sys.argv[1:] == ["again"]:
    for a in (1, 2, 3, 4):
        k = kernel(b"saxpy", out, x, c.c_float(a), c.c_int(100 * a), Params(0, 0))
        launch(k, 64)
        cl.clReleaseKernel(k)
else:
    launch(kernel(b"saxpy", out, x, c.c_float(2.5), c.c_int(200), Params(7, 1.5)), 64)
    launch(kernel(b"sums", other, data, 32 * 4, c.c_short(0), c.c_int(5)), 32)
print(read(out, c.c_float)[199], read(data, c.c_int)[34])
