// Matrices that cuBLASLt alone has: in tiles, in planes, of 4-bit numbers, with scales of blocks, at the ends
// of pointers. Where elements and scales lie is what an H200 gave
// (tests/hw/h200/answers/cublaslt_layouts.txt) or, of what it has not, as the library documents them.
#include <cuda_fp16.h>

#include "cublaslt.h"

namespace heddle::libs_test {
namespace {

using Bytes = std::vector<uint8_t>;
constexpr auto refused = CUBLAS_STATUS_INVALID_VALUE, lacking = CUBLAS_STATUS_NOT_SUPPORTED;

std::size_t index(int64_t value) { return static_cast<std::size_t>(value); }

// ---- tiles

// Element (i, j) of one group of 32 columns.
int64_t in_group(cublasLtOrder_t order, int i, int j) {
  if (order == CUBLASLT_ORDER_COL32) return i * 32 + j;
  if (order == CUBLASLT_ORDER_COL32_2R_4R4) {
    // Rows of a tile follow each other in pairs: 0 1, 8 9, 16 17, 24 25, then 2 3, ...
    const int pair = i % 8 / 2 * 4 + i % 32 / 8;
    return i / 32 * 1024 + (pair * 2 + i % 2) * 32 + j;
  }
  // Even rows of eight, then odd ones; in each eight columns are 4 rows of the left half, then of the right.
  const int half = (i / 8 * 2 + i % 2) * 128;
  return half + j / 8 * 32 + j % 8 / 4 * 16 + i % 8 / 2 * 4 + j % 4;
}

class Tiles : public CublasLt, public testing::WithParamInterface<cublasLtOrder_t> {};

TEST_P(Tiles, AreMadeAndReadByTransforms) {
  const int rows = 50, columns = 70, ld = 32 * 64;
  std::vector<int8_t> from(index(rows * columns));
  for (int8_t& one : from) one = static_cast<int8_t>(random.in(-128, 127));
  const Device<int8_t> a(from), tiles(std::vector<int8_t>(index(3 * ld), 85)), back(from.size());
  const Layout plain(CUDA_R_8I, rows, columns, rows), tiled(CUDA_R_8I, rows, columns, ld, GetParam());
  cublasLtMatrixTransformDesc_t transform;
  ASSERT_EQ(cublasLtMatrixTransformDescCreate(&transform, CUDA_R_32F), good);
  const float one = 1, zero = 0;
  ASSERT_EQ(cublasLtMatrixTransform(handle, transform, &one, a, plain.layout, &zero, nullptr, nullptr, tiles,
                                    tiled.layout, nullptr),
            good);
  ASSERT_EQ(cublasLtMatrixTransform(handle, transform, &one, tiles, tiled.layout, &zero, nullptr, nullptr,
                                    back, plain.layout, nullptr),
            good);
  EXPECT_EQ(back.read(), from);
  const auto stored = tiles.read();
  std::vector<bool> element(stored.size());
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) {
      const std::size_t at = index(j / 32 * ld + in_group(GetParam(), i, j % 32));
      element[at] = true;
      ASSERT_EQ(stored[at], from[index(i + j * rows)]) << i << " " << j;
    }
  // An H200 fills up tiles with zeros and leaves what is between groups.
  int zeros = 0, kept = 0;
  for (std::size_t at = 0; at < stored.size(); ++at)
    if (!element[at]) (stored[at] == 0 ? zeros : kept) += stored[at] == 0 || stored[at] == 85;
  const int tile = GetParam() == CUBLASLT_ORDER_COL32         ? 50
                   : GetParam() == CUBLASLT_ORDER_COL4_4R2_8C ? 56
                                                              : 64;
  EXPECT_EQ(zeros, 3 * 32 * tile - rows * columns);
  EXPECT_EQ(kept, 3 * 32 * (64 - tile));
  cublasLtMatrixTransformDescDestroy(transform);
}
INSTANTIATE_TEST_SUITE_P(Orders, Tiles,
                         testing::Values(CUBLASLT_ORDER_COL32, CUBLASLT_ORDER_COL4_4R2_8C,
                                         CUBLASLT_ORDER_COL32_2R_4R4));

// As integer products of Turing and Ampere are written.
TEST_F(CublasLt, MultipliesTiles) {
  const int m = 37, n = 45, k = 70;
  const auto bytes = [&](int count) {
    std::vector<int8_t> all(index(count));
    for (int8_t& one : all) one = static_cast<int8_t>(random.in(-128, 127));
    return all;
  };
  for (const auto order : {CUBLASLT_ORDER_COL4_4R2_8C, CUBLASLT_ORDER_COL32_2R_4R4}) {
    const int lda = 32 * m, ldb = 32 * 64, ldc = 32 * m;
    const auto a = bytes(3 * lda), b = bytes(3 * ldb);
    const Device<int8_t> da(a), db(b);
    const Device<int> dc(index(2 * ldc));
    Operation op(CUBLAS_COMPUTE_32I, CUDA_R_32I);
    op.set(CUBLASLT_MATMUL_DESC_TRANSB, CUBLAS_OP_T);
    const Layout la(CUDA_R_8I, m, k, lda, CUBLASLT_ORDER_COL32), lb(CUDA_R_8I, n, k, ldb, order),
        lc(CUDA_R_32I, m, n, ldc, CUBLASLT_ORDER_COL32);
    const int one = 1, zero = 0;
    ASSERT_EQ(multiply(op, &one, da, la, db, lb, &zero, dc, lc, dc, lc), good);
    const auto c = dc.read();
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) {
        int sum = 0;
        for (int p = 0; p < k; ++p)
          sum += a[index(p / 32 * lda + in_group(CUBLASLT_ORDER_COL32, i, p % 32))] *
                 b[index(p / 32 * ldb + in_group(order, j, p % 32))];
        ASSERT_EQ(c[index(j / 32 * ldc + in_group(CUBLASLT_ORDER_COL32, i, j % 32))], sum) << i << " " << j;
      }
  }
}

// ---- planes and pointers

TEST_F(CublasLt, MultipliesPlanes) {
  using Number = std::complex<double>;
  const int m = 9, n = 7, k = 11;
  const auto plane = [&](int count) {
    std::vector<__half> all(index(2 * count));
    for (__half& one : all) one = __float2half(static_cast<float>(random.in(-8, 8)) / 8);
    return all;
  };
  const auto a = plane(k * m), b = plane(k * n), c = plane(m * n);
  const Device<__half> da(a), db(b), dc(c);
  Operation op(CUBLAS_COMPUTE_32F, CUDA_C_32F);
  op.set(CUBLASLT_MATMUL_DESC_TRANSA, CUBLAS_OP_C);
  Layout la(CUDA_C_16F, k, m, k), lb(CUDA_C_16F, k, n, k), lc(CUDA_C_16F, m, n, m);
  EXPECT_EQ(multiply(op, &op, da, la, db, lb, &op, dc, lc, dc, lc), lacking);  // not in planes
  la.set(CUBLASLT_MATRIX_LAYOUT_PLANE_OFFSET, int64_t{k * m * 2});
  lb.set(CUBLASLT_MATRIX_LAYOUT_PLANE_OFFSET, int64_t{k * n * 2});
  lc.set(CUBLASLT_MATRIX_LAYOUT_PLANE_OFFSET, int64_t{m * n * 2});
  const std::complex<float> alpha{0.5F, 0.25F}, beta{1, -1};
  ASSERT_EQ(multiply(op, &alpha, da, la, db, lb, &beta, dc, lc, dc, lc), good);
  const auto d = dc.read();
  const auto number = [](const std::vector<__half>& all, int at) {
    return Number(static_cast<double>(__half2float(all[index(at)])),
                  static_cast<double>(__half2float(all[all.size() / 2 + index(at)])));
  };
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      Number sum = 0;
      for (int p = 0; p < k; ++p) sum += std::conj(number(a, p + i * k)) * number(b, p + j * k);
      const Number right = Number(alpha) * sum + Number(beta) * number(c, i + j * m);
      EXPECT_NEAR(std::abs(number(d, i + j * m) - right), 0, 1e-3 * (1 + std::abs(right))) << i << " " << j;
    }
}

TEST_F(CublasLt, MultipliesWhereArraysPoint) {
  const int n = 6, batch = 3;
  const auto a = random.values<float>(index(n * n * batch)), b = random.values<float>(index(n * n * batch));
  const Device<float> da(a), db(b), dd(index(n * n * batch));
  std::vector<const float*> as, bs;
  std::vector<float*> ds;
  for (int z = 0; z < batch; ++z) {
    as.push_back(da + n * n * (batch - 1 - z));  // backwards
    bs.push_back(db + n * n * z);
    ds.push_back(dd + n * n * z);
  }
  const Device<const float*> das(as), dbs(bs);
  const Device<float*> dds(ds);
  const Operation op(CUBLAS_COMPUTE_32F, CUDA_R_32F);
  Layout at_pointers(CUDA_R_32F, n, n, n, CUBLASLT_ORDER_COL, batch);
  const Layout strided(CUDA_R_32F, n, n, n, CUBLASLT_ORDER_COL, batch, n * n);
  at_pointers.set(CUBLASLT_MATRIX_LAYOUT_BATCH_MODE, CUBLASLT_BATCH_MODE_POINTER_ARRAY);
  const float one = 1, zero = 0;
  ASSERT_EQ(multiply(op, &one, das, at_pointers, dbs, at_pointers, &zero, dds, at_pointers, dds, at_pointers),
            good);
  const auto d = dd.read();
  for (int z = 0; z < batch; ++z)
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        double sum = 0;
        for (int p = 0; p < n; ++p)
          sum += static_cast<double>(a[index((batch - 1 - z) * n * n + i + p * n)]) *
                 static_cast<double>(b[index(z * n * n + p + j * n)]);
        ASSERT_NEAR(d[index(z * n * n + i + j * n)], sum, tolerance<float>(n));
      }
  EXPECT_EQ(multiply(op, &one, da, strided, dbs, at_pointers, &zero, dds, at_pointers, dds, at_pointers),
            refused);
}

// ---- scales

constexpr uint8_t e4m3_one = 0x38;

// A of ones in rows `from` to `to` of k, B of ones: what D shows is A's scales, or B's.
class ScalesOfBlocks : public CublasLt {
 public:
  static constexpr int m = 384, n = 256, k = 512;
  int a_mode = 0, b_mode = 0;
  cudaDataType result = CUDA_R_32F;
  cublasOperation_t transa = CUBLAS_OP_T;

  cublasStatus_t run(const void* a_scales, const void* b_scales, int from = 0, int to = k) {
    Bytes a(index(k * m)), b(index(k * n), e4m3_one);
    for (int i = 0; i < m; ++i) std::fill(a.begin() + i * k + from, a.begin() + i * k + to, e4m3_one);
    const Device<uint8_t> da(a), db(b);
    const Device<float> dd(index(m * n));
    Operation op(CUBLAS_COMPUTE_32F, CUDA_R_32F);
    op.set(CUBLASLT_MATMUL_DESC_TRANSA, transa);
    op.set(CUBLASLT_MATMUL_DESC_A_SCALE_MODE, a_mode);
    op.set(CUBLASLT_MATMUL_DESC_B_SCALE_MODE, b_mode);
    op.set(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, a_scales);
    op.set(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, b_scales);
    const bool turned = transa == CUBLAS_OP_T;
    const Layout la(CUDA_R_8F_E4M3, turned ? k : m, turned ? m : k, turned ? k : m),
        lb(CUDA_R_8F_E4M3, k, n, k), lc(result == CUDA_R_32F ? CUDA_R_32F : CUDA_R_16BF, m, n, m),
        ld(result, m, n, m);
    const float one = 1, zero = 0;
    const cublasStatus_t status = multiply(op, &one, da, la, db, lb, &zero, dd, lc, dd, ld);
    if (status == good) d = dd.read();
    return status;
  }
  float at(int i, int j) const { return d[index(i + j * m)]; }
  std::vector<float> d;
};

TEST_F(ScalesOfBlocks, OfRowsAndColumns) {
  std::vector<float> of_rows(m), of_columns(n);
  for (int i = 0; i < m; ++i) of_rows[index(i)] = std::ldexp(1.0F, i % 7);
  for (int j = 0; j < n; ++j) of_columns[index(j)] = std::ldexp(1.0F, -(j % 5));
  const Device<float> a(of_rows), b(of_columns);
  a_mode = b_mode = CUBLASLT_MATMUL_MATRIX_SCALE_OUTER_VEC_32F;
  ASSERT_EQ(run(a, b), good);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) ASSERT_EQ(at(i, j), k * of_rows[index(i)] * of_columns[index(j)]);
  // What an H200 refuses, and how.
  EXPECT_EQ(run(nullptr, b), refused);
  result = CUDA_R_8F_E4M3;
  EXPECT_EQ(run(a, b), refused);
  result = CUDA_R_32F;
  transa = CUBLAS_OP_N;
  EXPECT_EQ(run(a, b), lacking);
  transa = CUBLAS_OP_T;
  b_mode = CUBLASLT_MATMUL_MATRIX_SCALE_SCALAR_32F;
  EXPECT_EQ(run(a, nullptr), refused);
}

TEST_F(ScalesOfBlocks, OfA128thOfColumnsAndOfSquares) {
  const auto vector = CUBLASLT_MATMUL_MATRIX_SCALE_VEC128_32F,
             square = CUBLASLT_MATMUL_MATRIX_SCALE_BLK128x128_32F;
  std::vector<float> counted(8192);
  for (std::size_t i = 0; i < counted.size(); ++i) counted[i] = static_cast<float>(i % 256) / 128;
  const Device<float> scales(counted), ones(std::vector<float>(8192, 1));
  for (const auto [of_a, of_b] :
       {std::pair{vector, vector}, std::pair{square, vector}, std::pair{vector, square}})
    for (int block = 0; block < k / 128; ++block) {
      a_mode = of_a, b_mode = of_b;
      ASSERT_EQ(run(scales, ones, block * 128, block * 128 + 128), good);
      for (const int i : {0, 1, 2, 127, 128, 129, 255, 256, 383})
        EXPECT_EQ(at(i, 0), of_a == vector ? (i + block * m) % 256 : block + 4 * (i / 128))
            << i << " " << block;
      ASSERT_EQ(run(ones, scales, block * 128, block * 128 + 128), good);
      for (const int j : {0, 1, 2, 127, 128, 129, 255})
        EXPECT_EQ(at(0, j), of_b == vector ? (j + block * n) % 256 : block + 4 * (j / 128))
            << j << " " << block;
    }
  a_mode = b_mode = square;
  EXPECT_EQ(run(scales, ones), lacking);
}

// Scales of 32 (powers of two) and of 16 lie in tiles of 128 columns by 4 blocks.
std::size_t scale_place(int column, int block, int blocks) {
  const int tiles = (blocks + 3) / 4;
  return index((column / 128 * tiles + block / 4) * 512 + column % 32 * 16 + column % 128 / 32 * 4 +
               block % 4);
}

struct Narrow {
  cudaDataType type;
  cublasLtMatmulMatrixScale_t mode;
  int block;
  double greatest;
};
constexpr Narrow mxfp8{CUDA_R_8F_E4M3, CUBLASLT_MATMUL_MATRIX_SCALE_VEC32_UE8M0, 32, 448},
    nvfp4{CUDA_R_4F_E2M1, CUBLASLT_MATMUL_MATRIX_SCALE_VEC16_UE4M3, 16, 6};

double e4m3(unsigned bits) {
  const unsigned exponent = bits >> 3 & 15, fraction = bits & 7;
  const double value =
      exponent == 0 ? std::ldexp(fraction, -9) : std::ldexp(8 + fraction, static_cast<int>(exponent) - 10);
  return (bits & 0x80) != 0 ? -value : value;
}
double element(const Narrow& kind, const Bytes& all, int at) {
  if (kind.type == CUDA_R_8F_E4M3) return e4m3(all[index(at)]);
  constexpr double values[8] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  const unsigned bits = all[index(at / 2)] >> (at % 2 * 4) & 15;
  return (bits & 8) != 0 ? -values[bits & 7] : values[bits & 7];
}
double scale(const Narrow& kind, uint8_t bits) {
  return kind.block == 32 ? std::ldexp(1.0, bits - 127) : e4m3(bits & 0x7f);
}

class NarrowBlocks : public CublasLt, public testing::WithParamInterface<Narrow> {
 public:
  struct Matrix {
    Bytes elements, scales;
  };
  Matrix matrix(const Narrow& kind, int rows, int columns) {
    const int blocks = (rows + kind.block - 1) / kind.block,
              whole = (columns + 127) / 128 * 128 * ((blocks + 3) / 4 * 4);
    Matrix made{Bytes(index(kind.block == 32 ? rows * columns : rows * columns / 2)), Bytes(index(whole))};
    for (uint8_t& one : made.elements) {
      one = static_cast<uint8_t>(random.in(0, 255));
      if (kind.block == 32 && (one & 0x7f) == 0x7f) one = 0;
    }
    for (uint8_t& one : made.scales)
      one = static_cast<uint8_t>(kind.block == 32 ? random.in(125, 129) : random.in(40, 70));
    return made;
  }
  double value(const Narrow& kind, const Matrix& matrix, int rows, int i, int j) const {
    return element(kind, matrix.elements, i + j * rows) *
           scale(kind, matrix.scales[scale_place(j, i / kind.block, (rows + kind.block - 1) / kind.block)]);
  }
};

TEST_P(NarrowBlocks, AreMultipliedAndMade) {
  const Narrow kind = GetParam();
  const int m = 144, n = 130, k = 160;
  const Matrix a = matrix(kind, k, m), b = matrix(kind, k, n);
  const Device<uint8_t> da(a.elements), db(b.elements), a_scales(a.scales), b_scales(b.scales);
  Operation op(CUBLAS_COMPUTE_32F, CUDA_R_32F);
  op.set(CUBLASLT_MATMUL_DESC_TRANSA, CUBLAS_OP_T);
  op.set(CUBLASLT_MATMUL_DESC_A_SCALE_MODE, kind.mode);
  op.set(CUBLASLT_MATMUL_DESC_B_SCALE_MODE, kind.mode);
  const Layout la(kind.type, k, m, k), lb(kind.type, k, n, k), single(CUDA_R_32F, m, n, m),
      half(CUDA_R_16BF, m, n, m), narrow(kind.type, m, n, m);
  const Device<float> sums(index(m * n)), c(index(m * n));
  const float one = 1, zero = 0;
  EXPECT_EQ(multiply(op, &one, da, la, db, lb, &zero, sums, single, sums, single), refused);  // no scales
  op.set(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, a_scales.get());
  op.set(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, b_scales.get());
  ASSERT_EQ(multiply(op, &one, da, la, db, lb, &zero, sums, single, sums, single), good);
  const auto got = sums.read();
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = 0, size = 0;
      for (int p = 0; p < k; ++p) {
        const double product = value(kind, a, k, p, i) * value(kind, b, k, p, j);
        sum += product;
        size += std::abs(product);
      }
      ASSERT_NEAR(got[index(i + j * m)], sum, 1e-5 * size) << i << " " << j;
    }
  // Narrow again: each block of a column has the least scale at which all of it is there.
  Matrix d = matrix(kind, m, n);
  const Device<uint8_t> dd(d.elements), d_scales(d.scales);
  op.set(CUBLASLT_MATMUL_DESC_D_OUT_SCALE_MODE, kind.mode);
  op.set(CUBLASLT_MATMUL_DESC_D_OUT_SCALE_POINTER, d_scales.get());
  const float hundredth = 0.01F;
  ASSERT_EQ(multiply(op, &hundredth, da, la, db, lb, &zero, c, half, dd, narrow), good);
  d = {dd.read(), d_scales.read()};
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < m; i += kind.block) {
      double most = 0;
      for (int r = i; r < std::min(m, i + kind.block); ++r)
        most = std::max(most, std::abs(static_cast<double>(got[index(r + j * m)]) * 0.01));
      const uint8_t bits = d.scales[scale_place(j, i / kind.block, (m + kind.block - 1) / kind.block)];
      const double by = scale(kind, bits), below = scale(kind, static_cast<uint8_t>(bits - 1));
      EXPECT_GE(by * (1 + 1e-5), most / kind.greatest);
      EXPECT_LE(below * (1 - 1e-5), most / kind.greatest);
      for (int r = i; r < std::min(m, i + kind.block); ++r) {
        const double right = static_cast<double>(got[index(r + j * m)]) * 0.01;
        // Half a step of the coarsest numbers: 32 of 448, 1 of 6.
        ASSERT_NEAR(value(kind, d, m, r, j), right, by * (kind.block == 32 ? 16.1 : 1.01)) << r << " " << j;
        ASSERT_LE(std::abs(value(kind, d, m, r, j) - right),
                  by * (kind.block == 32 ? 0.002 : 0.26) + std::abs(right) * 0.26);
      }
    }
}
INSTANTIATE_TEST_SUITE_P(Formats, NarrowBlocks, testing::Values(mxfp8, nvfp4));

TEST_F(CublasLt, RefusesScalesOfWideNumbers) {
  const Device<float> d(16 * 16), scale(std::vector<float>{1});
  const Layout layout(CUDA_R_16BF, 16, 16, 16);
  const float one = 1, zero = 0;
  Operation op(CUBLAS_COMPUTE_32F, CUDA_R_32F);
  op.set(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, scale.get());
  EXPECT_EQ(multiply(op, &one, d, layout, d, layout, &zero, d, layout, d, layout), refused);
}

}  // namespace
}  // namespace heddle::libs_test
