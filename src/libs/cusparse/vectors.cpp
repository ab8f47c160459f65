// Sparse vectors beside dense ones.
#include "libs/cusparse/compressed.h"
#include "libs/cusparse/functions.gen.h"

namespace heddle::cusparse {
namespace {

void match(const SparseVector& x, const DenseVector& y) {
  require(x.size == y.size, "the vectors have different sizes");
}

// An element of y for each of x, in any order; `body(x, y, indices)` with y whole.
template <class Body>
void over(Access& access, const SparseVector& x, const Body& body) {
  with_index(x.index, [&]<class I>() {
    const Indices<I> indices(access, x.indices, x.count, x.index);
    check_places(indices.data(), x.count, x.base, x.size);
    body(indices.data());
  });
}

}  // namespace

void cusparseAxpby(cusparseHandle_t handle, const void* alpha, cusparseConstSpVecDescr_t vecX,
                   const void* beta, cusparseDnVecDescr_t vecY) {
  const Call call = Call::generic(handle);
  const SparseVector x = sparse_vector(vecX);
  const DenseVector y = dense_vector(vecY);
  match(x, y);
  // Scalars have the type that is computed in: float for halves.
  with_sums(y.type, [&]<class N>() {
    const Number a = call.number(alpha, sizeof(N), "alpha"), b = call.number(beta, sizeof(N), "beta");
    call.submit("cusparseAxpby", [=](Access& access) {
      const N factor = a.get<N>(access), scale = b.get<N>(access);
      const Values<N> from(access, x.values, x.count, x.type);
      Results<N> to(access, y.values, y.size, y.type);
      if (scale != N(1))
        for (int64_t i = 0; i < y.size; ++i) to.data()[i] = scale == N(0) ? N(0) : times(scale, to.data()[i]);
      over(access, x, [&](const auto* indices) {
        for (int64_t i = 0; i < x.count; ++i) to.data()[indices[i] - x.base] += times(factor, from.data()[i]);
      });
      to.store();
    });
  });
}

void cusparseGather(cusparseHandle_t handle, cusparseConstDnVecDescr_t vecY, cusparseSpVecDescr_t vecX) {
  const Call call = Call::generic(handle);
  const SparseVector x = sparse_vector(vecX);
  const DenseVector y = dense_vector(vecY);
  match(x, y);
  require(x.type == y.type, "the vectors have different types");
  call.submit("cusparseGather", [=](Access& access) {
    with_bytes(bytes_of(x.type), [&]<class N>() {
      N* const to = access.write(static_cast<N*>(x.values), static_cast<uint64_t>(x.count));
      const N* const from = access.read(static_cast<const N*>(y.values), static_cast<uint64_t>(y.size));
      over(access, x, [&](const auto* indices) {
        for (int64_t i = 0; i < x.count; ++i) to[i] = from[indices[i] - x.base];
      });
    });
  });
}
void cusparseScatter(cusparseHandle_t handle, cusparseConstSpVecDescr_t vecX, cusparseDnVecDescr_t vecY) {
  const Call call = Call::generic(handle);
  const SparseVector x = sparse_vector(vecX);
  const DenseVector y = dense_vector(vecY);
  match(x, y);
  require(x.type == y.type, "the vectors have different types");
  call.submit("cusparseScatter", [=](Access& access) {
    with_bytes(bytes_of(x.type), [&]<class N>() {
      const N* const from = access.read(static_cast<const N*>(x.values), static_cast<uint64_t>(x.count));
      N* const to = access.write(static_cast<N*>(y.values), static_cast<uint64_t>(y.size));
      over(access, x, [&](const auto* indices) {
        for (int64_t i = 0; i < x.count; ++i) to[indices[i] - x.base] = from[i];
      });
    });
  });
}
void cusparseRot(cusparseHandle_t handle, const void* c_coeff, const void* s_coeff, cusparseSpVecDescr_t vecX,
                 cusparseDnVecDescr_t vecY) {
  const Call call = Call::generic(handle);
  const SparseVector x = sparse_vector(vecX);
  const DenseVector y = dense_vector(vecY);
  match(x, y);
  require(x.type == y.type, "the vectors have different types");
  with_sums(y.type, [&]<class N>() {
    const Number c = call.number(c_coeff, sizeof(N), "c_coeff"),
                 s = call.number(s_coeff, sizeof(N), "s_coeff");
    call.submit("cusparseRot", [=](Access& access) {
      const N cosine = c.get<N>(access), sine = s.get<N>(access);
      Results<N> first(access, x.values, x.count, x.type), second(access, y.values, y.size, y.type);
      over(access, x, [&](const auto* indices) {
        for (int64_t i = 0; i < x.count; ++i) {
          N& a = first.data()[i];
          N& b = second.data()[indices[i] - x.base];
          const N old = a;
          a = times(cosine, old) + times(sine, b);
          b = times(cosine, b) - times(sine, old);
        }
      });
      first.store();
      second.store();
    });
  });
}

namespace {

void check_product(cusparseOperation_t op, const SparseVector& x, const DenseVector& y,
                   cudaDataType compute) {
  op_of(op);
  match(x, y);
  require(x.type == y.type, "the vectors have different types");
  if (is_complex(x.type) != is_complex(compute)) refuse(Why::not_supported, "no such mixture of types");
}

}  // namespace

void cusparseSpVV_bufferSize(cusparseHandle_t handle, cusparseOperation_t opX, cusparseConstSpVecDescr_t vecX,
                             cusparseConstDnVecDescr_t vecY, const void* result, cudaDataType computeType,
                             size_t* bufferSize) {
  use_generic(handle);
  given("result is NULL", result);
  check_product(opX, sparse_vector(vecX), dense_vector(vecY), computeType);
  *bufferSize = 1024;
}
void cusparseSpVV(cusparseHandle_t handle, cusparseOperation_t opX, cusparseConstSpVecDescr_t vecX,
                  cusparseConstDnVecDescr_t vecY, void* result, cudaDataType computeType,
                  void* externalBuffer) {
  const Call call = Call::generic(handle);
  const SparseVector x = sparse_vector(vecX);
  const DenseVector y = dense_vector(vecY);
  check_product(opX, x, y, computeType);
  const bool conjugated = op_of(opX) == 'C';
  given("result or externalBuffer is NULL", result, externalBuffer);
  with_sums(computeType, [&]<class N>() {
    call.give("cusparseSpVV", static_cast<N*>(result), [=](Access& access) {
      const Values<N> a(access, x.values, x.count, x.type), b(access, y.values, y.size, y.type);
      N sum{};
      over(access, x, [&](const auto* indices) {
        for (int64_t i = 0; i < x.count; ++i) {
          const N value = conjugated ? conjugate(a.data()[i]) : a.data()[i];
          sum += times(value, b.data()[indices[i] - x.base]);
        }
      });
      return sum;
    });
  });
}

}  // namespace heddle::cusparse
