// Vectors whose elements' types are arguments: computed in double, which every type but itself fits into with
// bits to spare, and rounded once.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <vector>

#include "libs/common/parallel.h"
#include "libs/cublas/functions.gen.h"
#include "libs/cublas/gemm.h"
#include "libs/cublas/handle.h"

namespace heddle::cublas {
namespace {

using Number = std::complex<double>;

Number load(cudaDataType type, const void* from) {
  const AnyScalar value = any_scalar(from, type);
  return {value.real, value.imaginary};
}
void store(cudaDataType type, void* to, Number value) {
  const double exact[2] = {value.real(), value.imag()};
  if (type == CUDA_R_64F || type == CUDA_C_64F) {
    std::memcpy(to, exact, type == CUDA_C_64F ? 16 : 8);
    return;
  }
  const float rounded[2] = {static_cast<float>(exact[0]), static_cast<float>(exact[1])};
  from_float(type, rounded, to, is_complex_type(type) ? 2 : 1);
}

void known(cudaDataType type) {
  switch (type) {
    case CUDA_R_16F:
    case CUDA_R_16BF:
    case CUDA_R_32F:
    case CUDA_R_64F:
    case CUDA_C_32F:
    case CUDA_C_64F: return;
    default: refuse(Why::not_supported, "vectors of type " + std::to_string(type));
  }
}

// Some functions tell what is no type at all from one that is not for them, as an H200's.
void known_or_invalid(std::initializer_list<cudaDataType> types) {
  for (const cudaDataType type : types) require(is_data_type(type), "no such type");
  for (const cudaDataType type : types) known(type);
}

struct Vector {
  const void* first;
  cudaDataType type;
  int64_t step;
  void hold(Access& access, int64_t n, bool write) const {
    const uint64_t count = Access::extent(1, n, std::abs(step));
    if (write)
      access.write_bytes(const_cast<void*>(first), count, bytes_of(type));
    else
      access.read_bytes(first, count, bytes_of(type));
  }
  const std::byte* at(int64_t n, int64_t i) const {
    return static_cast<const std::byte*>(first) +
           (step >= 0 ? i : i - n + 1) * step * static_cast<int64_t>(bytes_of(type));
  }
  Number get(int64_t n, int64_t i) const { return load(type, at(n, i)); }
  void set(int64_t n, int64_t i, Number value) const { store(type, const_cast<std::byte*>(at(n, i)), value); }
};

// A number of host or device memory, by the pointer mode.
class Place {
 public:
  Place(const Call& call, const void* pointer, cudaDataType type, const char* name) : type_(type) {
    if (pointer == nullptr) libs::refuse_null(name);
    if (call.device_scalars())
      pointer_ = pointer;
    else
      value_ = load(type, pointer);
  }
  Number get(Access& access) const {
    return pointer_ == nullptr ? value_ : load(type_, access.read_bytes(pointer_, 1, bytes_of(type_)));
  }

 private:
  const cudaDataType type_;
  const void* pointer_ = nullptr;
  Number value_;
};

// ---- real numbers that lie side by side: many at a time

// Halves and floats: squares of all of them fit a double.
bool is_narrow(const Vector& v) {
  return v.step == 1 && (v.type == CUDA_R_16F || v.type == CUDA_R_16BF || v.type == CUDA_R_32F);
}
constexpr int64_t piece_length = 1 << 16, chunk_length = 256;

// Calls body(first, count) for chunks of each piece, pieces on several threads. The sums of `body` are added
// in the order of the pieces, however many threads there are.
template <class Body>
double over_pieces(int64_t n, const Body& body) {
  std::vector<double> sums(static_cast<std::size_t>((n + piece_length - 1) / piece_length));
  libs::parallel(static_cast<int64_t>(sums.size()), [&](int64_t piece) {
    const int64_t end = std::min(n, (piece + 1) * piece_length);
    double sum = 0;
    for (int64_t first = piece * piece_length; first < end; first += chunk_length)
      sum += body(first, std::min(chunk_length, end - first));
    sums[static_cast<std::size_t>(piece)] = sum;
  });
  double all = 0;
  for (const double sum : sums) all += sum;
  return all;
}
struct Chunk {
  alignas(64) float of[chunk_length];
  Chunk(const Vector& v, int64_t first, int64_t count) { to_float(v.type, v.at(0, first), of, count); }
};

// Sixteen sums side by side, on any host: one alone waits for each addition.
double sum_of_products(const Chunk& a, const Chunk& b, int64_t count) {
  constexpr int64_t width = 16;
  using Floats [[gnu::vector_size(width * sizeof(float))]] = float;
  using Doubles [[gnu::vector_size(width * sizeof(double))]] = double;
  Doubles sums{};
  int64_t i = 0;
  for (; i + width <= count; i += width)
    sums += __builtin_convertvector(*reinterpret_cast<const Floats*>(a.of + i), Doubles) *
            __builtin_convertvector(*reinterpret_cast<const Floats*>(b.of + i), Doubles);
  double all = 0;
  for (; i < count; ++i) all += static_cast<double>(a.of[i]) * static_cast<double>(b.of[i]);
  for (int64_t lane = 0; lane < width; ++lane) all += sums[lane];
  return all;
}

template <class Compute>
void give(const Call& call, const char* name, void* result, cudaDataType type, Compute compute) {
  if (result == nullptr) libs::refuse_null("result");
  known(type);
  if (call.device_scalars())
    call.submit(name, [=](Access& access) {
      store(type, access.write_bytes(result, 1, bytes_of(type)), compute(access));
    });
  else
    call.submit_and_wait(name, [=](Access& access) { store(type, result, compute(access)); });
}

void dot(cublasHandle_t handle, const char* name, bool conjugate, int64_t n, Vector x, Vector y, void* result,
         cudaDataType type, cudaDataType execution) {
  const Call call(handle);
  known_or_invalid({x.type, y.type, type, execution});
  give(call, name, result, type, [=](Access& access) {
    Number sum = 0;
    if (n <= 0) return sum;
    x.hold(access, n, false);
    y.hold(access, n, false);
    if (is_narrow(x) && is_narrow(y))
      return Number(over_pieces(n, [&](int64_t first, int64_t count) {
        const Chunk a(x, first, count), b(y, first, count);
        return sum_of_products(a, b, count);
      }));
    for (int64_t i = 0; i < n; ++i) sum += (conjugate ? std::conj(x.get(n, i)) : x.get(n, i)) * y.get(n, i);
    return sum;
  });
}

template <bool greatest, class Index>
void extreme(cublasHandle_t handle, int64_t n, const void* pointer, cudaDataType type, int64_t step,
             Index* result) {
  const Call call(handle);
  known(type);
  const Vector x{pointer, type, step};
  call.give(greatest ? "IamaxEx" : "IaminEx", result, [=](Access& access) -> Index {
    if (n < 1 || step < 1) return 0;
    x.hold(access, n, false);
    Index best = 0;
    double value = 0;
    for (int64_t i = 0; i < n; ++i) {
      const Number number = x.get(n, i);
      const double size = std::abs(number.real()) + std::abs(number.imag());
      if (i == 0 || (greatest ? size > value : size < value)) {
        value = size;
        best = static_cast<Index>(i);
      }
    }
    return best + 1;
  });
}

}  // namespace

void cublasDotEx(cublasHandle_t handle, int64_t n, const void* x, cudaDataType xType, int64_t incx,
                 const void* y, cudaDataType yType, int64_t incy, void* result, cudaDataType resultType,
                 cudaDataType executionType) {
  dot(handle, "DotEx", false, n, {x, xType, incx}, {y, yType, incy}, result, resultType, executionType);
}
void cublasDotcEx(cublasHandle_t handle, int64_t n, const void* x, cudaDataType xType, int64_t incx,
                  const void* y, cudaDataType yType, int64_t incy, void* result, cudaDataType resultType,
                  cudaDataType executionType) {
  dot(handle, "DotcEx", true, n, {x, xType, incx}, {y, yType, incy}, result, resultType, executionType);
}

void cublasNrm2Ex(cublasHandle_t handle, int64_t n, const void* x, cudaDataType xType, int64_t incx,
                  void* result, cudaDataType resultType, cudaDataType executionType) {
  const Call call(handle);
  known_or_invalid({xType, resultType, executionType});
  const Vector from{x, xType, incx};
  give(call, "Nrm2Ex", result, resultType, [=](Access& access) -> Number {
    if (n < 1 || incx < 1) return 0;
    from.hold(access, n, false);
    if (is_narrow(from))
      return std::sqrt(over_pieces(n, [&](int64_t first, int64_t count) {
        const Chunk a(from, first, count);
        return sum_of_products(a, a, count);
      }));
    double norm = 0;
    for (int64_t i = 0; i < n; ++i) norm = std::hypot(norm, std::abs(from.get(n, i)));
    return norm;
  });
}
void cublasAsumEx(cublasHandle_t handle, int64_t n, const void* x, cudaDataType xType, int64_t incx,
                  void* result, cudaDataType resultType, cudaDataType executiontype) {
  const Call call(handle);
  known(xType);
  known(executiontype);
  const Vector from{x, xType, incx};
  give(call, "AsumEx", result, resultType, [=](Access& access) -> Number {
    if (n < 1 || incx < 1) return 0;
    from.hold(access, n, false);
    double sum = 0;
    for (int64_t i = 0; i < n; ++i) {
      const Number value = from.get(n, i);
      sum += std::abs(value.real()) + std::abs(value.imag());
    }
    return sum;
  });
}

void cublasScalEx(cublasHandle_t handle, int64_t n, const void* alpha, cudaDataType alphaType, void* x,
                  cudaDataType xType, int64_t incx, cudaDataType executionType) {
  const Call call(handle);
  known_or_invalid({xType, alphaType, executionType});
  if (n <= 0 || incx <= 0) return;
  const Place factor(call, alpha, alphaType, "alpha");
  const Vector to{x, xType, incx};
  call.submit("ScalEx", [=](Access& access) {
    const Number by = factor.get(access);
    to.hold(access, n, true);
    if (is_narrow(to)) {
      over_pieces(n, [&](int64_t first, int64_t count) {
        Chunk a(to, first, count);
        for (int64_t i = 0; i < count; ++i)
          a.of[i] = static_cast<float>(by.real() * static_cast<double>(a.of[i]));
        from_float(to.type, a.of, const_cast<std::byte*>(to.at(n, first)), count);
        return 0.0;
      });
      return;
    }
    for (int64_t i = 0; i < n; ++i) to.set(n, i, by * to.get(n, i));
  });
}
void cublasAxpyEx(cublasHandle_t handle, int64_t n, const void* alpha, cudaDataType alphaType, const void* x,
                  cudaDataType xType, int64_t incx, void* y, cudaDataType yType, int64_t incy,
                  cudaDataType executiontype) {
  const Call call(handle);
  known_or_invalid({xType, yType, alphaType, executiontype});
  if (n <= 0) return;
  const Place factor(call, alpha, alphaType, "alpha");
  const Vector from{x, xType, incx}, to{y, yType, incy};
  call.submit("AxpyEx", [=](Access& access) {
    const Number by = factor.get(access);
    if (by == Number(0)) return;
    from.hold(access, n, false);
    to.hold(access, n, true);
    if (is_narrow(from) && is_narrow(to) && from.first != to.first) {
      over_pieces(n, [&](int64_t first, int64_t count) {
        const Chunk a(from, first, count);
        Chunk b(to, first, count);
        for (int64_t i = 0; i < count; ++i)
          b.of[i] =
              static_cast<float>(by.real() * static_cast<double>(a.of[i]) + static_cast<double>(b.of[i]));
        from_float(to.type, b.of, const_cast<std::byte*>(to.at(n, first)), count);
        return 0.0;
      });
      return;
    }
    for (int64_t i = 0; i < n; ++i) to.set(n, i, by * from.get(n, i) + to.get(n, i));
  });
}
void cublasCopyEx(cublasHandle_t handle, int64_t n, const void* x, cudaDataType xType, int64_t incx, void* y,
                  cudaDataType yType, int64_t incy) {
  const Call call(handle);
  known(xType);
  known(yType);
  if (n <= 0) return;
  const Vector from{x, xType, incx}, to{y, yType, incy};
  call.submit("CopyEx", [=](Access& access) {
    from.hold(access, n, false);
    to.hold(access, n, true);
    for (int64_t i = 0; i < n; ++i) to.set(n, i, from.get(n, i));
  });
}
void cublasSwapEx(cublasHandle_t handle, int64_t n, void* x, cudaDataType xType, int64_t incx, void* y,
                  cudaDataType yType, int64_t incy) {
  const Call call(handle);
  known(xType);
  known(yType);
  if (n <= 0) return;
  const Vector one{x, xType, incx}, other{y, yType, incy};
  call.submit("SwapEx", [=](Access& access) {
    one.hold(access, n, true);
    other.hold(access, n, true);
    for (int64_t i = 0; i < n; ++i) {
      const Number kept = one.get(n, i);
      one.set(n, i, other.get(n, i));
      other.set(n, i, kept);
    }
  });
}
void cublasRotEx(cublasHandle_t handle, int64_t n, void* x, cudaDataType xType, int64_t incx, void* y,
                 cudaDataType yType, int64_t incy, const void* c, const void* s, cudaDataType csType,
                 cudaDataType executiontype) {
  const Call call(handle);
  for (const cudaDataType type : {xType, yType, csType, executiontype}) known(type);
  // The cosine is real, also where the sine is complex.
  if (n <= 0) return;
  const Place cosine(call, c,
                     csType == CUDA_C_32F   ? CUDA_R_32F
                     : csType == CUDA_C_64F ? CUDA_R_64F
                                            : csType,
                     "c"),
      sine(call, s, csType, "s");
  const Vector one{x, xType, incx}, other{y, yType, incy};
  call.submit("RotEx", [=](Access& access) {
    const Number cc = cosine.get(access), ss = sine.get(access);
    one.hold(access, n, true);
    other.hold(access, n, true);
    for (int64_t i = 0; i < n; ++i) {
      const Number a = one.get(n, i), b = other.get(n, i);
      one.set(n, i, cc * a + ss * b);
      other.set(n, i, cc * b - std::conj(ss) * a);
    }
  });
}

// ---- rotations that are made, and modified ones

namespace {

// Memory of host or device by the pointer mode: `make(Access*)` runs at once, or in the stream.
template <class Make>
void at_once_or_in_stream(const Call& call, const char* name, Make make) {
  if (!call.device_scalars()) return make(nullptr);
  call.submit(name, [make](Access& access) { make(&access); });
}
Number get_from(Access* access, const void* from, cudaDataType type) {
  return load(type, access == nullptr ? from : access->read_bytes(from, 1, bytes_of(type)));
}
void put_to(Access* access, void* to, cudaDataType type, Number value) {
  store(type, access == nullptr ? to : access->write_bytes(to, 1, bytes_of(type)), value);
}
void known_real(cudaDataType type) {
  known(type);
  if (is_complex_type(type)) refuse(Why::not_supported, "complex numbers in a modified rotation");
}
cudaDataType real_type(cudaDataType type) {
  return type == CUDA_C_32F ? CUDA_R_32F : type == CUDA_C_64F ? CUDA_R_64F : type;
}
constexpr int parameter_count = 5;
const void* parameter(const void* param, cudaDataType type, int i) {
  return static_cast<const std::byte*>(param) + static_cast<std::size_t>(i) * bytes_of(type);
}

}  // namespace

void cublasRotgEx(cublasHandle_t handle, void* a, void* b, cudaDataType abType, void* c, void* s,
                  cudaDataType csType, cudaDataType executiontype) {
  const Call call(handle);
  for (const cudaDataType type : {abType, csType, executiontype}) known(type);
  if (is_complex_type(abType) != is_complex_type(csType))
    refuse(Why::not_supported, "a and b are complex where s is");
  require(a != nullptr && b != nullptr && c != nullptr && s != nullptr, "a, b, c or s is NULL");
  at_once_or_in_stream(call, "RotgEx", [=](Access* access) {
    Number x = get_from(access, a, abType), y = get_from(access, b, abType), sine = 0;
    double cosine = 0;
    if (is_complex_type(abType)) {
      fortran::rotg<Number>(&x, &y, &cosine, &sine);
    } else {
      double r = x.real(), z = y.real(), real_sine = 0;
      fortran::rotg<double>(&r, &z, &cosine, &real_sine);
      x = r;
      y = z;
      sine = real_sine;
    }
    put_to(access, a, abType, x);
    put_to(access, b, abType, y);
    put_to(access, c, real_type(csType), cosine);
    put_to(access, s, csType, sine);
  });
}

void cublasRotmEx(cublasHandle_t handle, int64_t n, void* x, cudaDataType xType, int64_t incx, void* y,
                  cudaDataType yType, int64_t incy, const void* param, cudaDataType paramType,
                  cudaDataType executiontype) {
  const Call call(handle);
  known(executiontype);
  known_real(xType);
  known_real(yType);
  known_real(paramType);
  if (n <= 0) return;
  if (param == nullptr) libs::refuse_null("param");
  struct Parameters {
    double of[parameter_count];
  };
  const bool on_device = call.device_scalars();
  Parameters given{};
  for (int i = 0; i < parameter_count && !on_device; ++i)
    given.of[i] = load(paramType, parameter(param, paramType, i)).real();
  const Vector one{x, xType, incx}, other{y, yType, incy};
  call.submit("RotmEx", [=](Access& access) {
    Parameters p = given;
    if (on_device) {
      access.read_bytes(param, parameter_count, bytes_of(paramType));
      for (int i = 0; i < parameter_count; ++i)
        p.of[i] = load(paramType, parameter(param, paramType, i)).real();
    }
    const double flag = p.of[0];
    if (flag == -2) return;
    // The flag says which of the four are 1 or -1 and not stored.
    const double h11 = flag == 0 ? 1 : p.of[1], h21 = flag == 1 ? -1 : p.of[2], h12 = flag == 1 ? 1 : p.of[3],
                 h22 = flag == 0 ? 1 : p.of[4];
    one.hold(access, n, true);
    other.hold(access, n, true);
    for (int64_t i = 0; i < n; ++i) {
      const Number u = one.get(n, i), v = other.get(n, i);
      one.set(n, i, h11 * u + h12 * v);
      other.set(n, i, h21 * u + h22 * v);
    }
  });
}

void cublasRotmgEx(cublasHandle_t handle, void* d1, cudaDataType d1Type, void* d2, cudaDataType d2Type,
                   void* x1, cudaDataType x1Type, const void* y1, cudaDataType y1Type, void* param,
                   cudaDataType paramType, cudaDataType executiontype) {
  const Call call(handle);
  known(executiontype);
  for (const cudaDataType type : {d1Type, d2Type, x1Type, y1Type, paramType}) known_real(type);
  require(d1 != nullptr && d2 != nullptr && x1 != nullptr && y1 != nullptr && param != nullptr,
          "d1, d2, x1, y1 or param is NULL");
  at_once_or_in_stream(call, "RotmgEx", [=](Access* access) {
    double first = get_from(access, d1, d1Type).real(), second = get_from(access, d2, d2Type).real(),
           x = get_from(access, x1, x1Type).real();
    const double y = get_from(access, y1, y1Type).real();
    // What the flag leaves out is not written.
    double p[parameter_count];
    if (access != nullptr) access->write_bytes(param, parameter_count, bytes_of(paramType));
    for (int i = 0; i < parameter_count; ++i) p[i] = load(paramType, parameter(param, paramType, i)).real();
    fortran::rotmg<double>(&first, &second, &x, y, static_cast<double*>(p));
    put_to(access, d1, d1Type, first);
    put_to(access, d2, d2Type, second);
    put_to(access, x1, x1Type, x);
    for (int i = 0; i < parameter_count; ++i)
      store(paramType, const_cast<void*>(parameter(param, paramType, i)), p[i]);
  });
}

template <class Index>
void cublasIamaxEx(cublasHandle_t handle, int64_t n, const void* x, cudaDataType xType, int64_t incx,
                   Index* result) {
  extreme<true>(handle, n, x, xType, incx, result);
}
template <class Index>
void cublasIaminEx(cublasHandle_t handle, int64_t n, const void* x, cudaDataType xType, int64_t incx,
                   Index* result) {
  extreme<false>(handle, n, x, xType, incx, result);
}

}  // namespace heddle::cublas

#include "libs/cublas/mixed_vectors.gen.h"
