#include "libs/cufftw/plan.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <vector>

#include "libs/common/handles.h"
#include "libs/common/runtime.h"
#include "libs/common/stream.h"
#include "libs/fft/build.h"

namespace heddle::cufftw {
namespace {

constexpr int64_t longest_dimension = int64_t{1} << 30;
constexpr int64_t largest_prime = int64_t{1} << 26;

// In bytes, of one side.
uint64_t extent(const fft::Request& request, bool input) {
  const bool half = request.kind == (input ? fft::Kind::complex_to_real : fft::Kind::real_to_complex);
  const bool real = request.kind == (input ? fft::Kind::real_to_complex : fft::Kind::complex_to_real);
  const auto sizes = half ? fft::complex_lengths(request.lengths) : request.lengths;
  const fft::Layout& layout = input ? request.in : request.out;
  int64_t last = (request.batch - 1) * layout.distance;
  for (std::size_t d = 0; d < sizes.size(); ++d) last += (sizes[d] - 1) * layout.strides[d];
  return static_cast<uint64_t>(last + 1) * (request.number == fft::Number::f64 ? 8 : 4) * (real ? 1 : 2);
}

// Memory of the host that CUDA does not know is the program's own business.
bool of_the_host(const void* pointer) {
  cudaPointerAttributes about{};
  return HEDDLE_RUNTIME(cudaPointerGetAttributes)(&about, pointer) != cudaSuccess ||
         about.type == cudaMemoryTypeUnregistered;
}

}  // namespace

fftw_plan make(fft::Kind kind, fft::Number number, const Dimension* dims, int rank, const Dimension* batches,
               int batch_rank, const void* in, void* out, int sign) {
  if (rank < 1 || rank > 3 || dims == nullptr || in == nullptr || out == nullptr) return nullptr;
  if (batch_rank < 0 || batch_rank > 1 || (batch_rank == 1 && batches == nullptr)) return nullptr;
  if (kind == fft::Kind::complex && sign != FFTW_FORWARD && sign != FFTW_BACKWARD) return nullptr;
  auto plan = std::make_shared<Plan>();
  fft::Request& request = plan->request;
  request.kind = kind;
  request.number = number;
  request.batch = batch_rank == 1 ? batches->n : 1;
  request.in.distance = batch_rank == 1 ? batches->is : 0;
  request.out.distance = batch_rank == 1 ? batches->os : 0;
  if (request.batch < 1 || request.in.distance < 0 || request.out.distance < 0) return nullptr;
  for (int d = 0; d < rank; ++d) {
    if (dims[d].n < 1 || dims[d].n > longest_dimension || dims[d].is < 0 || dims[d].os < 0) return nullptr;
    if (fft::largest_prime(dims[d].n) > largest_prime) return nullptr;
    request.lengths.push_back(dims[d].n);
    request.in.strides.push_back(dims[d].is);
    request.out.strides.push_back(dims[d].os);
  }
  plan->inverse = kind == fft::Kind::complex_to_real || (kind == fft::Kind::complex && sign == FFTW_BACKWARD);
  plan->in = in;
  plan->out = out;
  plan->transform = fft::make_plan(request);
  return libs::Handles<Plan>::all().add<fftw_plan>(std::move(plan));
}

fftw_plan make_many(fft::Kind kind, fft::Number number, int rank, const int* n, int batch, const void* in,
                    const int* inembed, int istride, int idist, void* out, const int* onembed, int ostride,
                    int odist, int sign) {
  if (rank < 1 || rank > 3 || n == nullptr) return nullptr;
  for (int d = 0; d < rank; ++d) {
    if (n[d] < 1) return nullptr;
  }
  // FFTW: without an embedding, the array's own lengths, of reals padded in place.
  const std::vector<int64_t> lengths(n, n + rank);
  const auto sizes = [&](bool input, const int* embed) {
    if (embed != nullptr) return std::vector<int64_t>(embed, embed + rank);
    const bool half = kind == (input ? fft::Kind::complex_to_real : fft::Kind::real_to_complex);
    const bool real = kind == (input ? fft::Kind::real_to_complex : fft::Kind::complex_to_real);
    auto own = half ? fft::complex_lengths(lengths) : lengths;
    if (real && in == out) own.back() = 2 * (own.back() / 2 + 1);
    return own;
  };
  const auto is = sizes(true, inembed), os = sizes(false, onembed);
  std::vector<Dimension> dims(static_cast<std::size_t>(rank));
  int64_t i = istride, o = ostride;
  for (std::size_t d = dims.size(); d-- > 0;) {
    dims[d] = {lengths[d], i, o};
    if (__builtin_mul_overflow(i, is[d], &i) || __builtin_mul_overflow(o, os[d], &o)) return nullptr;
  }
  const Dimension batches{batch, idist, odist};
  return make(kind, number, dims.data(), rank, &batches, 1, in, out, sign);
}

fftw_plan make_dense(fft::Kind kind, fft::Number number, int rank, const int* n, const void* in, void* out,
                     int sign) {
  return make_many(kind, number, rank, n, 1, in, nullptr, 1, 0, out, nullptr, 1, 0, sign);
}

const Plan* find(fftw_plan plan) { return libs::Handles<Plan>::all().find(plan).get(); }

void destroy(fftw_plan plan) { libs::Handles<Plan>::all().remove(plan); }

void execute(fftw_plan handle, const void* in, void* out) {
  const auto plan = libs::Handles<Plan>::all().find(handle);
  if (plan == nullptr || in == nullptr || out == nullptr) return;
  const bool host_in = of_the_host(in), host_out = of_the_host(out);
  libs::Target(nullptr).submit_and_wait("fftw_execute", [=](libs::Access& access) {
    if (!host_in) access.read_bytes(in, extent(plan->request, true), 1);
    if (!host_out) access.write_bytes(out, extent(plan->request, false), 1);
    plan->transform->execute(in, out, plan->inverse);
  });
}

}  // namespace heddle::cufftw
