// Level 1, 2 and 3 of BLAS through CLBlast. All numbers are small integers, so that every sum is exact.
#include <clblast.h>

#include <cstdio>
#include <functional>
#include <vector>

namespace {

cl_context context;
cl_command_queue queue;

void say(const char* what, int size, bool right) {
  if (size != 0)
    std::printf("%s %d: %s\n", what, size, right ? "right" : "wrong");
  else
    std::printf("%s: %s\n", what, right ? "right" : "wrong");
}

std::vector<float> numbers(int count, int step, int modulus) {
  std::vector<float> values(static_cast<size_t>(count));
  for (int i = 0; i < count; ++i)
    values[static_cast<size_t>(i)] = static_cast<float>(i * step % modulus - modulus / 2);
  return values;
}

cl_mem buffer(std::vector<float>& values) {
  return clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, values.size() * sizeof(float), values.data(), nullptr);
}

// The call must succeed, and leave `expected` in the buffer.
bool gives(const std::function<clblast::StatusCode()>& call, cl_mem memory,
           const std::vector<float>& expected) {
  if (call() != clblast::StatusCode::kSuccess) return false;
  std::vector<float> got(expected.size());
  clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, got.size() * sizeof(float), got.data(), 0, nullptr, nullptr);
  return got == expected;
}

void multiply_matrices(int n) {
  const int m = n + 3, k = n + 5;
  std::vector<float> a = numbers(m * k, 7, 13), b = numbers(k * n, 5, 11),
                     c(static_cast<size_t>(m * n), 4.0F), expected;
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      float sum = 0;
      for (int l = 0; l < k; ++l)
        sum += a[static_cast<size_t>(i * k + l)] * b[static_cast<size_t>(l * n + j)];
      expected.push_back(2 * sum + 0.5F * 4);
    }
  cl_mem on_a = buffer(a), on_b = buffer(b), on_c = buffer(c);
  using clblast::Transpose;
  say("gemm", n,
      gives(
          [&] {
            const auto size = [](int value) { return static_cast<size_t>(value); };
            return clblast::Gemm<float>(clblast::Layout::kRowMajor, Transpose::kNo, Transpose::kNo, size(m),
                                        size(n), size(k), 2.0F, on_a, 0, size(k), on_b, 0, size(n), 0.5F,
                                        on_c, 0, size(n), &queue, nullptr);
          },
          on_c, expected));
}

}  // namespace

int main() {
  cl_platform_id platform;
  cl_device_id device;
  clGetPlatformIDs(1, &platform, nullptr);
  clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr);
  context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, nullptr);
  queue = clCreateCommandQueue(context, device, 0, nullptr);
  for (int n : {16, 65, 128}) multiply_matrices(n);

  constexpr int n = 50;
  std::vector<float> a = numbers(n * n, 3, 7), x = numbers(n, 5, 9), y(n, 1.0F), product,
                     unit(static_cast<size_t>(n * n)), right;
  for (size_t i = 0; i < n; ++i) {
    float sum = 1, upper = x[i];
    for (size_t j = 0; j < n; ++j) {
      sum += a[i * n + j] * x[j];
      if (j > i && j < i + 3) upper += (unit[i * n + j] = 1) * x[j];
    }
    product.push_back(sum);
    right.push_back(upper);
  }
  cl_mem on_a = buffer(a), on_x = buffer(x), on_y = buffer(y);
  say("gemv", 0,
      gives(
          [&] {
            return clblast::Gemv<float>(clblast::Layout::kRowMajor, clblast::Transpose::kNo, n, n, 1.0F, on_a,
                                        0, n, on_x, 0, 1, 1.0F, on_y, 0, 1, &queue, nullptr);
          },
          on_y, product));
  float dot = 0;
  for (float value : x) dot += value * value;
  say("dot", 0,
      gives([&] { return clblast::Dot<float>(n, on_y, 0, on_x, 0, 1, on_x, 0, 1, &queue, nullptr); }, on_y,
            {dot}));
  cl_mem on_unit = buffer(unit), on_right = buffer(right);
  say("trsv", 0,
      gives(
          [&] {
            return clblast::Trsv<float>(clblast::Layout::kRowMajor, clblast::Triangle::kUpper,
                                        clblast::Transpose::kNo, clblast::Diagonal::kUnit, n, on_unit, 0, n,
                                        on_right, 0, 1, &queue, nullptr);
          },
          on_right, x));
}
