// SPDX-License-Identifier: MIT
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
namespace shapes {
enum class color : unsigned char { red, green = 200 };
struct point {
    float x, y;
    static int count;
    __device__ float norm() const { return x * x + y * y; }
};
class circle : public point {
    float r;
    color c;

public:
    struct box {
        point low, high;
    };
    __device__ box around() const { return {{x - r, y - r}, {x + r, y + r}}; }
};
template <typename T> struct pair {
    T first, second;
};
} // namespace shapes

__device__ static float dot(const shapes::point &a, shapes::pair<float> b)
{
    return a.x * b.first + a.y * b.second;
}

__device__ float scale = 3.0f;
static constexpr int lanes = 32;

__global__ void types(shapes::circle *c, float *out, int n)
{
    __shared__ float part[32];
    int lane = __builtin_amdgcn_workitem_id_x();
    shapes::circle::box b = c[lane].around();
    shapes::pair<float> p = {b.low.x * scale, b.high.y};
    part[lane & (lanes - 1)] = dot(b.low, p);
    __builtin_amdgcn_s_barrier();
    for (int i = 0; i < n; i++)
        out[lane] += part[i & 31] + c[i].norm();
}
