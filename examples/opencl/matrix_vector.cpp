// W = M V six ways: "OpenCL Programming for the CUDA Architecture" 2.3, listings 2 to 7. What each saves is
// told in matrix_vector.cu, the same kernels in CUDA.
//
//     c++ matrix_vector.cpp -lOpenCL -o matrix_vector && ./matrix_vector
#include "check.h"

static const char* const source = R"cl(
#define ARGUMENTS global const float *m, uint width, uint height, global const float *v, global float *w
#define WARP_SIZE 32

float dot_product(global const float* row, global const float* v, uint width) {
  float sum = 0;
  for (uint x = 0; x < width; ++x) sum += row[x] * v[x];
  return sum;
}

// A work-item, a row.
kernel void listing2(ARGUMENTS, local float* partial) {
  const uint y = get_global_id(0);
  if (y < height) w[y] = dot_product(m + y * width, v, width);
}

// As many work-items as one likes.
kernel void listing3(ARGUMENTS, local float* partial) {
  for (uint y = get_global_id(0); y < height; y += get_global_size(0)) w[y] = dot_product(m + y * width, v, width);
}

// The work-items of a group share a row, so that they read it side by side: each leaves its part in local memory.
void partial_products(global const float* row, global const float* v, uint width, local float* partial) {
  float sum = 0;
  for (uint x = get_local_id(0); x < width; x += get_local_size(0)) sum += row[x] * v[x];
  partial[get_local_id(0)] = sum;
}

// The first work-item adds the parts.
kernel void listing4(ARGUMENTS, local float* partial) {
  for (uint y = get_group_id(0); y < height; y += get_num_groups(0)) {
    partial_products(m + y * width, v, width, partial);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
      float sum = 0;
      for (uint t = 0; t < get_local_size(0); ++t) sum += partial[t];
      w[y] = sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

// A tree. Indices that are multiples of twice the stride meet in the same banks.
kernel void listing5(ARGUMENTS, local float* partial) {
  for (uint y = get_group_id(0); y < height; y += get_num_groups(0)) {
    partial_products(m + y * width, v, width, partial);
    for (uint stride = 1; stride < get_local_size(0); stride *= 2) {
      barrier(CLK_LOCAL_MEM_FENCE);
      const uint index = 2 * stride * get_local_id(0);
      if (index < get_local_size(0)) partial[index] += partial[index + stride];
    }
    if (get_local_id(0) == 0) w[y] = partial[0];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

// The same tree from the other end, without bank conflicts.
kernel void listing6(ARGUMENTS, local float* partial) {
  const uint l = get_local_id(0);
  for (uint y = get_group_id(0); y < height; y += get_num_groups(0)) {
    partial_products(m + y * width, v, width, partial);
    for (uint stride = get_local_size(0) / 2; stride > 0; stride /= 2) {
      barrier(CLK_LOCAL_MEM_FENCE);
      if (l < stride) partial[l] += partial[l + stride];
    }
    if (l == 0) w[y] = partial[0];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

// Each warp adds 64 parts without a barrier, because its work-items march in step on these devices; `volatile` keeps the sums in local memory.
// OpenCL promises nothing of the kind: elsewhere this listing may be wrong.
kernel void listing7(ARGUMENTS, local float* partial) {
  const uint l = get_local_id(0), lane = l & (WARP_SIZE - 1), left = get_local_size(0) / (2 * WARP_SIZE);
  for (uint y = get_group_id(0); y < height; y += get_num_groups(0)) {
    partial_products(m + y * width, v, width, partial);
    barrier(CLK_LOCAL_MEM_FENCE);
    float warp_result = 0;
    if (l < get_local_size(0) / 2) {  // the other warps have no parts left
      volatile local float* p = partial + 2 * l - lane;
      p[0] += p[32]; p[0] += p[16]; p[0] += p[8]; p[0] += p[4]; p[0] += p[2]; p[0] += p[1];
      warp_result = p[0];
    }
    barrier(CLK_LOCAL_MEM_FENCE);  // every warp has read its result before others write over it
    if (lane == 0 && l < get_local_size(0) / 2) partial[l / WARP_SIZE] = warp_result;
    barrier(CLK_LOCAL_MEM_FENCE);
    // A group has at most 512 work-items here, so at most 8 sums are left: work for one warp.
    if (l < left / 2) {
      volatile local float* p = partial + l;
      if (left >= 8) p[0] += p[4];
      if (left >= 4) p[0] += p[2];
      if (left >= 2) p[0] += p[1];
    }
    if (l == 0) w[y] = partial[0];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}
)cl";

int main() {
  const cl_uint width = 1100, height = 300;
  const size_t group = 512;
  std::vector<float> m(width * height), v(width), w(height);
  for (std::size_t i = 0; i < m.size(); ++i) m[i] = static_cast<float>(i % 23) - 11;
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = static_cast<float>(i % 5) * 0.25f;
  std::vector<float> expected(height);  // multiples of 1/4 below 2^22: exact in any order
  for (cl_uint y = 0; y < height; ++y)
    for (cl_uint x = 0; x < width; ++x) expected[y] += m[y * width + x] * v[x];

  const OpenCl cl(source);
  const auto buffer = [&](std::vector<float>& values) {
    cl_int error;
    cl_mem memory = clCreateBuffer(cl.context, CL_MEM_COPY_HOST_PTR, values.size() * sizeof(float),
                                   values.data(), &error);
    CHECK(error);
    return memory;
  };
  cl_mem device_m = buffer(m), device_v = buffer(v);
  const struct {
    const char* name;
    size_t groups;  // the paper's numbers are 196 and 60; each must do with fewer groups than rows
  } ways[] = {{"listing2", (height + group - 1) / group},
              {"listing3", 2},
              {"listing4", 60},
              {"listing5", 60},
              {"listing6", 60},
              {"listing7", 60}};
  for (const auto& way : ways) {
    w.assign(height, NAN);
    cl_mem device_w = buffer(w);
    cl_kernel kernel = cl.kernel(way.name);
    CHECK(clSetKernelArg(kernel, 0, sizeof device_m, &device_m));
    CHECK(clSetKernelArg(kernel, 1, sizeof width, &width));
    CHECK(clSetKernelArg(kernel, 2, sizeof height, &height));
    CHECK(clSetKernelArg(kernel, 3, sizeof device_v, &device_v));
    CHECK(clSetKernelArg(kernel, 4, sizeof device_w, &device_w));
    CHECK(clSetKernelArg(kernel, 5, group * sizeof(float), nullptr));
    const size_t global = way.groups * group;
    CHECK(clEnqueueNDRangeKernel(cl.queue, kernel, 1, nullptr, &global, &group, 0, nullptr, nullptr));
    CHECK(clEnqueueReadBuffer(cl.queue, device_w, CL_TRUE, 0, height * sizeof(float), w.data(), 0, nullptr,
                              nullptr));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseMemObject(device_w));
    expect(way.name, w, expected);
  }
  CHECK(clReleaseMemObject(device_m));
  CHECK(clReleaseMemObject(device_v));
}
