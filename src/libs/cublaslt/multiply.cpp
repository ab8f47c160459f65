// The product itself, and what is done to each element of it before it is stored.
#include <algorithm>
#include <cmath>
#include <vector>

#include "libs/common/parallel.h"
#include "libs/cublaslt/matmul.h"

namespace heddle::cublaslt {
namespace {

using cublas::AnyGemm;
using cublas::bytes_of;
using cublas::from_float;
using cublas::to_float;

bool is_zero(const AnyScalar& value) { return value.real == 0 && value.imaginary == 0; }

float scale_at(Access& access, const void* pointer) {
  return pointer == nullptr ? 1.0F : *access.read(static_cast<const float*>(pointer), 1);
}

// gelu(x) = x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))), as the library documents it.
constexpr float root = 0.7978845608028654F, cubic = 0.044715F;
float gelu(float x) { return 0.5F * x * (1 + std::tanh(root * (x + cubic * x * x * x))); }
float gelu_derivative(float x) {
  const float t = std::tanh(root * (x + cubic * x * x * x));
  return 0.5F * (1 + t) + 0.5F * x * (1 - t * t) * root * (1 + 3 * cubic * x * x);
}

// One of the batch, whose matrices begin at `at`.
class Product {
 public:
  Product(Access& access, const Problem& problem, const Scales& scales, const Pointers& at, int64_t index)
      : access_(access),
        p_(problem),
        s_(problem.shape),
        op_(problem.operation),
        a_(at.a),
        b_(at.b),
        c_(at.c),
        d_(at.d) {
    alpha_ = scales.alpha;
    beta_ = scales.beta;
    const int64_t rows = static_cast<int64_t>(p_.d.rows);
    if (scales.alpha_vector)
      row_alpha_ =
          vector_of(moved(scales.device_alpha, index * op_.alpha_stride, op_.scale), op_.scale, rows);
    if (scales.beta_vector)
      row_beta_ = vector_of(moved(scales.device_beta, index * op_.alpha_stride, op_.scale), op_.scale, rows);
    bias_type_ = op_.bias_type != -1 ? static_cast<cudaDataType>(op_.bias_type) : usual_bias_type();
    aux_type_ = op_.aux_type == -1 ? p_.stored_d.layout.type : static_cast<cudaDataType>(op_.aux_type);
    bias_ = op_.bias == nullptr ? nullptr : moved(op_.bias, index * op_.bias_stride, bias_type_);
    if (op_.aux != nullptr)
      aux_ = is_mask() ? static_cast<std::byte*>(op_.aux) + index * op_.aux_stride / 8
                       : moved(op_.aux, index * op_.aux_stride, aux_type_);
  }

  void run() {
    const bool product = (!is_zero(alpha_) || !row_alpha_.empty()) && s_.k > 0;
    const bool added = !is_zero(beta_) || !row_beta_.empty();
    if (product || p_.has(bias_gradient_a)) a_ = operand(p_.stored_a, p_.a, a_, room_a_);
    if (product || p_.has(bias_gradient_b)) b_ = operand(p_.stored_b, p_.b, b_, room_b_);
    if (added) c_ = operand(p_.stored_c, p_.c, c_, room_c_);
    void* const stored = d_;
    if (p_.stored_d.apart())
      d_ = room_for(p_.d, room_d_);
    else
      access_.write_bytes(d_, Access::extent(s_.m, s_.n, s_.ldc), bytes_of(p_.d.type));
    compute(product, added);
    if (p_.stored_d.apart()) scatter(access_, p_.stored_d, d_, stored);
  }

 private:
  static void* room_for(const Layout& layout, std::vector<std::byte>& room) {
    room.resize(static_cast<std::size_t>(extent(layout)) * bytes_of(layout.type));
    return room.data();
  }
  // Where it lies, once it is known to be there, or gathered.
  const void* operand(const Stored& stored, const Layout& layout, const void* at,
                      std::vector<std::byte>& room) {
    if (!stored.apart())
      return access_.read_bytes(at, static_cast<uint64_t>(extent(layout)), bytes_of(layout.type));
    void* const to = room_for(layout, room);
    gather(access_, stored, at, to);
    return to;
  }

  void compute(bool product, bool added) {
    const void* left = p_.swapped ? b_ : a_;
    const void* right = p_.swapped ? a_ : b_;
    const Layout& left_layout = p_.swapped ? p_.b : p_.a;
    const Layout& right_layout = p_.swapped ? p_.a : p_.b;
    AnyGemm gemm{s_, left_layout.type, right_layout.type, p_.d.type, p_.sums};
    if (is_plain()) {
      if (added && (c_ != d_ || p_.c.ld != p_.d.ld)) copy_c();
      cublas::gemm_any(gemm, alpha_, left, right, beta_, d_);
      return;
    }
    // Sums of bytes come in double, which holds them exactly; all else in float.
    const bool whole = p_.sums == CUDA_R_32I;
    gemm.c_type = whole ? CUDA_R_64F : CUDA_R_32F;
    gemm.shape.ldc = s_.m;
    const auto all = static_cast<std::size_t>(s_.m * s_.n);
    if (whole) exact_.resize(all);
    sums_.resize(whole ? 0 : all);
    // Those of blocks are in the numbers already.
    operands_scale_ = (op_.a_mode == 0 ? scale_at(access_, op_.a_scale) : 1.0F) *
                      (op_.b_mode == 0 ? scale_at(access_, op_.b_scale) : 1.0F);
    const AnyScalar by{!product             ? 0.0
                       : row_alpha_.empty() ? alpha_.real * static_cast<double>(operands_scale_)
                                            : 1.0,
                       0};
    cublas::gemm_any(gemm, by, left, right, {}, whole ? static_cast<void*>(exact_.data()) : sums_.data());
    finish(added);
    if (p_.has(bias_gradient_a | bias_gradient_b)) sum_operand();
  }

  // As documented: that of D, and of narrow ones that of C, or bfloat16.
  cudaDataType usual_bias_type() const {
    const cudaDataType a = p_.stored_a.layout.type, c = p_.stored_c.layout.type, d = p_.stored_d.layout.type;
    if (d == CUDA_R_8I) return CUDA_R_32F;
    if (is_narrow(d)) return c == CUDA_R_32F ? CUDA_R_16BF : c;
    return is_narrow(a) && d == CUDA_R_32F ? CUDA_R_16BF : d;
  }
  bool is_mask() const { return p_.has(with_relu | derivative_relu); }
  bool is_plain() const {
    return op_.epilogue == CUBLASLT_EPILOGUE_DEFAULT && p_.c.type == p_.d.type && row_alpha_.empty() &&
           row_beta_.empty() && op_.a_scale == nullptr && op_.b_scale == nullptr && op_.c_scale == nullptr &&
           op_.d_scale == nullptr && op_.d_amax == nullptr;
  }
  std::vector<float> vector_of(const void* from, cudaDataType type, int64_t count) {
    std::vector<float> to(static_cast<std::size_t>(count));
    to_float(type, access_.read_bytes(from, static_cast<uint64_t>(count), bytes_of(type)), to.data(), count);
    return to;
  }
  void copy_c() {
    const auto bytes = static_cast<std::size_t>(s_.m) * bytes_of(p_.d.type);
    for (int64_t j = 0; j < s_.n; ++j)
      std::memmove(moved(d_, j * p_.d.ld, p_.d.type), moved(c_, j * p_.c.ld, p_.c.type), bytes);
  }

  struct Partial {
    float greatest = 0, aux_greatest = 0;
    std::vector<double> gradient;
  };

  // Lines (columns of the shape) in pieces of a fixed length, so that sums over them do not depend on the
  // threads.
  void finish(bool added) {
    const int64_t rows = static_cast<int64_t>(p_.d.rows);
    const bool writes_gradient = p_.has(bias_gradient), reads_aux = p_.has(derivative_relu | derivative_gelu);
    if (p_.has(with_bias)) row_bias_ = vector_of(bias_, bias_type_, rows);
    if (p_.has(with_aux)) {
      const uint64_t bits = Access::extent(s_.m, s_.n, op_.aux_ld),
                     bytes = is_mask() ? (bits + 7) / 8 : bits * bytes_of(aux_type_);
      if (reads_aux)
        access_.read_bytes(aux_, bytes, 1);
      else
        access_.write_bytes(aux_, bytes, 1);
    }
    c_scale_ = scale_at(access_, op_.c_scale);
    d_scale_ = scale_at(access_, op_.d_scale);
    aux_scale_ = scale_at(access_, op_.aux_scale);
    constexpr int64_t lines = 32;
    const int64_t pieces = (s_.n + lines - 1) / lines;
    std::vector<Partial> partial(static_cast<std::size_t>(pieces));
    libs::parallel(pieces, [&](int64_t piece) {
      Partial& own = partial[static_cast<std::size_t>(piece)];
      if (writes_gradient) own.gradient.resize(static_cast<std::size_t>(rows));
      std::vector<float> line(static_cast<std::size_t>(s_.m)), other(static_cast<std::size_t>(s_.m));
      for (int64_t j = piece * lines; j < std::min(s_.n, (piece + 1) * lines); ++j)
        finish_line(j, added, line, other, own);
    });
    float greatest = 0, aux_greatest = 0;
    std::vector<double> gradient(writes_gradient ? static_cast<std::size_t>(rows) : 0);
    for (const Partial& one : partial) {
      greatest = std::max(greatest, one.greatest);
      aux_greatest = std::max(aux_greatest, one.aux_greatest);
      for (std::size_t i = 0; i < gradient.size(); ++i) gradient[i] += one.gradient[i];
    }
    if (op_.d_amax != nullptr) *access_.write(static_cast<float*>(op_.d_amax), 1) = greatest;
    if (op_.aux_amax != nullptr) *access_.write(static_cast<float*>(op_.aux_amax), 1) = aux_greatest;
    if (writes_gradient) store_bias(gradient);
  }

  void finish_line(int64_t j, bool added, std::vector<float>& line, std::vector<float>& other, Partial& own) {
    const auto at = static_cast<std::size_t>(j * s_.m);
    for (int64_t i = 0; i < s_.m; ++i)
      line[static_cast<std::size_t>(i)] = exact_.empty()
                                              ? sums_[at + static_cast<std::size_t>(i)]
                                              : static_cast<float>(exact_[at + static_cast<std::size_t>(i)]);
    // A row of D is an element of each line, or a line: `row(i)`.
    const auto row = [&](std::size_t i) { return p_.swapped ? static_cast<std::size_t>(j) : i; };
    const std::size_t count = line.size();
    if (!row_alpha_.empty()) {
      for (std::size_t i = 0; i < count; ++i) line[i] *= row_alpha_[row(i)] * operands_scale_;
    }
    if (added) {
      to_float(p_.c.type, moved(c_, j * p_.c.ld, p_.c.type), other.data(), s_.m);
      const auto beta = static_cast<float>(beta_.real);
      for (std::size_t i = 0; i < count; ++i)
        line[i] += (row_beta_.empty() ? beta : row_beta_[row(i)]) * c_scale_ * other[i];
    }
    if (!row_bias_.empty())
      for (std::size_t i = 0; i < count; ++i) line[i] += row_bias_[row(i)];
    activate(j, line, other, own);
    if (!own.gradient.empty())
      for (std::size_t i = 0; i < count; ++i) own.gradient[row(i)] += static_cast<double>(line[i]);
    for (float& x : line) {
      own.greatest = std::max(own.greatest, std::abs(x));
      x *= d_scale_;
    }
    from_float(p_.d.type, line.data(), moved(d_, j * p_.d.ld, p_.d.type), s_.m);
  }

  void activate(int64_t j, std::vector<float>& line, std::vector<float>& other, Partial& own) {
    const std::size_t count = line.size();
    if (p_.has(with_relu)) {
      for (std::size_t i = 0; i < count; ++i) {
        if (p_.has(with_aux)) set_bit(j, i, line[i] > 0);
        line[i] = std::max(line[i], 0.0F);
      }
    } else if (p_.has(derivative_relu)) {
      for (std::size_t i = 0; i < count; ++i)
        if (!bit(j, i)) line[i] = 0;
    } else if (p_.has(with_gelu)) {
      if (p_.has(with_aux)) {
        for (std::size_t i = 0; i < count; ++i) {
          own.aux_greatest = std::max(own.aux_greatest, std::abs(line[i]));
          other[i] = line[i] * aux_scale_;
        }
        from_float(aux_type_, other.data(), moved(aux_, j * op_.aux_ld, aux_type_), s_.m);
      }
      for (float& x : line) x = gelu(x);
    } else if (p_.has(derivative_gelu)) {
      to_float(aux_type_, moved(static_cast<const void*>(aux_), j * op_.aux_ld, aux_type_), other.data(),
               s_.m);
      for (std::size_t i = 0; i < count; ++i) line[i] *= gelu_derivative(other[i] * aux_scale_);
    }
  }
  // One bit for each element, lines of aux_ld bits, which is a multiple of 128.
  std::byte& byte_of(int64_t j, std::size_t i) const {
    return static_cast<std::byte*>(aux_)[(j * op_.aux_ld + static_cast<int64_t>(i)) / 8];
  }
  bool bit(int64_t j, std::size_t i) const {
    return (byte_of(j, i) >> (i % 8) & std::byte{1}) != std::byte{0};
  }
  void set_bit(int64_t j, std::size_t i, bool on) const {
    std::byte& byte = byte_of(j, i);
    const std::byte mask = std::byte{1} << (i % 8);
    byte = on ? byte | mask : byte & ~mask;
  }

  void store_bias(const std::vector<double>& values) {
    std::vector<float> rounded(values.begin(), values.end());
    void* const to = access_.write_bytes(bias_, rounded.size(), bytes_of(bias_type_));
    from_float(bias_type_, rounded.data(), to, static_cast<int64_t>(rounded.size()));
  }
  // The gradient of a bias that an operand was made with: op(A)'s rows, or op(B)'s columns, summed.
  void sum_operand() {
    const bool of_a = p_.has(bias_gradient_a);
    const Layout& layout = of_a ? p_.a : p_.b;
    const bool turned = (of_a ? op_.transa : op_.transb) != CUBLAS_OP_N;
    const int64_t rows = static_cast<int64_t>(layout.rows), columns = static_cast<int64_t>(layout.columns);
    const bool by_rows = layout.order == CUBLASLT_ORDER_ROW;
    const int64_t length = by_rows ? columns : rows, number = by_rows ? rows : columns;
    // Over columns of the stored matrix (each row has a sum), or over rows.
    const bool row_sums = of_a != turned;
    std::vector<double> sums(static_cast<std::size_t>(row_sums ? rows : columns));
    std::vector<float> line(static_cast<std::size_t>(length));
    const void* const from = of_a ? a_ : b_;
    for (int64_t j = 0; j < number; ++j) {
      to_float(layout.type, moved(from, j * layout.ld, layout.type), line.data(), length);
      for (int64_t i = 0; i < length; ++i)
        sums[static_cast<std::size_t>(row_sums == by_rows ? j : i)] +=
            static_cast<double>(line[static_cast<std::size_t>(i)]);
    }
    store_bias(sums);
  }

  Access& access_;
  const Problem& p_;
  const cublas::Shape& s_;
  const Operation& op_;
  const void *a_, *b_, *c_;
  void* d_;
  AnyScalar alpha_, beta_;
  std::vector<float> row_alpha_, row_beta_, row_bias_, sums_;
  std::vector<double> exact_;
  std::vector<std::byte> room_a_, room_b_, room_c_, room_d_;
  cudaDataType bias_type_, aux_type_;
  void* bias_ = nullptr;
  void* aux_ = nullptr;
  float operands_scale_ = 1, c_scale_ = 1, d_scale_ = 1, aux_scale_ = 1;
};

// Where matrices of a batch begin: an array in device memory says, or they lie a stride apart.
class Begins {
 public:
  Begins(Access& access, const Stored& stored, const void* first, int64_t count)
      : layout_(stored.layout), first_(first) {
    if (first != nullptr && layout_.batch_mode == CUBLASLT_BATCH_MODE_POINTER_ARRAY)
      each_ = access.read(static_cast<const void* const*>(first), static_cast<uint64_t>(count));
  }
  const void* operator[](int64_t i) const {
    if (first_ == nullptr) return nullptr;
    return each_ != nullptr ? each_[i] : moved_in(layout_, first_, i * layout_.stride);
  }

 private:
  const Layout& layout_;
  const void* const first_;
  const void* const* each_ = nullptr;
};

}  // namespace

void multiply(Access& access, const Problem& problem, const Scales& given, const Pointers& pointers) {
  if (problem.shape.empty()) return;
  Scales scales = given;
  const cudaDataType type = problem.operation.scale;
  const auto one = [&](const void* pointer) {
    return cublas::any_scalar(access.read_bytes(pointer, 1, bytes_of(type)), type);
  };
  if (scales.device_alpha != nullptr && !scales.alpha_vector) scales.alpha = one(scales.device_alpha);
  if (scales.device_beta != nullptr && !scales.beta_vector) scales.beta = one(scales.device_beta);
  const Begins as(access, problem.stored_a, pointers.a, problem.batch),
      bs(access, problem.stored_b, pointers.b, problem.batch),
      cs(access, problem.stored_c, pointers.c, problem.batch),
      ds(access, problem.stored_d, pointers.d, problem.batch);
  for (int64_t i = 0; i < problem.batch; ++i)
    Product(access, problem, scales, {as[i], bs[i], cs[i], const_cast<void*>(ds[i])}, i).run();
}

}  // namespace heddle::cublaslt
