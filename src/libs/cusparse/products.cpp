// A sparse matrix by a dense vector or matrix, and two dense matrices where a sparse one has elements.
#include "libs/cusparse/products.h"

#include "libs/cusparse/functions.gen.h"

namespace heddle::cusparse {
namespace {

// Types that may stand together, as documented: operands alike, or a real matrix beside complex vectors, or a
// float one beside double ones; the result as the operands or as what is computed in.
void check_types(cudaDataType a, cudaDataType b, cudaDataType c, cudaDataType compute) {
  const auto one_of = [](cudaDataType type, std::initializer_list<cudaDataType> types) {
    return std::find(types.begin(), types.end(), type) != types.end();
  };
  bool known = false;
  switch (compute) {
    case CUDA_R_32I: known = a == CUDA_R_8I && b == a && c == CUDA_R_32I; break;
    case CUDA_R_32F:
      known = a == b && one_of(a, {CUDA_R_8I, CUDA_R_16F, CUDA_R_16BF, CUDA_R_32F}) &&
              (c == CUDA_R_32F || (c == a && a != CUDA_R_8I));
      break;
    case CUDA_R_16F:
    case CUDA_R_16BF: known = a == compute && b == compute && c == compute; break;
    case CUDA_R_64F: known = one_of(a, {CUDA_R_64F, CUDA_R_32F}) && b == CUDA_R_64F && c == b; break;
    case CUDA_C_32F:
      known = b == c && ((a == b && one_of(a, {CUDA_C_16F, CUDA_C_16BF, CUDA_C_32F})) ||
                         (a == CUDA_R_32F && b == CUDA_C_32F));
      break;
    case CUDA_C_16F:
    case CUDA_C_16BF: known = a == compute && b == compute && c == compute; break;
    case CUDA_C_64F:
      known = b == CUDA_C_64F && c == b && one_of(a, {CUDA_C_64F, CUDA_R_64F, CUDA_C_32F});
      break;
    default: break;
  }
  if (!known) refuse(Why::not_supported, "no such mixture of types");
}

// ---- matrix by vector

void check_vectors(const SparseMatrix& a, char op, const DenseVector& x, const DenseVector& y) {
  require(x.size == (op == 'N' ? a.columns : a.rows), "vecX does not fit the matrix");
  require(y.size == (op == 'N' ? a.rows : a.columns), "vecY does not fit the matrix");
}

struct MatrixByVector {
  MatrixByVector(cusparseHandle_t handle, cusparseOperation_t operation, cusparseConstSpMatDescr_t mat_a,
                 cusparseConstDnVecDescr_t vec_x, cusparseDnVecDescr_t vec_y, cudaDataType compute_type)
      : call(Call::generic(handle)),
        op(op_of(operation)),
        a(sparse_matrix(mat_a)),
        x(dense_vector(vec_x)),
        y(dense_vector(vec_y)),
        compute(compute_type) {
    check_vectors(a, op, x, y);
    check_types(a.type, x.type, y.type, compute);
    if (a.format == CUSPARSE_FORMAT_BLOCKED_ELL)
      refuse(Why::not_supported, "a matrix in blocked ELL by a vector");
  }
  Call call;
  char op;
  SparseMatrix a;
  DenseVector x, y;
  cudaDataType compute;
};

}  // namespace

void cusparseSpMV_bufferSize(cusparseHandle_t handle, cusparseOperation_t opA, const void* alpha,
                             cusparseConstSpMatDescr_t matA, cusparseConstDnVecDescr_t vecX, const void* beta,
                             cusparseDnVecDescr_t vecY, cudaDataType computeType, cusparseSpMVAlg_t,
                             size_t* bufferSize) {
  given("alpha or beta is NULL", alpha, beta);
  const MatrixByVector checked(handle, opA, matA, vecX, vecY, computeType);
  *bufferSize = 8;  // nothing is needed, but programs may not expect a pointer to nothing
}
void cusparseSpMV_preprocess(cusparseHandle_t handle, cusparseOperation_t opA, const void*,
                             cusparseConstSpMatDescr_t matA, cusparseConstDnVecDescr_t vecX, const void*,
                             cusparseDnVecDescr_t vecY, cudaDataType computeType, cusparseSpMVAlg_t,
                             void* externalBuffer) {
  if (externalBuffer == nullptr) refuse(Why::internal_error, "externalBuffer is NULL");  // as an H200 says it
  const MatrixByVector checked(handle, opA, matA, vecX, vecY, computeType);
}
void cusparseSpMV(cusparseHandle_t handle, cusparseOperation_t opA, const void* alpha,
                  cusparseConstSpMatDescr_t matA, cusparseConstDnVecDescr_t vecX, const void* beta,
                  cusparseDnVecDescr_t vecY, cudaDataType computeType, cusparseSpMVAlg_t,
                  void* externalBuffer) {
  given("externalBuffer is NULL", externalBuffer);
  const MatrixByVector v(handle, opA, matA, vecX, vecY, computeType);
  with_sums(computeType, [&]<class N>() {
    const Number first = v.call.number(alpha, sizeof(N), "alpha"),
                 second = v.call.number(beta, sizeof(N), "beta");
    v.call.submit("cusparseSpMV", [=, op = v.op, a = v.a, x = v.x, y = v.y](Access& access) {
      const Scales<N> scales{first.get<N>(access), second.get<N>(access)};
      const Values<N> from(access, x.values, x.size, x.type);
      Results<N> to(access, y.values, y.size, y.type);
      with_index(a.place_index, [&]<class I>() {
        const Compressed<N, I> rows(access, a);
        if ((op == 'N') == rows.turned())
          by_columns_of(rows.rows(), op == 'C', from.data(), to.data(), scales);
        else if (op == 'C')
          by_rows_of<N, I, true>(rows.rows(), from.data(), to.data(), scales);
        else
          by_rows_of<N, I, false>(rows.rows(), from.data(), to.data(), scales);
      });
      to.store();
    });
  });
}

// ---- matrix by matrix

namespace {

struct MatrixByMatrix {
  MatrixByMatrix(cusparseHandle_t handle, cusparseOperation_t op_a, cusparseOperation_t op_b,
                 cusparseConstSpMatDescr_t mat_a, cusparseConstDnMatDescr_t mat_b, cusparseDnMatDescr_t mat_c,
                 cudaDataType compute_type)
      : call(Call::generic(handle)),
        opa(op_of(op_a)),
        opb(op_of(op_b)),
        a(sparse_matrix(mat_a)),
        b(dense_matrix(mat_b)),
        c(dense_matrix(mat_c)) {
    const int64_t m = opa == 'N' ? a.rows : a.columns, k = opa == 'N' ? a.columns : a.rows;
    require(c.rows == m, "matC has another number of rows than op(A)");
    require((opb == 'N' ? b.rows : b.columns) == k, "op(B) has not as many rows as op(A) columns");
    require((opb == 'N' ? b.columns : b.rows) == c.columns, "matC has not as many columns as op(B)");
    check_types(a.type, b.type, c.type, compute_type);
    require((a.batches == 1 || a.batches == c.batches) && (b.batches == 1 || b.batches == c.batches),
            "the batches have different sizes");
  }
  Call call;
  char opa, opb;
  SparseMatrix a;
  DenseMatrix b, c;
};

template <class N, class I>
void multiply(Access& access, const SparseMatrix& sparse, char opa, char opb, const DenseMatrix& b,
              const DenseMatrix& c, const Scales<N>& scales) {
  std::unique_ptr<Compressed<N, I>> a;
  Owned<N, I> turned;
  Csr<N, I> rows;
  for (int batch = 0; batch < c.batches; ++batch) {
    if (a == nullptr || (sparse.batches > 1 && (sparse.offset_stride != 0 || sparse.place_stride != 0 ||
                                                sparse.value_stride != 0))) {
      a = std::make_unique<Compressed<N, I>>(access, sparse, batch);
      rows = a->rows();
      if ((opa == 'N') == a->turned()) {
        turned = transposed(rows, [](const N& value) { return value; });
        rows = turned.view(rows.columns, rows.rows);
      }
    }
    const void* const b_memory =
        moved(static_cast<const void*>(b.values), b.batches > 1 ? b.stride * batch : 0, bytes_of(b.type));
    void* const c_memory = moved(c.values, c.stride * batch, bytes_of(c.type));
    const Values<N> from(access, b_memory, b.extent(), b.type);
    Results<N> to(access, c_memory, c.extent(), c.type);
    multiply(rows, opa == 'C', lines_of(from.data(), b, opb != 'N'), opb == 'C',
             lines_of(to.data(), c, false), c.columns, scales);
    to.store();
  }
}

}  // namespace

void cusparseSpMM_bufferSize(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
                             const void* alpha, cusparseConstSpMatDescr_t matA,
                             cusparseConstDnMatDescr_t matB, const void* beta, cusparseDnMatDescr_t matC,
                             cudaDataType computeType, cusparseSpMMAlg_t, size_t* bufferSize) {
  given("alpha or beta is NULL", alpha, beta);
  const MatrixByMatrix checked(handle, opA, opB, matA, matB, matC, computeType);
  *bufferSize = 8;
}
void cusparseSpMM_preprocess(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
                             const void*, cusparseConstSpMatDescr_t matA, cusparseConstDnMatDescr_t matB,
                             const void*, cusparseDnMatDescr_t matC, cudaDataType computeType,
                             cusparseSpMMAlg_t, void*) {
  const MatrixByMatrix checked(handle, opA, opB, matA, matB, matC, computeType);
}
void cusparseSpMM(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
                  const void* alpha, cusparseConstSpMatDescr_t matA, cusparseConstDnMatDescr_t matB,
                  const void* beta, cusparseDnMatDescr_t matC, cudaDataType computeType, cusparseSpMMAlg_t,
                  void* externalBuffer) {
  given("alpha or beta is NULL", alpha, beta);
  if (externalBuffer == nullptr) refuse(Why::internal_error, "externalBuffer is NULL");  // as an H200 says it
  const MatrixByMatrix m(handle, opA, opB, matA, matB, matC, computeType);
  with_sums(computeType, [&]<class N>() {
    const Number first = m.call.number(alpha, sizeof(N), "alpha"),
                 second = m.call.number(beta, sizeof(N), "beta");
    m.call.submit("cusparseSpMM", [=, opa = m.opa, opb = m.opb, a = m.a, b = m.b, c = m.c](Access& access) {
      const Scales<N> scales{first.get<N>(access), second.get<N>(access)};
      with_index(a.place_index, [&]<class I>() { multiply<N, I>(access, a, opa, opb, b, c, scales); });
    });
  });
}

// ---- dense by dense, at a sparse matrix's elements

namespace {

struct Sampled {
  Sampled(cusparseHandle_t handle, cusparseOperation_t op_a, cusparseOperation_t op_b,
          cusparseConstDnMatDescr_t mat_a, cusparseConstDnMatDescr_t mat_b, cusparseSpMatDescr_t mat_c,
          cudaDataType compute_type)
      : call(Call::generic(handle)),
        opa(op_of(op_a)),
        opb(op_of(op_b)),
        a(dense_matrix(mat_a)),
        b(dense_matrix(mat_b)),
        c(sparse_matrix(mat_c)) {
    require((opa == 'N' ? a.rows : a.columns) == c.rows, "op(A) has another number of rows than matC");
    require((opb == 'N' ? b.columns : b.rows) == c.columns, "op(B) has another number of columns than matC");
    require((opa == 'N' ? a.columns : a.rows) == (opb == 'N' ? b.rows : b.columns),
            "op(A) and op(B) do not fit");
    if (c.format != CUSPARSE_FORMAT_CSR && c.format != CUSPARSE_FORMAT_BSR)
      refuse(Why::not_supported, "matC is neither CSR nor BSR");
    check_types(a.type, b.type, c.type, compute_type);
    require((a.batches == 1 || a.batches == c.batches) && (b.batches == 1 || b.batches == c.batches),
            "the batches have different sizes");
  }
  Call call;
  char opa, opb;
  DenseMatrix a, b;
  SparseMatrix c;
};

template <class N, class I>
void sample(Access& access, const Sampled& m, const Scales<N>& s) {
  const int64_t depth = m.opa == 'N' ? m.a.columns : m.a.rows;
  for (int batch = 0; batch < m.c.batches; ++batch) {
    const SparseMatrix part = of_batch(m.c, batch);
    const Compressed<N, I> pattern(access, part);
    const auto at = [&](const DenseMatrix& d) {
      return moved(static_cast<const void*>(d.values), d.batches > 1 ? d.stride * batch : 0,
                   bytes_of(d.type));
    };
    const Values<N> a(access, at(m.a), m.a.extent(), m.a.type), b(access, at(m.b), m.b.extent(), m.b.type);
    Results<N> to(access, part.values, part.count, part.type);
    const auto left = lines_of(a.data(), m.a, m.opa != 'N'), right = lines_of(b.data(), m.b, m.opb != 'N');
    const auto& rows = pattern.rows();
    N* const values = to.data();
    over_rows(rows, depth, [&](int64_t first, int64_t last) {
      for (int64_t i = first; i < last; ++i)
        for (int64_t p = rows.begin(i); p < rows.end(i); ++p) {
          N sum{};
          for (int64_t k = 0; k < depth; ++k) {
            const N x = left.at(i, k), y = right.at(k, rows.column(p));
            sum += times(m.opa == 'C' ? conjugate(x) : x, m.opb == 'C' ? conjugate(y) : y);
          }
          const int64_t place =
              pattern.sources().empty() ? p : pattern.sources()[static_cast<std::size_t>(p)];
          values[place] = combined(s, sum, values[place]);
        }
    });
    to.store();
  }
}

}  // namespace

void cusparseSDDMM_bufferSize(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
                              const void*, cusparseConstDnMatDescr_t matA, cusparseConstDnMatDescr_t matB,
                              const void*, cusparseSpMatDescr_t matC, cudaDataType computeType,
                              cusparseSDDMMAlg_t, size_t* bufferSize) {
  const Sampled checked(handle, opA, opB, matA, matB, matC, computeType);
  *bufferSize = 8;
}
void cusparseSDDMM_preprocess(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
                              const void*, cusparseConstDnMatDescr_t matA, cusparseConstDnMatDescr_t matB,
                              const void*, cusparseSpMatDescr_t matC, cudaDataType computeType,
                              cusparseSDDMMAlg_t, void*) {
  const Sampled checked(handle, opA, opB, matA, matB, matC, computeType);
}
void cusparseSDDMM(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
                   const void* alpha, cusparseConstDnMatDescr_t matA, cusparseConstDnMatDescr_t matB,
                   const void* beta, cusparseSpMatDescr_t matC, cudaDataType computeType, cusparseSDDMMAlg_t,
                   void*) {
  const Sampled m(handle, opA, opB, matA, matB, matC, computeType);
  with_sums(computeType, [&]<class N>() {
    const Number first = m.call.number(alpha, sizeof(N), "alpha"),
                 second = m.call.number(beta, sizeof(N), "beta");
    m.call.submit("cusparseSDDMM", [=](Access& access) {
      const Scales<N> scales{first.get<N>(access), second.get<N>(access)};
      with_index(m.c.place_index, [&]<class I>() { sample<N, I>(access, m, scales); });
    });
  });
}

}  // namespace heddle::cusparse
