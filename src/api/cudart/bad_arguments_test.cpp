// Every implemented function of the runtime API with each of its arguments bad in every way that its type
// allows.
#include "api/entry/bad_arguments.h"

#include "api/cudart/calls.gen.h"
#include "api/cudart/testing.h"

namespace heddle::cudart {
namespace {

void on_host(void*) {}
void on_stream(cudaStream_t, cudaError_t, void*) {}
void on_log(void*, cudaLogLevel, char*, size_t) {}

template <class T>
uint64_t as_word(T value) {
  if constexpr (std::is_pointer_v<T>)
    return reinterpret_cast<uint64_t>(value);
  else
    return value;
}

// Objects are made when they are asked for.
class RuntimeWorld : public entry::World, public RuntimeApi {
 public:
  void TestBody() override {}

  void renew() override {
    for (const cudaStream_t stream : streams_) cudaStreamDestroy(stream);  // and with it a capture
    streams_.clear();
    made_.clear();
    cudaSetDevice(0);
  }
  uint64_t good(std::string_view type) override {
    const auto [place, is_new] = made_.try_emplace(std::string(type), 0);
    if (is_new) place->second = make(type);
    return place->second;
  }
  uint64_t freed(std::string_view type) override {
    const uint64_t object = make(type);
    return object != 0 && free(type, object) ? object : 0;
  }
  uint64_t foreign(std::string_view type) override {
    cudaSetDevice(1);
    const uint64_t object = make(type);
    cudaSetDevice(0);
    return object;
  }
  uint64_t memory() override { return good("memory"); }
  uint64_t freed_memory() override { return freed("memory"); }
  uint64_t foreign_memory() override { return foreign("memory"); }
  uint64_t function() override { return as_word(&add_stub); }
  uint64_t symbol() override { return as_word(&counter_shadow); }
  uint64_t callback(std::string_view type) override {
    if (type == "cudaStreamCallback_t") return as_word(on_stream);
    return type == "cudaLogsCallback_t" ? as_word(on_log) : as_word(on_host);
  }

 private:
  template <class T, class Create>
  uint64_t create(Create call) {
    T object{};
    return call(&object) == cudaSuccess ? as_word(object) : 0;
  }
  uint64_t make(std::string_view type) {
    const cudaChannelFormatDesc format = {32, 0, 0, 0, cudaChannelFormatKindFloat};
    if (type == "memory") return create<void*>([](void** memory) { return cudaMalloc(memory, 4096); });
    if (type == "cudaStream_t") {
      const uint64_t stream = create<cudaStream_t>([](auto* object) { return cudaStreamCreate(object); });
      streams_.push_back(word_as<cudaStream_t>(stream));
      return stream;
    }
    if (type == "cudaKernel_t")
      return create<cudaKernel_t>([](auto* object) { return cudaGetKernel(object, &add_stub); });
    if (type == "cudaEvent_t")
      return create<cudaEvent_t>([](auto* object) { return cudaEventCreate(object); });
    if (type == "cudaArray_t")
      return create<cudaArray_t>([&](auto* object) { return cudaMallocArray(object, &format, 16, 16, 0); });
    if (type == "cudaMipmappedArray_t")
      return create<cudaMipmappedArray_t>(
          [&](auto* object) { return cudaMallocMipmappedArray(object, &format, {16, 16, 0}, 2, 0); });
    if (type == "cudaMemPool_t") {
      cudaMemPoolProps properties{};
      properties.allocType = cudaMemAllocationTypePinned;
      properties.location.type = cudaMemLocationTypeDevice;
      cudaGetDevice(&properties.location.id);
      return create<cudaMemPool_t>([&](auto* object) { return cudaMemPoolCreate(object, &properties); });
    }
    if (type == "cudaGraph_t")
      return create<cudaGraph_t>([](auto* object) { return cudaGraphCreate(object, 0); });
    if (type == "cudaGraphNode_t")
      return create<cudaGraphNode_t>([&](auto* object) {
        return cudaGraphAddEmptyNode(object, word_as<cudaGraph_t>(good("cudaGraph_t")), nullptr, 0);
      });
    if (type == "cudaGraphExec_t")
      return create<cudaGraphExec_t>([&](auto* object) {
        return cudaGraphInstantiate(object, word_as<cudaGraph_t>(good("cudaGraph_t")), 0);
      });
    if (type == "cudaUserObject_t")
      return create<cudaUserObject_t>([](auto* object) {
        return cudaUserObjectCreate(object, nullptr, on_host, 1, cudaUserObjectNoDestructorSync);
      });
    return 0;
  }
  static bool free(std::string_view type, uint64_t object) {
    if (type == "memory") return cudaFree(word_as<void*>(object)) == cudaSuccess;
    if (type == "cudaStream_t") return cudaStreamDestroy(word_as<cudaStream_t>(object)) == cudaSuccess;
    if (type == "cudaEvent_t") return cudaEventDestroy(word_as<cudaEvent_t>(object)) == cudaSuccess;
    if (type == "cudaArray_t") return cudaFreeArray(word_as<cudaArray_t>(object)) == cudaSuccess;
    if (type == "cudaMipmappedArray_t")
      return cudaFreeMipmappedArray(word_as<cudaMipmappedArray_t>(object)) == cudaSuccess;
    if (type == "cudaMemPool_t") return cudaMemPoolDestroy(word_as<cudaMemPool_t>(object)) == cudaSuccess;
    if (type == "cudaGraph_t") return cudaGraphDestroy(word_as<cudaGraph_t>(object)) == cudaSuccess;
    if (type == "cudaGraphNode_t")
      return cudaGraphDestroyNode(word_as<cudaGraphNode_t>(object)) == cudaSuccess;
    if (type == "cudaGraphExec_t")
      return cudaGraphExecDestroy(word_as<cudaGraphExec_t>(object)) == cudaSuccess;
    if (type == "cudaUserObject_t")
      return cudaUserObjectRelease(word_as<cudaUserObject_t>(object), 1) == cudaSuccess;
    return false;
  }
  template <class T>
  static T word_as(uint64_t word) {
    return reinterpret_cast<T>(word);
  }

  std::map<std::string, uint64_t> made_;
  std::vector<cudaStream_t> streams_;
};

TEST(BadArguments, AreRefusedByTheRuntime) {
  entry::Documented documented;
  // CUDA Runtime API, "Returns" of each function: streams, events, arrays and code are resources; graphs,
  // pools and what else was made are values.
  documented.null = documented.handle = documented.size = documented.enumeration = cudaErrorInvalidValue;
  documented.device = cudaErrorInvalidDevice;
  for (const char* type : {"cudaStream_t", "cudaEvent_t", "cudaArray_t", "cudaMipmappedArray_t",
                           "cudaLibrary_t", "cudaKernel_t", "cudaFunction_t"})
    documented.types[type] = cudaErrorInvalidResourceHandle;
  documented.types["cudaMemcpyKind"] = cudaErrorInvalidMemcpyDirection;
  const auto all = [&](int code, std::initializer_list<const char*> places) {
    for (const char* place : places) documented.places[place] = code;
  };
  all(cudaErrorMemoryAllocation,
      {"cudaMalloc: size", "cudaMallocAsync: size", "cudaMallocFromPoolAsync: size", "cudaMallocHost: size",
       "cudaHostAlloc: size", "cudaMallocPitch: width is half of SIZE_MAX", "cudaMallocPitch: height"});
  all(cudaErrorNotSupported, {"cudaHostRegister: size is half of SIZE_MAX"});
  all(cudaErrorInvalidTexture,
      {"cudaBindTextureToArray: array", "cudaBindTextureToMipmappedArray: mipmappedArray"});
  all(cudaErrorInvalidSurface, {"cudaBindSurfaceToArray: array"});
  // -1 is the host: it is the memory that is not managed.
  all(cudaErrorInvalidValue, {"cudaMemAdvise: device", "cudaMemPrefetchAsync: dstDevice is negative"});
  // The lists, all zero, are bad as well, and looked at first; an H100's driver crashes
  // (tests/hw/h100/answers/second_bad_argument.txt).
  all(cudaErrorInvalidValue,
      {"cudaMemcpyBatchAsync: stream", "cudaMemcpy3DBatchAsync: stream", "cudaMemPrefetchBatchAsync: stream",
       "cudaMemDiscardBatchAsync: stream", "cudaMemDiscardAndPrefetchBatchAsync: stream",
       "cudaStreamAttachMemAsync: stream"});
  documented.never_returned = {cudaErrorUnknown};
  constexpr const char* node_is_bad = "the function, 0, is looked at first, as an H100 does";
  // tests/hw/h200/answers/bad_arguments.txt
  constexpr const char *as_hardware = "an H200 takes any number", *one_row = "one row needs no pitch";
  const entry::Allowed allowed = {
      {"cudaConfigureCall: stream", "the launch that follows refuses it"},
      {"cudaDeviceGetP2PAttribute: attr", "the two devices are the same one"},
      {"cudaDestroySurfaceObject: surfObject", as_hardware},
      {"cudaDestroyTextureObject: texObject", as_hardware},
      {"cudaMemcpy2D: dpitch", one_row},
      {"cudaMemcpy2D: spitch", one_row},
      {"cudaMemcpy2DAsync: dpitch", one_row},
      {"cudaMemcpy2DAsync: spitch", one_row},
      {"cudaMemset2D: pitch", one_row},
      {"cudaMemset2DAsync: pitch", one_row},
      {"cudaMemPoolTrimTo: minBytesToKeep", "as much as there is may be kept"},
      {"cudaGraphAddKernelNode: graph", node_is_bad},
      {"cudaGraphAddNode: graph", node_is_bad},
      {"cudaGraphAddNode_v2: graph", node_is_bad},
      {"cudaGraphKernelNodeSetParams: node", node_is_bad},
      {"cudaGraphNodeSetParams: node", node_is_bad},
      {"cudaGraphExecKernelNodeSetParams: hGraphExec", node_is_bad},
      {"cudaGraphExecKernelNodeSetParams: node", node_is_bad},
      {"cudaGraphExecNodeSetParams: graphExec", node_is_bad},
      {"cudaGraphExecNodeSetParams: node", node_is_bad},
  };
  RuntimeWorld world;
  entry::expect_refusals(calls, documented, allowed, world);
}

}  // namespace
}  // namespace heddle::cudart
