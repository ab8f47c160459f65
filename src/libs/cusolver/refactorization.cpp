// Refactorisation: L and U of one matrix are given, and factors with the same pattern are made for others. P
// A Q^T = L U, where row i of P A is row P[i] of A, and column j of A Q^T is column Q[j].
#include <cusolverRf.h>

#include <cstdlib>
#include <mutex>

#include "libs/common/parallel.h"
#include "libs/common/runtime.h"
#include "libs/cusolver/functions.gen.h"
#include "libs/cusolver/handle.h"
#include "libs/cusolver/sparse_matrix.h"

namespace heddle::cusolver {
namespace {

struct Refactor {
  ~Refactor() { forget(); }
  void forget() {
    if (bundled_offsets != nullptr) HEDDLE_RUNTIME(cudaFree)(bundled_offsets);
    if (bundled_places != nullptr) HEDDLE_RUNTIME(cudaFree)(bundled_places);
    if (bundled_values != nullptr) HEDDLE_RUNTIME(cudaFree)(bundled_values);
    bundled_offsets = bundled_places = nullptr;
    bundled_values = nullptr;
  }

  std::mutex mutex;
  cusolverRfMatrixFormat_t format = CUSOLVERRF_MATRIX_FORMAT_CSR;
  cusolverRfUnitDiagonal_t diagonal = CUSOLVERRF_UNIT_DIAGONAL_STORED_L;
  cusolverRfFactorization_t factorization = CUSOLVERRF_FACTORIZATION_ALG0;
  cusolverRfTriangularSolve_t solving = CUSOLVERRF_TRIANGULAR_SOLVE_ALG1;
  cusolverRfResetValuesFastMode_t fast = CUSOLVERRF_RESET_VALUES_FAST_MODE_OFF;
  double zero = 0, boost = 0;

  // M = L + U - I of each matrix of the batch: one pattern, by rows with rising columns; `middle` is the
  // diagonal's place.
  int n = -1;
  bool analysed = false, batched = false;
  std::vector<int> offsets, places, middle;
  struct One {
    std::vector<double> values;
    bool factored = false, boosted = false;
    int zero_pivot = -1;
  };
  std::vector<One> matrices;
  int* bundled_offsets = nullptr;
  int* bundled_places = nullptr;
  double* bundled_values = nullptr;
};

std::shared_ptr<Refactor> use_refactor(const void* handle) {
  auto found = libs::Handles<Refactor>::all().find(handle);
  if (found == nullptr)
    refuse(Why::not_initialized, handle == nullptr ? "the handle is NULL" : "no such handle");
  return found;
}
bool upper_unit(const Refactor& of) {
  return of.diagonal == CUSOLVERRF_UNIT_DIAGONAL_STORED_U ||
         of.diagonal == CUSOLVERRF_UNIT_DIAGONAL_ASSUMED_U;
}

// By compressed lines: rows, or columns in CSC.
struct Lines {
  const int *offsets, *places;
  const double* values;
  int count;
  void check(int n) const {
    if (count > 0 && (places == nullptr || values == nullptr)) libs::refuse_null("an array of a matrix");
    const Pattern pattern{n, n, count, 0, offsets, nullptr, places};
    pattern.check();
  }
};

int place_of(const Refactor& of, int row, int column) {
  const auto first = of.places.begin() + of.offsets[static_cast<std::size_t>(row)],
             last = of.places.begin() + of.offsets[static_cast<std::size_t>(row) + 1];
  const auto found = std::lower_bound(first, last, column);
  return found != last && *found == column ? static_cast<int>(found - of.places.begin()) : -1;
}
void check_order(const int* p, int n, const char* words) {
  std::vector<bool> seen(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) {
    require(p[i] >= 0 && p[i] < n && !seen[static_cast<std::size_t>(p[i])], words);
    seen[static_cast<std::size_t>(p[i])] = true;
  }
}

void set_up(Refactor& of, int n, const Lines& a, const Lines& l, const Lines& u, const int* p, const int* q,
            int batches) {
  a.check(n), l.check(n), u.check(n);
  check_order(p, n, "P is no order of the rows");
  check_order(q, n, "Q is no order of the columns");
  Rows<double> rows(static_cast<std::size_t>(n));
  const bool by_rows = of.format == CUSOLVERRF_MATRIX_FORMAT_CSR;
  const bool unit_u = upper_unit(of);
  // The ones of the factor whose diagonal is one are left out, stored or not.
  const auto take = [&](const Lines& from, bool lower) {
    for (int line = 0; line < n; ++line)
      for (int k = from.offsets[line]; k < from.offsets[line + 1]; ++k) {
        const int row = by_rows ? line : from.places[k], column = by_rows ? from.places[k] : line;
        require(lower ? column <= row : column >= row, "a factor has an entry in the other's half");
        if (row == column && lower != unit_u) continue;
        rows[static_cast<std::size_t>(row)].push_back({column, from.values[k]});
      }
  };
  take(l, true);
  take(u, false);
  of.forget();
  of.n = n;
  of.analysed = false;
  of.offsets.assign(1, 0);
  of.places.clear();
  of.middle.clear();
  std::vector<double> values;
  for (int i = 0; i < n; ++i) {
    auto& row = rows[static_cast<std::size_t>(i)];
    std::ranges::sort(row, {}, &Entry<double>::column);
    int middle = -1;
    for (const auto& [column, value] : row) {
      if (column == i) middle = static_cast<int>(of.places.size());
      of.places.push_back(column);
      values.push_back(value);
    }
    require(middle >= 0, "a factor lacks an entry of the diagonal");
    of.middle.push_back(middle);
    of.offsets.push_back(static_cast<int>(of.places.size()));
  }
  of.matrices.assign(static_cast<std::size_t>(batches), {std::move(values), true, false, -1});
}

// The values of another matrix, at their places in M; the fill is zero.
void reset(const Refactor& of, Refactor::One& one, const Lines& a, const int* p, const int* q) {
  const std::vector<int> row_at = inverse(std::vector<int>(p, p + of.n)),
                         column_at = inverse(std::vector<int>(q, q + of.n));
  const bool by_rows = of.format == CUSOLVERRF_MATRIX_FORMAT_CSR;
  one.values.assign(of.places.size(), 0);
  one.factored = one.boosted = false;
  one.zero_pivot = -1;
  for (int line = 0; line < of.n; ++line)
    for (int k = a.offsets[line]; k < a.offsets[line + 1]; ++k) {
      const int row = by_rows ? line : a.places[k], column = by_rows ? a.places[k] : line;
      const int place =
          place_of(of, row_at[static_cast<std::size_t>(row)], column_at[static_cast<std::size_t>(column)]);
      require(place >= 0, "A has an entry outside of the factors' pattern");
      one.values[static_cast<std::size_t>(place)] += a.values[k];
    }
}

// A row at a time, within the pattern. A pivot of at most `zero` is a zero pivot, or becomes `boost`.
void factor(const Refactor& of, Refactor::One& one) {
  const bool unit_u = upper_unit(of);
  std::vector<int> at(static_cast<std::size_t>(of.n), -1);
  auto& values = one.values;
  for (int i = 0; i < of.n; ++i) {
    const int begin = of.offsets[static_cast<std::size_t>(i)],
              end = of.offsets[static_cast<std::size_t>(i) + 1],
              middle = of.middle[static_cast<std::size_t>(i)];
    for (int k = begin; k < end; ++k)
      at[static_cast<std::size_t>(of.places[static_cast<std::size_t>(k)])] = k;
    for (int k = begin; k < middle; ++k) {
      const auto j = static_cast<std::size_t>(of.places[static_cast<std::size_t>(k)]);
      const int other = of.middle[j];
      double& value = values[static_cast<std::size_t>(k)];
      if (!unit_u) value /= values[static_cast<std::size_t>(other)];
      for (int m = other + 1; m < of.offsets[j + 1]; ++m)
        if (const int to = at[static_cast<std::size_t>(of.places[static_cast<std::size_t>(m)])]; to >= 0)
          values[static_cast<std::size_t>(to)] -= value * values[static_cast<std::size_t>(m)];
    }
    double& pivot = values[static_cast<std::size_t>(middle)];
    if (std::abs(pivot) <= of.zero) {
      if (of.boost > 0)
        pivot = std::copysign(of.boost, pivot), one.boosted = true;
      else if (one.zero_pivot < 0)
        one.zero_pivot = i;
    }
    if (unit_u)
      for (int k = middle + 1; k < end; ++k) values[static_cast<std::size_t>(k)] /= pivot;
    for (int k = begin; k < end; ++k)
      at[static_cast<std::size_t>(of.places[static_cast<std::size_t>(k)])] = -1;
  }
  one.factored = true;
}

void solve(const Refactor& of, const Refactor::One& one, const int* p, const int* q, double* b,
           std::vector<double>& y) {
  const bool unit_u = upper_unit(of);
  y.resize(static_cast<std::size_t>(of.n));
  const auto product = [&](int from, int to, double sum) {
    for (int k = from; k < to; ++k)
      sum -= one.values[static_cast<std::size_t>(k)] *
             y[static_cast<std::size_t>(of.places[static_cast<std::size_t>(k)])];
    return sum;
  };
  for (int i = 0; i < of.n; ++i) {
    const auto row = static_cast<std::size_t>(i);
    y[row] = product(of.offsets[row], of.middle[row], b[p[i]]);
    if (unit_u) y[row] /= one.values[static_cast<std::size_t>(of.middle[row])];
  }
  for (int i = of.n; i-- > 0;) {
    const auto row = static_cast<std::size_t>(i);
    y[row] = product(of.middle[row] + 1, of.offsets[row + 1], y[row]);
    if (!unit_u) y[row] /= one.values[static_cast<std::size_t>(of.middle[row])];
  }
  for (int i = 0; i < of.n; ++i) b[q[i]] = y[static_cast<std::size_t>(i)];
}

// These functions have no stream: their work is the default stream's, and each waits.
template <class Body>
void now(const char* name, const Body& body) {
  libs::Target(nullptr).submit_and_wait(name, [&body](Access& access) { body(access); });
}
void begin_setup(const Refactor& of, int n, int count, bool batched) {
  size(n, "n is negative");
  size(count, "nnzA is negative");
  require(!batched || of.format == CUSOLVERRF_MATRIX_FORMAT_CSR, "batches are by rows (CSR)");
}
void need(const Refactor& of, bool batched) {
  require(of.n >= 0 && of.batched == batched, "no matrix was set up");
}
void see(Access& access, int n, const Lines& lines) {
  access.read(lines.offsets, static_cast<uint64_t>(n) + 1);
  access.read(lines.places, static_cast<uint64_t>(lines.count));
  access.read(lines.values, static_cast<uint64_t>(lines.count));
}
template <class... Pointers>
void present(const Pointers*... pointers) {
  for (const void* pointer : {static_cast<const void*>(pointers)...})
    if (pointer == nullptr) libs::refuse_null("an array");
}

}  // namespace

void cusolverRfCreate(cusolverRfHandle_t* handle) {
  if (handle == nullptr) libs::refuse_null("handle");
  *handle = libs::Handles<Refactor>::all().add<cusolverRfHandle_t>(std::make_shared<Refactor>());
}
void cusolverRfDestroy(cusolverRfHandle_t handle) {
  if (!libs::Handles<Refactor>::all().remove(handle)) refuse(Why::not_initialized, "no such handle");
}

// ---- how

void cusolverRfGetMatrixFormat(cusolverRfHandle_t handle, cusolverRfMatrixFormat_t* format,
                               cusolverRfUnitDiagonal_t* diag) {
  const auto of = use_refactor(handle);
  present(format, diag);
  *format = of->format;
  *diag = of->diagonal;
}
void cusolverRfSetMatrixFormat(cusolverRfHandle_t handle, cusolverRfMatrixFormat_t format,
                               cusolverRfUnitDiagonal_t diag) {
  const auto of = use_refactor(handle);
  require(format == CUSOLVERRF_MATRIX_FORMAT_CSR || format == CUSOLVERRF_MATRIX_FORMAT_CSC, "no such format");
  require(diag >= CUSOLVERRF_UNIT_DIAGONAL_STORED_L && diag <= CUSOLVERRF_UNIT_DIAGONAL_ASSUMED_U,
          "no such diagonal");
  of->format = format;
  of->diagonal = diag;
}
void cusolverRfSetNumericProperties(cusolverRfHandle_t handle, double zero, double boost) {
  const auto of = use_refactor(handle);
  of->zero = zero;
  of->boost = boost;
}
void cusolverRfGetNumericProperties(cusolverRfHandle_t handle, double* zero, double* boost) {
  const auto of = use_refactor(handle);
  present(zero, boost);
  *zero = of->zero;
  *boost = of->boost;
}
void cusolverRfGetNumericBoostReport(cusolverRfHandle_t handle, cusolverRfNumericBoostReport_t* report) {
  const auto of = use_refactor(handle);
  present(report);
  const std::lock_guard lock(of->mutex);
  const bool used = std::ranges::any_of(of->matrices, &Refactor::One::boosted);
  *report = used ? CUSOLVERRF_NUMERIC_BOOST_USED : CUSOLVERRF_NUMERIC_BOOST_NOT_USED;
}
// The algorithms all mean the same.
void cusolverRfSetAlgs(cusolverRfHandle_t handle, cusolverRfFactorization_t factAlg,
                       cusolverRfTriangularSolve_t solveAlg) {
  const auto of = use_refactor(handle);
  require(factAlg >= CUSOLVERRF_FACTORIZATION_ALG0 && factAlg <= CUSOLVERRF_FACTORIZATION_ALG2,
          "no such algorithm of factorisation");
  require(solveAlg >= CUSOLVERRF_TRIANGULAR_SOLVE_ALG1 && solveAlg <= CUSOLVERRF_TRIANGULAR_SOLVE_ALG3,
          "no such algorithm of solving");
  of->factorization = factAlg;
  of->solving = solveAlg;
}
void cusolverRfGetAlgs(cusolverRfHandle_t handle, cusolverRfFactorization_t* factAlg,
                       cusolverRfTriangularSolve_t* solveAlg) {
  const auto of = use_refactor(handle);
  present(factAlg, solveAlg);
  *factAlg = of->factorization;
  *solveAlg = of->solving;
}
void cusolverRfGetResetValuesFastMode(cusolverRfHandle_t handle, cusolverRfResetValuesFastMode_t* fastMode) {
  const auto of = use_refactor(handle);
  present(fastMode);
  *fastMode = of->fast;
}
void cusolverRfSetResetValuesFastMode(cusolverRfHandle_t handle, cusolverRfResetValuesFastMode_t fastMode) {
  const auto of = use_refactor(handle);
  require(
      fastMode == CUSOLVERRF_RESET_VALUES_FAST_MODE_OFF || fastMode == CUSOLVERRF_RESET_VALUES_FAST_MODE_ON,
      "no such mode");
  of->fast = fastMode;
}

// ---- one matrix

void cusolverRfSetupHost(int n, int nnzA, int* h_csrRowPtrA, int* h_csrColIndA, double* h_csrValA, int nnzL,
                         int* h_csrRowPtrL, int* h_csrColIndL, double* h_csrValL, int nnzU, int* h_csrRowPtrU,
                         int* h_csrColIndU, double* h_csrValU, int* h_P, int* h_Q,
                         cusolverRfHandle_t handle) {
  const auto of = use_refactor(handle);
  const std::lock_guard lock(of->mutex);
  begin_setup(*of, n, nnzA, false);
  present(h_csrRowPtrA, h_csrRowPtrL, h_csrRowPtrU, h_P, h_Q);
  set_up(*of, n, {h_csrRowPtrA, h_csrColIndA, h_csrValA, nnzA}, {h_csrRowPtrL, h_csrColIndL, h_csrValL, nnzL},
         {h_csrRowPtrU, h_csrColIndU, h_csrValU, nnzU}, h_P, h_Q, 1);
  of->batched = false;
}
void cusolverRfSetupDevice(int n, int nnzA, int* csrRowPtrA, int* csrColIndA, double* csrValA, int nnzL,
                           int* csrRowPtrL, int* csrColIndL, double* csrValL, int nnzU, int* csrRowPtrU,
                           int* csrColIndU, double* csrValU, int* P, int* Q, cusolverRfHandle_t handle) {
  const auto of = use_refactor(handle);
  const std::lock_guard lock(of->mutex);
  begin_setup(*of, n, nnzA, false);
  const Lines a{csrRowPtrA, csrColIndA, csrValA, nnzA}, l{csrRowPtrL, csrColIndL, csrValL, nnzL},
      u{csrRowPtrU, csrColIndU, csrValU, nnzU};
  now("cusolverRfSetup", [&](Access& access) {
    see(access, n, a), see(access, n, l), see(access, n, u);
    access.read(P, static_cast<uint64_t>(n)), access.read(Q, static_cast<uint64_t>(n));
    set_up(*of, n, a, l, u, P, Q, 1);
  });
  of->batched = false;
}
void cusolverRfResetValues(int n, int nnzA, int* csrRowPtrA, int* csrColIndA, double* csrValA, int* P, int* Q,
                           cusolverRfHandle_t handle) {
  const auto of = use_refactor(handle);
  const std::lock_guard lock(of->mutex);
  need(*of, false);
  require(n == of->n && nnzA >= 0, "n is not the one that was set up, or nnzA is negative");
  const Lines a{csrRowPtrA, csrColIndA, csrValA, nnzA};
  now("cusolverRfResetValues", [&](Access& access) {
    see(access, n, a);
    a.check(n);
    check_order(access.read(P, static_cast<uint64_t>(n)), n, "P is no order of the rows");
    check_order(access.read(Q, static_cast<uint64_t>(n)), n, "Q is no order of the columns");
    reset(*of, of->matrices[0], a, P, Q);
  });
}
void cusolverRfAnalyze(cusolverRfHandle_t handle) {
  const auto of = use_refactor(handle);
  const std::lock_guard lock(of->mutex);
  need(*of, false);
  of->analysed = true;
}
void cusolverRfRefactor(cusolverRfHandle_t handle) {
  const auto of = use_refactor(handle);
  const std::lock_guard lock(of->mutex);
  need(*of, false);
  require(of->analysed, "the matrix was not analysed");
  Refactor::One& one = of->matrices[0];
  if (!one.factored) now("cusolverRfRefactor", [&](Access&) { factor(*of, one); });
  if (one.zero_pivot >= 0) libs::refuse_code(CUSOLVER_STATUS_ZERO_PIVOT, "a pivot is zero");
}
void cusolverRfSolve(cusolverRfHandle_t handle, int* P, int* Q, int nrhs, double*, int ldt, double* XF,
                     int ldxf) {
  const auto of = use_refactor(handle);
  const std::lock_guard lock(of->mutex);
  need(*of, false);
  require(nrhs >= 0 && ldt >= of->n && ldxf >= of->n, "nrhs is negative, or ldt or ldxf less than n");
  require(of->matrices[0].factored, "the matrix was not factored since its values were set");
  now("cusolverRfSolve", [&](Access& access) {
    check_order(access.read(P, static_cast<uint64_t>(of->n)), of->n, "P is no order of the rows");
    check_order(access.read(Q, static_cast<uint64_t>(of->n)), of->n, "Q is no order of the columns");
    access.write(XF, of->n, nrhs, ldxf);
    std::vector<double> y;
    for (int j = 0; j < nrhs; ++j) solve(*of, of->matrices[0], P, Q, XF + int64_t{j} * ldxf, y);
  });
}

// ---- the factors

// L without its ones and U in one matrix, by rows. The arrays are the handle's.
void cusolverRfAccessBundledFactorsDevice(cusolverRfHandle_t handle, int* nnzM, int** Mp, int** Mi,
                                          double** Mx) {
  const auto of = use_refactor(handle);
  present(nnzM, Mp, Mi, Mx);
  const std::lock_guard lock(of->mutex);
  need(*of, false);
  const auto copy = [](auto*& to, const auto& from) {
    const auto bytes = from.size() * sizeof(from[0]);
    void* memory = to;
    if (memory == nullptr &&
        HEDDLE_RUNTIME(cudaMalloc)(&memory, std::max<std::size_t>(bytes, 1)) != cudaSuccess)
      refuse(Why::alloc_failed, "no device memory for the factors");
    to = static_cast<std::remove_reference_t<decltype(to)>>(memory);
    if (HEDDLE_RUNTIME(cudaMemcpy)(memory, from.data(), bytes, cudaMemcpyHostToDevice) != cudaSuccess)
      refuse(Why::execution_failed, "the factors could not be copied");
  };
  copy(of->bundled_offsets, of->offsets);
  copy(of->bundled_places, of->places);
  copy(of->bundled_values, of->matrices[0].values);
  *nnzM = static_cast<int>(of->places.size());
  *Mp = of->bundled_offsets;
  *Mi = of->bundled_places;
  *Mx = of->bundled_values;
}

namespace {

// What the program frees.
template <class V>
V* given(const std::vector<V>& values) {
  auto* const memory = static_cast<V*>(std::malloc(std::max<std::size_t>(values.size() * sizeof(V), 1)));
  if (memory == nullptr) refuse(Why::alloc_failed, "no memory for the factors");
  std::ranges::copy(values, memory);
  return memory;
}

}  // namespace

void cusolverRfExtractBundledFactorsHost(cusolverRfHandle_t handle, int* h_nnzM, int** h_Mp, int** h_Mi,
                                         double** h_Mx) {
  const auto of = use_refactor(handle);
  present(h_nnzM, h_Mp, h_Mi, h_Mx);
  const std::lock_guard lock(of->mutex);
  need(*of, false);
  *h_nnzM = static_cast<int>(of->places.size());
  *h_Mp = given(of->offsets);
  *h_Mi = given(of->places);
  *h_Mx = given(of->matrices[0].values);
}
// By rows, with the ones of the diagonal where they are not assumed.
void cusolverRfExtractSplitFactorsHost(cusolverRfHandle_t handle, int* h_nnzL, int** h_csrRowPtrL,
                                       int** h_csrColIndL, double** h_csrValL, int* h_nnzU,
                                       int** h_csrRowPtrU, int** h_csrColIndU, double** h_csrValU) {
  const auto of = use_refactor(handle);
  present(h_nnzL, h_csrRowPtrL, h_csrColIndL, h_csrValL, h_nnzU, h_csrRowPtrU, h_csrColIndU, h_csrValU);
  const std::lock_guard lock(of->mutex);
  need(*of, false);
  const bool unit_u = upper_unit(*of), stored = of->diagonal == CUSOLVERRF_UNIT_DIAGONAL_STORED_L ||
                                                of->diagonal == CUSOLVERRF_UNIT_DIAGONAL_STORED_U;
  const auto& values = of->matrices[0].values;
  struct {
    std::vector<int> offsets{0}, places;
    std::vector<double> values;
    void add(int place, double value) { places.push_back(place), values.push_back(value); }
    void end() { offsets.push_back(static_cast<int>(places.size())); }
  } l, u;
  for (int i = 0; i < of->n; ++i) {
    const auto row = static_cast<std::size_t>(i);
    for (int k = of->offsets[row]; k < of->middle[row]; ++k)
      l.add(of->places[static_cast<std::size_t>(k)], values[static_cast<std::size_t>(k)]);
    const double pivot = values[static_cast<std::size_t>(of->middle[row])];
    if (unit_u)
      l.add(i, pivot);
    else if (stored)
      l.add(i, 1);
    if (!unit_u)
      u.add(i, pivot);
    else if (stored)
      u.add(i, 1);
    for (int k = of->middle[row] + 1; k < of->offsets[row + 1]; ++k)
      u.add(of->places[static_cast<std::size_t>(k)], values[static_cast<std::size_t>(k)]);
    l.end(), u.end();
  }
  *h_nnzL = static_cast<int>(l.places.size());
  *h_csrRowPtrL = given(l.offsets), *h_csrColIndL = given(l.places), *h_csrValL = given(l.values);
  *h_nnzU = static_cast<int>(u.places.size());
  *h_csrRowPtrU = given(u.offsets), *h_csrColIndU = given(u.places), *h_csrValU = given(u.values);
}

// ---- many matrices with one pattern

void cusolverRfBatchSetupHost(int batchSize, int n, int nnzA, int* h_csrRowPtrA, int* h_csrColIndA,
                              double* h_csrValA_array[], int nnzL, int* h_csrRowPtrL, int* h_csrColIndL,
                              double* h_csrValL, int nnzU, int* h_csrRowPtrU, int* h_csrColIndU,
                              double* h_csrValU, int* h_P, int* h_Q, cusolverRfHandle_t handle) {
  const auto of = use_refactor(handle);
  const std::lock_guard lock(of->mutex);
  begin_setup(*of, n, nnzA, true);
  require(batchSize > 0, "batchSize is not positive");
  present(h_csrRowPtrA, h_csrValA_array, h_csrRowPtrL, h_csrRowPtrU, h_P, h_Q);
  set_up(*of, n, {h_csrRowPtrA, h_csrColIndA, h_csrValA_array[0], nnzA},
         {h_csrRowPtrL, h_csrColIndL, h_csrValL, nnzL}, {h_csrRowPtrU, h_csrColIndU, h_csrValU, nnzU}, h_P,
         h_Q, batchSize);
  of->batched = true;
  for (int k = 0; k < batchSize; ++k)
    reset(*of, of->matrices[static_cast<std::size_t>(k)],
          {h_csrRowPtrA, h_csrColIndA, h_csrValA_array[k], nnzA}, h_P, h_Q);
}
void cusolverRfBatchResetValues(int batchSize, int n, int nnzA, int* csrRowPtrA, int* csrColIndA,
                                double* csrValA_array[], int* P, int* Q, cusolverRfHandle_t handle) {
  const auto of = use_refactor(handle);
  const std::lock_guard lock(of->mutex);
  need(*of, true);
  require(n == of->n && nnzA >= 0 && batchSize == static_cast<int>(of->matrices.size()),
          "sizes are not those that were set up");
  now("cusolverRfBatchResetValues", [&](Access& access) {
    double* const* const values = access.read(csrValA_array, static_cast<uint64_t>(batchSize));
    check_order(access.read(P, static_cast<uint64_t>(n)), n, "P is no order of the rows");
    check_order(access.read(Q, static_cast<uint64_t>(n)), n, "Q is no order of the columns");
    for (int k = 0; k < batchSize; ++k) {
      const Lines a{csrRowPtrA, csrColIndA, values[k], nnzA};
      see(access, n, a);
      a.check(n);
      reset(*of, of->matrices[static_cast<std::size_t>(k)], a, P, Q);
    }
  });
}
void cusolverRfBatchAnalyze(cusolverRfHandle_t handle) {
  const auto of = use_refactor(handle);
  const std::lock_guard lock(of->mutex);
  need(*of, true);
  of->analysed = true;
}
void cusolverRfBatchRefactor(cusolverRfHandle_t handle) {
  const auto of = use_refactor(handle);
  const std::lock_guard lock(of->mutex);
  need(*of, true);
  require(of->analysed, "the matrices were not analysed");
  now("cusolverRfBatchRefactor", [&](Access&) {
    libs::parallel(static_cast<int64_t>(of->matrices.size()), [&](int64_t k) {
      auto& one = of->matrices[static_cast<std::size_t>(k)];
      if (!one.factored) factor(*of, one);
    });
  });
}
void cusolverRfBatchSolve(cusolverRfHandle_t handle, int* P, int* Q, int nrhs, double*, int ldt,
                          double* XF_array[], int ldxf) {
  const auto of = use_refactor(handle);
  const std::lock_guard lock(of->mutex);
  need(*of, true);
  if (nrhs != 1) refuse(Why::not_supported, "batches are solved for one right side");
  require(ldt >= of->n && ldxf >= of->n, "ldt or ldxf is less than n");
  require(std::ranges::all_of(of->matrices, &Refactor::One::factored),
          "the matrices were not factored since their values were set");
  now("cusolverRfBatchSolve", [&](Access& access) {
    const int64_t count = static_cast<int64_t>(of->matrices.size());
    double* const* const x = access.read(XF_array, static_cast<uint64_t>(count));
    check_order(access.read(P, static_cast<uint64_t>(of->n)), of->n, "P is no order of the rows");
    check_order(access.read(Q, static_cast<uint64_t>(of->n)), of->n, "Q is no order of the columns");
    std::vector<double> y;
    for (int64_t k = 0; k < count; ++k)
      solve(*of, of->matrices[static_cast<std::size_t>(k)], P, Q, access.write(x[k], of->n, 1, ldxf), y);
  });
}
// For each matrix the first zero pivot, or -1; on the host.
void cusolverRfBatchZeroPivot(cusolverRfHandle_t handle, int* position) {
  const auto of = use_refactor(handle);
  present(position);
  const std::lock_guard lock(of->mutex);
  need(*of, true);
  bool found = false;
  for (std::size_t k = 0; k < of->matrices.size(); ++k) {
    position[k] = of->matrices[k].zero_pivot;
    found = found || position[k] >= 0;
  }
  if (found) libs::refuse_code(CUSOLVER_STATUS_ZERO_PIVOT, "a pivot is zero");
}

}  // namespace heddle::cusolver
