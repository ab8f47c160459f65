// cuSOLVERMg: matrices in tiles of columns, on as many places as there are; by what they have to satisfy.
#include <cusolverMg.h>

#include "testing.h"

namespace heddle::libs_test {
namespace {

constexpr auto good = CUSOLVER_STATUS_SUCCESS;
constexpr auto bad = CUSOLVER_STATUS_INVALID_VALUE;

// A matrix of doubles by columns, laid out on `places` places in tiles of `tile` columns.
class Spread {
 public:
  Spread(const std::vector<double>& values, int rows, int columns, int tile, int places)
      : rows_(rows), columns_(columns), tile_(tile), places_(places) {
    const int tiles = (columns + tile - 1) / tile, each = (tiles + places - 1) / places;
    for (int place = 0; place < places; ++place) {
      void* memory = nullptr;
      EXPECT_EQ(cudaMalloc(&memory, static_cast<std::size_t>(rows) * tile * each * sizeof(double)),
                cudaSuccess);
      arrays.push_back(memory);
    }
    for (int j = 0; j < columns; ++j)
      EXPECT_EQ(cudaMemcpy(column(j), values.data() + static_cast<std::size_t>(j) * rows,
                           static_cast<std::size_t>(rows) * sizeof(double), cudaMemcpyHostToDevice),
                cudaSuccess);
    std::vector<int> devices(places, 0);
    EXPECT_EQ(cusolverMgCreateDeviceGrid(&grid, 1, places, devices.data(), CUDALIBMG_GRID_MAPPING_COL_MAJOR),
              good);
    EXPECT_EQ(cusolverMgCreateMatrixDesc(&description, rows, columns, rows, tile, CUDA_R_64F, grid), good);
  }
  ~Spread() {
    for (void* memory : arrays) cudaFree(memory);
    EXPECT_EQ(cusolverMgDestroyMatrixDesc(description), good);
    EXPECT_EQ(cusolverMgDestroyGrid(grid), good);
  }
  Spread(const Spread&) = delete;
  Spread& operator=(const Spread&) = delete;
  Dense<double> read() const {
    std::vector<double> values(static_cast<std::size_t>(rows_) * columns_);
    for (int j = 0; j < columns_; ++j)
      EXPECT_EQ(cudaMemcpy(values.data() + static_cast<std::size_t>(j) * rows_, column(j),
                           static_cast<std::size_t>(rows_) * sizeof(double), cudaMemcpyDeviceToHost),
                cudaSuccess);
    return Dense<double>(values, rows_, columns_, rows_);
  }
  std::vector<void*> arrays;
  cudaLibMgGrid_t grid = nullptr;
  cudaLibMgMatrixDesc_t description = nullptr;

 private:
  double* column(int j) const {
    const int tile = j / tile_;
    return static_cast<double*>(arrays[tile % places_]) +
           static_cast<std::size_t>(tile / places_ * tile_ + j % tile_) * rows_;
  }
  int rows_, columns_, tile_, places_;
};

class CusolverMg : public testing::Test {
 public:
  CusolverMg() {
    int device = 0;
    EXPECT_EQ(cusolverMgCreate(&handle), good);
    EXPECT_EQ(cusolverMgDeviceSelect(handle, 1, &device), good);
  }
  ~CusolverMg() override { EXPECT_EQ(cusolverMgDestroy(handle), good); }
  std::vector<double> definite(int n) {
    const Dense<double> d(random.values<double>(static_cast<std::size_t>(n) * n), n, n, n);
    auto a = transposed(d, 'T') * d;
    for (int i = 0; i < n; ++i) a(i, i) += 1;
    return a.values;
  }
  cusolverMgHandle_t handle = nullptr;
  Random random{5};
  int64_t room = 0;
  int info = 77;
  void* no_work[4] = {};
};
constexpr int n = 11, sides = 5;

TEST_F(CusolverMg, SolvesByLu) {
  const auto values = random.values<double>(n * n), right = random.values<double>(n * sides);
  for (const auto op : {CUBLAS_OP_N, CUBLAS_OP_T}) {
    const Spread a(values, n, n, 2, 3), b(right, n, sides, 3, 2), pivots(std::vector<double>(n), 1, n, 2, 3);
    std::vector<int*> exchanges;
    for (void* one : pivots.arrays) exchanges.push_back(static_cast<int*>(one));
    auto as = a.arrays, bs = b.arrays;
    EXPECT_EQ(cusolverMgGetrf_bufferSize(handle, n, n, as.data(), 1, 2, a.description, exchanges.data(),
                                         CUDA_R_64F, &room),
              bad);  // beyond the last column
    ASSERT_EQ(cusolverMgGetrf_bufferSize(handle, n, n, as.data(), 1, 1, a.description, exchanges.data(),
                                         CUDA_R_64F, &room),
              good);
    ASSERT_EQ(cusolverMgGetrf(handle, n, n, as.data(), 1, 1, a.description, exchanges.data(), CUDA_R_64F,
                              no_work, room, &info),
              good);
    EXPECT_EQ(info, 0);
    ASSERT_EQ(cusolverMgGetrs_bufferSize(handle, op, n, sides, as.data(), 1, 1, a.description,
                                         exchanges.data(), bs.data(), 1, 1, b.description, CUDA_R_64F, &room),
              good);
    ASSERT_EQ(cusolverMgGetrs(handle, op, n, sides, as.data(), 1, 1, a.description, exchanges.data(),
                              bs.data(), 1, 1, b.description, CUDA_R_64F, no_work, room, &info),
              good);
    EXPECT_EQ(info, 0);
    const Dense<double> whole(values, n, n, n), wanted(right, n, sides, n);
    EXPECT_LT(difference(transposed(whole, op == CUBLAS_OP_N ? 'N' : 'T') * b.read(), wanted), 1e-11);
  }
}

TEST_F(CusolverMg, SolvesAndInvertsByCholesky) {
  const auto values = definite(n), right = random.values<double>(n * sides);
  const Spread a(values, n, n, 4, 2), b(right, n, sides, 1, 2);
  auto as = a.arrays, bs = b.arrays;
  const auto lower = CUBLAS_FILL_MODE_LOWER;
  ASSERT_EQ(cusolverMgPotrf_bufferSize(handle, lower, n, as.data(), 1, 1, a.description, CUDA_R_64F, &room),
            good);
  ASSERT_EQ(
      cusolverMgPotrf(handle, lower, n, as.data(), 1, 1, a.description, CUDA_R_64F, no_work, room, &info),
      good);
  EXPECT_EQ(info, 0);
  ASSERT_EQ(cusolverMgPotrs_bufferSize(handle, lower, n, sides, as.data(), 1, 1, a.description, bs.data(), 1,
                                       1, b.description, CUDA_R_64F, &room),
            good);
  ASSERT_EQ(cusolverMgPotrs(handle, lower, n, sides, as.data(), 1, 1, a.description, bs.data(), 1, 1,
                            b.description, CUDA_R_64F, no_work, room, &info),
            good);
  const Dense<double> whole(values, n, n, n);
  EXPECT_LT(difference(whole * b.read(), Dense<double>(right, n, sides, n)), 1e-11);
  ASSERT_EQ(cusolverMgPotri_bufferSize(handle, lower, n, as.data(), 1, 1, a.description, CUDA_R_64F, &room),
            good);
  ASSERT_EQ(
      cusolverMgPotri(handle, lower, n, as.data(), 1, 1, a.description, CUDA_R_64F, no_work, room, &info),
      good);
  Dense<double> one(n, n);
  for (int i = 0; i < n; ++i) one(i, i) = 1;
  EXPECT_LT(difference(mirrored(a.read(), true, false) * whole, one), 1e-11);
}

TEST_F(CusolverMg, FindsEigenvalues) {
  const auto values = definite(n);
  const Spread a(values, n, n, 3, 3);
  auto as = a.arrays;
  std::vector<double> w(n);
  ASSERT_EQ(cusolverMgSyevd_bufferSize(handle, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, n, as.data(),
                                       1, 1, a.description, w.data(), CUDA_R_64F, CUDA_R_64F, &room),
            good);
  ASSERT_EQ(cusolverMgSyevd(handle, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, n, as.data(), 1, 1,
                            a.description, w.data(), CUDA_R_64F, CUDA_R_64F, no_work, room, &info),
            good);
  EXPECT_EQ(info, 0);
  const Dense<double> vectors = a.read();
  Dense<double> scaled = vectors;
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) scaled(i, j) *= w[j];
  EXPECT_LT(difference(Dense<double>(values, n, n, n) * vectors, scaled), 1e-12 * n * 8);
}

}  // namespace
}  // namespace heddle::libs_test
