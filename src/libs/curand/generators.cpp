#include "libs/common/runtime.h"
#include "libs/curand/functions.gen.h"
#include "libs/curand/generator.h"

namespace heddle::curand {

std::shared_ptr<Generator> find(curandGenerator_t handle) {
  auto generator = libs::Handles<Generator>::all().find(handle);
  if (generator == nullptr) libs::refuse(libs::Why::not_initialized, "no such generator");
  return generator;
}

namespace {

void create(curandGenerator_t* out, curandRngType_t type, bool host) {
  if (out == nullptr) libs::refuse_code(CURAND_STATUS_NOT_INITIALIZED, "generator is NULL");
  auto generator = std::make_shared<Generator>();
  generator->host = host;
  switch (type) {
    case CURAND_RNG_PSEUDO_DEFAULT:
    case CURAND_RNG_PSEUDO_XORWOW: generator->kind = Kind::xorwow; break;
    case CURAND_RNG_PSEUDO_MRG32K3A: generator->kind = Kind::mrg32k3a; break;
    case CURAND_RNG_PSEUDO_PHILOX4_32_10: generator->kind = Kind::philox; break;
    case CURAND_RNG_PSEUDO_MTGP32: generator->kind = Kind::mtgp32; break;
    case CURAND_RNG_PSEUDO_MT19937: generator->kind = Kind::mt19937; break;
    case CURAND_RNG_QUASI_DEFAULT:
    case CURAND_RNG_QUASI_SOBOL32: generator->kind = Kind::sobol32; break;
    case CURAND_RNG_QUASI_SCRAMBLED_SOBOL32: generator->kind = Kind::scrambled_sobol32; break;
    case CURAND_RNG_QUASI_SOBOL64: generator->kind = Kind::sobol64; break;
    case CURAND_RNG_QUASI_SCRAMBLED_SOBOL64: generator->kind = Kind::scrambled_sobol64; break;
    default: libs::refuse(libs::Why::not_supported, "rng_type is no generator");
  }
  *out = libs::Handles<Generator>::all().add<curandGenerator_t>(std::move(generator));
}

Threads threads_of_device() {
  int device = 0, multiprocessors = 0, threads = 0;
  if (HEDDLE_RUNTIME(cudaGetDevice)(&device) != cudaSuccess ||
      HEDDLE_RUNTIME(cudaDeviceGetAttribute)(&multiprocessors, cudaDevAttrMultiProcessorCount, device) !=
          cudaSuccess ||
      HEDDLE_RUNTIME(cudaDeviceGetAttribute)(&threads, cudaDevAttrMaxThreadsPerMultiProcessor, device) !=
          cudaSuccess)
    libs::refuse(libs::Why::internal_error, "the device cannot be asked");
  return {static_cast<unsigned>(multiprocessors), static_cast<unsigned>(threads)};
}

// From here on the numbers are others.
void restart(Generator& generator) { generator.source = std::make_shared<Source>(); }

}  // namespace

void curandCreateGenerator(curandGenerator_t* generator, curandRngType_t rng_type) {
  create(generator, rng_type, false);
}
void curandCreateGeneratorHost(curandGenerator_t* generator, curandRngType_t rng_type) {
  create(generator, rng_type, true);
}
void curandDestroyGenerator(curandGenerator_t generator) {
  if (!libs::Handles<Generator>::all().remove(generator))
    libs::refuse(libs::Why::not_initialized, "no such generator");
}

void curandGetVersion(int* version) {
  if (version == nullptr) libs::refuse_null("version");
  *version = CURAND_VERSION;
}
void curandGetProperty(libraryPropertyType type, int* value) {
  if (value == nullptr) libs::refuse_null("value");
  switch (type) {
    case MAJOR_VERSION: *value = CURAND_VER_MAJOR; return;
    case MINOR_VERSION: *value = CURAND_VER_MINOR; return;
    case PATCH_LEVEL: *value = CURAND_VER_PATCH; return;
  }
  libs::refuse(libs::Why::invalid_value, "no such property");
}

void curandSetStream(curandGenerator_t generator, cudaStream_t stream) {
  const auto found = find(generator);
  const std::lock_guard lock(found->mutex);
  found->stream = stream;
}
void curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator, unsigned long long seed) {
  const auto found = find(generator);
  const std::lock_guard lock(found->mutex);
  if (quasi(found->kind)) libs::refuse(libs::Why::not_supported, "a quasi-random generator has no seed");
  found->seed = seed;
  restart(*found);
}
void curandSetGeneratorOffset(curandGenerator_t generator, unsigned long long offset) {
  const auto found = find(generator);
  const std::lock_guard lock(found->mutex);
  if (!skips(found->kind)) libs::refuse(libs::Why::not_supported, "this generator has no offset");
  found->offset = offset;
  restart(*found);
}
// What the first call that draws would do.
void curandGenerateSeeds(curandGenerator_t generator) {
  const auto found = find(generator);
  const std::lock_guard lock(found->mutex);
  const std::lock_guard drawing(found->source->mutex);
  if (found->source->sequence == nullptr)
    found->source->sequence =
        make_sequence(found->kind, found->order, found->seed, found->offset, found->threads);
}
void curandSetGeneratorOrdering(curandGenerator_t generator, curandOrdering_t order) {
  const auto found = find(generator);
  const std::lock_guard lock(found->mutex);
  if (quasi(found->kind)) {
    if (order != CURAND_ORDERING_QUASI_DEFAULT)
      libs::refuse(libs::Why::invalid_value, "no ordering of this generator");
    return;
  }
  switch (order) {
    case CURAND_ORDERING_PSEUDO_BEST:
    case CURAND_ORDERING_PSEUDO_DEFAULT: found->order = Order::best; break;
    case CURAND_ORDERING_PSEUDO_LEGACY: found->order = Order::legacy; break;
    case CURAND_ORDERING_PSEUDO_SEEDED:
      if (found->kind != Kind::xorwow)
        libs::refuse(libs::Why::invalid_value, "XORWOW alone has streams of several seeds");
      found->order = Order::seeded;
      break;
    case CURAND_ORDERING_PSEUDO_DYNAMIC:
      if (found->host || found->kind == Kind::mt19937)
        libs::refuse(libs::Why::invalid_value, "generators of the host and MT19937 have no dynamic order");
      found->threads = threads_of_device();
      found->order = Order::dynamic;
      break;
    default: libs::refuse(libs::Why::invalid_value, "no ordering of this generator");
  }
  restart(*found);
}

}  // namespace heddle::curand
