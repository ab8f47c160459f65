// C = alpha op(A) + beta op(B), between types and orders.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>

#include "libs/common/parallel.h"
#include "libs/common/stream.h"
#include "libs/cublas/handle.h"
#include "libs/cublaslt/functions.gen.h"
#include "libs/cublaslt/matmul.h"

namespace heddle::cublaslt {
namespace {

using cublas::bytes_of;
using Number = std::complex<double>;

Number load(cudaDataType type, const void* from) {
  const AnyScalar value = cublas::any_scalar(from, type);
  return {value.real, value.imaginary};
}
void store(cudaDataType type, void* to, Number value) {
  if (type == CUDA_R_64F || type == CUDA_C_64F) {
    std::memcpy(to, &value, bytes_of(type));
  } else if (type == CUDA_R_32I) {
    const auto whole =
        static_cast<int32_t>(std::clamp(std::nearbyint(value.real()), -2147483648.0, 2147483647.0));
    std::memcpy(to, &whole, sizeof whole);
  } else {
    const float parts[2] = {static_cast<float>(value.real()), static_cast<float>(value.imag())};
    cublas::from_float(type, parts, to, cublas::is_complex_type(type) ? 2 : 1);
  }
}

// A matrix as the result sees it: element (i, j), whatever its order and operation.
struct Operand {
  Layout layout;
  bool turned = false, conjugated = false;
  Number get(const void* first, int64_t i, int64_t j) const {
    const Number value =
        load(layout.type, moved(first, turned ? place(layout, j, i) : place(layout, i, j), layout.type));
    return conjugated ? std::conj(value) : value;
  }
  const void* begin(const void* first, int64_t index) const {
    return moved(first, index * layout.stride, layout.type);
  }
  const void* read(Access& access, const void* first, int64_t index) const {
    return access.read_bytes(begin(first, index), static_cast<uint64_t>(extent(layout)),
                             bytes_of(layout.type));
  }
};

Operand operand(const Layout& layout, cublasOperation_t op, const Layout& c, const char* name) {
  const auto say = [&](Why why, const char* words) { refuse(why, std::string(name) + ": " + words); };
  const bool by_rows = layout.order == CUBLASLT_ORDER_ROW;
  if (layout.order != CUBLASLT_ORDER_COL && !by_rows && !in_tiles(layout.order))
    say(Why::invalid_value, "no such order");
  if (bytes_of(layout.type) == 0 || layout.plane != 0) say(Why::not_supported, "this type of elements");
  if (layout.batch_mode != CUBLASLT_BATCH_MODE_STRIDED)
    say(Why::not_supported, "only strided batches are there");
  if (op != CUBLAS_OP_N && op != CUBLAS_OP_T && op != CUBLAS_OP_C)
    say(Why::invalid_value, "an operation that is none of N, T, C");
  if (layout.rows > INT32_MAX || layout.columns > INT32_MAX)
    say(Why::not_supported, "more than 2^31 rows or columns");
  const bool turned = op != CUBLAS_OP_N;
  if (!in_tiles(layout.order) && layout.ld < static_cast<int64_t>(by_rows ? layout.columns : layout.rows))
    say(Why::invalid_value, "the leading dimension is less than a line");
  if (layout.ld < 0) say(Why::invalid_value, "the leading dimension is negative");
  if ((turned ? layout.columns : layout.rows) != c.rows ||
      (turned ? layout.rows : layout.columns) != c.columns)
    say(Why::invalid_value, "it has not the size of C");
  if (layout.batch != c.batch) say(Why::invalid_value, "its batch is not C's");
  return {layout, turned, op == CUBLAS_OP_C && cublas::is_complex_type(layout.type)};
}

}  // namespace

void cublasLtMatrixTransform(cublasLtHandle_t lightHandle, cublasLtMatrixTransformDesc_t transformDesc,
                             const void* alpha, const void* A, cublasLtMatrixLayout_t Adesc, const void* beta,
                             const void* B, cublasLtMatrixLayout_t Bdesc, void* C,
                             cublasLtMatrixLayout_t Cdesc, cudaStream_t stream) {
  cublas::use(lightHandle);
  const Transform t = get(transformDesc, "transformDesc");
  const Layout c = get(Cdesc, "Cdesc");
  const bool on_device = t.pointers == CUBLASLT_POINTER_MODE_DEVICE;
  if (!on_device && t.pointers != CUBLASLT_POINTER_MODE_HOST)
    refuse(Why::not_supported, "vectors of alpha and beta");
  if (t.scale != CUDA_R_32F && t.scale != CUDA_R_64F && t.scale != CUDA_R_16F && t.scale != CUDA_R_32I &&
      t.scale != CUDA_C_32F && t.scale != CUDA_C_64F)
    refuse(Why::not_supported, "this type of alpha and beta");
  if (alpha == nullptr) libs::refuse_null("alpha");
  const Operand result = operand(c, CUBLAS_OP_N, c, "C");
  const Operand a = operand(get(Adesc, "Adesc"), t.transa, c, "A");
  // Without B there is nothing to add.
  const bool has_b = B != nullptr && beta != nullptr && Bdesc != nullptr;
  const Operand b = has_b ? operand(get(Bdesc, "Bdesc"), t.transb, c, "B") : Operand{};
  const Number host_alpha = on_device ? Number() : load(t.scale, alpha),
               host_beta = on_device || !has_b ? Number() : load(t.scale, beta);
  if (c.rows == 0 || c.columns == 0) return;
  libs::Target(stream).submit("cublasLtMatrixTransform", [=](Access& access) {
    const auto scalar = [&](const void* pointer) {
      return load(t.scale, access.read_bytes(pointer, 1, bytes_of(t.scale)));
    };
    const Number by = on_device ? scalar(alpha) : host_alpha, with = !has_b      ? Number()
                                                                     : on_device ? scalar(beta)
                                                                                 : host_beta;
    const auto rows = static_cast<int64_t>(c.rows), columns = static_cast<int64_t>(c.columns);
    // Gathered, so that tiles are filled up, and C may be A.
    Stored stored{c, 0, nullptr};
    Layout lines = stored.gathered();
    std::vector<std::byte> room(static_cast<std::size_t>(rows * columns) * bytes_of(c.type));
    for (int64_t z = 0; z < c.batch; ++z) {
      const void* from = a.read(access, A, z);
      const void* added = with == 0.0 ? nullptr : b.read(access, B, z);
      libs::parallel((columns + 31) / 32, [&](int64_t piece) {
        for (int64_t j = piece * 32; j < std::min(columns, (piece + 1) * 32); ++j)
          for (int64_t i = 0; i < rows; ++i) {
            Number value = by == 0.0 ? Number() : by * a.get(from, i, j);
            if (added != nullptr) value += with * b.get(added, i, j);
            store(lines.type, moved(static_cast<void*>(room.data()), i + j * lines.ld, lines.type), value);
          }
      });
      scatter(access, stored, room.data(), const_cast<void*>(result.begin(C, z)));
    }
  });
}

}  // namespace heddle::cublaslt
