// For tests: sequences of calls with arguments of all kinds, good and bad: objects that live, that were
// destroyed, of another device, of another kind; what a call makes, later calls use.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/cuda/call.h"
#include "api/cudart/call.h"
#include "api/entry/bad_arguments.h"

namespace heddle::compilers {

using Random = std::mt19937_64;
inline uint64_t below(Random& random, uint64_t limit) { return random() % limit; }
inline bool one_in(Random& random, uint64_t count) { return below(random, count) == 0; }

// What both APIs call by two names is one kind: cudaStream_t and CUstream, cudaMemPool_t and CUmemoryPool.
inline std::string kind_of_handle(std::string_view type) {
  if (type == "cudaMemPool_t") type = "CUmemoryPool";
  for (const std::string_view prefix : {"cuda", "CU"})
    if (type.starts_with(prefix)) type.remove_prefix(prefix.size());
  for (const std::string_view suffix : {"Object_t", "_t", "Object"})
    if (type.size() > suffix.size() + 4 && type.ends_with(suffix)) type.remove_suffix(suffix.size());
  std::string name(type);
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  return name;
}

// "Graph objects are not internally synchronized and must not be accessed concurrently from multiple
// threads" (runtime API, graph object thread safety).
inline bool of_one_thread(const std::string& kind) { return kind.starts_with("graph"); }

// Every object that a call gave, alive or not. All threads of a sequence share it.
class Objects {
 public:
  void add(const std::string& kind, uint64_t word, Random& random) {
    const std::lock_guard lock(mutex_);
    std::vector<uint64_t>& words = words_[kind];
    if (words.size() < most)
      words.push_back(word);
    else
      words[below(random, most)] = word;
  }
  uint64_t any(const std::string& kind, Random& random) const {
    const std::lock_guard lock(mutex_);
    const auto found = words_.find(kind);
    if (found == words_.end()) return 0;
    return found->second[below(random, found->second.size())];
  }
  uint64_t of_any_kind(Random& random) const {
    const std::lock_guard lock(mutex_);
    if (words_.empty()) return 0;
    const auto kind = std::next(words_.begin(), static_cast<long>(below(random, words_.size())));
    return kind->second[below(random, kind->second.size())];
  }

 private:
  static constexpr std::size_t most = 16;
  mutable std::mutex mutex_;
  std::map<std::string, std::vector<uint64_t>> words_;
};

// What a program under test has: kernels by their stubs, variables by their shadows, code.
struct Program {
  std::vector<const void*> stubs, shadows;
  const char* text = "";
  bool (*of_memory)(uint64_t address) = nullptr;  // whether copies may go there
};

// The arguments of one thread's calls. Pointers to structures lead to memory of its own.
class AnyArguments : public entry::Arguments {
 public:
  // `host`: pageable memory, for as long as work may be queued that uses it.
  static constexpr std::size_t host_bytes = 32 << 20;
  AnyArguments(Objects& objects, const Program& program, Random& random, std::span<std::byte> host)
      : objects_(objects), program_(program), random_(random), host_(host) {
    for (auto& area : areas_) area = std::make_unique<Area>();
  }

  void begin(const entry::Call& call) {
    used_ = 0;
    outputs_.clear();
    trusting_ = entry::trusts_sizes(call);
    huge_ = !trusting_ && one_in(random_, 40);
  }
  // What the call wrote to where handles are expected.
  void keep_outputs() {
    for (const auto& [parameter, area] : outputs_) {
      uint64_t word = 0;
      std::memcpy(&word, area, sizeof word);
      if (word == 0) continue;
      const std::string_view type = parameter->type;
      const bool memory = type == "void" || type == "CUdeviceptr";
      if (memory && !program_.of_memory(word)) continue;
      add(memory ? "memory" : kind_of_handle(type), word);
    }
  }
  void add(const std::string& kind, uint64_t word) {
    (of_one_thread(kind) ? own_ : objects_).add(kind, word, random_);
  }

 private:
  using Parameter = entry::Parameter;
  using Kind = entry::Kind;
  using Area = std::array<std::byte, 65536>;

  uint64_t word(const Parameter& parameter) override {
    switch (parameter.kind) {
      case Kind::number: return number(parameter);
      case Kind::enumeration: return enumeration();
      case Kind::handle: return handle(parameter.type);
      case Kind::memory: return memory();
      case Kind::function: return of(program_.stubs);
      case Kind::symbol: return of(program_.shadows);
      case Kind::text: return text();
      case Kind::callback: return callback(parameter.type);
      case Kind::in: return in(parameter);
      case Kind::out_handle:
      case Kind::out: return out(parameter);
      case Kind::value: return 0;
    }
    return 0;
  }
  void fill(const Parameter& parameter, void* value) override {
    fill(parameter.type, value, parameter.bytes);
  }

  uint64_t number(const Parameter& parameter) {
    if (entry::OneBad::is_device(parameter))
      return one_in(random_, 8) ? below(random_, 5) - 1 : below(random_, 2);
    const std::string_view name = parameter.name;
    const bool of_grid = name.starts_with("grid") || name.starts_with("block") || name.size() == 1;
    if (huge_ && one_in(random_, 2)) return one_in(random_, 2) ? ~uint64_t{0} : uint64_t{1} << 63;
    if (of_grid || trusting_) return below(random_, 4);
    if (!entry::OneBad::is_size(parameter))
      return one_in(random_, 6) ? below(random_, 300) : below(random_, 4);
    constexpr uint64_t sizes[] = {0, 1, 3, 4, 16, 64, 255, 256, 1024, 4096, 4097};
    return sizes[below(random_, std::size(sizes))];
  }
  uint64_t enumeration() {
    if (one_in(random_, 20)) return one_in(random_, 2) ? ~uint64_t{0} : 0x7fffffff;
    return below(random_, one_in(random_, 4) ? 100 : 5);
  }
  uint64_t handle(std::string_view type) {
    switch (below(random_, 16)) {
      case 0: return 0;
      case 1: return below(random_, 4);  // the default streams' names among them
      case 2: return (one_in(random_, 4) ? own_ : objects_).of_any_kind(random_);
      case 3: return entry::OneBad::not_a_handle;
      default: break;
    }
    const std::string kind = kind_of_handle(type);
    return (of_one_thread(kind) ? own_ : objects_).any(kind, random_);
  }
  uint64_t memory() {
    if (one_in(random_, 12)) return 0;
    // No API can know where the host's own memory ends.
    if (!huge_ && one_in(random_, 4)) return number_of(host_.data() + 4 * below(random_, 1024));
    const uint64_t found = objects_.any("memory", random_);
    return one_in(random_, 6) ? found + 4 * below(random_, 64) : found;
  }
  uint64_t of(const std::vector<const void*>& known) {
    return one_in(random_, 10) ? entry::OneBad::not_a_handle : number_of(known[below(random_, known.size())]);
  }
  uint64_t text() {
    const char* const texts[] = {"", "text", "add", "counter", "factors", "0000:00:00.0", program_.text};
    return number_of(texts[below(random_, std::size(texts))]);
  }
  uint64_t callback(std::string_view type) {
    if (type == "CUoccupancyB2DSize")
      return number_of(reinterpret_cast<const void*>(+[](int) -> size_t { return 0; }));
    if (type == "CUstreamCallback")
      return number_of(reinterpret_cast<const void*>(+[](CUstream, CUresult, void*) {}));
    if (type == "cudaStreamCallback_t")
      return number_of(reinterpret_cast<const void*>(+[](cudaStream_t, cudaError_t, void*) {}));
    if (type == "CUlogsCallback")
      return number_of(reinterpret_cast<const void*>(+[](void*, CUlogLevel, char*, size_t) {}));
    if (type == "cudaLogsCallback_t")
      return number_of(reinterpret_cast<const void*>(+[](void*, cudaLogLevel, char*, size_t) {}));
    if (type == "nvrtcFlowCallback")
      return number_of(reinterpret_cast<const void*>(+[](void*, void*) { return 0; }));
    return number_of(reinterpret_cast<const void*>(+[](void*) {}));
  }
  std::byte* area(std::size_t clear) {
    std::byte* const found = areas_[used_++ % areas_.size()]->data();
    std::memset(found, 0, std::min(std::max<std::size_t>(clear * 64, 4096), sizeof(Area)));
    return found;
  }
  uint64_t out(const Parameter& parameter) {
    if (one_in(random_, 30)) return 0;
    std::byte* const place = area(parameter.bytes);
    // How many an array has room for, if that is what it says.
    if (parameter.kind == Kind::out && parameter.bytes == 8)
      *reinterpret_cast<uint64_t*>(place) = below(random_, 6);
    fill(parameter.type, place, parameter.bytes);
    if (parameter.kind == Kind::out_handle) outputs_.emplace_back(&parameter, place);
    return number_of(place);
  }
  uint64_t in(const Parameter& parameter) {
    if (one_in(random_, 8)) return 0;
    const std::string_view type = parameter.type;
    if ((type == "void" || type == "char") &&
        std::string_view(parameter.name).find("mage") != std::string_view::npos)
      return number_of(program_.text);
    std::byte* const place = area(parameter.bytes);
    auto* const words = reinterpret_cast<uint64_t*>(place);
    if (type == "void" || type == "char") {
      // Of kernels' arguments: add(data, what).
      std::byte* const values = area(8);
      auto* const of_kernel = reinterpret_cast<uint64_t*>(values);
      of_kernel[0] = one_in(random_, 10) ? memory() : objects_.any("integers", random_);
      for (std::size_t i = 0; i < 64; ++i) words[i] = number_of(values + (i < 2 ? 8 * i : 16));
    } else if (type == "int" || type == "size_t" || type == "unsigned long long" || type == "cuuint64_t") {
      words[0] = below(random_, 5);
    } else if (type == "CUdeviceptr") {
      for (std::size_t i = 0; i < 16; ++i) words[i] = memory();
    } else if (parameter.bytes == 8) {
      for (std::size_t i = 0; i < 16; ++i) words[i] = handle(type);
    } else {
      fill(type, place, parameter.bytes);
    }
    return number_of(place);
  }

  static uint64_t number_of(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }
  template <class T>
  T small(uint64_t limit = 5) {
    return static_cast<T>(below(random_, limit));
  }
  template <class T>
  T* pointer(uint64_t word) {
    return reinterpret_cast<T*>(word);
  }
  void** arguments() {
    static constexpr Parameter parameter = {"args", "void", Kind::in, false, 0};
    return pointer<void*>(in(parameter));
  }
  // Of structures that have pointers, or must be right in more than one place to be accepted.
  void fill(std::string_view type, void* value, std::size_t bytes);
  template <class Params>
  void fill_kernel(Params& params);
  template <class Copy>
  void fill_rows(Copy& copy);

  Objects& objects_;
  Objects own_;
  const Program& program_;
  Random& random_;
  const std::span<std::byte> host_;
  std::array<std::unique_ptr<Area>, 24> areas_;
  std::size_t used_ = 0;
  bool trusting_ = false, huge_ = false;
  std::vector<std::pair<const Parameter*, const std::byte*>> outputs_;
};

template <class Params>
void AnyArguments::fill_kernel(Params& params) {
  params.gridDimX = small<unsigned>();
  params.gridDimY = params.gridDimZ = 1;
  params.blockDimX = small<unsigned>();
  params.blockDimY = params.blockDimZ = 1;
  params.kernelParams = arguments();
}

template <class Copy>
void AnyArguments::fill_rows(Copy& copy) {
  const auto type = [&] { return static_cast<CUmemorytype>(small<unsigned>(one_in(random_, 10) ? 8 : 5)); };
  copy.srcMemoryType = type();
  copy.dstMemoryType = type();
  copy.srcHost = host_.data();
  copy.dstHost = host_.data() + host_bytes / 2;
  copy.srcDevice = memory();
  copy.dstDevice = memory();
  copy.srcArray = pointer<CUarray_st>(handle("CUarray"));
  copy.dstArray = pointer<CUarray_st>(handle("CUarray"));
  copy.srcPitch = copy.dstPitch = 16 * small<size_t>();
  copy.WidthInBytes = 4 * small<size_t>();
  copy.Height = small<size_t>();
}

inline void AnyArguments::fill(std::string_view type, void* value, std::size_t bytes) {
  const auto as = [&]<class T>(T*) -> T& { return *static_cast<T*>(value); };
#define HEDDLE_IS(name) type == #name&& bytes == sizeof(name)
  if (HEDDLE_IS(dim3)) {
    as(static_cast<dim3*>(nullptr)) = dim3(small<unsigned>(), 1 + small<unsigned>(2), 1);
  } else if (HEDDLE_IS(cudaExtent)) {
    as(static_cast<cudaExtent*>(nullptr)) = {small<size_t>(20), small<size_t>(20), small<size_t>()};
  } else if (HEDDLE_IS(cudaPitchedPtr)) {
    as(static_cast<cudaPitchedPtr*>(nullptr)) = {pointer<void>(memory()), 64, 16, small<size_t>()};
  } else if (HEDDLE_IS(cudaMemLocation)) {
    as(static_cast<cudaMemLocation*>(nullptr)) = {small<cudaMemLocationType>(3), small<int>(3)};
  } else if (HEDDLE_IS(CUmemLocation)) {
    as(static_cast<CUmemLocation*>(nullptr)) = {small<CUmemLocationType>(3), small<int>(3)};
  } else if (HEDDLE_IS(cudaMemPoolProps)) {
    auto& pool = as(static_cast<cudaMemPoolProps*>(nullptr));
    pool.allocType = cudaMemAllocationTypePinned;
    pool.location = {cudaMemLocationTypeDevice, small<int>(3)};
    pool.handleTypes = one_in(random_, 4) ? cudaMemHandleTypePosixFileDescriptor : cudaMemHandleTypeNone;
  } else if (HEDDLE_IS(CUmemPoolProps)) {
    auto& pool = as(static_cast<CUmemPoolProps*>(nullptr));
    pool.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    pool.location = {CU_MEM_LOCATION_TYPE_DEVICE, small<int>(3)};
    pool.handleTypes =
        one_in(random_, 4) ? CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR : CU_MEM_HANDLE_TYPE_NONE;
  } else if (HEDDLE_IS(cudaChannelFormatDesc)) {
    as(static_cast<cudaChannelFormatDesc*>(nullptr)) = {32, small<int>(2) * 32, 0, 0,
                                                        small<cudaChannelFormatKind>(4)};
  } else if (HEDDLE_IS(CUDA_ARRAY_DESCRIPTOR)) {
    as(static_cast<CUDA_ARRAY_DESCRIPTOR*>(nullptr)) = {small<size_t>(20), small<size_t>(20),
                                                        CU_AD_FORMAT_FLOAT, small<unsigned>()};
  } else if (HEDDLE_IS(CUDA_ARRAY3D_DESCRIPTOR)) {
    as(static_cast<CUDA_ARRAY3D_DESCRIPTOR*>(nullptr)) = {small<size_t>(20), small<size_t>(20),
                                                          small<size_t>(),   CU_AD_FORMAT_FLOAT,
                                                          small<unsigned>(), small<unsigned>(9)};
  } else if (HEDDLE_IS(cudaMemcpy3DParms)) {
    auto& copy = as(static_cast<cudaMemcpy3DParms*>(nullptr));
    if (one_in(random_, 2))
      copy.srcArray = pointer<cudaArray>(handle("cudaArray_t"));
    else
      copy.srcPtr = {pointer<void>(memory()), 64, 16, 4};
    if (one_in(random_, 2))
      copy.dstArray = pointer<cudaArray>(handle("cudaArray_t"));
    else
      copy.dstPtr = {pointer<void>(memory()), 64, 16, 4};
    copy.extent = {small<size_t>(16), small<size_t>(4), small<size_t>(3)};
    copy.kind = cudaMemcpyDefault;
  } else if (HEDDLE_IS(CUDA_MEMCPY2D)) {
    fill_rows(as(static_cast<CUDA_MEMCPY2D*>(nullptr)));
  } else if (HEDDLE_IS(CUDA_MEMCPY3D)) {
    auto& copy = as(static_cast<CUDA_MEMCPY3D*>(nullptr));
    fill_rows(copy);
    copy.Depth = small<size_t>(3);
    copy.srcHeight = copy.dstHeight = 4;
  } else if (HEDDLE_IS(CUDA_KERNEL_NODE_PARAMS)) {
    auto& params = as(static_cast<CUDA_KERNEL_NODE_PARAMS*>(nullptr));
    fill_kernel(params);
    params.func = pointer<CUfunc_st>(handle("CUfunction"));
  } else if (HEDDLE_IS(CUDA_KERNEL_NODE_PARAMS_v1)) {
    auto& params = as(static_cast<CUDA_KERNEL_NODE_PARAMS_v1*>(nullptr));
    fill_kernel(params);
    params.func = pointer<CUfunc_st>(handle("CUfunction"));
  } else if (HEDDLE_IS(CUlaunchConfig)) {
    auto& config = as(static_cast<CUlaunchConfig*>(nullptr));
    config.gridDimX = config.blockDimX = small<unsigned>();
    config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
    config.hStream = pointer<CUstream_st>(handle("CUstream"));
  } else if (HEDDLE_IS(cudaLaunchConfig_t)) {
    auto& config = as(static_cast<cudaLaunchConfig_t*>(nullptr));
    config.gridDim = config.blockDim = dim3(small<unsigned>());
    config.stream = pointer<CUstream_st>(handle("CUstream"));
  } else if (HEDDLE_IS(cudaKernelNodeParams)) {
    auto& params = as(static_cast<cudaKernelNodeParams*>(nullptr));
    params.func = pointer<void>(of(program_.stubs));
    params.gridDim = params.blockDim = dim3(small<unsigned>());
    params.kernelParams = arguments();
  } else if (HEDDLE_IS(cudaMemsetParams)) {
    auto& params = as(static_cast<cudaMemsetParams*>(nullptr));
    params = {pointer<void>(memory()), 64, small<unsigned>(), small<unsigned>(), small<size_t>(),
              small<size_t>()};
  } else if (HEDDLE_IS(CUDA_MEMSET_NODE_PARAMS)) {
    auto& params = as(static_cast<CUDA_MEMSET_NODE_PARAMS*>(nullptr));
    params.dst = memory();
    params.pitch = 64;
    params.elementSize = small<unsigned>();
    params.width = params.height = small<size_t>();
  } else if (HEDDLE_IS(cudaHostNodeParams)) {
    as(static_cast<cudaHostNodeParams*>(nullptr)).fn = [](void*) {};
  } else if (HEDDLE_IS(CUDA_HOST_NODE_PARAMS)) {
    as(static_cast<CUDA_HOST_NODE_PARAMS*>(nullptr)).fn = [](void*) {};
  } else if (HEDDLE_IS(cudaResourceDesc)) {
    auto& resource = as(static_cast<cudaResourceDesc*>(nullptr));
    resource.resType = small<cudaResourceType>(4);
    if (resource.resType == cudaResourceTypeLinear)
      resource.res.linear = {pointer<void>(memory()), {32, 0, 0, 0, cudaChannelFormatKindFloat}, 64};
    else
      resource.res.array.array = pointer<cudaArray>(
          handle(resource.resType == cudaResourceTypeArray ? "cudaArray_t" : "cudaMipmappedArray_t"));
  } else if (HEDDLE_IS(CUDA_RESOURCE_DESC)) {
    auto& resource = as(static_cast<CUDA_RESOURCE_DESC*>(nullptr));
    resource.resType = small<CUresourcetype>(4);
    if (resource.resType == CU_RESOURCE_TYPE_LINEAR)
      resource.res.linear = {memory(), CU_AD_FORMAT_FLOAT, 1, 64};
    else
      resource.res.array.hArray = pointer<CUarray_st>(
          handle(resource.resType == CU_RESOURCE_TYPE_ARRAY ? "CUarray" : "CUmipmappedArray"));
  }
#undef HEDDLE_IS
}

}  // namespace heddle::compilers
