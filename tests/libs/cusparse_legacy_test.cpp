// cuSPARSE's older interface: conversions, sorting, sums, incomplete factors, blocks, bands, pruning.
#include <cusparse.h>

#include <set>

#include "sparse.h"

namespace heddle::libs_test {
namespace {

constexpr auto none = CUSPARSE_OPERATION_NON_TRANSPOSE;

#define ALL(L)                                                                 \
  static constexpr auto gemvi = &cusparse##L##gemvi;                           \
  static constexpr auto bsrmv = &cusparse##L##bsrmv;                           \
  static constexpr auto bsrxmv = &cusparse##L##bsrxmv;                         \
  static constexpr auto bsrmm = &cusparse##L##bsrmm;                           \
  static constexpr auto bsrsv2_analysis = &cusparse##L##bsrsv2_analysis;       \
  static constexpr auto bsrsv2_solve = &cusparse##L##bsrsv2_solve;             \
  static constexpr auto bsrsm2_solve = &cusparse##L##bsrsm2_solve;             \
  static constexpr auto ilu_analysis = &cusparse##L##csrilu02_analysis;        \
  static constexpr auto ilu = &cusparse##L##csrilu02;                          \
  static constexpr auto ilu_boost = &cusparse##L##csrilu02_numericBoost;       \
  static constexpr auto block_ilu_analysis = &cusparse##L##bsrilu02_analysis;  \
  static constexpr auto block_ilu = &cusparse##L##bsrilu02;                    \
  static constexpr auto ic_analysis = &cusparse##L##csric02_analysis;          \
  static constexpr auto ic = &cusparse##L##csric02;                            \
  static constexpr auto gtsv2 = &cusparse##L##gtsv2;                           \
  static constexpr auto gtsv2_nopivot = &cusparse##L##gtsv2_nopivot;           \
  static constexpr auto gtsv2_strided = &cusparse##L##gtsv2StridedBatch;       \
  static constexpr auto gtsv_interleaved = &cusparse##L##gtsvInterleavedBatch; \
  static constexpr auto gpsv_interleaved = &cusparse##L##gpsvInterleavedBatch; \
  static constexpr auto geam = &cusparse##L##csrgeam2;                         \
  static constexpr auto color = &cusparse##L##csrcolor;                        \
  static constexpr auto nnz = &cusparse##L##nnz;                               \
  static constexpr auto nnz_compress = &cusparse##L##nnz_compress;             \
  static constexpr auto compress = &cusparse##L##csr2csr_compress;             \
  static constexpr auto csr2bsr = &cusparse##L##csr2bsr;                       \
  static constexpr auto bsr2csr = &cusparse##L##bsr2csr;                       \
  static constexpr auto gebsr2gebsc = &cusparse##L##gebsr2gebsc;               \
  static constexpr auto gebsr2csr = &cusparse##L##gebsr2csr;                   \
  static constexpr auto csr2gebsr = &cusparse##L##csr2gebsr;                   \
  static constexpr auto gebsr2gebsr = &cusparse##L##gebsr2gebsr;               \
  static constexpr auto csru2csr = &cusparse##L##csru2csr;                     \
  static constexpr auto csr2csru = &cusparse##L##csr2csru;
template <class T>
struct Api;
template <>
struct Api<float> {
  ALL(S)
};
template <>
struct Api<double> {
  ALL(D)
};
template <>
struct Api<cuComplex> {
  ALL(C)
};
template <>
struct Api<cuDoubleComplex> {
  ALL(Z)
};

// A matrix of rows on the device.
template <class T>
struct DeviceRows {
  explicit DeviceRows(const Rows<T>& from)
      : m(from.m),
        n(from.n),
        base(from.base),
        offsets(from.offsets),
        places(from.places),
        values(from.values) {}
  DeviceRows(int m_, int n_, int base_, int count)
      : m(m_),
        n(n_),
        base(base_),
        offsets(static_cast<std::size_t>(m_) + 1),
        places(static_cast<std::size_t>(count)),
        values(static_cast<std::size_t>(count)) {}
  Dense<T> dense() const { return of_rows<T>(offsets.read(), places.read(), values.read(), m, n, base); }
  int m, n, base;
  Device<int> offsets, places;
  Device<T> values;
};
// Blocks as a dense matrix.
template <class T>
Dense<T> of_blocks(const std::vector<int>& offsets, const std::vector<int>& places,
                   const std::vector<T>& values, int mb, int nb, int rows, int columns, int base,
                   bool by_rows) {
  Dense<T> a(mb * rows, nb * columns);
  for (int r = 0; r < mb; ++r)
    for (int p = offsets[static_cast<std::size_t>(r)] - base;
         p < offsets[static_cast<std::size_t>(r) + 1] - base; ++p)
      for (int i = 0; i < rows; ++i)
        for (int j = 0; j < columns; ++j)
          a(r * rows + i, (places[static_cast<std::size_t>(p)] - base) * columns + j) =
              exact(values[static_cast<std::size_t>(p * rows * columns +
                                                    (by_rows ? i * columns + j : i + j * rows))]);
  return a;
}
template <class T>
Dense<T> cut(const Dense<T>& a, int m, int n) {
  Dense<T> b(m, n);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < m; ++i) b(i, j) = a(i, j);
  return b;
}

template <class T>
class Legacy : public Sparse {
 public:
  using A = Api<T>;
  Legacy() {
    for (int base = 0; base < 2; ++base) {
      EXPECT_EQ(cusparseCreateMatDescr(&description[base]), sparse_good);
      EXPECT_EQ(cusparseSetMatIndexBase(description[base], static_cast<cusparseIndexBase_t>(base)),
                sparse_good);
    }
  }
  ~Legacy() override {
    for (const auto d : description) cusparseDestroyMatDescr(d);
  }
  // Its diagonal is strong, and its pattern symmetric.
  Dense<T> strong(int n, bool hermitian) {
    auto a = this->template random_matrix<T>(n, n);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < i; ++j) {
        if (hermitian)
          a(j, i) = conj_of(a(i, j));
        else if (a(i, j) == Exact<T>(0))
          a(j, i) = 0;
        else if (a(j, i) == Exact<T>(0))
          a(j, i) = a(i, j);
      }
    for (int i = 0; i < n; ++i) a(i, i) = Exact<T>(n + 2.0);
    return a;
  }
  // The result, as blocks of the device.
  struct Blocked {
    int mb, nb, rows, columns, base, count;
    bool by_rows;
    std::unique_ptr<Device<int>> offsets, places;
    std::unique_ptr<Device<T>> values;
    Dense<T> dense() const {
      return of_blocks<T>(offsets->read(), places->read(), values->read(), mb, nb, rows, columns, base,
                          by_rows);
    }
  };
  Blocked blocked(const Dense<T>& a, int rows, int columns, int from, int to, bool by_rows) {
    const auto direction = by_rows ? CUSPARSE_DIRECTION_ROW : CUSPARSE_DIRECTION_COLUMN;
    const DeviceRows<T> csr{Rows<T>(a, from)};
    Blocked b{(a.rows + rows - 1) / rows,
              (a.columns + columns - 1) / columns,
              rows,
              columns,
              to,
              0,
              by_rows,
              {},
              {},
              {}};
    b.offsets = std::make_unique<Device<int>>(static_cast<std::size_t>(b.mb) + 1);
    EXPECT_EQ(
        cusparseXcsr2gebsrNnz(this->handle, direction, a.rows, a.columns, description[from], csr.offsets,
                              csr.places, description[to], *b.offsets, rows, columns, &b.count, nullptr),
        sparse_good);
    b.places = std::make_unique<Device<int>>(static_cast<std::size_t>(b.count));
    b.values = std::make_unique<Device<T>>(static_cast<std::size_t>(b.count * rows * columns));
    EXPECT_EQ(
        A::csr2gebsr(this->handle, direction, a.rows, a.columns, description[from], csr.values, csr.offsets,
                     csr.places, description[to], *b.values, *b.offsets, *b.places, rows, columns, nullptr),
        sparse_good);
    return b;
  }
  cusparseMatDescr_t description[2] = {};
};
using Types = testing::Types<float, double, cuComplex, cuDoubleComplex>;
TYPED_TEST_SUITE(Legacy, Types);

TYPED_TEST(Legacy, ConvertsBlocks) {
  using T = TypeParam;
  using A = Api<T>;
  for (int round = 0; round < 20; ++round) {
    const int m = this->random.in(1, 20), n = this->random.in(1, 20), from = round % 2, to = (round / 2) % 2;
    const int rows = this->random.in(1, 4), columns = this->random.in(1, 4);
    const bool by_rows = this->random.in(0, 1) != 0;
    const auto direction = by_rows ? CUSPARSE_DIRECTION_ROW : CUSPARSE_DIRECTION_COLUMN;
    const auto a = this->template random_matrix<T>(m, n);
    const auto b = this->blocked(a, rows, columns, from, to, by_rows);
    EXPECT_EQ(difference(cut(b.dense(), m, n), a), 0);
    // Back to rows.
    DeviceRows<T> csr(b.mb * rows, b.nb * columns, from, b.count * rows * columns);
    ASSERT_EQ(
        A::gebsr2csr(this->handle, direction, b.mb, b.nb, this->description[to], *b.values, *b.offsets,
                     *b.places, rows, columns, this->description[from], csr.values, csr.offsets, csr.places),
        sparse_good);
    EXPECT_EQ(difference(csr.dense(), b.dense()), 0);
    // To other blocks.
    const int rows_c = this->random.in(1, 4), columns_c = this->random.in(1, 4);
    typename TestFixture::Blocked c{(b.mb * rows + rows_c - 1) / rows_c,
                                    (b.nb * columns + columns_c - 1) / columns_c,
                                    rows_c,
                                    columns_c,
                                    from,
                                    0,
                                    by_rows,
                                    {},
                                    {},
                                    {}};
    c.offsets = std::make_unique<Device<int>>(static_cast<std::size_t>(c.mb) + 1);
    ASSERT_EQ(cusparseXgebsr2gebsrNnz(this->handle, direction, b.mb, b.nb, b.count, this->description[to],
                                      *b.offsets, *b.places, rows, columns, this->description[from],
                                      *c.offsets, rows_c, columns_c, &c.count, nullptr),
              sparse_good);
    c.places = std::make_unique<Device<int>>(static_cast<std::size_t>(c.count));
    c.values = std::make_unique<Device<T>>(static_cast<std::size_t>(c.count * rows_c * columns_c));
    ASSERT_EQ(A::gebsr2gebsr(this->handle, direction, b.mb, b.nb, b.count, this->description[to], *b.values,
                             *b.offsets, *b.places, rows, columns, this->description[from], *c.values,
                             *c.offsets, *c.places, rows_c, columns_c, nullptr),
              sparse_good);
    EXPECT_EQ(difference(cut(c.dense(), m, n), a), 0);
    // Square blocks have functions of their own.
    const DeviceRows<T> plain{Rows<T>(a, from)};
    const int mb = (m + rows - 1) / rows, nb = (n + rows - 1) / rows;
    int square = 0;
    Device<int> square_offsets(static_cast<std::size_t>(mb) + 1);
    ASSERT_EQ(cusparseXcsr2bsrNnz(this->handle, direction, m, n, this->description[from], plain.offsets,
                                  plain.places, rows, this->description[to], square_offsets, &square),
              sparse_good);
    Device<int> square_places(static_cast<std::size_t>(square));
    Device<T> square_values(static_cast<std::size_t>(square * rows * rows));
    ASSERT_EQ(
        A::csr2bsr(this->handle, direction, m, n, this->description[from], plain.values, plain.offsets,
                   plain.places, rows, this->description[to], square_values, square_offsets, square_places),
        sparse_good);
    DeviceRows<T> unblocked(mb * rows, nb * rows, from, square * rows * rows);
    ASSERT_EQ(A::bsr2csr(this->handle, direction, mb, nb, this->description[to], square_values,
                         square_offsets, square_places, rows, this->description[from], unblocked.values,
                         unblocked.offsets, unblocked.places),
              sparse_good);
    EXPECT_EQ(difference(cut(unblocked.dense(), m, n), a), 0);
    // Blocks by columns.
    Device<T> bsc(static_cast<std::size_t>(b.count * rows * columns));
    Device<int> row_indices(static_cast<std::size_t>(b.count)),
        column_offsets(static_cast<std::size_t>(b.nb) + 1);
    ASSERT_EQ(A::gebsr2gebsc(this->handle, b.mb, b.nb, b.count, *b.values, *b.offsets, *b.places, rows,
                             columns, bsc, row_indices, column_offsets, CUSPARSE_ACTION_NUMERIC,
                             static_cast<cusparseIndexBase_t>(to), nullptr),
              sparse_good);
    const auto offsets = column_offsets.read(), indices = row_indices.read();
    const auto values = bsc.read();
    Dense<T> again(b.mb * rows, b.nb * columns);
    for (int c2 = 0; c2 < b.nb; ++c2)
      for (int p = offsets[static_cast<std::size_t>(c2)] - to;
           p < offsets[static_cast<std::size_t>(c2) + 1] - to; ++p)
        for (int i = 0; i < rows; ++i)
          for (int j = 0; j < columns; ++j)
            again((indices[static_cast<std::size_t>(p)] - to) * rows + i, c2 * columns + j) =
                exact(values[static_cast<std::size_t>(p * rows * columns +
                                                      (by_rows ? i * columns + j : i + j * rows))]);
    EXPECT_EQ(difference(again, b.dense()), 0);
  }
}

TYPED_TEST(Legacy, MultipliesAndSolvesWithBlocks) {
  using T = TypeParam;
  using A = Api<T>;
  for (int round = 0; round < 12; ++round) {
    const int d = this->random.in(2, 4), mb = this->random.in(1, 5), m = mb * d, base = round % 2, n = 3;
    const bool by_rows = round % 3 == 0;
    const auto direction = by_rows ? CUSPARSE_DIRECTION_ROW : CUSPARSE_DIRECTION_COLUMN;
    const auto a = this->strong(m, false);
    const auto b = this->blocked(a, d, d, 0, base, by_rows);
    const auto x = this->random.template values<T>(m), y = this->random.template values<T>(m);
    Device<T> dx(x), dy(y);
    const auto alpha = this->random.template value<T>(), beta = this->random.template value<T>();
    const auto descr = this->description[base];
    ASSERT_EQ(A::bsrmv(this->handle, direction, none, mb, mb, b.count, &alpha, descr, *b.values, *b.offsets,
                       *b.places, d, dx, &beta, dy),
              sparse_good);
    const Dense<T> vx(x, m, 1, m), vy(y, m, 1, m);
    const Dense<T> wanted = sum(exact(alpha), a * vx, exact(beta), vy);
    EXPECT_LE(difference(Dense<T>(dy.read(), m, 1, m), wanted), tolerance<T>(m) * m);
    // The same for the first row of blocks alone.
    dy.set(y);
    Device<int> mask(std::vector<int>{base});
    const auto offsets = b.offsets->read();
    Device<int> begins(std::vector<int>(offsets.begin(), offsets.end() - 1)),
        ends(std::vector<int>(offsets.begin() + 1, offsets.end()));
    ASSERT_EQ(A::bsrxmv(this->handle, direction, none, 1, mb, mb, b.count, &alpha, descr, *b.values, mask,
                        begins, ends, *b.places, d, dx, &beta, dy),
              sparse_good);
    const auto masked = dy.read();
    for (int i = 0; i < m; ++i)
      EXPECT_LE(std::abs(exact(masked[static_cast<std::size_t>(i)]) - (i < d ? wanted(i, 0) : vy(i, 0))),
                tolerance<T>(m) * m);
    const auto right = this->random.template values<T>(static_cast<std::size_t>(m) * n);
    Device<T> db(right), dc(static_cast<std::size_t>(m) * n);
    const auto zero = made<T>(0);
    ASSERT_EQ(A::bsrmm(this->handle, direction, none, none, mb, n, mb, b.count, &alpha, descr, *b.values,
                       *b.offsets, *b.places, d, db, m, &zero, dc, m),
              sparse_good);
    const Dense<T> nothing(m, n);
    EXPECT_LE(difference(Dense<T>(dc.read(), m, n, m),
                         sum(exact(alpha), a * Dense<T>(right, m, n, m), Exact<T>(0), nothing)),
              tolerance<T>(m) * m);
    // A triangle of it.
    bsrsv2Info_t info;
    bsrsm2Info_t more;
    ASSERT_EQ(cusparseCreateBsrsv2Info(&info), sparse_good);
    ASSERT_EQ(cusparseCreateBsrsm2Info(&more), sparse_good);
    ASSERT_EQ(A::bsrsv2_analysis(this->handle, direction, none, mb, b.count, descr, *b.values, *b.offsets,
                                 *b.places, d, info, CUSPARSE_SOLVE_POLICY_NO_LEVEL, nullptr),
              sparse_good);
    ASSERT_EQ(
        A::bsrsv2_solve(this->handle, direction, none, mb, b.count, &alpha, descr, *b.values, *b.offsets,
                        *b.places, d, info, dx, dy, CUSPARSE_SOLVE_POLICY_NO_LEVEL, nullptr),
        sparse_good);
    int position = 7;
    EXPECT_EQ(cusparseXbsrsv2_zeroPivot(this->handle, info, &position), sparse_good);
    EXPECT_EQ(position, -1);
    const Dense<T> lower = triangle(a, true, false), none_of(m, 1);
    EXPECT_LE(difference(lower * Dense<T>(dy.read(), m, 1, m), sum(exact(alpha), vx, Exact<T>(0), none_of)),
              tolerance<T>(m) * m);
    ASSERT_EQ(A::bsrsm2_solve(this->handle, direction, none, none, mb, n, b.count, &alpha, descr, *b.values,
                              *b.offsets, *b.places, d, more, db, m, dc, m, CUSPARSE_SOLVE_POLICY_NO_LEVEL,
                              nullptr),
              sparse_good);
    EXPECT_LE(difference(lower * Dense<T>(dc.read(), m, n, m),
                         sum(exact(alpha), Dense<T>(right, m, n, m), Exact<T>(0), nothing)),
              tolerance<T>(m) * m);
    cusparseDestroyBsrsv2Info(info);
    cusparseDestroyBsrsm2Info(more);
  }
}

// The product of the factors is the matrix where it has elements.
template <class T>
void expect_factors(const Dense<T>& a, const Dense<T>& factors, bool cholesky) {
  const Dense<T> lower = triangle(factors, true, !cholesky),
                 upper = cholesky ? transposed(lower, 'C') : triangle(factors, false, false);
  const Dense<T> product = lower * upper;
  for (int j = 0; j < a.columns; ++j)
    for (int i = 0; i < a.rows; ++i)
      if (a(i, j) != Exact<T>(0) && (!cholesky || i >= j)) {
        EXPECT_LE(std::abs(product(i, j) - a(i, j)), tolerance<T>(a.rows) * a.rows) << i << " " << j;
      }
}

TYPED_TEST(Legacy, FactorsIncompletely) {
  using T = TypeParam;
  using A = Api<T>;
  for (int round = 0; round < 12; ++round) {
    const int n = 2 * this->random.in(1, 12), base = round % 2;
    const auto a = this->strong(n, true);
    const auto descr = this->description[base];
    const DeviceRows<T> lu{Rows<T>(a, base)}, cholesky{Rows<T>(a, base)};
    const int count = Rows<T>(a, base).count();
    csrilu02Info_t info;
    csric02Info_t other;
    int position = 7;
    ASSERT_EQ(cusparseCreateCsrilu02Info(&info), sparse_good);
    ASSERT_EQ(cusparseCreateCsric02Info(&other), sparse_good);
    ASSERT_EQ(A::ilu_analysis(this->handle, n, count, descr, lu.values, lu.offsets, lu.places, info,
                              CUSPARSE_SOLVE_POLICY_NO_LEVEL, nullptr),
              sparse_good);
    EXPECT_EQ(cusparseXcsrilu02_zeroPivot(this->handle, info, &position), sparse_good);
    EXPECT_EQ(position, -1);
    ASSERT_EQ(A::ilu(this->handle, n, count, descr, lu.values, lu.offsets, lu.places, info,
                     CUSPARSE_SOLVE_POLICY_NO_LEVEL, nullptr),
              sparse_good);
    expect_factors(a, lu.dense(), false);
    ASSERT_EQ(A::ic_analysis(this->handle, n, count, descr, cholesky.values, cholesky.offsets,
                             cholesky.places, other, CUSPARSE_SOLVE_POLICY_NO_LEVEL, nullptr),
              sparse_good);
    ASSERT_EQ(A::ic(this->handle, n, count, descr, cholesky.values, cholesky.offsets, cholesky.places, other,
                    CUSPARSE_SOLVE_POLICY_NO_LEVEL, nullptr),
              sparse_good);
    EXPECT_EQ(cusparseXcsric02_zeroPivot(this->handle, other, &position), sparse_good);
    expect_factors(a, cholesky.dense(), true);
    // In blocks: the same where every element of a block counts as there.
    const auto b = this->blocked(a, 2, 2, 0, base, true);
    Dense<T> full = b.dense();
    bsrilu02Info_t blocks;
    ASSERT_EQ(cusparseCreateBsrilu02Info(&blocks), sparse_good);
    ASSERT_EQ(
        A::block_ilu_analysis(this->handle, CUSPARSE_DIRECTION_ROW, n / 2, b.count, descr, *b.values,
                              *b.offsets, *b.places, 2, blocks, CUSPARSE_SOLVE_POLICY_NO_LEVEL, nullptr),
        sparse_good);
    ASSERT_EQ(A::block_ilu(this->handle, CUSPARSE_DIRECTION_ROW, n / 2, b.count, descr, *b.values, *b.offsets,
                           *b.places, 2, blocks, CUSPARSE_SOLVE_POLICY_NO_LEVEL, nullptr),
              sparse_good);
    expect_factors(a, b.dense(), false);
    cusparseDestroyBsrilu02Info(blocks);
    cusparseDestroyCsrilu02Info(info);
    cusparseDestroyCsric02Info(other);
  }
}

TYPED_TEST(Legacy, SaysWhichPivotIsMissingOrZero) {
  using T = TypeParam;
  using A = Api<T>;
  Dense<T> a(3, 3);
  a(0, 0) = 1, a(0, 2) = 2, a(1, 0) = 3, a(2, 2) = 4;  // nothing at (1, 1)
  const auto descr = this->description[1];
  csrilu02Info_t info;
  ASSERT_EQ(cusparseCreateCsrilu02Info(&info), sparse_good);
  const DeviceRows<T> rows{Rows<T>(a, 1)};
  ASSERT_EQ(A::ilu_analysis(this->handle, 3, 4, descr, rows.values, rows.offsets, rows.places, info,
                            CUSPARSE_SOLVE_POLICY_NO_LEVEL, nullptr),
            sparse_good);
  int position = 0;
  EXPECT_EQ(cusparseXcsrilu02_zeroPivot(this->handle, info, &position), CUSPARSE_STATUS_ZERO_PIVOT);
  EXPECT_EQ(position, 2);  // as the matrix counts
  // 1 2 / 2 4 has a zero for its second pivot; boosted it has not.
  Dense<T> singular(2, 2);
  singular(0, 0) = 1, singular(0, 1) = 2, singular(1, 0) = 2, singular(1, 1) = 4;
  for (const bool boosted : {false, true}) {
    double tolerance = 1e-3;
    auto value = made<T>(5);
    ASSERT_EQ(A::ilu_boost(this->handle, info, boosted ? 1 : 0, &tolerance, &value), sparse_good);
    const DeviceRows<T> two{Rows<T>(singular, 1)};
    ASSERT_EQ(A::ilu_analysis(this->handle, 2, 4, descr, two.values, two.offsets, two.places, info,
                              CUSPARSE_SOLVE_POLICY_USE_LEVEL, nullptr),
              sparse_good);
    ASSERT_EQ(A::ilu(this->handle, 2, 4, descr, two.values, two.offsets, two.places, info,
                     CUSPARSE_SOLVE_POLICY_USE_LEVEL, nullptr),
              sparse_good);
    EXPECT_EQ(cusparseXcsrilu02_zeroPivot(this->handle, info, &position),
              boosted ? sparse_good : CUSPARSE_STATUS_ZERO_PIVOT);
    EXPECT_EQ(position, boosted ? -1 : 2);
    EXPECT_EQ(two.dense()(1, 1), boosted ? Exact<T>(5) : Exact<T>(0));
  }
  cusparseDestroyCsrilu02Info(info);
}

TYPED_TEST(Legacy, SolvesBands) {
  using T = TypeParam;
  using A = Api<T>;
  for (int round = 0; round < 12; ++round) {
    const int m = this->random.in(3, 20), batches = this->random.in(1, 4), n = 3;
    const auto at = [&](int i, int b, bool interleaved) {
      return static_cast<std::size_t>(interleaved ? i * batches + b : b * m + i);
    };
    const auto count = static_cast<std::size_t>(m) * batches;
    for (int kind = 0; kind < 5; ++kind) {  // gtsv2, without pivots, strided, interleaved, five diagonals
      const bool interleaved = kind >= 3;
      const int side = kind == 4 ? 2 : 1, systems = kind < 2 ? 1 : batches, sides = kind < 2 ? n : 1;
      std::vector<std::vector<T>> diagonals;
      for (int k = 0; k < 2 * side + 1; ++k) diagonals.push_back(this->random.template values<T>(count));
      for (T& value : diagonals[static_cast<std::size_t>(side)]) value = made<T>(std::real(exact(value)) + 5);
      const auto x = this->random.template values<T>(static_cast<std::size_t>(m) * std::max(sides, systems));
      std::vector<std::unique_ptr<Device<T>>> d;
      for (const auto& one : diagonals) d.push_back(std::make_unique<Device<T>>(one));
      Device<T> dx(x);
      cusparseStatus_t status = sparse_good;
      switch (kind) {
        case 0: status = A::gtsv2(this->handle, m, n, *d[0], *d[1], *d[2], dx, m, nullptr); break;
        case 1: status = A::gtsv2_nopivot(this->handle, m, n, *d[0], *d[1], *d[2], dx, m, nullptr); break;
        case 2:
          status = A::gtsv2_strided(this->handle, m, *d[0], *d[1], *d[2], dx, batches, m, nullptr);
          break;
        case 3:
          status = A::gtsv_interleaved(this->handle, round % 3, m, *d[0], *d[1], *d[2], dx, batches, nullptr);
          break;
        default:
          status = A::gpsv_interleaved(this->handle, 0, m, *d[0], *d[1], *d[2], *d[3], *d[4], dx, batches,
                                       nullptr);
      }
      ASSERT_EQ(status, sparse_good);
      const auto solution = dx.read();
      for (int b = 0; b < std::max(systems, sides); ++b) {
        const int system = kind < 2 ? 0 : b;
        for (int i = 0; i < m; ++i) {
          Exact<T> left = 0;
          for (int k = -side; k <= side; ++k)
            if (i + k >= 0 && i + k < m)
              left += exact(diagonals[static_cast<std::size_t>(side + k)][at(i, system, interleaved)]) *
                      exact(solution[at(i + k, b, interleaved)]);
          EXPECT_LE(std::abs(left - exact(x[at(i, b, interleaved)])), tolerance<T>(20)) << kind;
        }
      }
    }
  }
}

TYPED_TEST(Legacy, AddsAndColours) {
  using T = TypeParam;
  using A = Api<T>;
  for (int round = 0; round < 12; ++round) {
    const int m = this->random.in(1, 20), n = this->random.in(1, 20), from = round % 2, to = (round / 2) % 2;
    const auto a = this->template random_matrix<T>(m, n), b = this->template random_matrix<T>(m, n);
    const DeviceRows<T> da{Rows<T>(a, from)}, db{Rows<T>(b, to)};
    const int na = Rows<T>(a, 0).count(), nb = Rows<T>(b, 0).count();
    const auto alpha = this->random.template value<T>(), beta = this->random.template value<T>();
    Device<int> offsets(static_cast<std::size_t>(m) + 1);
    int count = 0;
    ASSERT_EQ(cusparseXcsrgeam2Nnz(this->handle, m, n, this->description[from], na, da.offsets, da.places,
                                   this->description[to], nb, db.offsets, db.places, this->description[to],
                                   offsets, &count, nullptr),
              sparse_good);
    Device<int> places(static_cast<std::size_t>(count));
    Device<T> values(static_cast<std::size_t>(count));
    ASSERT_EQ(A::geam(this->handle, m, n, &alpha, this->description[from], na, da.values, da.offsets,
                      da.places, &beta, this->description[to], nb, db.values, db.offsets, db.places,
                      this->description[to], values, offsets, places, nullptr),
              sparse_good);
    EXPECT_LE(difference(of_rows<T>(offsets.read(), places.read(), values.read(), m, n, to),
                         sum(exact(alpha), a, exact(beta), b)),
              tolerance<T>(2));
    // Neighbours have different colours.
    const auto s = this->strong(m, false);
    const DeviceRows<T> ds{Rows<T>(s, from)};
    cusparseColorInfo_t info;
    ASSERT_EQ(cusparseCreateColorInfo(&info), sparse_good);
    const Real<T> all = 1;
    int colors = 0;
    Device<int> coloring(static_cast<std::size_t>(m)), order(static_cast<std::size_t>(m));
    ASSERT_EQ(A::color(this->handle, m, Rows<T>(s, 0).count(), this->description[from], ds.values, ds.offsets,
                       ds.places, &all, &colors, coloring, order, info),
              sparse_good);
    const auto c = coloring.read(), o = order.read();
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < m; ++j)
        if (i != j && s(i, j) != Exact<T>(0)) {
          EXPECT_NE(c[static_cast<std::size_t>(i)], c[static_cast<std::size_t>(j)]);
        }
    EXPECT_EQ(std::set<int>(c.begin(), c.end()).size(), static_cast<std::size_t>(colors));
    EXPECT_EQ(std::set<int>(o.begin(), o.end()).size(), static_cast<std::size_t>(m));
    cusparseDestroyColorInfo(info);
  }
}

TYPED_TEST(Legacy, CountsAndCompresses) {
  using T = TypeParam;
  using A = Api<T>;
  const int m = 9, n = 7;
  const auto a = this->template random_matrix<T>(m, n);
  std::vector<T> dense(static_cast<std::size_t>(m) * n);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < m; ++i) dense[static_cast<std::size_t>(i + j * m)] = narrowed<T>(a(i, j));
  Device<T> da(dense);
  const Rows<T> rows(a, 1);
  for (const bool by_rows : {true, false}) {
    Device<int> counts(static_cast<std::size_t>(by_rows ? m : n));
    int total = 0;
    ASSERT_EQ(A::nnz(this->handle, by_rows ? CUSPARSE_DIRECTION_ROW : CUSPARSE_DIRECTION_COLUMN, m, n,
                     this->description[0], da, m, counts, &total),
              sparse_good);
    EXPECT_EQ(total, rows.count());
    if (by_rows) {
      const auto got = counts.read();
      for (std::size_t i = 0; i < got.size(); ++i) EXPECT_EQ(got[i], rows.offsets[i + 1] - rows.offsets[i]);
    }
  }
  const DeviceRows<T> csr{rows};
  const auto bound = made<T>(0.5);
  Device<int> counts(m);
  int left = 0;
  ASSERT_EQ(
      A::nnz_compress(this->handle, m, this->description[1], csr.values, csr.offsets, counts, &left, bound),
      sparse_good);
  DeviceRows<T> small(m, n, 1, left);
  ASSERT_EQ(A::compress(this->handle, m, n, this->description[1], csr.values, csr.places, csr.offsets,
                        rows.count(), counts, small.values, small.places, small.offsets, bound),
            sparse_good);
  Dense<T> wanted = a;
  for (auto& value : wanted.values)
    if (!(std::abs(value) > 0.5)) value = 0;
  EXPECT_EQ(difference(small.dense(), wanted), 0);
}

TYPED_TEST(Legacy, SortsAndTurns) {
  using T = TypeParam;
  using A = Api<T>;
  for (int round = 0; round < 8; ++round) {
    const int m = this->random.in(1, 12), n = this->random.in(1, 12), base = round % 2;
    const auto a = this->template random_matrix<T>(m, n);
    const Rows<T> sorted(a, base);
    const int count = sorted.count();
    // Rows as they are, each shuffled.
    Rows<T> shuffled = sorted;
    std::mt19937 engine(static_cast<unsigned>(round));
    for (int i = 0; i < m; ++i) {
      const int first = sorted.offsets[static_cast<std::size_t>(i)] - base,
                last = sorted.offsets[static_cast<std::size_t>(i) + 1] - base;
      std::vector<int> order(static_cast<std::size_t>(last - first));
      for (std::size_t k = 0; k < order.size(); ++k) order[k] = first + static_cast<int>(k);
      std::shuffle(order.begin(), order.end(), engine);
      for (std::size_t k = 0; k < order.size(); ++k) {
        shuffled.places[static_cast<std::size_t>(first) + k] =
            sorted.places[static_cast<std::size_t>(order[k])];
        shuffled.values[static_cast<std::size_t>(first) + k] =
            sorted.values[static_cast<std::size_t>(order[k])];
      }
    }
    const DeviceRows<T> rows{shuffled};
    csru2csrInfo_t info;
    ASSERT_EQ(cusparseCreateCsru2csrInfo(&info), sparse_good);
    const Device<char> workspace(std::vector<char>(512));
    EXPECT_EQ(A::csru2csr(this->handle, m, n, count, this->description[base], rows.values, rows.offsets,
                          rows.places, info, nullptr),
              CUSPARSE_STATUS_INVALID_VALUE);  // as an H200
    ASSERT_EQ(A::csru2csr(this->handle, m, n, count, this->description[base], rows.values, rows.offsets,
                          rows.places, info, workspace.get()),
              sparse_good);
    EXPECT_EQ(rows.places.read(), sorted.places);
    EXPECT_EQ(difference(rows.dense(), a), 0);
    ASSERT_EQ(A::csr2csru(this->handle, m, n, count, this->description[base], rows.values, rows.offsets,
                          rows.places, info, nullptr),
              sparse_good);
    EXPECT_EQ(rows.places.read(), shuffled.places);
    cusparseDestroyCsru2csrInfo(info);
    // With a permutation.
    Device<int> p(static_cast<std::size_t>(count));
    ASSERT_EQ(cusparseCreateIdentityPermutation(this->handle, count, p), sparse_good);
    ASSERT_EQ(cusparseXcsrsort(this->handle, m, n, count, this->description[base], rows.offsets, rows.places,
                               p, nullptr),
              sparse_good);
    EXPECT_EQ(rows.places.read(), sorted.places);
    const auto order = p.read();
    for (std::size_t k = 0; k < order.size(); ++k)
      EXPECT_EQ(exact(shuffled.values[static_cast<std::size_t>(order[k])]), exact(sorted.values[k]));
    // Coordinates by column and by row again.
    Device<int> row_indices(static_cast<std::size_t>(count)), columns(sorted.places);
    const auto zero = static_cast<cusparseIndexBase_t>(base);
    ASSERT_EQ(cusparseXcsr2coo(this->handle, rows.offsets, count, m, row_indices, zero), sparse_good);
    ASSERT_EQ(cusparseXcoosortByColumn(this->handle, m, n, count, row_indices, columns, nullptr, nullptr),
              sparse_good);
    const auto by_column = columns.read();
    EXPECT_TRUE(std::is_sorted(by_column.begin(), by_column.end()));
    ASSERT_EQ(cusparseXcoosortByRow(this->handle, m, n, count, row_indices, columns, nullptr, nullptr),
              sparse_good);
    EXPECT_EQ(columns.read(), sorted.places);
    Device<int> offsets(static_cast<std::size_t>(m) + 1);
    ASSERT_EQ(cusparseXcoo2csr(this->handle, row_indices, count, m, offsets, zero), sparse_good);
    EXPECT_EQ(offsets.read(), sorted.offsets);
    // Columns.
    const DeviceRows<T> plain{sorted};
    DeviceRows<T> turned(n, m, base, count);
    ASSERT_EQ(cusparseCsr2cscEx2(this->handle, m, n, count, plain.values, plain.offsets, plain.places,
                                 turned.values, turned.offsets, turned.places, data_type<T>(),
                                 CUSPARSE_ACTION_NUMERIC, zero, CUSPARSE_CSR2CSC_ALG1, nullptr),
              sparse_good);
    EXPECT_EQ(difference(turned.dense(), transposed(a, 'T')), 0);
    // A dense matrix by a sparse vector.
    const auto d = this->random.template values<T>(static_cast<std::size_t>(m) * n),
               y = this->random.template values<T>(m);
    const auto x = this->random.template values<T>(1);
    Device<T> dd(d), dx(x), dy(y);
    Device<int> place(std::vector<int>{n - 1 + base});
    const auto alpha = this->random.template value<T>(), beta = this->random.template value<T>();
    ASSERT_EQ(A::gemvi(this->handle, none, m, n, &alpha, dd, m, 1, dx, place, &beta, dy, zero, nullptr),
              sparse_good);
    const auto got = dy.read();
    for (int i = 0; i < m; ++i)
      EXPECT_LE(std::abs(exact(got[static_cast<std::size_t>(i)]) -
                         (exact(alpha) * exact(d[static_cast<std::size_t>(i + (n - 1) * m)]) * exact(x[0]) +
                          exact(beta) * exact(y[static_cast<std::size_t>(i)]))),
                tolerance<T>(4));
  }
}

TEST_F(Sparse, Prunes) {
  const int m = 6, n = 5;
  std::vector<float> a(static_cast<std::size_t>(m) * n);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i % 7) - 3;
  Device<float> da(a);
  cusparseMatDescr_t d;
  ASSERT_EQ(cusparseCreateMatDescr(&d), sparse_good);
  const auto expect = [&](const Device<int>& offsets, const Device<int>& places, const Device<float>& values,
                          double bound) {
    Dense<float> wanted(a, m, n, m);
    for (auto& value : wanted.values)
      if (!(std::abs(value) > bound)) value = 0;
    EXPECT_EQ(difference(of_rows<float>(offsets.read(), places.read(), values.read(), m, n, 0), wanted), 0);
  };
  Device<int> offsets(m + 1);
  int count = 0;
  const float bound = 1;
  ASSERT_EQ(cusparseSpruneDense2csrNnz(handle, m, n, da, m, &bound, d, offsets, &count, nullptr),
            sparse_good);
  Device<int> places(static_cast<std::size_t>(count));
  Device<float> values(static_cast<std::size_t>(count));
  ASSERT_EQ(cusparseSpruneDense2csr(handle, m, n, da, m, &bound, d, values, offsets, places, nullptr),
            sparse_good);
  expect(offsets, places, values, 1);
  // Half of that again: the magnitudes are 2 and 3.
  pruneInfo_t info;
  ASSERT_EQ(cusparseCreatePruneInfo(&info), sparse_good);
  Device<int> fewer_offsets(m + 1);
  int fewer = 0;
  ASSERT_EQ(cusparseSpruneCsr2csrNnzByPercentage(handle, m, n, count, d, values, offsets, places, 30, d,
                                                 fewer_offsets, &fewer, info, nullptr),
            sparse_good);
  Device<int> fewer_places(static_cast<std::size_t>(fewer));
  Device<float> fewer_values(static_cast<std::size_t>(fewer));
  ASSERT_EQ(cusparseSpruneCsr2csrByPercentage(handle, m, n, count, d, values, offsets, places, 30, d,
                                              fewer_values, fewer_offsets, fewer_places, info, nullptr),
            sparse_good);
  expect(fewer_offsets, fewer_places, fewer_values, 2);
  // Halves: 1 to 4, more than 2 stay.
  Device<char> halves(encoded(CUDA_R_16F, {1, 2, 3, 4})), two(encoded(CUDA_R_16F, {2}));
  ASSERT_EQ(cusparseSetPointerMode(handle, CUSPARSE_POINTER_MODE_DEVICE), sparse_good);
  Device<int> total(1);
  ASSERT_EQ(cusparseHpruneDense2csrNnz(handle, 2, 2, reinterpret_cast<__half*>(halves.get()), 2,
                                       reinterpret_cast<__half*>(two.get()), d, offsets, total, nullptr),
            sparse_good);
  EXPECT_EQ(total.read()[0], 2);
  ASSERT_EQ(cusparseSetPointerMode(handle, CUSPARSE_POINTER_MODE_HOST), sparse_good);
  cusparseDestroyPruneInfo(info);
  cusparseDestroyMatDescr(d);
}

}  // namespace
}  // namespace heddle::libs_test
