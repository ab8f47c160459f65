// Plans of several devices: an array lies in parts on them, by batches or by its first dimension, always in
// its natural order. The transform takes the parts to the host and puts its result back before the call
// returns.
#include <cuda_runtime_api.h>

#include <algorithm>

#include "libs/common/runtime.h"
#include "libs/cufft/functions.gen.h"
#include "libs/cufft/plan.h"

namespace heddle::cufft {
namespace {

void check(cudaError_t status, int code, const char* words) {
  if (status != cudaSuccess) libs::refuse_code(code, words);
}

// The device that was current is so again afterwards.
class OtherDevice {
 public:
  OtherDevice() { check(HEDDLE_RUNTIME(cudaGetDevice)(&before_), CUFFT_SETUP_FAILED, "there is no device"); }
  ~OtherDevice() { HEDDLE_RUNTIME(cudaSetDevice)(before_); }
  OtherDevice(const OtherDevice&) = delete;
  OtherDevice& operator=(const OtherDevice&) = delete;
  void set(int device) {
    check(HEDDLE_RUNTIME(cudaSetDevice)(device), CUFFT_INVALID_DEVICE, "a device cannot be used");
  }

 private:
  int before_ = 0;
};

struct Made {
  std::vector<int> devices;
  Description description;
  std::shared_ptr<const fft::Plan> transform;  // in place
};

Made made_plan(cufftHandle handle) {
  const auto plan = find_plan(handle);
  Made made;
  {
    const std::lock_guard lock(plan->mutex);
    if (!plan->made) libs::refuse_code(CUFFT_INVALID_PLAN, "the plan has not been made");
    if (plan->devices.empty()) libs::refuse_code(CUFFT_INVALID_PLAN, "cufftXtSetGPUs has not been called");
    made.devices = plan->devices;
    made.description = plan->description;
  }
  const Description& about = made.description;
  if (about.layouts) libs::refuse(libs::Why::not_supported, "an advanced layout on several devices");
  if (about.kind != fft::Kind::complex && about.lengths.size() == 1 && about.batch == 1 &&
      made.devices.size() > 1)
    libs::refuse(libs::Why::not_supported, "one line of real numbers on several devices");
  made.transform = plan->transform(true);
  return made;
}

// Bytes of the part of each device.
std::vector<uint64_t> parts(const Made& made) {
  const Description& about = made.description;
  const uint64_t bytes = std::max(about.extent(true, true), about.extent(false, true));
  const uint64_t slabs = static_cast<uint64_t>(about.batch > 1 ? about.batch : about.lengths[0]);
  const uint64_t devices = made.devices.size();
  std::vector<uint64_t> sizes;
  for (uint64_t d = 0; d < devices; ++d) {
    sizes.push_back((slabs / devices + (d < slabs % devices ? 1 : 0)) * (bytes / slabs));
  }
  return sizes;
}

uint64_t total(const cudaXtDesc& parts) {
  uint64_t bytes = 0;
  for (int d = 0; d < parts.nGPUs; ++d) bytes += parts.size[d];
  return bytes;
}

cudaXtDesc& descriptor(void* pointer, const char* name) {
  if (pointer == nullptr) libs::refuse_null(name);
  auto* outer = static_cast<cudaLibXtDesc*>(pointer);
  libs::require(outer->library == LIB_FORMAT_CUFFT && outer->descriptor != nullptr, "no descriptor of cuFFT");
  return *outer->descriptor;
}

void to_host(char* host, const cudaXtDesc& from) {
  OtherDevice current;
  for (int d = 0; d < from.nGPUs; host += from.size[d++]) {
    current.set(from.GPUs[d]);
    check(HEDDLE_RUNTIME(cudaDeviceSynchronize)(), CUFFT_EXEC_FAILED, "earlier work of a device failed");
    check(HEDDLE_RUNTIME(cudaMemcpy)(host, from.data[d], from.size[d], cudaMemcpyDefault), CUFFT_EXEC_FAILED,
          "a part cannot be copied to the host");
  }
}

void to_devices(cudaXtDesc& to, const char* host) {
  OtherDevice current;
  for (int d = 0; d < to.nGPUs; host += to.size[d++]) {
    current.set(to.GPUs[d]);
    check(HEDDLE_RUNTIME(cudaMemcpy)(to.data[d], host, to.size[d], cudaMemcpyDefault), CUFFT_EXEC_FAILED,
          "a part cannot be copied to its device");
  }
}

void execute(cufftHandle handle, cudaLibXtDesc* input, cudaLibXtDesc* output, int direction,
             std::optional<cufftType> type) {
  const Made made = made_plan(handle);
  const Description& about = made.description;
  if (type) {
    const int one[] = {1};
    const Description wanted = describe<int>(1, one, nullptr, 1, 0, nullptr, 1, 0, *type, 1);
    if (wanted.kind != about.kind || wanted.number != about.number)
      libs::refuse_code(CUFFT_INVALID_TYPE, "the plan is one of another type");
  }
  if (about.kind == fft::Kind::complex)
    libs::require(direction == CUFFT_FORWARD || direction == CUFFT_INVERSE, "direction must be -1 or 1");
  const cudaXtDesc& from = descriptor(input, "input");
  cudaXtDesc& to = descriptor(output, "output");
  const uint64_t bytes = std::max(about.extent(true, true), about.extent(false, true));
  libs::require(total(from) == bytes && total(to) == bytes,
                "a descriptor is one of another size than the plan's");
  std::vector<char> host(bytes);
  to_host(host.data(), from);
  made.transform->execute(host.data(), host.data(),
                          about.kind == fft::Kind::complex_to_real || direction == CUFFT_INVERSE);
  to_devices(to, host.data());
}

}  // namespace

void cufftXtSetGPUs(cufftHandle handle, int nGPUs, int* whichGPUs) {
  const auto plan = find_plan(handle);
  if (whichGPUs == nullptr) libs::refuse_null("whichGPUs");
  int there = 0;
  check(HEDDLE_RUNTIME(cudaGetDeviceCount)(&there), CUFFT_SETUP_FAILED, "there is no device");
  libs::require(nGPUs >= 1 && nGPUs <= MAX_CUDA_DESCRIPTOR_GPUS, "nGPUs must be from 1 to 64");
  for (int d = 0; d < nGPUs; ++d) {
    if (whichGPUs[d] < 0 || whichGPUs[d] >= there) libs::refuse_code(CUFFT_INVALID_DEVICE, "no such device");
  }
  const std::lock_guard lock(plan->mutex);
  if (plan->made) libs::refuse_code(CUFFT_INVALID_PLAN, "the plan has been made already");
  plan->devices.assign(whichGPUs, whichGPUs + nGPUs);
}

void cufftXtMalloc(cufftHandle plan, cudaLibXtDesc** out, cufftXtSubFormat format) {
  const Made made = made_plan(plan);
  if (out == nullptr) libs::refuse_null("descriptor");
  libs::require(format >= CUFFT_XT_FORMAT_INPUT && format < CUFFT_FORMAT_UNDEFINED, "no such format");
  auto inner = std::make_unique<cudaXtDesc>();
  auto outer = std::make_unique<cudaLibXtDesc>();
  inner->version = outer->version = CUDA_XT_DESCRIPTOR_VERSION;
  inner->nGPUs = static_cast<int>(made.devices.size());
  OtherDevice current;
  const auto sizes = parts(made);
  for (int d = 0; d < inner->nGPUs; ++d) {
    current.set(inner->GPUs[d] = made.devices[static_cast<std::size_t>(d)]);
    inner->size[d] = sizes[static_cast<std::size_t>(d)];
    if (inner->size[d] == 0 || HEDDLE_RUNTIME(cudaMalloc)(&inner->data[d], inner->size[d]) == cudaSuccess)
      continue;
    while (d-- > 0) HEDDLE_RUNTIME(cudaFree)(inner->data[d]);
    libs::refuse(libs::Why::alloc_failed, "a device has no memory for its part");
  }
  outer->library = LIB_FORMAT_CUFFT;
  outer->subFormat = format;
  outer->descriptor = inner.release();
  *out = outer.release();
}

void cufftXtFree(cudaLibXtDesc* pointer) {
  cudaXtDesc& inner = descriptor(pointer, "descriptor");
  for (int d = 0; d < inner.nGPUs; ++d) HEDDLE_RUNTIME(cudaFree)(inner.data[d]);
  delete &inner;
  delete pointer;
}

void cufftXtMemcpy(cufftHandle plan, void* dstPointer, void* srcPointer, cufftXtCopyType type) {
  static_cast<void>(made_plan(plan));
  if (dstPointer == nullptr) libs::refuse_null("dstPointer");
  if (srcPointer == nullptr) libs::refuse_null("srcPointer");
  switch (type) {
    case CUFFT_COPY_HOST_TO_DEVICE:
      return to_devices(descriptor(dstPointer, "dstPointer"), static_cast<const char*>(srcPointer));
    case CUFFT_COPY_DEVICE_TO_HOST:
      return to_host(static_cast<char*>(dstPointer), descriptor(srcPointer, "srcPointer"));
    case CUFFT_COPY_DEVICE_TO_DEVICE: {
      const cudaXtDesc& from = descriptor(srcPointer, "srcPointer");
      cudaXtDesc& to = descriptor(dstPointer, "dstPointer");
      libs::require(total(from) == total(to), "the descriptors are of different sizes");
      std::vector<char> host(total(from));
      to_host(host.data(), from);
      return to_devices(to, host.data());
    }
    default: libs::refuse(libs::Why::invalid_value, "no such copy");
  }
}

void cufftXtSetWorkArea(cufftHandle plan, void** workArea) {
  const auto found = find_plan(plan);
  if (workArea == nullptr) libs::refuse_null("workArea");
  const std::lock_guard lock(found->mutex);
  found->work_area_set = true;
}

void cufftXtExecDescriptor(cufftHandle plan, cudaLibXtDesc* input, cudaLibXtDesc* output, int direction) {
  execute(plan, input, output, direction, std::nullopt);
}
void cufftXtExecDescriptorC2C(cufftHandle plan, cudaLibXtDesc* input, cudaLibXtDesc* output, int direction) {
  execute(plan, input, output, direction, CUFFT_C2C);
}
void cufftXtExecDescriptorR2C(cufftHandle plan, cudaLibXtDesc* input, cudaLibXtDesc* output) {
  execute(plan, input, output, CUFFT_FORWARD, CUFFT_R2C);
}
void cufftXtExecDescriptorC2R(cufftHandle plan, cudaLibXtDesc* input, cudaLibXtDesc* output) {
  execute(plan, input, output, CUFFT_INVERSE, CUFFT_C2R);
}
void cufftXtExecDescriptorZ2Z(cufftHandle plan, cudaLibXtDesc* input, cudaLibXtDesc* output, int direction) {
  execute(plan, input, output, direction, CUFFT_Z2Z);
}
void cufftXtExecDescriptorD2Z(cufftHandle plan, cudaLibXtDesc* input, cudaLibXtDesc* output) {
  execute(plan, input, output, CUFFT_FORWARD, CUFFT_D2Z);
}
void cufftXtExecDescriptorZ2D(cufftHandle plan, cudaLibXtDesc* input, cudaLibXtDesc* output) {
  execute(plan, input, output, CUFFT_INVERSE, CUFFT_Z2D);
}

}  // namespace heddle::cufft
