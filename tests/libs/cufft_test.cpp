// cuFFT as a program sees it, against the sums by which the transform is defined.
#include <cufft.h>
#include <cufftXt.h>

#include <numbers>

#include "testing.h"

namespace heddle::libs_test {
namespace {

using Line = std::vector<std::complex<double>>;

// By definition, one dimension after the other.
Line transformed(Line x, const std::vector<int>& lengths, int sign) {
  std::size_t stride = 1;
  for (std::size_t d = lengths.size(); d-- > 0;) {
    const auto n = static_cast<std::size_t>(lengths[d]);
    Line root(n), line(n);
    for (std::size_t k = 0; k < n; ++k)
      root[k] =
          std::polar(1.0, sign * 2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n));
    for (std::size_t begin = 0; begin < x.size(); ++begin) {
      if (begin / stride % n != 0) continue;
      for (std::size_t k = 0; k < n; ++k) {
        line[k] = 0;
        for (std::size_t j = 0; j < n; ++j) line[k] += x[begin + j * stride] * root[j * k % n];
      }
      for (std::size_t k = 0; k < n; ++k) x[begin + k * stride] = line[k];
    }
    stride *= n;
  }
  return x;
}

std::size_t product(const std::vector<int>& lengths) {
  std::size_t all = 1;
  for (const int n : lengths) all *= static_cast<std::size_t>(n);
  return all;
}

template <class T>
struct Types;
template <>
struct Types<cufftComplex> {
  using Real = float;
  static constexpr cufftType complex = CUFFT_C2C, forward = CUFFT_R2C, backward = CUFFT_C2R;
  static constexpr double error = 4e-6;
};
template <>
struct Types<cufftDoubleComplex> {
  using Real = double;
  static constexpr cufftType complex = CUFFT_Z2Z, forward = CUFFT_D2Z, backward = CUFFT_Z2D;
  static constexpr double error = 1e-14;
};
cufftResult run(cufftHandle p, cufftComplex* a, cufftComplex* b, int sign) {
  return cufftExecC2C(p, a, b, sign);
}
cufftResult run(cufftHandle p, cufftDoubleComplex* a, cufftDoubleComplex* b, int sign) {
  return cufftExecZ2Z(p, a, b, sign);
}
cufftResult run(cufftHandle p, float* a, cufftComplex* b) { return cufftExecR2C(p, a, b); }
cufftResult run(cufftHandle p, double* a, cufftDoubleComplex* b) { return cufftExecD2Z(p, a, b); }
cufftResult run(cufftHandle p, cufftComplex* a, float* b) { return cufftExecC2R(p, a, b); }
cufftResult run(cufftHandle p, cufftDoubleComplex* a, double* b) { return cufftExecZ2D(p, a, b); }

template <class T>
double distance(const std::vector<T>& got, const Line& wanted) {
  double error = 0, all = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    error += std::norm(std::complex<double>(got[i].x, got[i].y) - wanted[i]);
    all += std::norm(wanted[i]);
  }
  return std::sqrt(error / all);
}
template <class T>
Line exact_of(const std::vector<T>& from) {
  Line to;
  for (const T& v : from) to.emplace_back(v.x, v.y);
  return to;
}

template <class T>
class Fft : public ::testing::Test {};
using Precisions = ::testing::Types<cufftComplex, cufftDoubleComplex>;
TYPED_TEST_SUITE(Fft, Precisions);

const std::vector<std::vector<int>> shapes{{1},    {2},    {60},     {97},      {128},
                                           {1009}, {8, 6}, {17, 32}, {4, 5, 6}, {3, 16, 7}};

TYPED_TEST(Fft, OfComplexNumbersIsItsDefinition) {
  using T = TypeParam;
  Random random(1);
  for (const auto& n : shapes)
    for (const int sign : {CUFFT_FORWARD, CUFFT_INVERSE}) {
      const auto from = random.values<T>(product(n));
      Device<T> in(from), out(from.size());
      cufftHandle plan = 0;
      const cufftType type = Types<T>::complex;
      ASSERT_EQ(n.size() == 1   ? cufftPlan1d(&plan, n[0], type, 1)
                : n.size() == 2 ? cufftPlan2d(&plan, n[0], n[1], type)
                                : cufftPlan3d(&plan, n[0], n[1], n[2], type),
                CUFFT_SUCCESS);
      const Line wanted = transformed(exact_of(from), n, sign);
      ASSERT_EQ(run(plan, in, out, sign), CUFFT_SUCCESS);
      EXPECT_LT(distance(out.read(), wanted), Types<T>::error) << n[0];
      EXPECT_EQ(std::memcmp(in.read().data(), from.data(), from.size() * sizeof(T)), 0);
      ASSERT_EQ(run(plan, in, in, sign), CUFFT_SUCCESS);  // in place
      EXPECT_LT(distance(in.read(), wanted), Types<T>::error) << n[0];
      EXPECT_EQ(cufftDestroy(plan), CUFFT_SUCCESS);
    }
}

TYPED_TEST(Fft, OfRealNumbersGivesHalfAndComesBack) {
  using T = TypeParam;
  using Real = typename Types<T>::Real;
  Random random(2);
  for (const auto& n : shapes) {
    const auto from = random.values<Real>(product(n));
    const int last = n.back(), half = last / 2 + 1;
    const std::size_t rows = from.size() / static_cast<std::size_t>(last);
    Device<Real> in(from), back(from.size());
    Device<T> out(rows * static_cast<std::size_t>(half));
    cufftHandle there = 0, again = 0;
    std::vector<int> lengths = n;
    const int rank = static_cast<int>(n.size());
    ASSERT_EQ(cufftPlanMany(&there, rank, lengths.data(), nullptr, 1, 0, nullptr, 1, 0, Types<T>::forward, 1),
              CUFFT_SUCCESS);
    ASSERT_EQ(
        cufftPlanMany(&again, rank, lengths.data(), nullptr, 1, 0, nullptr, 1, 0, Types<T>::backward, 1),
        CUFFT_SUCCESS);
    ASSERT_EQ(run(there, in.get(), out.get()), CUFFT_SUCCESS);
    const Line whole = transformed(Line(from.begin(), from.end()), n, -1);
    Line wanted;
    for (std::size_t r = 0; r < rows; ++r)
      for (int k = 0; k < half; ++k)
        wanted.push_back(whole[r * static_cast<std::size_t>(last) + static_cast<std::size_t>(k)]);
    EXPECT_LT(distance(out.read(), wanted), Types<T>::error) << n[0];
    ASSERT_EQ(run(again, out.get(), back.get()), CUFFT_SUCCESS);
    const auto returned = back.read();
    for (std::size_t i = 0; i < from.size(); ++i)
      ASSERT_NEAR(returned[i] / static_cast<Real>(from.size()), from[i], Types<T>::error) << n[0] << ' ' << i;
    cufftDestroy(there);
    cufftDestroy(again);
  }
}

TYPED_TEST(Fft, OfManyArraysFindsThemByStrideAndDistance) {
  using T = TypeParam;
  Random random(3);
  // Three arrays of 4 x 10 inside 5 x 12 with every second element; the result has other places.
  int n[] = {4, 10}, in_space[] = {5, 12}, out_space[] = {4, 11};
  const int in_distance = 5 * 12 * 2 + 3, out_distance = 4 * 11, batch = 3;
  const auto from = random.values<T>(in_distance * batch);
  Device<T> in(from), out(static_cast<std::size_t>(out_distance * batch));
  cufftHandle plan = 0;
  std::size_t bytes = 0;
  ASSERT_EQ(cufftCreate(&plan), CUFFT_SUCCESS);
  ASSERT_EQ(cufftMakePlanMany(plan, 2, n, in_space, 2, in_distance, out_space, 1, out_distance,
                              Types<T>::complex, batch, &bytes),
            CUFFT_SUCCESS);
  ASSERT_EQ(run(plan, in, out, CUFFT_FORWARD), CUFFT_SUCCESS);
  const auto got = out.read();
  for (int b = 0; b < batch; ++b) {
    Line x, y;
    std::vector<T> mine;
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 10; ++j) {
        const T v = from[static_cast<std::size_t>(b * in_distance + (i * 12 + j) * 2)];
        x.emplace_back(v.x, v.y);
        mine.push_back(got[static_cast<std::size_t>(b * out_distance + i * 11 + j)]);
      }
    EXPECT_LT(distance(mine, transformed(x, {4, 10}, -1)), Types<T>::error) << b;
  }
  cufftDestroy(plan);
}

TEST(Plans, AreWorkOfTheirStreamAndOfGraphs) {
  Random random(4);
  const auto from = random.values<cufftComplex>(256);
  Device<cufftComplex> data(from);
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t launchable;
  cufftHandle plan = 0;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  ASSERT_EQ(cufftPlan1d(&plan, 256, CUFFT_C2C, 1), CUFFT_SUCCESS);
  ASSERT_EQ(cufftSetStream(plan, stream), CUFFT_SUCCESS);
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  ASSERT_EQ(cufftExecC2C(plan, data, data, CUFFT_FORWARD), CUFFT_SUCCESS);
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  EXPECT_EQ(std::memcmp(data.read().data(), from.data(), 256 * sizeof(cufftComplex)), 0);
  ASSERT_EQ(cudaGraphInstantiate(&launchable, graph, nullptr, nullptr, 0), cudaSuccess);
  for (int i = 0; i < 4; ++i) ASSERT_EQ(cudaGraphLaunch(launchable, stream), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  // Four times forward is the array itself, times 256 squared.
  const auto got = data.read();
  for (std::size_t i = 0; i < 256; ++i) ASSERT_NEAR(got[i].x / 65536, from[i].x, 1e-5);
  cudaGraphExecDestroy(launchable);
  cudaGraphDestroy(graph);
  cufftDestroy(plan);
  cudaStreamDestroy(stream);
}

TEST(Plans, SayWhatIsWrong) {
  cufftHandle plan = 0;
  EXPECT_EQ(cufftPlan1d(&plan, 0, CUFFT_C2C, 1), CUFFT_INVALID_SIZE);
  EXPECT_EQ(cufftPlan1d(&plan, -4, CUFFT_C2C, 1), CUFFT_INVALID_SIZE);
  EXPECT_EQ(cufftPlan1d(&plan, 8, static_cast<cufftType>(1), 1), CUFFT_INVALID_TYPE);
  EXPECT_EQ(cufftPlan1d(nullptr, 8, CUFFT_C2C, 1), CUFFT_INVALID_VALUE);
  EXPECT_EQ(cufftDestroy(12345), CUFFT_INVALID_PLAN);
  Device<cufftComplex> data(8);
  EXPECT_EQ(cufftExecC2C(12345, data, data, CUFFT_FORWARD), CUFFT_INVALID_PLAN);
  ASSERT_EQ(cufftPlan1d(&plan, 8, CUFFT_C2C, 1), CUFFT_SUCCESS);
  EXPECT_EQ(cufftExecC2C(plan, data, data, 0), CUFFT_INVALID_VALUE);
  EXPECT_NE(cufftExecC2C(plan, nullptr, data, CUFFT_FORWARD), CUFFT_SUCCESS);
  EXPECT_EQ(cufftDestroy(plan), CUFFT_SUCCESS);
  EXPECT_EQ(cufftDestroy(plan), CUFFT_INVALID_PLAN);
}

// Plans of several devices have no advanced layout, but may be told of their own.
TEST(FftOfDevices, DenseLayoutsMayBeSpelledOut) {
  int sizes[] = {4, 6}, device = 0;
  for (const int stride : {1, 2}) {
    cufftHandle plan = 0;
    std::size_t work = 0;
    cudaLibXtDesc* memory = nullptr;
    ASSERT_EQ(cufftCreate(&plan), CUFFT_SUCCESS);
    ASSERT_EQ(cufftXtSetGPUs(plan, 1, &device), CUFFT_SUCCESS);
    ASSERT_EQ(cufftMakePlanMany(plan, 2, sizes, sizes, stride, 24 * stride, sizes, stride, 24 * stride,
                                CUFFT_C2C, 3, &work),
              CUFFT_SUCCESS);
    EXPECT_EQ(cufftXtMalloc(plan, &memory, CUFFT_XT_FORMAT_INPLACE),
              stride == 1 ? CUFFT_SUCCESS : CUFFT_NOT_SUPPORTED);
    if (memory != nullptr) EXPECT_EQ(cufftXtFree(memory), CUFFT_SUCCESS);
    EXPECT_EQ(cufftDestroy(plan), CUFFT_SUCCESS);
  }
}

}  // namespace
}  // namespace heddle::libs_test
