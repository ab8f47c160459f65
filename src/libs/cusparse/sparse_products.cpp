// Products of sparse matrices. The number of elements is for the host, so the step that finds it waits for
// the stream.
#include <array>
#include <mutex>

#include "libs/cusparse/compressed.h"
#include "libs/cusparse/functions.gen.h"

namespace heddle::cusparse {
namespace {

// A product with 64-bit indices, from the step that computes it to the one that copies it.
struct Product {
  std::vector<int64_t> offsets, places;
  std::vector<char> values;
  int64_t products = 0;
};
struct Multiplication {
  std::mutex mutex;
  std::shared_ptr<Product> product;
};

struct Factors {
  Factors(cusparseHandle_t handle, cusparseOperation_t op_a, cusparseOperation_t op_b,
          cusparseConstSpMatDescr_t mat_a, cusparseConstSpMatDescr_t mat_b, cusparseSpMatDescr_t mat_c)
      : call(Call::generic(handle)),
        a(sparse_matrix(mat_a)),
        b(sparse_matrix(mat_b)),
        c(sparse_matrix_to_set(mat_c)) {
    if (op_of(op_a) != 'N' || op_of(op_b) != 'N') refuse(Why::not_supported, "a factor that is transposed");
    for (const SparseMatrix* m : std::initializer_list<const SparseMatrix*>{&a, &b, c.get()}) {
      if (m->format != CUSPARSE_FORMAT_CSR) refuse(Why::not_supported, "a matrix that is not CSR");
      if (m->type != c->type) refuse(Why::not_supported, "the matrices have different types");
    }
    require(a.columns == b.rows && a.rows == c->rows && b.columns == c->columns, "the matrices do not fit");
  }
  void check_compute(cudaDataType compute) const {
    const bool halves =
        c->type == CUDA_R_16F || c->type == CUDA_R_16BF || c->type == CUDA_C_16F || c->type == CUDA_C_16BF;
    if (compute != c->type && !(halves && compute == (is_complex(c->type) ? CUDA_C_32F : CUDA_R_32F)))
      refuse(Why::not_supported, "no such type to compute in");
  }
  Call call;
  SparseMatrix a, b;
  std::shared_ptr<SparseMatrix> c;
};

// alpha A B + beta C, row by row: the elements of a row are added up in an array as long as a row.
template <class N, class I>
void multiply(const Csr<N, I>& a, const Csr<N, I>& b, const Csr<N, I>* c, const N& alpha, const N& beta,
              Product& product, std::vector<N>& values) {
  check_places(a.places, a.count(), a.base, a.columns);
  check_places(b.places, b.count(), b.base, b.columns);
  if (c != nullptr) check_places(c->places, c->count(), c->base, c->columns);
  product.offsets.assign(static_cast<std::size_t>(a.rows + 1), 0);
  const int64_t pieces = std::clamp<int64_t>(a.count() / 4096, 1, int64_t{libs::parallel_threads()} * 4);
  struct Part {
    std::vector<int64_t> places;
    std::vector<N> values;
    int64_t products = 0;
    bool good = true;
  };
  std::vector<Part> parts(static_cast<std::size_t>(pieces));
  libs::parallel(pieces, [&](int64_t piece) {
    Part& part = parts[static_cast<std::size_t>(piece)];
    try {
      std::vector<N> sums(static_cast<std::size_t>(b.columns));
      std::vector<int64_t> seen(static_cast<std::size_t>(b.columns), -1), row;
      for (int64_t i = a.rows * piece / pieces; i < a.rows * (piece + 1) / pieces; ++i) {
        row.clear();
        const auto add = [&](int64_t j, const N& value) {
          const auto at = static_cast<std::size_t>(j);
          if (seen[at] != i) {
            seen[at] = i;
            sums[at] = N(0);
            row.push_back(j);
          }
          sums[at] += value;
        };
        for (int64_t p = a.begin(i); p < a.end(i); ++p) {
          const int64_t k = a.column(p);
          const N factor = times(alpha, a.values[p]);
          for (int64_t q = b.begin(k); q < b.end(k); ++q) add(b.column(q), times(factor, b.values[q]));
          part.products += b.end(k) - b.begin(k);
        }
        if (c != nullptr)
          for (int64_t p = c->begin(i); p < c->end(i); ++p) add(c->column(p), times(beta, c->values[p]));
        std::sort(row.begin(), row.end());
        for (const int64_t j : row) {
          part.places.push_back(j);
          part.values.push_back(sums[static_cast<std::size_t>(j)]);
        }
        product.offsets[static_cast<std::size_t>(i) + 1] = static_cast<int64_t>(row.size());
      }
    } catch (...) {
      part.good = false;
    }
  });
  std::partial_sum(product.offsets.begin(), product.offsets.end(), product.offsets.begin());
  for (Part& part : parts) {
    if (!part.good) throw std::bad_alloc();
    product.places.insert(product.places.end(), part.places.begin(), part.places.end());
    values.insert(values.end(), part.values.begin(), part.values.end());
    product.products += part.products;
  }
}

template <class N>
std::shared_ptr<Product> multiplied(Access& access, const SparseMatrix& a, const SparseMatrix& b,
                                    const SparseMatrix& c, const N& alpha, const N& beta) {
  auto product = std::make_shared<Product>();
  std::vector<N> values;
  with_index(a.place_index, [&]<class I>() {
    const Compressed<N, I> left(access, a), right(access, b);
    std::unique_ptr<Compressed<N, I>> old;
    if (beta != N(0) && c.count > 0 && c.offsets != nullptr && c.places != nullptr && c.values != nullptr)
      old = std::make_unique<Compressed<N, I>>(access, c);
    multiply(left.rows(), right.rows(), old == nullptr ? nullptr : &old->rows(), alpha, beta, *product,
             values);
  });
  product->values.resize(values.size() * sizeof(N));
  std::memcpy(product->values.data(), static_cast<const void*>(values.data()), product->values.size());
  return product;
}

void store_pattern(Access& access, const Product& product, const SparseMatrix& c) {
  access.write_bytes(c.offsets, product.offsets.size(), bytes_of(c.offset_index));
  access.write_bytes(c.places, product.places.size(), bytes_of(c.place_index));
  for (std::size_t i = 0; i < product.offsets.size(); ++i)
    store_index(c.offsets, static_cast<int64_t>(i), c.offset_index, product.offsets[i] + c.base);
  for (std::size_t p = 0; p < product.places.size(); ++p)
    store_index(c.places, static_cast<int64_t>(p), c.place_index, product.places[p] + c.base);
}
template <class N>
void store_values(Access& access, const Product& product, const SparseMatrix& c) {
  const auto count = static_cast<int64_t>(product.places.size());
  access.write_bytes(c.values, static_cast<uint64_t>(count), bytes_of(c.type));
  narrow(c.type, reinterpret_cast<const N*>(product.values.data()), c.values, count);
}

// The step that finds the number of elements. Without scalars the factors' values do not matter: every
// element that may be there is.
std::shared_ptr<Product> find_product(const Factors& f, const char* name, cudaDataType compute,
                                      const void* alpha, const void* beta) {
  std::shared_ptr<Product> product;
  with_sums(compute, [&]<class N>() {
    const auto number = [&](const void* pointer, const char* what) {
      return pointer == nullptr ? Number(std::array<N, 1>{N(1)}.data(), false, sizeof(N))
                                : f.call.number(pointer, sizeof(N), what);
    };
    const Number first = number(alpha, "alpha"), second = number(beta, "beta");
    f.call.submit_and_wait(name, [=, a = f.a, b = f.b, c = *f.c, out = &product](Access& access) {
      *out = multiplied<N>(access, a, b, c, first.get<N>(access), second.get<N>(access));
    });
  });
  if (product == nullptr) refuse(Why::execution_failed, "the product could not be computed");
  return product;
}

std::size_t workspace(const SparseMatrix& a, const SparseMatrix& b) {
  return static_cast<std::size_t>(1024 + 16 * (a.rows + b.rows));
}

}  // namespace

void cusparseSpGEMM_createDescr(cusparseSpGEMMDescr_t* descr) {
  if (descr == nullptr) libs::refuse_null("descr");
  *descr =
      libs::Handles<Multiplication>::all().add<cusparseSpGEMMDescr_t>(std::make_shared<Multiplication>());
}
void cusparseSpGEMM_destroyDescr(cusparseSpGEMMDescr_t descr) {
  if (descr != nullptr && !libs::Handles<Multiplication>::all().remove(descr))
    refuse(Why::invalid_value, "no such descriptor");
}
void cusparseSpGEMM_workEstimation(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
                                   const void* alpha, cusparseConstSpMatDescr_t matA,
                                   cusparseConstSpMatDescr_t matB, const void* beta,
                                   cusparseSpMatDescr_t matC, cudaDataType computeType, cusparseSpGEMMAlg_t,
                                   cusparseSpGEMMDescr_t spgemmDescr, size_t* bufferSize1,
                                   void* externalBuffer1) {
  const Factors f(handle, opA, opB, matA, matB, matC);
  f.check_compute(computeType);
  const auto kept = object<Multiplication>(spgemmDescr);
  given("alpha, beta or bufferSize1 is NULL", alpha, beta, bufferSize1);
  if (externalBuffer1 == nullptr) {
    *bufferSize1 = workspace(f.a, f.b);
    return;
  }
  auto product = find_product(f, "cusparseSpGEMM_workEstimation", computeType, alpha, beta);
  const std::lock_guard lock(kept->mutex);
  kept->product = std::move(product);
}
void cusparseSpGEMM_getNumProducts(cusparseSpGEMMDescr_t spgemmDescr, int64_t* num_prods) {
  const auto kept = object<Multiplication>(spgemmDescr);
  if (num_prods == nullptr) libs::refuse_null("num_prods");
  const std::lock_guard lock(kept->mutex);
  require(kept->product != nullptr, "the work was not estimated");
  *num_prods = kept->product->products;
}
void cusparseSpGEMM_estimateMemory(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
                                   const void*, cusparseConstSpMatDescr_t matA,
                                   cusparseConstSpMatDescr_t matB, const void*, cusparseSpMatDescr_t matC,
                                   cudaDataType computeType, cusparseSpGEMMAlg_t alg,
                                   cusparseSpGEMMDescr_t spgemmDescr, float chunk_fraction,
                                   size_t* bufferSize3, void* externalBuffer3, size_t* bufferSize2) {
  const Factors f(handle, opA, opB, matA, matB, matC);
  f.check_compute(computeType);
  object<Multiplication>(spgemmDescr);
  if (alg != CUSPARSE_SPGEMM_ALG2 && alg != CUSPARSE_SPGEMM_ALG3)
    refuse(Why::not_supported, "an algorithm without an estimate of memory");
  require(alg != CUSPARSE_SPGEMM_ALG3 || (chunk_fraction > 0 && chunk_fraction <= 1),
          "chunk_fraction is not between 0 and 1");
  if (bufferSize3 == nullptr) libs::refuse_null("bufferSize3");
  if (externalBuffer3 == nullptr)
    *bufferSize3 = workspace(f.a, f.b);
  else if (bufferSize2 == nullptr)
    libs::refuse_null("bufferSize2");
  else
    *bufferSize2 = workspace(f.a, f.b);
}
void cusparseSpGEMM_compute(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
                            const void* alpha, cusparseConstSpMatDescr_t matA, cusparseConstSpMatDescr_t matB,
                            const void* beta, cusparseSpMatDescr_t matC, cudaDataType computeType,
                            cusparseSpGEMMAlg_t, cusparseSpGEMMDescr_t spgemmDescr, size_t* bufferSize2,
                            void* externalBuffer2) {
  const Factors f(handle, opA, opB, matA, matB, matC);
  f.check_compute(computeType);
  const auto kept = object<Multiplication>(spgemmDescr);
  given("alpha, beta or bufferSize2 is NULL", alpha, beta, bufferSize2);
  if (externalBuffer2 == nullptr) {
    *bufferSize2 = workspace(f.a, f.b);
    return;
  }
  auto product = find_product(f, "cusparseSpGEMM_compute", computeType, alpha, beta);
  const std::lock_guard lock(kept->mutex);
  f.c->count = static_cast<int64_t>(product->places.size());
  kept->product = std::move(product);
}
void cusparseSpGEMM_copy(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
                         const void*, cusparseConstSpMatDescr_t matA, cusparseConstSpMatDescr_t matB,
                         const void*, cusparseSpMatDescr_t matC, cudaDataType computeType,
                         cusparseSpGEMMAlg_t, cusparseSpGEMMDescr_t spgemmDescr) {
  const Factors f(handle, opA, opB, matA, matB, matC);
  f.check_compute(computeType);
  const auto kept = object<Multiplication>(spgemmDescr);
  const std::lock_guard lock(kept->mutex);
  require(kept->product != nullptr, "there is no product yet");
  with_sums(computeType, [&]<class N>() {
    f.call.submit("cusparseSpGEMM_copy", [product = kept->product, c = *f.c](Access& access) {
      store_pattern(access, *product, c);
      store_values<N>(access, *product, c);
    });
  });
}

// ---- the pattern once, values as often as they change

void cusparseSpGEMMreuse_workEstimation(cusparseHandle_t handle, cusparseOperation_t opA,
                                        cusparseOperation_t opB, cusparseConstSpMatDescr_t matA,
                                        cusparseConstSpMatDescr_t matB, cusparseSpMatDescr_t matC,
                                        cusparseSpGEMMAlg_t, cusparseSpGEMMDescr_t spgemmDescr,
                                        size_t* bufferSize1, void* externalBuffer1) {
  const Factors f(handle, opA, opB, matA, matB, matC);
  object<Multiplication>(spgemmDescr);
  if (bufferSize1 == nullptr) libs::refuse_null("bufferSize1");
  if (externalBuffer1 == nullptr) *bufferSize1 = workspace(f.a, f.b);
}
void cusparseSpGEMMreuse_nnz(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
                             cusparseConstSpMatDescr_t matA, cusparseConstSpMatDescr_t matB,
                             cusparseSpMatDescr_t matC, cusparseSpGEMMAlg_t,
                             cusparseSpGEMMDescr_t spgemmDescr, size_t* bufferSize2, void* externalBuffer2,
                             size_t* bufferSize3, void* externalBuffer3, size_t* bufferSize4,
                             void* externalBuffer4) {
  const Factors f(handle, opA, opB, matA, matB, matC);
  const auto kept = object<Multiplication>(spgemmDescr);
  given("a buffer's size is NULL", bufferSize2, bufferSize3, bufferSize4);
  if (externalBuffer2 == nullptr && externalBuffer3 == nullptr && externalBuffer4 == nullptr) {
    *bufferSize2 = *bufferSize3 = *bufferSize4 = workspace(f.a, f.b);
    return;
  }
  auto product = find_product(f, "cusparseSpGEMMreuse_nnz", f.c->type, nullptr, nullptr);
  const std::lock_guard lock(kept->mutex);
  f.c->count = static_cast<int64_t>(product->places.size());
  kept->product = std::move(product);
}
void cusparseSpGEMMreuse_copy(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
                              cusparseConstSpMatDescr_t matA, cusparseConstSpMatDescr_t matB,
                              cusparseSpMatDescr_t matC, cusparseSpGEMMAlg_t,
                              cusparseSpGEMMDescr_t spgemmDescr, size_t* bufferSize5, void* externalBuffer5) {
  const Factors f(handle, opA, opB, matA, matB, matC);
  const auto kept = object<Multiplication>(spgemmDescr);
  if (bufferSize5 == nullptr) libs::refuse_null("bufferSize5");
  if (externalBuffer5 == nullptr) {
    *bufferSize5 = workspace(f.a, f.b);
    return;
  }
  const std::lock_guard lock(kept->mutex);
  require(kept->product != nullptr, "the number of elements was not asked for");
  f.call.submit("cusparseSpGEMMreuse_copy",
                [product = kept->product, c = *f.c](Access& access) { store_pattern(access, *product, c); });
}
void cusparseSpGEMMreuse_compute(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
                                 const void* alpha, cusparseConstSpMatDescr_t matA,
                                 cusparseConstSpMatDescr_t matB, const void* beta, cusparseSpMatDescr_t matC,
                                 cudaDataType computeType, cusparseSpGEMMAlg_t,
                                 cusparseSpGEMMDescr_t spgemmDescr) {
  const Factors f(handle, opA, opB, matA, matB, matC);
  f.check_compute(computeType);
  const auto kept = object<Multiplication>(spgemmDescr);
  const std::lock_guard lock(kept->mutex);
  require(kept->product != nullptr, "the number of elements was not asked for");
  with_sums(computeType, [&]<class N>() {
    const Number first = f.call.number(alpha, sizeof(N), "alpha"),
                 second = f.call.number(beta, sizeof(N), "beta");
    f.call.submit("cusparseSpGEMMreuse_compute", [=, a = f.a, b = f.b, c = *f.c,
                                                  known = kept->product](Access& access) {
      const auto product = multiplied<N>(access, a, b, c, first.get<N>(access), second.get<N>(access));
      if (product->places.size() != known->places.size())
        refuse(Why::execution_failed, "the factors have another pattern than before");
      store_values<N>(access, *product, c);
    });
  });
}

}  // namespace heddle::cusparse
