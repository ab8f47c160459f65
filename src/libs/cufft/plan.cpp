#include "libs/cufft/plan.h"

#include <algorithm>
#include <map>
#include <shared_mutex>
#include <string>

#include "libs/common/call.h"
#include "libs/common/stream.h"
#include "libs/fft/build.h"

namespace heddle::cufft {
namespace {

// What one transform in host memory can do: roots of a longer dimension would fill it.
constexpr int64_t longest_dimension = int64_t{1} << 30;
constexpr int64_t largest_prime = int64_t{1} << 26;

struct Table {
  std::shared_mutex mutex;
  std::map<cufftHandle, std::shared_ptr<Plan>> plans;
  cufftHandle next = 1;
};

Table& table() {
  static auto* const made = new Table;  // for the process's whole life
  return *made;
}

void check_size(bool good, const std::string& words) {
  if (!good) libs::refuse_code(CUFFT_INVALID_SIZE, words);
}

int64_t checked_product(int64_t a, int64_t b) {
  int64_t product = 0;
  check_size(!__builtin_mul_overflow(a, b, &product) && product < int64_t{1} << 48,
             "more than 2^48 elements");
  return product;
}

fft::Layout embedded(const std::vector<int64_t>& embed, int64_t stride, int64_t distance) {
  fft::Layout layout;
  layout.strides.assign(embed.size(), stride);
  for (std::size_t d = embed.size() - 1; d-- > 0;) {
    layout.strides[d] = checked_product(layout.strides[d + 1], embed[d + 1]);
  }
  layout.distance = distance;
  return layout;
}

bool is_dense(const fft::Layout& layout, const Description& of) {
  const fft::Layout dense = fft::dense(of.lengths, fft::Kind::complex, true, false);
  return layout.strides == dense.strides && (of.batch == 1 || layout.distance == dense.distance);
}

void check_lengths(Description& wanted) {
  int64_t all = wanted.batch;
  check_size(wanted.batch >= 1, "batch is " + std::to_string(wanted.batch) + ", must be at least 1");
  for (const int64_t n : wanted.lengths) {
    check_size(n >= 1, "a dimension is " + std::to_string(n) + ", must be at least 1");
    check_size(n <= longest_dimension, "a dimension is " + std::to_string(n) + ", the limit is 2^30");
    check_size(fft::largest_prime(n) <= largest_prime,
               "a dimension is " + std::to_string(n) + ", with a prime factor above 2^26");
    all = checked_product(all, n);
  }
}

int bytes_of(fft::Number number) {
  return number == fft::Number::f64 ? 8 : number == fft::Number::f32 ? 4 : 2;
}

struct TypeMeaning {
  fft::Kind kind;
  fft::Number number;
};
TypeMeaning meaning(cufftType type) {
  using fft::Kind;
  using fft::Number;
  switch (type) {
    case CUFFT_C2C: return {Kind::complex, Number::f32};
    case CUFFT_R2C: return {Kind::real_to_complex, Number::f32};
    case CUFFT_C2R: return {Kind::complex_to_real, Number::f32};
    case CUFFT_Z2Z: return {Kind::complex, Number::f64};
    case CUFFT_D2Z: return {Kind::real_to_complex, Number::f64};
    case CUFFT_Z2D: return {Kind::complex_to_real, Number::f64};
  }
  libs::refuse_code(CUFFT_INVALID_TYPE, "type is " + std::to_string(static_cast<int>(type)));
}

struct XtType {
  fft::Number number;
  bool complex;
};
std::optional<XtType> xt_type(cudaDataType type) {
  using fft::Number;
  switch (type) {
    case CUDA_R_16F: return XtType{Number::f16, false};
    case CUDA_C_16F: return XtType{Number::f16, true};
    case CUDA_R_16BF: return XtType{Number::bf16, false};
    case CUDA_C_16BF: return XtType{Number::bf16, true};
    case CUDA_R_32F: return XtType{Number::f32, false};
    case CUDA_C_32F: return XtType{Number::f32, true};
    case CUDA_R_64F: return XtType{Number::f64, false};
    case CUDA_C_64F: return XtType{Number::f64, true};
    default: return std::nullopt;
  }
}

template <class Int>
void fill(Description& wanted, int rank, const Int* n, const Int* inembed, int64_t istride, int64_t idist,
          const Int* onembed, int64_t ostride, int64_t odist, int64_t batch) {
  libs::require(rank >= 1 && rank <= 3, "rank must be 1, 2 or 3");
  if (n == nullptr) libs::refuse_null("n");
  wanted.lengths.assign(n, n + rank);
  wanted.batch = batch;
  check_lengths(wanted);
  // Without embeddings neither strides nor distances count (cuFFT Library, "Advanced Data Layout"). An H200
  // refuses one alone.
  libs::require((inembed == nullptr) == (onembed == nullptr), "one of inembed and onembed is NULL");
  if (inembed == nullptr) return;
  std::vector<int64_t> in(inembed, inembed + rank), out(onembed, onembed + rank);
  for (std::size_t d = 1; d < in.size(); ++d) {
    check_size(in[d] >= 1 && out[d] >= 1, "an embedding is below 1");
  }
  libs::require(istride >= 1 && ostride >= 1, "a stride is below 1");
  const int64_t least = batch > 1 ? 1 : 0;
  libs::require(idist >= least && odist >= least, "a distance is below 1");
  wanted.layouts.emplace();
  (*wanted.layouts)[0] = embedded(in, istride, idist);
  (*wanted.layouts)[1] = embedded(out, ostride, odist);
  // Dense arrays of complex numbers may be spelled out, too.
  if (wanted.kind == fft::Kind::complex && is_dense((*wanted.layouts)[0], wanted) &&
      is_dense((*wanted.layouts)[1], wanted))
    wanted.layouts.reset();
  // Everything that is reached has an address.
  static_cast<void>(wanted.extent(true, false));
  static_cast<void>(wanted.extent(false, false));
}

}  // namespace

fft::Layout Description::layout(bool input, bool in_place) const {
  if (layouts) return (*layouts)[input ? 0 : 1];
  return fft::dense(lengths, kind, input, in_place);
}

bool Description::is_complex(bool input) const {
  return kind != (input ? fft::Kind::real_to_complex : fft::Kind::complex_to_real);
}

int64_t Description::element(bool input) const { return bytes_of(number) * (is_complex(input) ? 2 : 1); }

std::vector<int64_t> Description::sizes(bool input) const {
  const bool half = kind == (input ? fft::Kind::complex_to_real : fft::Kind::real_to_complex);
  return half ? fft::complex_lengths(lengths) : lengths;
}

uint64_t Description::extent(bool input, bool in_place) const {
  const auto count = sizes(input);
  const fft::Layout where = layout(input, in_place);
  int64_t last = checked_product(batch - 1, where.distance);
  for (std::size_t d = 0; d < count.size(); ++d) last += checked_product(count[d] - 1, where.strides[d]);
  return static_cast<uint64_t>((last + 1) * element(input));
}

uint64_t Description::work_bytes() const {
  int64_t all = batch;
  for (const int64_t n : lengths) all *= n;
  return static_cast<uint64_t>(all * 2 * bytes_of(number));
}

void Plan::make(Description wanted) {
  const std::lock_guard lock(mutex);
  if (made) libs::refuse_code(CUFFT_INVALID_PLAN, "the plan has been made already");
  description = std::move(wanted);
  out_of_place_ = in_place_ = nullptr;
  work_bytes = description.work_bytes();
  for (Side* side : {&input, &output}) link(*side);
  made = true;
}

void Plan::link(Side& side) {
  if (side.awaited == nullptr) return;
  const Awaited& wanted = *side.awaited;
  const CallbackType type = wanted.type;
  if (type.number != description.number || type.complex != description.is_complex(type.load))
    libs::refuse_code(CUFFT_INVALID_TYPE, "a callback is for elements of another type than the plan's");
  if (devices.size() > 1) libs::refuse(libs::Why::not_supported, "a callback of a plan of several devices");
  side.callback = std::make_shared<const Callback>(type, wanted.program, wanted.info, bytes(type.load));
}

uint64_t Plan::bytes(bool input) const {
  return std::max(description.extent(input, false), description.extent(input, true));
}

std::shared_ptr<const fft::Plan> Plan::transform(bool in_place) {
  const std::lock_guard lock(mutex);
  const bool other = in_place && description.kind != fft::Kind::complex && !description.layouts;
  auto& found = other ? in_place_ : out_of_place_;
  if (found == nullptr) {
    fft::Request request{description.kind,
                         description.number,
                         description.lengths,
                         description.batch,
                         description.layout(true, other),
                         description.layout(false, other)};
    found = fft::make_plan(request);
  }
  return found;
}

cufftHandle add_plan() {
  Table& all = table();
  const std::lock_guard lock(all.mutex);
  const cufftHandle handle = all.next++;
  all.plans[handle] = std::make_shared<Plan>();
  return handle;
}

bool remove_plan(cufftHandle handle) {
  Table& all = table();
  const std::lock_guard lock(all.mutex);
  return all.plans.erase(handle) == 1;
}

std::shared_ptr<Plan> find_plan(cufftHandle handle) {
  Table& all = table();
  const std::shared_lock lock(all.mutex);
  const auto found = all.plans.find(handle);
  if (found == all.plans.end()) libs::refuse_code(CUFFT_INVALID_PLAN, "no plan has this handle");
  return found->second;
}

template <class Int>
Description describe(int rank, const Int* n, const Int* inembed, int64_t istride, int64_t idist,
                     const Int* onembed, int64_t ostride, int64_t odist, cufftType type, int64_t batch) {
  Description wanted;
  const TypeMeaning what = meaning(type);
  wanted.kind = what.kind;
  wanted.number = what.number;
  fill(wanted, rank, n, inembed, istride, idist, onembed, ostride, odist, batch);
  return wanted;
}
template Description describe(int, const int*, const int*, int64_t, int64_t, const int*, int64_t, int64_t,
                              cufftType, int64_t);
template Description describe(int, const long long*, const long long*, int64_t, int64_t, const long long*,
                              int64_t, int64_t, cufftType, int64_t);

Description describe_xt(int rank, const long long* n, const long long* inembed, int64_t istride,
                        int64_t idist, cudaDataType inputtype, const long long* onembed, int64_t ostride,
                        int64_t odist, cudaDataType outputtype, int64_t batch, cudaDataType executiontype) {
  const auto in = xt_type(inputtype), out = xt_type(outputtype), inside = xt_type(executiontype);
  if (!in || !out || !inside) libs::refuse_code(CUFFT_INVALID_TYPE, "a data type that cuFFT does not have");
  if (in->number != out->number || in->number != inside->number || (!in->complex && !out->complex))
    libs::refuse_code(CUFFT_INVALID_TYPE, "input, output and execution types do not go together");
  Description wanted;
  wanted.number = in->number;
  wanted.kind = !in->complex    ? fft::Kind::real_to_complex
                : !out->complex ? fft::Kind::complex_to_real
                                : fft::Kind::complex;
  fill(wanted, rank, n, inembed, istride, idist, onembed, ostride, odist, batch);
  if (wanted.number == fft::Number::f16 || wanted.number == fft::Number::bf16) {
    // cuFFT Library, "Half-precision cuFFT Transforms".
    for (const int64_t length : wanted.lengths)
      check_size((length & (length - 1)) == 0, "lengths of 16-bit types must be powers of 2");
  }
  return wanted;
}

void execute(const char* name, cufftHandle handle, const void* in, void* out, int direction,
             std::optional<cufftType> type) {
  const auto plan = find_plan(handle);
  cudaStream_t stream;
  Description description;
  Plan::Side input, output;
  {
    const std::lock_guard lock(plan->mutex);
    if (!plan->made) libs::refuse_code(CUFFT_INVALID_PLAN, "the plan has not been made");
    if (plan->devices.size() > 1) libs::refuse_code(CUFFT_INVALID_PLAN, "the plan is one of several devices");
    stream = plan->stream;
    description = plan->description;
    input = plan->input;
    output = plan->output;
    if (!plan->automatic && !plan->work_area_set && plan->work_bytes > 0)
      libs::refuse_code(CUFFT_NO_WORKSPACE, "automatic allocation is off and no work area has been set");
  }
  if (type) {
    const TypeMeaning what = meaning(*type);
    if (what.kind != description.kind || what.number != description.number)
      libs::refuse_code(CUFFT_INVALID_TYPE, "the plan is one of another type");
  }
  if (in == nullptr) libs::refuse_null("idata");
  if (out == nullptr) libs::refuse(libs::Why::execution_failed, "odata is NULL");
  bool inverse = description.kind == fft::Kind::complex_to_real;
  if (description.kind == fft::Kind::complex) {
    libs::require(direction == CUFFT_FORWARD || direction == CUFFT_INVERSE, "direction must be -1 or 1");
    inverse = direction == CUFFT_INVERSE;
  }
  const bool in_place = in == out;
  const auto transform = plan->transform(in_place);
  const uint64_t read = description.extent(true, in_place), written = description.extent(false, in_place);
  const auto elements = [&](bool of_input) {
    return Elements{description.sizes(of_input), description.batch, description.layout(of_input, in_place)};
  };
  const void* from = in;
  void* to = out;
  if (input.callback != nullptr) {
    input.callback->run(stream, elements(true), const_cast<void*>(in), input.shared_bytes);
    from = input.callback->memory();
  }
  if (output.callback != nullptr) to = output.callback->memory();
  libs::Target(stream).submit(name, [=](libs::Access& access) {
    transform->execute(access.read_bytes(from, read, 1), access.write_bytes(to, written, 1), inverse);
  });
  if (output.callback != nullptr) output.callback->run(stream, elements(false), out, output.shared_bytes);
}

}  // namespace heddle::cufft
