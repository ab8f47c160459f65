// Triangular systems with a sparse matrix.
#include <mutex>

#include "libs/cusparse/dense.h"
#include "libs/cusparse/functions.gen.h"
#include "libs/cusparse/triangle.h"

namespace heddle::cusparse {
namespace {

// What the program updated after the analysis; nothing before that.
struct Updates {
  std::mutex mutex;
  std::shared_ptr<std::vector<char>> values = std::make_shared<std::vector<char>>();
  std::shared_ptr<std::vector<char>> diagonal = std::make_shared<std::vector<char>>();
  SparseMatrix matrix;
  bool analysed = false;
};
struct VectorSolve : Updates {};
struct MatrixSolve : Updates {};

void check_matrix(const SparseMatrix& a) {
  require(a.rows == a.columns, "the matrix is not square");
  if (a.format == CUSPARSE_FORMAT_BLOCKED_ELL || a.format == CUSPARSE_FORMAT_CSC)
    refuse(Why::not_supported, "a triangular matrix of this format");
}
void check_types(cudaDataType a, cudaDataType b, cudaDataType c, cudaDataType compute) {
  if (a != b || b != c || c != compute || (a != CUDA_R_32F && a != CUDA_R_64F && !is_complex(a)) ||
      bytes_of(a) < 4 || a == CUDA_C_16F || a == CUDA_C_16BF)
    refuse(Why::not_supported, "matrix, vectors and computation have different types");
}

// The matrix with what was updated: in memory of its own.
template <class N, class I, class Solve>
void solve_with(Access& access, const SparseMatrix& a, const std::vector<char>& values,
                const std::vector<char>& diagonal, char op, const Solve& solve) {
  SparseMatrix now = a;
  Compressed<N, I> rows(access, now);
  Csr<N, I> view = rows.rows();
  std::vector<N> changed;
  if (!values.empty() || !diagonal.empty()) {
    changed.assign(view.values, view.values + view.count());
    const auto source = [&](int64_t p) {
      return rows.sources().empty() ? p : rows.sources()[static_cast<std::size_t>(p)];
    };
    if (!values.empty())
      for (int64_t p = 0; p < view.count(); ++p)
        changed[static_cast<std::size_t>(p)] = reinterpret_cast<const N*>(values.data())[source(p)];
    if (!diagonal.empty())
      for (int64_t i = 0; i < view.rows; ++i)
        for (int64_t p = view.begin(i); p < view.end(i); ++p)
          if (view.column(p) == i)
            changed[static_cast<std::size_t>(p)] = reinterpret_cast<const N*>(diagonal.data())[i];
    view.values = changed.data();
  }
  const Triangle<N, I> triangle(view, a.fill == CUSPARSE_FILL_MODE_LOWER,
                                a.diagonal == CUSPARSE_DIAG_TYPE_UNIT, op);
  solve(triangle);
}

template <class Kind>
void update(cusparseHandle_t handle, const void* descriptor, const void* values, bool diagonal) {
  const Call call = Call::generic(handle);
  const auto kept = object<Kind>(descriptor);
  if (values == nullptr) libs::refuse_null("newValues");
  const std::lock_guard lock(kept->mutex);
  require(kept->analysed, "the matrix was not analysed");
  const int64_t count = diagonal                                                ? kept->matrix.rows
                        : kept->matrix.format == CUSPARSE_FORMAT_SLICED_ELLPACK ? kept->matrix.padded
                                                                                : kept->matrix.count;
  const auto bytes = bytes_of(kept->matrix.type) * static_cast<std::size_t>(count);
  call.submit("cusparseSpSV_updateMatrix",
              [=, to = diagonal ? kept->diagonal : kept->values](Access& access) {
                const char* const from = access.read(static_cast<const char*>(values), bytes);
                to->assign(from, from + bytes);
              });
}
// The values are those of the matrix again.
template <class Kind>
void analyse(const Call&, const void* descriptor, const SparseMatrix& a) {
  const auto kept = object<Kind>(descriptor);
  const std::lock_guard lock(kept->mutex);
  kept->values = std::make_shared<std::vector<char>>();
  kept->diagonal = std::make_shared<std::vector<char>>();
  kept->matrix = a;
  kept->analysed = true;
}
template <class Kind>
std::shared_ptr<Kind> analysed(const void* descriptor) {
  auto kept = object<Kind>(descriptor);
  const std::lock_guard lock(kept->mutex);
  require(kept->analysed, "the matrix was not analysed");
  return kept;
}

struct VectorSystem {
  VectorSystem(cusparseHandle_t handle, cusparseOperation_t operation, cusparseConstSpMatDescr_t mat_a,
               cusparseConstDnVecDescr_t vec_x, cusparseDnVecDescr_t vec_y, cudaDataType compute_type)
      : call(Call::generic(handle)),
        op(op_of(operation)),
        a(sparse_matrix(mat_a)),
        x(dense_vector(vec_x)),
        y(dense_vector(vec_y)) {
    check_matrix(a);
    require(x.size == a.rows && y.size == a.rows, "a vector does not fit the matrix");
    check_types(a.type, x.type, y.type, compute_type);
  }
  Call call;
  char op;
  SparseMatrix a;
  DenseVector x, y;
};

}  // namespace

void cusparseSpSV_createDescr(cusparseSpSVDescr_t* descr) {
  if (descr == nullptr) libs::refuse_null("descr");
  *descr = libs::Handles<VectorSolve>::all().add<cusparseSpSVDescr_t>(std::make_shared<VectorSolve>());
}
void cusparseSpSV_destroyDescr(cusparseSpSVDescr_t descr) {
  if (descr != nullptr && !libs::Handles<VectorSolve>::all().remove(descr))
    refuse(Why::invalid_value, "no such descriptor");
}
void cusparseSpSV_bufferSize(cusparseHandle_t handle, cusparseOperation_t opA, const void*,
                             cusparseConstSpMatDescr_t matA, cusparseConstDnVecDescr_t vecX,
                             cusparseDnVecDescr_t vecY, cudaDataType computeType, cusparseSpSVAlg_t,
                             cusparseSpSVDescr_t spsvDescr, size_t* bufferSize) {
  const VectorSystem checked(handle, opA, matA, vecX, vecY, computeType);
  object<VectorSolve>(spsvDescr);
  *bufferSize = 1024;
}
void cusparseSpSV_analysis(cusparseHandle_t handle, cusparseOperation_t opA, const void*,
                           cusparseConstSpMatDescr_t matA, cusparseConstDnVecDescr_t vecX,
                           cusparseDnVecDescr_t vecY, cudaDataType computeType, cusparseSpSVAlg_t,
                           cusparseSpSVDescr_t spsvDescr, void*) {
  const VectorSystem s(handle, opA, matA, vecX, vecY, computeType);
  analyse<VectorSolve>(s.call, spsvDescr, s.a);
}
void cusparseSpSV_solve(cusparseHandle_t handle, cusparseOperation_t opA, const void* alpha,
                        cusparseConstSpMatDescr_t matA, cusparseConstDnVecDescr_t vecX,
                        cusparseDnVecDescr_t vecY, cudaDataType computeType, cusparseSpSVAlg_t,
                        cusparseSpSVDescr_t spsvDescr) {
  const VectorSystem s(handle, opA, matA, vecX, vecY, computeType);
  const auto kept = analysed<VectorSolve>(spsvDescr);
  with_sums(computeType, [&]<class N>() {
    const Number factor = s.call.number(alpha, sizeof(N), "alpha");
    s.call.submit("cusparseSpSV_solve", [=, op = s.op, a = s.a, x = s.x, y = s.y, values = kept->values,
                                         diagonal = kept->diagonal](Access& access) {
      const N scale = factor.get<N>(access);
      const Values<N> from(access, x.values, x.size, x.type);
      Results<N> to(access, y.values, y.size, y.type);
      with_index(a.place_index, [&]<class I>() {
        solve_with<N, I>(access, a, *values, *diagonal, op, [&](const Triangle<N, I>& triangle) {
          for (int64_t i = 0; i < x.size; ++i) to.data()[i] = times(scale, from.data()[i]);
          triangle.solve(to.data(), 1);
        });
      });
      to.store();
    });
  });
}
void cusparseSpSV_updateMatrix(cusparseHandle_t handle, cusparseSpSVDescr_t spsvDescr, void* newValues,
                               cusparseSpSVUpdate_t updatePart) {
  update<VectorSolve>(handle, spsvDescr, newValues, updatePart == CUSPARSE_SPSV_UPDATE_DIAGONAL);
}

// ---- several right sides

namespace {

struct MatrixSystem {
  MatrixSystem(cusparseHandle_t handle, cusparseOperation_t op_a, cusparseOperation_t op_b,
               cusparseConstSpMatDescr_t mat_a, cusparseConstDnMatDescr_t mat_b, cusparseDnMatDescr_t mat_c,
               cudaDataType compute_type)
      : call(Call::generic(handle)),
        opa(op_of(op_a)),
        opb(op_of(op_b)),
        a(sparse_matrix(mat_a)),
        b(dense_matrix(mat_b)),
        c(dense_matrix(mat_c)) {
    check_matrix(a);
    require((opb == 'N' ? b.rows : b.columns) == a.rows && c.rows == a.rows, "a matrix does not fit");
    require((opb == 'N' ? b.columns : b.rows) == c.columns, "op(B) and C have different numbers of columns");
    check_types(a.type, b.type, c.type, compute_type);
  }
  Call call;
  char opa, opb;
  SparseMatrix a;
  DenseMatrix b, c;
};

}  // namespace

void cusparseSpSM_createDescr(cusparseSpSMDescr_t* descr) {
  if (descr == nullptr) libs::refuse_null("descr");
  *descr = libs::Handles<MatrixSolve>::all().add<cusparseSpSMDescr_t>(std::make_shared<MatrixSolve>());
}
void cusparseSpSM_destroyDescr(cusparseSpSMDescr_t descr) {
  if (descr != nullptr && !libs::Handles<MatrixSolve>::all().remove(descr))
    refuse(Why::invalid_value, "no such descriptor");
}
void cusparseSpSM_bufferSize(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
                             const void*, cusparseConstSpMatDescr_t matA, cusparseConstDnMatDescr_t matB,
                             cusparseDnMatDescr_t matC, cudaDataType computeType, cusparseSpSMAlg_t,
                             cusparseSpSMDescr_t spsmDescr, size_t* bufferSize) {
  const MatrixSystem checked(handle, opA, opB, matA, matB, matC, computeType);
  object<MatrixSolve>(spsmDescr);
  *bufferSize = 1024;
}
void cusparseSpSM_analysis(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
                           const void*, cusparseConstSpMatDescr_t matA, cusparseConstDnMatDescr_t matB,
                           cusparseDnMatDescr_t matC, cudaDataType computeType, cusparseSpSMAlg_t,
                           cusparseSpSMDescr_t spsmDescr, void*) {
  const MatrixSystem s(handle, opA, opB, matA, matB, matC, computeType);
  analyse<MatrixSolve>(s.call, spsmDescr, s.a);
}
void cusparseSpSM_solve(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
                        const void* alpha, cusparseConstSpMatDescr_t matA, cusparseConstDnMatDescr_t matB,
                        cusparseDnMatDescr_t matC, cudaDataType computeType, cusparseSpSMAlg_t,
                        cusparseSpSMDescr_t spsmDescr) {
  const MatrixSystem s(handle, opA, opB, matA, matB, matC, computeType);
  const auto kept = analysed<MatrixSolve>(spsmDescr);
  with_sums(computeType, [&]<class N>() {
    const Number factor = s.call.number(alpha, sizeof(N), "alpha");
    s.call.submit("cusparseSpSM_solve", [=, opa = s.opa, opb = s.opb, a = s.a, b = s.b, c = s.c,
                                         values = kept->values, diagonal = kept->diagonal](Access& access) {
      const N scale = factor.get<N>(access);
      const Values<N> from(access, b.values, b.extent(), b.type);
      Results<N> to(access, c.values, c.extent(), c.type);
      const auto source = lines_of(from.data(), b, opb != 'N');
      const auto target = lines_of(to.data(), c, false);
      with_index(a.place_index, [&]<class I>() {
        solve_with<N, I>(access, a, *values, *diagonal, opa, [&](const Triangle<N, I>& t) {
          // B may be C: all right sides are taken before the first solution is stored.
          std::vector<N> sides(static_cast<std::size_t>(c.rows * c.columns));
          for (int64_t j = 0; j < c.columns; ++j)
            for (int64_t i = 0; i < c.rows; ++i) {
              const N value = source.at(i, j);
              sides[static_cast<std::size_t>(i + j * c.rows)] =
                  times(scale, opb == 'C' ? conjugate(value) : value);
            }
          libs::parallel(c.columns, [&](int64_t j) { t.solve(sides.data() + j * c.rows, 1); });
          for (int64_t j = 0; j < c.columns; ++j)
            for (int64_t i = 0; i < c.rows; ++i)
              target.at(i, j) = sides[static_cast<std::size_t>(i + j * c.rows)];
        });
      });
      to.store();
    });
  });
}
void cusparseSpSM_updateMatrix(cusparseHandle_t handle, cusparseSpSMDescr_t spsmDescr, void* newValues,
                               cusparseSpSMUpdate_t updatePart) {
  update<MatrixSolve>(handle, spsmDescr, newValues, updatePart == CUSPARSE_SPSM_UPDATE_DIAGONAL);
}

}  // namespace heddle::cusparse
