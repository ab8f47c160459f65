// cuSPARSE's generic interface: every operation, format and type against the plainest arithmetic on dense
// matrices, and the statuses of NVIDIA's library for what is wrong.
#include <cusparse.h>

#include "sparse.h"

namespace heddle::libs_test {
namespace {

constexpr cusparseOperation_t operations[] = {CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_TRANSPOSE,
                                              CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE};
char letter(cusparseOperation_t op) { return "NTC"[op]; }

template <class T>
class Cusparse : public Sparse {
 public:
  static constexpr cudaDataType type = data_type<T>();
  void expect(const Dense<T>& got, const Dense<T>& wanted, double terms) const {
    EXPECT_LE(difference(got, wanted), tolerance<T>(terms));
  }
};
using Types = testing::Types<float, double, cuComplex, cuDoubleComplex>;
TYPED_TEST_SUITE(Cusparse, Types);

TYPED_TEST(Cusparse, MultipliesVectorsInEveryFormat) {
  using T = TypeParam;
  for (int round = 0; round < 60; ++round) {
    const auto a = this->template random_matrix<T>(4 * this->random.in(0, 9), 4 * this->random.in(1, 9));
    const auto op = this->random.of({operations[0], operations[1], operations[2]});
    const auto format = this->random.of({CUSPARSE_FORMAT_CSR, CUSPARSE_FORMAT_CSC, CUSPARSE_FORMAT_COO,
                                         CUSPARSE_FORMAT_BSR, CUSPARSE_FORMAT_SLICED_ELLPACK});
    const bool wide = this->random.in(0, 1) != 0;
    const int base = this->random.in(0, 1);
    const Dense<T> ap = transposed(a, letter(op));
    const auto x = this->random.template values<T>(ap.columns), y = this->random.template values<T>(ap.rows);
    const auto alpha = this->random.template value<T>();
    const auto beta = round % 3 == 0 ? made<T>(0) : this->random.template value<T>();
    Device<T> dx(x), dy(y);
    const auto ma = this->make(a, format, wide, base);
    cusparseDnVecDescr_t vx, vy;
    ASSERT_EQ(cusparseCreateDnVec(&vx, ap.columns, dx, this->type), sparse_good);
    ASSERT_EQ(cusparseCreateDnVec(&vy, ap.rows, dy, this->type), sparse_good);
    size_t bytes = 0;
    ASSERT_EQ(cusparseSpMV_bufferSize(this->handle, op, &alpha, ma->get(), vx, &beta, vy, this->type,
                                      CUSPARSE_SPMV_ALG_DEFAULT, &bytes),
              sparse_good);
    ASSERT_EQ(cusparseSpMV(this->handle, op, &alpha, ma->get(), vx, &beta, vy, this->type,
                           CUSPARSE_SPMV_ALG_DEFAULT, workspace()),
              sparse_good);
    const Dense<T> product = ap * Dense<T>(x, ap.columns, 1, ap.columns);
    this->expect(Dense<T>(dy.read(), ap.rows, 1, ap.rows),
                 sum(exact(alpha), product, exact(beta), Dense<T>(y, ap.rows, 1, ap.rows)), ap.columns);
    cusparseDestroyDnVec(vx);
    cusparseDestroyDnVec(vy);
  }
}

TYPED_TEST(Cusparse, MultipliesMatricesInEveryFormatAndOrder) {
  using T = TypeParam;
  for (int round = 0; round < 60; ++round) {
    const auto a = this->template random_matrix<T>(4 * this->random.in(1, 7), 4 * this->random.in(1, 7));
    const auto opa = this->random.of({operations[0], operations[1], operations[2]}),
               opb = this->random.of({operations[0], operations[1], operations[2]});
    const auto format = this->random.of({CUSPARSE_FORMAT_CSR, CUSPARSE_FORMAT_CSC, CUSPARSE_FORMAT_COO,
                                         CUSPARSE_FORMAT_BSR, CUSPARSE_FORMAT_BLOCKED_ELL});
    const Dense<T> ap = transposed(a, letter(opa));
    const int n = this->random.in(0, 37);
    const bool turned = opb != operations[0];
    DenseOperand<T> b(this->random, turned ? n : ap.columns, turned ? ap.columns : n),
        c(this->random, ap.rows, n);
    const auto alpha = this->random.template value<T>(), beta = this->random.template value<T>();
    const auto ma = this->make(a, format, this->random.in(0, 1) != 0, this->random.in(0, 1));
    size_t bytes = 0;
    ASSERT_EQ(cusparseSpMM_bufferSize(this->handle, opa, opb, &alpha, ma->get(), b.descriptor, &beta,
                                      c.descriptor, this->type, CUSPARSE_SPMM_ALG_DEFAULT, &bytes),
              sparse_good);
    const Dense<T> wanted =
        sum(exact(alpha), ap * transposed(b.value(), letter(opb)), exact(beta), c.value());
    ASSERT_EQ(cusparseSpMM(this->handle, opa, opb, &alpha, ma->get(), b.descriptor, &beta, c.descriptor,
                           this->type, CUSPARSE_SPMM_ALG_DEFAULT, workspace()),
              sparse_good);
    this->expect(c.value(), wanted, ap.columns);
  }
}

TYPED_TEST(Cusparse, MultipliesSparseMatrices) {
  using T = TypeParam;
  for (int round = 0; round < 20; ++round) {
    const int m = this->random.in(1, 30), k = this->random.in(1, 30), n = this->random.in(1, 30);
    const auto a = this->template random_matrix<T>(m, k), b = this->template random_matrix<T>(k, n);
    const auto alpha = this->random.template value<T>();
    const auto beta = made<T>(0);
    const auto ma = this->make(a, CUSPARSE_FORMAT_CSR, false, 0),
               mb = this->make(b, CUSPARSE_FORMAT_CSR, false, 1);
    const bool reused = round % 2 != 0;
    Device<int> offsets(static_cast<std::size_t>(m) + 1);
    cusparseSpMatDescr_t mc;
    ASSERT_EQ(cusparseCreateCsr(&mc, m, n, 0, offsets, nullptr, nullptr, CUSPARSE_INDEX_32I,
                                CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, this->type),
              sparse_good);
    cusparseSpGEMMDescr_t product;
    ASSERT_EQ(cusparseSpGEMM_createDescr(&product), sparse_good);
    const auto op = operations[0];
    const auto alg = CUSPARSE_SPGEMM_DEFAULT;
    size_t bytes[5] = {};
    Device<char> buffer(1 << 16);
    if (reused) {
      for (void* const place : {static_cast<void*>(nullptr), static_cast<void*>(buffer.get())})
        ASSERT_EQ(cusparseSpGEMMreuse_workEstimation(this->handle, op, op, ma->get(), mb->get(), mc, alg,
                                                     product, &bytes[0], place),
                  sparse_good);
      for (void* const place : {static_cast<void*>(nullptr), static_cast<void*>(buffer.get())})
        ASSERT_EQ(cusparseSpGEMMreuse_nnz(this->handle, op, op, ma->get(), mb->get(), mc, alg, product,
                                          &bytes[1], place, &bytes[2], place, &bytes[3], place),
                  sparse_good);
    } else {
      for (void* const place : {static_cast<void*>(nullptr), static_cast<void*>(buffer.get())})
        ASSERT_EQ(cusparseSpGEMM_workEstimation(this->handle, op, op, &alpha, ma->get(), mb->get(), &beta, mc,
                                                this->type, alg, product, &bytes[0], place),
                  sparse_good);
      for (void* const place : {static_cast<void*>(nullptr), static_cast<void*>(buffer.get())})
        ASSERT_EQ(cusparseSpGEMM_compute(this->handle, op, op, &alpha, ma->get(), mb->get(), &beta, mc,
                                         this->type, alg, product, &bytes[1], place),
                  sparse_good);
    }
    int64_t rows = 0, columns = 0, count = 0;
    ASSERT_EQ(cusparseSpMatGetSize(mc, &rows, &columns, &count), sparse_good);
    Device<int> places(static_cast<std::size_t>(count));
    Device<T> values(static_cast<std::size_t>(count));
    ASSERT_EQ(cusparseCsrSetPointers(mc, offsets, places, values), sparse_good);
    if (reused) {
      for (void* const place : {static_cast<void*>(nullptr), static_cast<void*>(buffer.get())})
        ASSERT_EQ(cusparseSpGEMMreuse_copy(this->handle, op, op, ma->get(), mb->get(), mc, alg, product,
                                           &bytes[4], place),
                  sparse_good);
      ASSERT_EQ(cusparseSpGEMMreuse_compute(this->handle, op, op, &alpha, ma->get(), mb->get(), &beta, mc,
                                            this->type, alg, product),
                sparse_good);
    } else {
      ASSERT_EQ(cusparseSpGEMM_copy(this->handle, op, op, &alpha, ma->get(), mb->get(), &beta, mc, this->type,
                                    alg, product),
                sparse_good);
    }
    const Dense<T> zero(m, n);
    this->expect(of_rows<T>(offsets.read(), places.read(), values.read(), m, n, 0),
                 sum(exact(alpha), a * b, Exact<T>(0), zero), k);
    cusparseSpGEMM_destroyDescr(product);
    cusparseDestroySpMat(mc);
  }
}

TYPED_TEST(Cusparse, SamplesProductsOfDenseMatrices) {
  using T = TypeParam;
  for (int round = 0; round < 20; ++round) {
    const auto c = this->template random_matrix<T>(this->random.in(1, 20), this->random.in(1, 20));
    const int k = this->random.in(0, 20);
    const auto opa = this->random.of({operations[0], operations[1]}),
               opb = this->random.of({operations[0], operations[1]});
    DenseOperand<T> a(this->random, opa == operations[0] ? c.rows : k, opa == operations[0] ? k : c.rows),
        b(this->random, opb == operations[0] ? k : c.columns, opb == operations[0] ? c.columns : k);
    const auto mc = this->make(c, CUSPARSE_FORMAT_CSR, round % 2 != 0, round % 3 == 0);
    const auto alpha = this->random.template value<T>(), beta = this->random.template value<T>();
    ASSERT_EQ(cusparseSDDMM(this->handle, opa, opb, &alpha, a.descriptor, b.descriptor, &beta, mc->get(),
                            this->type, CUSPARSE_SDDMM_ALG_DEFAULT, nullptr),
              sparse_good);
    Dense<T> wanted =
        sum(exact(alpha), transposed(a.value(), letter(opa)) * transposed(b.value(), letter(opb)),
            exact(beta), c);
    for (std::size_t i = 0; i < c.values.size(); ++i)
      if (c.values[i] == Exact<T>(0)) wanted.values[i] = 0;
    this->expect(mc->value(), wanted, k);
  }
}

TYPED_TEST(Cusparse, SolvesTriangularSystems) {
  using T = TypeParam;
  for (int round = 0; round < 60; ++round) {
    const int n = 2 * this->random.in(1, 15), columns = this->random.in(1, 6);
    auto a = this->template random_matrix<T>(n, n);
    for (int i = 0; i < n; ++i) a(i, i) = Exact<T>(4) + a(i, i);
    for (auto& value : a.values) value = exact(made<T>(std::real(value), std::imag(value)));
    const auto op = this->random.of({operations[0], operations[1], operations[2]});
    const auto format =
        this->random.of({CUSPARSE_FORMAT_CSR, CUSPARSE_FORMAT_COO, CUSPARSE_FORMAT_SLICED_ELLPACK});
    auto fill = this->random.of({CUSPARSE_FILL_MODE_LOWER, CUSPARSE_FILL_MODE_UPPER});
    auto diagonal = this->random.of({CUSPARSE_DIAG_TYPE_NON_UNIT, CUSPARSE_DIAG_TYPE_UNIT});
    const auto ma = this->make(a, format, round % 2 != 0, round % 3 == 0);
    ASSERT_EQ(cusparseSpMatSetAttribute(ma->get(), CUSPARSE_SPMAT_FILL_MODE, &fill, sizeof fill),
              sparse_good);
    ASSERT_EQ(cusparseSpMatSetAttribute(ma->get(), CUSPARSE_SPMAT_DIAG_TYPE, &diagonal, sizeof diagonal),
              sparse_good);
    const auto alpha = this->random.template value<T>();
    Dense<T> t = triangle(a, fill == CUSPARSE_FILL_MODE_LOWER, diagonal == CUSPARSE_DIAG_TYPE_UNIT);
    if (round % 5 == 4) {  // a new diagonal after the analysis
      for (int i = 0; i < n; ++i)
        if (diagonal == CUSPARSE_DIAG_TYPE_NON_UNIT) t(i, i) = Exact<T>(3);
    }
    const Dense<T> system = transposed(t, letter(op));
    // Differences of solutions are judged through the system.
    if (round % 2 == 0) {
      Device<T> x(this->random.template values<T>(n)), y(static_cast<std::size_t>(n));
      cusparseDnVecDescr_t vx, vy;
      ASSERT_EQ(cusparseCreateDnVec(&vx, n, x, this->type), sparse_good);
      ASSERT_EQ(cusparseCreateDnVec(&vy, n, y, this->type), sparse_good);
      cusparseSpSVDescr_t d;
      ASSERT_EQ(cusparseSpSV_createDescr(&d), sparse_good);
      size_t bytes = 0;
      EXPECT_EQ(cusparseSpSV_solve(this->handle, op, &alpha, ma->get(), vx, vy, this->type,
                                   CUSPARSE_SPSV_ALG_DEFAULT, d),
                CUSPARSE_STATUS_INVALID_VALUE);  // before the analysis
      ASSERT_EQ(cusparseSpSV_bufferSize(this->handle, op, &alpha, ma->get(), vx, vy, this->type,
                                        CUSPARSE_SPSV_ALG_DEFAULT, d, &bytes),
                sparse_good);
      ASSERT_EQ(cusparseSpSV_analysis(this->handle, op, &alpha, ma->get(), vx, vy, this->type,
                                      CUSPARSE_SPSV_ALG_DEFAULT, d, nullptr),
                sparse_good);
      if (round % 5 == 4) {
        Device<T> three(std::vector<T>(static_cast<std::size_t>(n), made<T>(3)));
        ASSERT_EQ(cusparseSpSV_updateMatrix(this->handle, d, three, CUSPARSE_SPSV_UPDATE_DIAGONAL),
                  sparse_good);
        cudaDeviceSynchronize();
      }
      ASSERT_EQ(cusparseSpSV_solve(this->handle, op, &alpha, ma->get(), vx, vy, this->type,
                                   CUSPARSE_SPSV_ALG_DEFAULT, d),
                sparse_good);
      const Dense<T> zero(n, 1), right(x.read(), n, 1, n), solution(y.read(), n, 1, n);
      double most = 1;
      for (const auto& v : solution.values) most = std::max(most, std::abs(v));
      EXPECT_LE(difference(system * solution, sum(exact(alpha), right, Exact<T>(0), zero)),
                tolerance<T>(n) * most * 4);
      cusparseSpSV_destroyDescr(d);
      cusparseDestroyDnVec(vx);
      cusparseDestroyDnVec(vy);
    } else {
      const auto opb = this->random.of({operations[0], operations[1]});
      DenseOperand<T> b(this->random, opb == operations[0] ? n : columns, opb == operations[0] ? columns : n),
          c(this->random, n, columns);
      cusparseSpSMDescr_t d;
      ASSERT_EQ(cusparseSpSM_createDescr(&d), sparse_good);
      ASSERT_EQ(cusparseSpSM_analysis(this->handle, op, opb, &alpha, ma->get(), b.descriptor, c.descriptor,
                                      this->type, CUSPARSE_SPSM_ALG_DEFAULT, d, nullptr),
                sparse_good);
      if (round % 5 == 4) {
        Device<T> three(std::vector<T>(static_cast<std::size_t>(n), made<T>(3)));
        ASSERT_EQ(cusparseSpSM_updateMatrix(this->handle, d, three, CUSPARSE_SPSM_UPDATE_DIAGONAL),
                  sparse_good);
        cudaDeviceSynchronize();
      }
      ASSERT_EQ(cusparseSpSM_solve(this->handle, op, opb, &alpha, ma->get(), b.descriptor, c.descriptor,
                                   this->type, CUSPARSE_SPSM_ALG_DEFAULT, d),
                sparse_good);
      const Dense<T> zero(n, columns), solution = c.value();
      double most = 1;
      for (const auto& v : solution.values) most = std::max(most, std::abs(v));
      EXPECT_LE(difference(system * solution,
                           sum(exact(alpha), transposed(b.value(), letter(opb)), Exact<T>(0), zero)),
                tolerance<T>(n) * most * 4);
      cusparseSpSM_destroyDescr(d);
    }
  }
}

TYPED_TEST(Cusparse, ConvertsDenseToSparseAndBack) {
  using T = TypeParam;
  for (int round = 0; round < 40; ++round) {
    const auto format = this->random.of({CUSPARSE_FORMAT_CSR, CUSPARSE_FORMAT_CSC, CUSPARSE_FORMAT_COO,
                                         CUSPARSE_FORMAT_BSR, CUSPARSE_FORMAT_BLOCKED_ELL});
    const auto a = this->template random_matrix<T>(4 * this->random.in(1, 7), 4 * this->random.in(1, 7));
    const auto ma = this->make(a, format, round % 2 != 0, round % 3 == 0);
    DenseOperand<T> d(this->random, a.rows, a.columns);
    ASSERT_EQ(cusparseSparseToDense(this->handle, ma->get(), d.descriptor, CUSPARSE_SPARSETODENSE_ALG_DEFAULT,
                                    workspace()),
              sparse_good);
    EXPECT_EQ(difference(d.value(), a), 0);
    // And back into a matrix that has place for as many elements.
    const auto back = this->make(a, format, round % 2 != 0, round % 3 == 0);
    ASSERT_EQ(cusparseDenseToSparse_analysis(this->handle, d.descriptor, back->get(),
                                             CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, workspace()),
              sparse_good);
    int64_t rows = 0, columns = 0, count = 0;
    ASSERT_EQ(cusparseSpMatGetSize(back->get(), &rows, &columns, &count), sparse_good);
    back->clear_values();
    ASSERT_EQ(cusparseDenseToSparse_convert(this->handle, d.descriptor, back->get(),
                                            CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, workspace()),
              sparse_good);
    DenseOperand<T> again(this->random, a.rows, a.columns);
    ASSERT_EQ(cusparseSparseToDense(this->handle, back->get(), again.descriptor,
                                    CUSPARSE_SPARSETODENSE_ALG_DEFAULT, workspace()),
              sparse_good);
    EXPECT_EQ(difference(again.value(), a), 0) << format;
  }
}

TYPED_TEST(Cusparse, WorksOnSparseVectors) {
  using T = TypeParam;
  const int n = 50, count = 12;
  std::vector<int> places(n);
  for (int i = 0; i < n; ++i) places[static_cast<std::size_t>(i)] = i + 1;  // base one
  std::shuffle(places.begin(), places.end(), std::mt19937(3));
  places.resize(count);
  const auto x = this->random.template values<T>(count), y = this->random.template values<T>(n);
  Device<int> dp(places);
  Device<T> dx(x), dy(y), dot(1);
  cusparseSpVecDescr_t vx;
  cusparseDnVecDescr_t vy;
  ASSERT_EQ(
      cusparseCreateSpVec(&vx, n, count, dp, dx, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ONE, this->type),
      sparse_good);
  ASSERT_EQ(cusparseCreateDnVec(&vy, n, dy, this->type), sparse_good);
  const auto at = [&](std::size_t i) { return static_cast<std::size_t>(places[i] - 1); };
  for (const auto op : {operations[0], operations[2]}) {  // both pointer modes
    Exact<T> wanted = 0;
    for (std::size_t i = 0; i < count; ++i)
      wanted += (op == operations[2] ? conj_of(exact(x[i])) : exact(x[i])) * exact(y[at(i)]);
    T result{};
    ASSERT_EQ(cusparseSpVV(this->handle, op, vx, vy, &result, this->type, workspace()), sparse_good);
    EXPECT_LE(std::abs(exact(result) - wanted), tolerance<T>(count));
    ASSERT_EQ(cusparseSetPointerMode(this->handle, CUSPARSE_POINTER_MODE_DEVICE), sparse_good);
    ASSERT_EQ(cusparseSpVV(this->handle, op, vx, vy, dot.get(), this->type, workspace()), sparse_good);
    EXPECT_LE(std::abs(exact(dot.read()[0]) - wanted), tolerance<T>(count));
    ASSERT_EQ(cusparseSetPointerMode(this->handle, CUSPARSE_POINTER_MODE_HOST), sparse_good);
  }
  const auto alpha = this->random.template value<T>(), beta = this->random.template value<T>();
  ASSERT_EQ(cusparseAxpby(this->handle, &alpha, vx, &beta, vy), sparse_good);
  std::vector<Exact<T>> wanted;
  for (const T& value : y) wanted.push_back(exact(beta) * exact(value));
  for (std::size_t i = 0; i < count; ++i) wanted[at(i)] += exact(alpha) * exact(x[i]);
  const auto got = dy.read();
  for (std::size_t i = 0; i < n; ++i) EXPECT_LE(std::abs(exact(got[i]) - wanted[i]), tolerance<T>(2));
  ASSERT_EQ(cusparseGather(this->handle, vy, vx), sparse_good);
  const auto gathered = dx.read();
  for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(exact(gathered[i]), exact(got[at(i)]));
  dx.set(x);
  ASSERT_EQ(cusparseRot(this->handle, &alpha, &beta, vx, vy), sparse_good);
  const auto turned = dx.read(), rest = dy.read();
  for (std::size_t i = 0; i < count; ++i) {
    const auto a = exact(x[i]), b = exact(got[at(i)]), c = exact(alpha), s = exact(beta);
    EXPECT_LE(std::abs(exact(turned[i]) - (c * a + s * b)), tolerance<T>(4));
    EXPECT_LE(std::abs(exact(rest[at(i)]) - (c * b - s * a)), tolerance<T>(4));
  }
  dx.set(x);
  ASSERT_EQ(cusparseScatter(this->handle, vx, vy), sparse_good);
  const auto scattered = dy.read();
  for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(exact(scattered[at(i)]), exact(x[i]));
  cusparseDestroySpVec(vx);
  cusparseDestroyDnVec(vy);
}

// Batches: one matrix for all, or each its own.
TEST_F(Sparse, MultipliesBatches) {
  const Dense<float> first = random_matrix<float>(8, 8);
  const int batches = 3, n = 5;
  const auto a = make(first, CUSPARSE_FORMAT_CSR, false, 0);
  const auto b = random.values<float>(8 * n * batches);
  Device<float> db(b), dc(static_cast<std::size_t>(8 * n * batches));
  cusparseDnMatDescr_t mb, mc;
  ASSERT_EQ(cusparseCreateDnMat(&mb, 8, n, 8, db, CUDA_R_32F, CUSPARSE_ORDER_COL), sparse_good);
  ASSERT_EQ(cusparseCreateDnMat(&mc, 8, n, 8, dc, CUDA_R_32F, CUSPARSE_ORDER_COL), sparse_good);
  ASSERT_EQ(cusparseDnMatSetStridedBatch(mb, batches, 8 * n), sparse_good);
  ASSERT_EQ(cusparseDnMatSetStridedBatch(mc, batches, 8 * n), sparse_good);
  const float one = 1, zero = 0;
  ASSERT_EQ(cusparseSpMM(handle, operations[0], operations[0], &one, a->get(), mb, &zero, mc, CUDA_R_32F,
                         CUSPARSE_SPMM_CSR_ALG1, workspace()),
            sparse_good);
  const auto c = dc.read();
  for (int k = 0; k < batches; ++k) {
    const std::vector<float> bk(b.begin() + k * 8 * n, b.begin() + (k + 1) * 8 * n),
        ck(c.begin() + k * 8 * n, c.begin() + (k + 1) * 8 * n);
    EXPECT_LE(difference(Dense<float>(ck, 8, n, 8), first * Dense<float>(bk, 8, n, 8)), tolerance<float>(8));
  }
  cusparseDestroyDnMat(mb);
  cusparseDestroyDnMat(mc);
}

// Whole numbers, which every type has exactly.
TEST_F(Sparse, MixesTypesAsDocumented) {
  struct Mixture {
    cudaDataType a, y, compute;
  };
  const std::vector<int> offsets{0, 2, 2, 3}, places{0, 2, 1};
  const std::vector<double> values{1, 2, 3}, x{5, 6, 7}, wanted{19, 0, 18};
  for (const Mixture& m :
       {Mixture{CUDA_R_8I, CUDA_R_32I, CUDA_R_32I}, Mixture{CUDA_R_8I, CUDA_R_32F, CUDA_R_32F},
        Mixture{CUDA_R_16F, CUDA_R_16F, CUDA_R_32F}, Mixture{CUDA_R_16F, CUDA_R_32F, CUDA_R_32F},
        Mixture{CUDA_R_16BF, CUDA_R_16BF, CUDA_R_32F}, Mixture{CUDA_R_16BF, CUDA_R_32F, CUDA_R_32F}}) {
    Device<int> o(offsets), p(places);
    Device<char> v(encoded(m.a, values)), dx(encoded(m.a, x)), dy(encoded(m.y, {9, 9, 9}));
    cusparseSpMatDescr_t a;
    cusparseDnVecDescr_t vx, vy;
    ASSERT_EQ(cusparseCreateCsr(&a, 3, 3, 3, o, p, v, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                                CUSPARSE_INDEX_BASE_ZERO, m.a),
              sparse_good);
    ASSERT_EQ(cusparseCreateDnVec(&vx, 3, dx, m.a), sparse_good);
    ASSERT_EQ(cusparseCreateDnVec(&vy, 3, dy, m.y), sparse_good);
    const float one = 1, zero = 0;
    const int32_t whole_one = 1, whole_zero = 0;
    const bool whole = m.compute == CUDA_R_32I;
    ASSERT_EQ(cusparseSpMV(handle, operations[0], whole ? static_cast<const void*>(&whole_one) : &one, a, vx,
                           whole ? static_cast<const void*>(&whole_zero) : &zero, vy, m.compute,
                           CUSPARSE_SPMV_ALG_DEFAULT, workspace()),
              sparse_good);
    EXPECT_EQ(dy.read(), encoded(m.y, wanted)) << m.a << " " << m.y;
    EXPECT_EQ(cusparseSpMV(handle, operations[0], &one, a, vx, &zero, vy, CUDA_R_64F,
                           CUSPARSE_SPMV_ALG_DEFAULT, workspace()),
              CUSPARSE_STATUS_NOT_SUPPORTED);
    cusparseDestroySpMat(a);
    cusparseDestroyDnVec(vx);
    cusparseDestroyDnVec(vy);
  }
}

// As libcusparse 12.6.3 answers, which was asked.
TEST_F(Sparse, SaysWhatIsWrongAsNvidiasLibraryDoes) {
  constexpr auto invalid = CUSPARSE_STATUS_INVALID_VALUE, unsupported = CUSPARSE_STATUS_NOT_SUPPORTED;
  constexpr auto i32 = CUSPARSE_INDEX_32I;
  constexpr auto zero = CUSPARSE_INDEX_BASE_ZERO;
  int word = 0;
  void* const p = &word;
  cusparseSpMatDescr_t m;
  cusparseDnVecDescr_t v;
  cusparseDnMatDescr_t d;
  cusparseSpVecDescr_t s;
  EXPECT_EQ(cusparseCreateCsr(nullptr, 3, 3, 3, p, p, p, i32, i32, zero, CUDA_R_32F), invalid);
  EXPECT_EQ(cusparseCreateCsr(&m, -3, 3, 3, p, p, p, i32, i32, zero, CUDA_R_32F), invalid);
  EXPECT_EQ(cusparseCreateCsr(&m, 3, 3, 10, p, p, p, i32, i32, zero, CUDA_R_32F), invalid);
  EXPECT_EQ(cusparseCreateCsr(&m, 3, 3, 3, p, p, p, CUSPARSE_INDEX_64I, i32, zero, CUDA_R_32F), unsupported);
  EXPECT_EQ(cusparseCreateCsr(&m, 3, 3, 3, p, p, p, i32, i32, zero, CUDA_R_8U), invalid);
  EXPECT_EQ(cusparseCreateDnVec(&v, -1, p, CUDA_R_32F), invalid);
  EXPECT_EQ(cusparseCreateDnMat(&d, 3, 3, 2, p, CUDA_R_32F, CUSPARSE_ORDER_COL), invalid);
  EXPECT_EQ(cusparseCreateSpVec(&s, 3, 4, p, p, i32, zero, CUDA_R_32F), invalid);
  EXPECT_EQ(cusparseCreateBlockedEll(&m, 4, 4, 3, 4, p, p, i32, zero, CUDA_R_32F), invalid);
  EXPECT_EQ(cusparseCreateBlockedEll(&m, 4, 4, 2, 6, p, p, i32, zero, CUDA_R_32F), invalid);
  EXPECT_EQ(cusparseCreateBsr(&m, 2, 2, 5, 2, 2, p, p, p, i32, i32, zero, CUDA_R_32F, CUSPARSE_ORDER_ROW),
            invalid);
  EXPECT_EQ(cusparseCreateSlicedEll(&m, 4, 4, 9, 8, 2, p, p, p, i32, i32, zero, CUDA_R_32F), invalid);
  ASSERT_EQ(cusparseCreateCsr(&m, 3, 3, 3, p, p, p, i32, i32, zero, CUDA_R_32F), sparse_good);
  EXPECT_EQ(cusparseCooSetPointers(m, p, p, p), invalid);
  EXPECT_EQ(cusparseSpMatSetAttribute(m, CUSPARSE_SPMAT_FILL_MODE, &word, 8), invalid);
  EXPECT_EQ(cusparseSpMatGetFormat(m, nullptr), invalid);
  EXPECT_EQ(cusparseCsrSetStridedBatch(m, 2, 4, 2), invalid);
  EXPECT_EQ(cusparseCsrSetStridedBatch(m, 2, 0, 3), sparse_good);
  EXPECT_EQ(cusparseDestroySpMat(m), sparse_good);
  EXPECT_EQ(cusparseDestroySpMat(nullptr), sparse_good);
  EXPECT_EQ(cusparseSetMatType(nullptr, CUSPARSE_MATRIX_TYPE_GENERAL), CUSPARSE_STATUS_NOT_INITIALIZED);
  EXPECT_EQ(cusparseGetVersion(nullptr, &word), invalid);
  EXPECT_STREQ(cusparseGetErrorName(CUSPARSE_STATUS_ZERO_PIVOT), "CUSPARSE_STATUS_ZERO_PIVOT");
  EXPECT_STREQ(cusparseGetErrorString(static_cast<cusparseStatus_t>(99)), "unrecognized error code");
  ASSERT_EQ(cusparseCreateDnVec(&v, 3, p, CUDA_R_32F), sparse_good);
  ASSERT_EQ(cusparseCreateCsr(&m, 3, 4, 3, p, p, p, i32, i32, zero, CUDA_R_32F), sparse_good);
  const float one = 1;
  EXPECT_EQ(cusparseSpMV(handle, operations[0], &one, m, v, &one, v, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT,
                         workspace()),
            invalid);  // the vector is too short
  EXPECT_EQ(cusparseSpMV(nullptr, operations[0], &one, m, v, &one, v, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT,
                         workspace()),
            invalid);  // an H200; so do cusparseSetStream and others; older functions do not
  EXPECT_EQ(cusparseSetStream(nullptr, nullptr), invalid);
  EXPECT_EQ(cusparseXcoo2csr(nullptr, nullptr, 1, 1, nullptr, CUSPARSE_INDEX_BASE_ZERO),
            CUSPARSE_STATUS_NOT_INITIALIZED);
  cusparseDestroyDnVec(v);
  cusparseDestroySpMat(m);
}

// As an H200: tests/hw/h200/answers/cusparse_nulls.txt, "with a handle and a living context".
TEST_F(Sparse, RefusesNullScalarsResultsAndBuffers) {
  Device<int> offsets(std::vector<int>{0, 1, 2}), places(std::vector<int>{0, 1});
  Device<float> values(std::vector<float>{1, 2}), numbers(std::vector<float>{1, 1, 1, 1});
  cusparseSpMatDescr_t a, c;
  cusparseSpVecDescr_t sparse;
  cusparseDnVecDescr_t x;
  cusparseDnMatDescr_t d;
  const auto i32 = CUSPARSE_INDEX_32I;
  const auto zero_based = CUSPARSE_INDEX_BASE_ZERO;
  const auto type = CUDA_R_32F;
  cusparseCreateCsr(&a, 2, 2, 2, offsets, places, values, i32, i32, zero_based, type);
  cusparseCreateCsr(&c, 2, 2, 0, nullptr, nullptr, nullptr, i32, i32, zero_based, type);
  cusparseCreateSpVec(&sparse, 2, 2, places, values, i32, zero_based, type);
  cusparseCreateDnVec(&x, 2, numbers, type);
  cusparseCreateDnMat(&d, 2, 2, 2, numbers, type, CUSPARSE_ORDER_COL);
  const auto n = operations[0];
  const auto spmv = CUSPARSE_SPMV_ALG_DEFAULT;
  const auto spmm = CUSPARSE_SPMM_ALG_DEFAULT;
  const auto to_dense = CUSPARSE_SPARSETODENSE_ALG_DEFAULT;
  const auto to_sparse = CUSPARSE_DENSETOSPARSE_ALG_DEFAULT;
  const auto invalid = CUSPARSE_STATUS_INVALID_VALUE, internal = CUSPARSE_STATUS_INTERNAL_ERROR;
  const float one = 1;
  float result = 0;
  size_t bytes = 0;
  void* const w = workspace();
  EXPECT_EQ(cusparseSpVV_bufferSize(handle, n, sparse, x, nullptr, type, &bytes), invalid);
  EXPECT_EQ(cusparseSpVV_bufferSize(handle, n, sparse, x, &result, type, nullptr), invalid);
  EXPECT_EQ(cusparseSpVV(handle, n, sparse, x, nullptr, type, w), invalid);
  EXPECT_EQ(cusparseSpVV(handle, n, sparse, x, &result, type, nullptr), invalid);
  EXPECT_EQ(cusparseSpMV_bufferSize(handle, n, nullptr, a, x, &one, x, type, spmv, &bytes), invalid);
  EXPECT_EQ(cusparseSpMV_bufferSize(handle, n, &one, a, x, nullptr, x, type, spmv, &bytes), invalid);
  EXPECT_EQ(cusparseSpMV_bufferSize(handle, n, &one, a, x, &one, x, type, spmv, nullptr), invalid);
  EXPECT_EQ(cusparseSpMV(handle, n, nullptr, a, x, &one, x, type, spmv, w), invalid);
  EXPECT_EQ(cusparseSpMV(handle, n, &one, a, x, nullptr, x, type, spmv, w), invalid);
  EXPECT_EQ(cusparseSpMV(handle, n, &one, a, x, &one, x, type, spmv, nullptr), invalid);
  EXPECT_EQ(cusparseSpMV_preprocess(handle, n, &one, a, x, &one, x, type, spmv, nullptr), internal);
  EXPECT_EQ(cusparseSpMM_bufferSize(handle, n, n, nullptr, a, d, &one, d, type, spmm, &bytes), invalid);
  EXPECT_EQ(cusparseSpMM(handle, n, n, nullptr, a, d, &one, d, type, spmm, w), invalid);
  EXPECT_EQ(cusparseSpMM(handle, n, n, &one, a, d, nullptr, d, type, spmm, w), invalid);
  EXPECT_EQ(cusparseSpMM(handle, n, n, &one, a, d, &one, d, type, spmm, nullptr), internal);
  EXPECT_EQ(cusparseSparseToDense_bufferSize(handle, a, d, to_dense, nullptr), invalid);
  EXPECT_EQ(cusparseSparseToDense(handle, a, d, to_dense, nullptr), invalid);
  EXPECT_EQ(cusparseDenseToSparse_bufferSize(handle, d, a, to_sparse, nullptr), invalid);
  EXPECT_EQ(cusparseDenseToSparse_analysis(handle, d, a, to_sparse, nullptr), invalid);
  EXPECT_EQ(cusparseDenseToSparse_convert(handle, d, a, to_sparse, nullptr), invalid);
  cusparseSpGEMMDescr_t g;
  ASSERT_EQ(cusparseSpGEMM_createDescr(&g), sparse_good);
  const auto work = [&](const float* alpha, const float* beta, size_t* size) {
    return cusparseSpGEMM_workEstimation(handle, n, n, alpha, a, a, beta, c, type, CUSPARSE_SPGEMM_DEFAULT, g,
                                         size, nullptr);
  };
  EXPECT_EQ(work(&one, &one, nullptr), invalid);
  EXPECT_EQ(work(nullptr, &one, &bytes), invalid);
  EXPECT_EQ(work(&one, nullptr, &bytes), invalid);
  EXPECT_EQ(work(&one, &one, &bytes), sparse_good);
  EXPECT_EQ(cusparseSpGEMM_compute(handle, n, n, &one, a, a, &one, c, type, CUSPARSE_SPGEMM_DEFAULT, g,
                                   nullptr, nullptr),
            invalid);
  cusparseSpGEMM_destroyDescr(g);
  cusparseDestroyDnMat(d);
  cusparseDestroyDnVec(x);
  cusparseDestroySpVec(sparse);
  cusparseDestroySpMat(c);
  cusparseDestroySpMat(a);
}

// An index that leaves the matrix is a fault of the work, not of the process.
TEST_F(Sparse, EndsTheContextAtAnIndexOutsideTheMatrix) {
  Device<int> offsets(std::vector<int>{0, 1, 2}), places(std::vector<int>{0, 1 << 30});
  Device<float> values(std::vector<float>{1, 2}), x(std::vector<float>{1, 2}), y(std::vector<float>{0, 0});
  cusparseSpMatDescr_t a;
  cusparseDnVecDescr_t vx, vy;
  ASSERT_EQ(cusparseCreateCsr(&a, 2, 2, 2, offsets, places, values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                              CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F),
            sparse_good);
  ASSERT_EQ(cusparseCreateDnVec(&vx, 2, x, CUDA_R_32F), sparse_good);
  ASSERT_EQ(cusparseCreateDnVec(&vy, 2, y, CUDA_R_32F), sparse_good);
  const float one = 1;
  ASSERT_EQ(cusparseSpMV(handle, operations[0], &one, a, vx, &one, vy, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT,
                         workspace()),
            sparse_good);
  EXPECT_NE(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
  cusparseDestroyDnVec(vx);
  cusparseDestroyDnVec(vy);
  cusparseDestroySpMat(a);
}

}  // namespace
}  // namespace heddle::libs_test
