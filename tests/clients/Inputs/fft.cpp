// Fourier transforms of clFFT, whose kernels are generated for each length, against the sum itself.
#include <clFFT.h>

#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

using Complex = std::complex<double>;

cl_context context;
cl_command_queue queue;

void check(int error, const char* what) {
  if (error == 0) return;
  std::printf("%s: error %d\n", what, error);
  std::exit(1);
}

// Along one dimension of a row-major array with n, the outermost dimension first.
std::vector<Complex> transform_along(const std::vector<Complex>& in, const std::vector<size_t>& n,
                                     size_t dimension) {
  size_t inner = 1, outer = 1;
  for (size_t i = dimension + 1; i < n.size(); ++i) inner *= n[i];
  for (size_t i = 0; i < dimension; ++i) outer *= n[i];
  const size_t length = n[dimension];
  std::vector<Complex> turns(length), out(in.size());
  for (size_t i = 0; i < length; ++i)
    turns[i] = std::polar(1.0, -2 * std::acos(-1.0) * static_cast<double>(i) / static_cast<double>(length));
  for (size_t o = 0; o < outer; ++o) {
    for (size_t i = 0; i < inner; ++i) {
      for (size_t k = 0; k < length; ++k) {
        Complex sum = 0;
        for (size_t j = 0; j < length; ++j) sum += in[(o * length + j) * inner + i] * turns[j * k % length];
        out[(o * length + k) * inner + i] = sum;
      }
    }
  }
  return out;
}

// `lengths` as clFFT counts them, the innermost first; `batch` of them one behind the other.
template <typename Real>
void test(const char* name, std::vector<size_t> lengths, size_t batch, bool real) {
  size_t count = batch;
  for (const size_t n : lengths) count *= n;
  std::vector<Complex> in(count);
  std::vector<Real> host(real ? count : 2 * count);
  for (size_t i = 0; i < count; ++i) {
    in[i] = {static_cast<Real>((i * 7919 + 13) % 1009) / 1009 - 0.5,
             real ? 0 : static_cast<Real>((i * 104729 + 5) % 997) / 997 - 0.5};
    (real ? host[i] : host[2 * i]) = static_cast<Real>(in[i].real());
    if (!real) host[2 * i + 1] = static_cast<Real>(in[i].imag());
    in[i] = {(real ? host[i] : host[2 * i]), real ? 0 : host[2 * i + 1]};
  }
  std::vector<size_t> shape{batch};
  shape.insert(shape.end(), lengths.rbegin(), lengths.rend());
  std::vector<Complex> expected = in;
  for (size_t d = 1; d < shape.size(); ++d) expected = transform_along(expected, shape, d);

  // Of real numbers half of the row, and one more: the rest is its mirror.
  const size_t row = lengths[0], kept = real ? row / 2 + 1 : row, rows = count / row;
  std::vector<Real> result(2 * kept * rows);
  int error = 0;
  cl_mem from = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, host.size() * sizeof(Real),
                               host.data(), &error);
  check(error, "from");
  cl_mem to = clCreateBuffer(context, CL_MEM_READ_WRITE, result.size() * sizeof(Real), nullptr, &error);
  check(error, "to");
  clfftPlanHandle plan = 0;
  const auto dimension = static_cast<clfftDim>(lengths.size());
  check(clfftCreateDefaultPlan(&plan, context, dimension, lengths.data()), "plan");
  clfftSetPlanPrecision(plan, sizeof(Real) == 8 ? CLFFT_DOUBLE : CLFFT_SINGLE);
  clfftSetLayout(plan, real ? CLFFT_REAL : CLFFT_COMPLEX_INTERLEAVED,
                 real ? CLFFT_HERMITIAN_INTERLEAVED : CLFFT_COMPLEX_INTERLEAVED);
  clfftSetResultLocation(plan, CLFFT_OUTOFPLACE);
  clfftSetPlanBatchSize(plan, batch);
  std::vector<size_t> in_strides{1}, out_strides{1};
  for (size_t d = 0; d + 1 < lengths.size(); ++d) {
    in_strides.push_back(in_strides.back() * lengths[d]);
    out_strides.push_back(out_strides.back() * (d == 0 ? kept : lengths[d]));
  }
  clfftSetPlanInStride(plan, dimension, in_strides.data());
  clfftSetPlanOutStride(plan, dimension, out_strides.data());
  clfftSetPlanDistance(plan, count / batch, kept * rows / batch);
  check(clfftBakePlan(plan, 1, &queue, nullptr, nullptr), "bake");
  check(clfftEnqueueTransform(plan, CLFFT_FORWARD, 1, &queue, 0, nullptr, nullptr, &from, &to, nullptr),
        "transform");
  check(clEnqueueReadBuffer(queue, to, CL_TRUE, 0, result.size() * sizeof(Real), result.data(), 0, nullptr,
                            nullptr),
        "read");

  double difference = 0, size = 0;
  for (size_t r = 0; r < rows; ++r) {
    for (size_t k = 0; k < kept; ++k) {
      const Complex got(result[2 * (r * kept + k)], result[2 * (r * kept + k) + 1]);
      difference += std::norm(got - expected[r * row + k]);
      size += std::norm(expected[r * row + k]);
    }
  }
  const double limit = sizeof(Real) == 8 ? 1e-14 : 2e-6;
  std::printf("%s: %s\n", name, std::sqrt(difference / size) < limit ? "right" : "wrong");
  clfftDestroyPlan(&plan);
  clReleaseMemObject(from);
  clReleaseMemObject(to);
}

}  // namespace

int main() {
  cl_platform_id platform;
  cl_device_id device;
  check(clGetPlatformIDs(1, &platform, nullptr), "platform");
  check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr), "device");
  int error = 0;
  context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &error);
  check(error, "context");
  queue = clCreateCommandQueue(context, device, 0, &error);
  check(error, "queue");
  clfftSetupData setup;
  clfftInitSetupData(&setup);
  check(clfftSetup(&setup), "setup");
  test<float>("float, 64", {64}, 10, false);
  test<double>("double, 1001 = 7 * 11 * 13", {1001}, 5, false);
  test<double>("double, 16 x 15 x 14", {16, 15, 14}, 1, false);
  test<float>("float, 128 x 96, real", {128, 96}, 2, true);
  test<double>("double, 729, real", {729}, 3, true);
  clfftTeardown();
}
